//! Samples for TypeScript, as modules for Node: OpenAI's SDK where it has the call, otherwise `fetch`.

use super::literal::{JSON, quote};
use super::{BASE_URL, Call, sdk_method};

pub fn render(call: &Call<'_>) -> String {
    match (sdk_method(call), call.body, call.credential) {
        (Some(method), Some(body), Some(credential)) => {
            let base_url = quote(&format!("{BASE_URL}/gateway/v1"));
            let (name, print) = match call.is_stream {
                true => ("chunks", "for await (const chunk of chunks) console.log(chunk);"),
                false => ("answer", "console.log(answer);"),
            };
            format!(
                "import OpenAI from \"openai\";\n\n\
                 const client = new OpenAI({{ baseURL: {base_url}, apiKey: process.env.{credential} }});\n\
                 const {name} = await client.{method}({});\n{print}",
                JSON.literal(body, 0)
            )
        }
        _ => render_request(call),
    }
}

fn render_request(call: &Call<'_>) -> String {
    let credential = call.credential.map(|name| format!("Authorization: `Bearer ${{process.env.{name}}}`"));
    let content = call.body.map(|_| r#""Content-Type": "application/json""#.to_owned());
    let others = call.headers.iter().map(|(name, value)| format!("{}: {}", quote(name), quote(value)));
    let headers: Vec<String> = credential.into_iter().chain(content).chain(others).collect();
    let mut fields = vec![format!("method: {}", quote(call.method))];
    if !headers.is_empty() {
        fields.push(format!("headers: {{ {} }}", headers.join(", ")));
    }
    fields.extend(call.body.map(|body| format!("body: JSON.stringify({})", JSON.literal(body, 1))));
    let mut form = String::new();
    if !call.form.is_empty() {
        fields.push("body: form".to_owned());
        let part = |(name, value): &(&str, &str)| match value.strip_prefix('@') {
            Some(file) => format!("form.set({}, await openAsBlob({1}), {1});\n", quote(name), quote(file)),
            None => format!("form.set({}, {});\n", quote(name), quote(value)),
        };
        let parts: String = call.form.iter().map(part).collect();
        form = format!("import {{ openAsBlob }} from \"node:fs\";\n\nconst form = new FormData();\n{parts}\n");
    }
    let fields: String = fields.iter().map(|field| format!("  {field},\n")).collect();
    let print = match call.is_stream {
        true => {
            "const decoder = new TextDecoder();\nfor await (const part of answer.body ?? []) {\n  \
             process.stdout.write(decoder.decode(part, { stream: true }));\n}"
        }
        false => "console.log(await answer.text());",
    };
    format!(
        "{form}const answer = await fetch({}, {{\n{fields}}});\nif (!answer.ok) throw new Error(await answer.text());\n{print}",
        quote(&call.url)
    )
}
