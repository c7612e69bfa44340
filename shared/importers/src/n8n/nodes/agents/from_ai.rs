//! `$fromAI("order", "The number of the order", "number")`: a value that the model of an agent gives.

use serde_json::{Map, Value, json};

use crate::lenient::scalar_text;
use crate::n8n::javascript::{codes, is_one_expression, replace_codes};
use engine::script::tokens::{self, Kind};

/// A value that the model gives: its name and the schema.
pub struct FromAi {
    pub name: String,
    pub schema: Value,
}

/// What the model gives for a parameter that is one expression.
pub fn whole(parameter: &Value) -> Option<FromAi> {
    let text = scalar_text(parameter);
    let text = text.trim();
    parse(codes(text).first().filter(|_| is_one_expression(text))?)
}

/// A text in which each expression is something that the model gives: with `{name}` in its place.
pub fn with_placeholders(parameter: &Value, properties: &mut Map<String, Value>) -> Option<String> {
    replace_codes(&scalar_text(parameter), |code| {
        let FromAi { name, schema } = parse(code)?;
        let placeholder = format!("{{{name}}}");
        properties.insert(name, schema);
        Some(placeholder)
    })
}

fn parse(code: &str) -> Option<FromAi> {
    let tokens = tokens::read(code)?;
    let [function, open, arguments @ .., close] = &tokens[..] else { return None };
    let is_call = ["$fromAI", "$fromai"].contains(&function.text(code)) && open.text(code) == "(";
    if !is_call || close.text(code) != ")" {
        return None;
    }
    // The fourth argument, a default, may be anything.
    let mut literals = Vec::new();
    for argument in arguments.split(|token| token.kind == Kind::Comma).filter(|argument| !argument.is_empty()).take(3) {
        let [literal] = argument else { return None };
        literals.push(read_literal(literal.text(code))?);
    }
    let mut literals = literals.into_iter();
    let name = literals.next().filter(|name| is_name(name))?;
    let description = literals.next().unwrap_or_default();
    let kind = match literals.next() {
        Some("number") => "number",
        Some("boolean") => "boolean",
        Some("json") => "object",
        _ => "string",
    };
    let mut schema = json!({"type": kind});
    if !description.is_empty() {
        schema["description"] = description.into();
    }
    Some(FromAi { name: name.to_owned(), schema })
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The text of a literal. None if it is computed or has escapes.
fn read_literal(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|quote| "'\"`".contains(*quote))?;
    let text = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    (!text.contains('\\') && !text.contains("${")).then_some(text)
}
