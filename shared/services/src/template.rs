//! Bodies with placeholders. A JSON body is a tree in which the text `{name}` is the value of a parameter, of any type.

use engine::expression::literal::{cel_literal, quote};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Body {
    Json(Value),
    /// Texts, or parameters such as `{amount}`.
    Form(IndexMap<String, String>),
    /// A Jinja template. It reads the parameters as variables; one that is left out is `none`.
    Text {
        variables: Vec<String>,
        template: String,
    },
}

/// The parameter of a text that is only a placeholder.
pub fn whole_placeholder(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some(name)
}

/// The parameters of a JSON body.
pub fn names(body: &Value) -> Vec<&str> {
    match body {
        Value::String(text) => whole_placeholder(text).into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(names).collect(),
        Value::Object(entries) => entries.values().flat_map(names).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// How a language writes literals and the names of fields.
#[derive(Clone, Copy)]
pub struct Notation {
    pub literal: fn(&Value) -> String,
    pub name: fn(&str) -> String,
}

pub const CEL: Notation = Notation { literal: cel_literal, name: quote };
/// JSON is JavaScript, except that an object literal with the name `__proto__` would have another prototype.
pub const JAVASCRIPT: Notation = Notation { literal: js_literal, name: |name| Value::from(name).to_string() };

/// Writes a JSON body as an expression. `find` returns the expression of a parameter, or `None` if it is left out. Then its
/// field is left out, too, and an object or list that has nothing else. Returns `None` if nothing is left.
pub fn to_expression<'v>(body: &Value, notation: Notation, find: &impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    match body {
        Value::String(text) => match whole_placeholder(text) {
            Some(name) => find(name).map(str::to_owned),
            None => Some((notation.literal)(body)),
        },
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().filter_map(|item| to_expression(item, notation, find)).collect();
            (!items.is_empty()).then(|| format!("[{}]", items.join(", ")))
        }
        Value::Object(entries) if !entries.is_empty() => {
            let write = |(name, value): (&String, &Value)| {
                Some(format!("{}: {}", (notation.name)(name), to_expression(value, notation, find)?))
            };
            let entries: Vec<String> = entries.iter().filter_map(write).collect();
            (!entries.is_empty()).then(|| format!("{{{}}}", entries.join(", ")))
        }
        constant => Some((notation.literal)(constant)),
    }
}

/// A value as a literal of JavaScript.
pub fn js_literal(value: &Value) -> String {
    let json = value.to_string();
    match json.contains("__proto__") {
        true => format!("JSON.parse({})", Value::from(json)),
        false => json,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_left_out_leaves_no_field() {
        let body = json!({"a": "{x}", "b": {"c": "{y}"}, "d": [{"e": "{y}"}], "f": {}, "g": "it's"});
        let find = |name: &str| (name == "x").then_some("input.x");
        let written = |body| to_expression(&body, CEL, &find);
        assert_eq!(written(body.clone()).unwrap(), r"{'a': input.x, 'f': {}, 'g': 'it\'s'}");
        assert_eq!(written(json!({"b": ["{y}"]})), None);
        assert_eq!(written(json!("{x}")).unwrap(), "input.x");
        assert_eq!(to_expression(&body, JAVASCRIPT, &find).unwrap(), r#"{"a": input.x, "f": {}, "g": "it's"}"#);
        assert_eq!(js_literal(&json!({"__proto__": 1})), r#"JSON.parse("{\"__proto__\":1}")"#);
        assert_eq!(names(&body), ["x", "y", "y"]);
    }
}
