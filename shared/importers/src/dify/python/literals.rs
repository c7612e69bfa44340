//! Texts of JavaScript that need no translator.

use super::lexer::Refusal;

/// A text as a literal of JavaScript.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub fn quote_all(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quote(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// An operator as a call of the runtime.
pub fn operation(operator: &str, left: &str, right: &str) -> Result<String, Refusal> {
    let name = match operator {
        "+" => "add",
        "-" => "sub",
        "*" => "mul",
        "/" => "div",
        "//" => "floordiv",
        "%" => "mod",
        "**" => "pow",
        "|" => "bitor",
        "&" => "bitand",
        other => return Err(format!("the operator `{other}`")),
    };
    Ok(format!("${name}({left}, {right})"))
}
