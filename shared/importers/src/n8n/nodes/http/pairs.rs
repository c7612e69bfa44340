//! The names and values of headers, queries and bodies of an HTTP request.

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::lenient::{entries, is_empty, list, scalar_text};
use crate::n8n::context::Context;
use crate::n8n::javascript::{expression, is_computed, is_one_expression};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::secrets::is_removed;

/// The query, if it must be computed as a whole: then it cannot be a list of names and texts.
pub fn computed_query(node: Context, query: &[(String, Value)]) -> Option<String> {
    let whole = ["jsonQuery", "queryParametersJson"].map(|name| node.parameter(name));
    let is_whole = |whole: &&&Value| match parse_pairs(whole) {
        // An expression becomes a part of the JSON. Without the secrets that were removed, only the fields are left.
        Some(fields) => is_computed(&scalar_text(whole)) && !entries(&fields).any(|(_, value)| is_removed(value)),
        None => !is_empty(whole),
    };
    if let Some(whole) = whole.iter().find(is_whole).filter(|_| is_sent(node, "query")) {
        return Some(expression(whole));
    }
    let joined = if node.source().version >= 4.3 { join_repeated(query) } else { query.to_vec() };
    (!is_text_only(&joined)).then(|| list_pairs(&joined))
}

/// Whether all names and values are texts. The value of one expression may be a list, an object or missing.
pub fn is_text_only(pairs: &[(String, Value)]) -> bool {
    let is_text = |value: &Value| match value {
        Value::String(text) => !is_one_expression(text),
        other => !other.is_array() && !other.is_object(),
    };
    pairs.iter().all(|(name, value)| !is_computed(name) && is_text(value))
}

/// A name that is repeated has the list of its values.
fn join_repeated(pairs: &[(String, Value)]) -> Vec<(String, Value)> {
    let mut joined: IndexMap<&str, Vec<Value>> = IndexMap::new();
    for (name, value) in pairs {
        joined.entry(name).or_default().push(value.clone());
    }
    let one_or_list = |mut values: Vec<Value>| if values.len() == 1 { values.remove(0) } else { values.into() };
    joined.into_iter().map(|(name, values)| (name.to_owned(), one_or_list(values))).collect()
}

/// A list of names and values in JavaScript.
pub fn list_pairs(pairs: &[(String, Value)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| json!([name, value]));
    expression(&pairs.collect())
}

/// Whether the headers or the query are not switched off.
fn is_sent(node: Context, of: &str) -> bool {
    match of {
        "header" => *node.parameter("sendHeaders") != false,
        "query" => *node.parameter("sendQuery") != false,
        _ => true,
    }
}

/// The names and values of headers, of a query or of a body, given one by one or as JSON.
pub fn read_pairs(node: Context, of: &str, notes: &mut Notes) -> Vec<(String, Value)> {
    let mut pairs = Vec::new();
    if !is_sent(node, of) {
        return pairs;
    }
    for all in [format!("{of}Parameters"), format!("{of}ParametersUi")].map(|name| node.parameter(&name)) {
        for pair in list(&all["parameters"]).iter().chain(list(&all["parameter"])) {
            pairs.push((scalar_text(&pair["name"]).trim().to_owned(), pair["value"].clone()));
        }
    }
    let new_json = match of {
        "header" => "jsonHeaders",
        "query" => "jsonQuery",
        _ => return pairs,
    };
    for written in [new_json, &format!("{of}ParametersJson")].map(|name| node.parameter(name)) {
        match parse_pairs(written) {
            Some(json) => pairs.extend(entries(&json).map(|(name, value)| (name.trim().to_owned(), with_sign(value)))),
            None if is_empty(written) || of == "query" => {}
            None => note(notes, format!("`{new_json}` is one computed value: write its fields one by one")),
        }
    }
    pairs.retain(|(name, _)| !name.is_empty());
    pairs
}

/// An object that is given as JSON, with expressions in its values.
fn parse_pairs(written: &Value) -> Option<Value> {
    let template = scalar_text(written);
    let json: Value = serde_json::from_str(&mark_expressions(template.strip_prefix('=').unwrap_or(&template))).ok()?;
    json.is_object().then_some(json)
}

/// A JSON template with quotes around the expressions that have none, so that it can be parsed.
fn mark_expressions(template: &str) -> String {
    let (mut marked, mut is_quoted, mut is_escaped, mut rest) = (String::new(), false, false, template);
    let end = template.rfind("}}").unwrap_or_default();
    while let Some(c) = rest.chars().next() {
        let has_end = template.len() - rest.len() < end;
        if let Some((code, after)) = rest.strip_prefix("{{").filter(|_| has_end).and_then(|code| code.split_once("}}"))
        {
            let expression = quote(&format!("{{{{{code}}}}}"));
            marked.push_str(if is_quoted { &expression[1..expression.len() - 1] } else { &expression });
            rest = after;
            continue;
        }
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        marked.push(c);
        rest = &rest[c.len_utf8()..];
    }
    marked
}

/// A text of a JSON template, as a parameter.
fn with_sign(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains("{{") => format!("={text}").into(),
        other => other.clone(),
    }
}
