//! Samples for a POSIX shell. `--json` needs curl 7.82 or newer.

use super::Call;
use super::literal::JSON;

pub fn render(call: &Call<'_>) -> String {
    let options = if call.is_stream { "-sN" } else { "-s" };
    let method = match (call.method, call.body) {
        ("GET", None) | ("POST", Some(_)) => String::new(),
        (method, _) => format!("-X {method} "),
    };
    let mut parts = vec![format!("curl {options} {method}{}", quote(&call.url))];
    parts.extend(call.credential.map(|name| format!(r#"-H "Authorization: Bearer ${name}""#)));
    parts.extend(call.headers.iter().map(|(name, value)| format!("-H {}", quote(&format!("{name}: {value}")))));
    parts.extend(call.body.map(|body| format!("--json {}", quote(&JSON.literal(body, 0)))));
    parts.extend(call.form.iter().map(|(name, value)| format!("-F {}", quote(&format!("{name}={value}")))));
    parts.join(" \\\n  ")
}

/// A text as one word, in which the shell replaces nothing.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
