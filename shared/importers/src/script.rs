//! Writes JavaScript: texts, names of properties, and code that a person must write.

use serde_json::Value;

/// No field of a node has a longer script. A writer may stop there, because the configuration is refused.
pub const MAX_BYTES: usize = 4 * 65_536;

/// A text as a literal of JavaScript.
pub fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// The name of a property in an object literal.
pub fn property(name: &str) -> String {
    match name {
        // Otherwise it would set the prototype.
        "__proto__" => "[\"__proto__\"]".to_owned(),
        _ if is_name(name) => name.to_owned(),
        _ => quote(name),
    }
}

/// Whether a text can be a name in JavaScript.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_part) && !text.starts_with(|c: char| c.is_ascii_digit())
}

pub fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// A text inside a template literal. Without the escapes, it would end the literal, or its line ends would change.
pub fn escape_template(text: &str) -> String {
    text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${").replace('\r', "\\r")
}

/// Code that keeps code of another language as a comment, for the person who writes it in JavaScript. It fails until then.
/// `beginning` is JavaScript that the person may use.
pub fn to_be_written(code: &str, beginning: &str) -> String {
    let lines: String = code.trim_end().lines().map(|line| format!("// {line}\n")).collect();
    format!(
        "// Write this in JavaScript, and remove the last line.\n{lines}{beginning}\
         throw new Error('the code of this node is not JavaScript: write it in JavaScript');"
    )
}
