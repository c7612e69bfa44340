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

/// Writes a JSON body as a CEL expression. `find` returns the expression of a parameter, or `None` if it is left out. Then its
/// field is left out, too, and an object or list that has nothing else. Returns `None` if nothing is left.
pub fn to_cel<'v>(body: &Value, find: &impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    match body {
        Value::String(text) => match whole_placeholder(text) {
            Some(name) => find(name).map(str::to_owned),
            None => Some(cel_literal(body)),
        },
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().filter_map(|item| to_cel(item, find)).collect();
            (!items.is_empty()).then(|| format!("[{}]", items.join(", ")))
        }
        Value::Object(entries) if !entries.is_empty() => {
            let write = |(name, value): (&String, &Value)| Some(format!("{}: {}", quote(name), to_cel(value, find)?));
            let entries: Vec<String> = entries.iter().filter_map(write).collect();
            (!entries.is_empty()).then(|| format!("{{{}}}", entries.join(", ")))
        }
        constant => Some(cel_literal(constant)),
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
        assert_eq!(to_cel(&body, &find).unwrap(), r"{'a': input.x, 'f': {}, 'g': 'it\'s'}");
        assert_eq!(to_cel(&json!({"b": ["{y}"]}), &find), None);
        assert_eq!(to_cel(&json!("{x}"), &find).unwrap(), "input.x");
        assert_eq!(names(&body), ["x", "y", "y"]);
    }
}
