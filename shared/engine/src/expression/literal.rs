//! Writes values as literals of CEL and Jinja, for programs that create expressions.

use serde_json::Value;

/// A string literal that both languages read.
pub fn quote(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('\'');
    for c in text.chars() {
        match c {
            '\\' | '\'' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

/// A literal in CEL, which is mostly JSON.
pub fn cel_literal(json: &Value) -> String {
    match json {
        Value::Null | Value::Bool(_) => json.to_string(),
        // CEL integers have 64 bits. A larger number becomes a double.
        Value::Number(number) if number.is_f64() || number.as_i64().is_some_and(|whole| whole != i64::MIN) => {
            number.to_string()
        }
        Value::Number(number) => format!("{number}.0"),
        Value::String(text) => quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(cel_literal).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(name, entry)| format!("{}: {}", quote(name), cel_literal(entry))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// Literal text in a Jinja template. Braces that would open a tag are escaped.
pub fn escape_jinja(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('{', Some(next @ ('{' | '%' | '#'))) => {
                escaped.push_str(&format!("{{{{ '{{{next}' }}}}"));
                chars.next();
            }
            // The next piece may start with a brace.
            ('{', None) => escaped.push_str("{{ '{' }}"),
            _ => escaped.push(c),
        }
    }
    escaped
}
