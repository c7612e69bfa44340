//! `$fromAI("order", "The number of the order", "number")`: a value that the model of an agent gives.

use serde_json::{Map, Value, json};

use crate::lenient::scalar_text;
use crate::n8n::javascript::codes;

/// A value that the model gives: its name and the schema.
pub struct FromAi {
    pub name: String,
    pub schema: Value,
}

/// What the model gives for the only expression of a parameter.
pub fn whole(parameter: &Value) -> Option<FromAi> {
    let text = scalar_text(parameter);
    let inner = text.trim().strip_prefix("={{")?.strip_suffix("}}")?;
    match &codes(&text)[..] {
        [code] if code == inner => parse(code),
        _ => None,
    }
}

/// A text in which each expression is something that the model gives: with `{name}` in its place.
pub fn with_placeholders(parameter: &Value, properties: &mut Map<String, Value>) -> Option<String> {
    let text = scalar_text(parameter);
    let Some(mut rest) = text.strip_prefix('=') else { return Some(text) };
    let mut written = String::new();
    for code in codes(&text) {
        let (before, after) = rest.split_once(&format!("{{{{{code}}}}}"))?;
        let FromAi { name, schema } = parse(&code)?;
        written.push_str(&format!("{before}{{{name}}}"));
        properties.insert(name, schema);
        rest = after;
    }
    Some(written + rest)
}

fn parse(code: &str) -> Option<FromAi> {
    let code = match code.split_once("*/") {
        Some((comment, rest)) if comment.trim_start().starts_with("/*") => rest,
        _ => code,
    };
    let arguments = code.trim().strip_prefix("$fromAI(").or_else(|| code.trim().strip_prefix("$fromai("))?;
    let mut literals = literals(arguments.strip_suffix(')')?)?.into_iter();
    let name = literals.next().filter(|name| is_name(name))?;
    let description = literals.next().unwrap_or_default();
    let kind = match literals.next().as_deref() {
        Some("number") => "number",
        Some("boolean") => "boolean",
        Some("json") => "object",
        _ => "string",
    };
    let mut schema = json!({"type": kind});
    if !description.is_empty() {
        schema["description"] = description.into();
    }
    Some(FromAi { name, schema })
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The text literals between commas. None if an argument is something else; a default, which is the fourth, may be.
fn literals(arguments: &str) -> Option<Vec<String>> {
    let (mut found, mut rest) = (Vec::new(), arguments.trim());
    while !rest.is_empty() && found.len() < 3 {
        let quote = rest.chars().next().filter(|quote| "'\"`".contains(*quote))?;
        let end = rest[1..].find(quote)? + 1;
        let literal = &rest[1..end];
        if literal.contains('\\') || literal.contains("${") {
            return None;
        }
        found.push(literal.to_owned());
        rest = rest[end + 1..].trim_start();
        rest = match rest.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(found)
}
