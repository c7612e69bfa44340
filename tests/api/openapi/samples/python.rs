//! Samples for Python: OpenAI's SDK where it has the call, otherwise `requests`.

use super::literal::{PYTHON, quote};
use super::{BASE_URL, Call, sdk_method};

pub fn render(call: &Call<'_>) -> String {
    match (sdk_method(call), call.body.and_then(|body| body.as_object()), call.credential) {
        (Some(method), Some(body), Some(credential)) => {
            let base_url = quote(&format!("{BASE_URL}/gateway/v1"));
            let fields = body.iter().map(|(name, value)| format!("    {name}={},\n", PYTHON.literal(value, 1)));
            let fields: String = fields.collect();
            let (name, print) = match call.is_stream {
                true => ("chunks", "for chunk in chunks:\n    print(chunk)"),
                false => ("answer", "print(answer)"),
            };
            format!(
                "import os\nfrom openai import OpenAI\n\n\
                 client = OpenAI(base_url={base_url}, api_key=os.environ[\"{credential}\"])\n\
                 {name} = client.{method}(\n{fields})\n{print}"
            )
        }
        _ => render_request(call),
    }
}

fn render_request(call: &Call<'_>) -> String {
    let credential = call.credential.map(|name| format!(r#""Authorization": f"Bearer {{os.environ['{name}']}}""#));
    let others = call.headers.iter().map(|(name, value)| format!("{}: {}", quote(name), quote(value)));
    let headers: Vec<String> = credential.into_iter().chain(others).collect();
    let mut arguments = vec![quote(&call.url)];
    if !headers.is_empty() {
        arguments.push(format!("headers={{{}}}", headers.join(", ")));
    }
    arguments.extend(call.body.map(|body| format!("json={}", PYTHON.literal(body, 1))));
    if !call.form.is_empty() {
        let part = |(name, value): &(&str, &str)| match value.strip_prefix('@') {
            Some(file) => format!("{}: open({}, \"rb\")", quote(name), quote(file)),
            None => format!("{}: (None, {})", quote(name), quote(value)),
        };
        arguments.push(format!("files={{{}}}", call.form.iter().map(part).collect::<Vec<_>>().join(", ")));
    }
    if call.is_stream {
        arguments.push("stream=True".to_owned());
    }
    let import = if call.credential.is_some() { "import os\n" } else { "" };
    let print = match call.is_stream {
        true => "for line in answer.iter_lines():\n    print(line.decode())",
        false => "print(answer.text)",
    };
    let method = call.method.to_ascii_lowercase();
    let arguments: String = arguments.iter().map(|argument| format!("    {argument},\n")).collect();
    format!("{import}import requests\n\nanswer = requests.{method}(\n{arguments})\nanswer.raise_for_status()\n{print}")
}
