//! Converts HTTP requests.

use serde_json::{Map, Value, json};

use super::super::super::call::HttpCall;
use super::super::super::lenient::{entries, list, scalar_text, text, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::secrets::{redact_body, remove_plain_secrets};
use super::super::super::syntax::quote;
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::super::parameter::is_clear;

pub fn http(node: Context) -> Translation {
    let mut call = HttpCall::default();
    let method = ["method", "requestMethod"].map(|name| text(node.parameter(name)));
    let method = method.into_iter().find(|method| !method.is_empty()).unwrap_or("GET");
    if !matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE") {
        return Translation::unsupported("its HTTP method is computed or not supported");
    }
    let mut config = Map::new();
    config.insert("method".to_owned(), method.into());
    config.insert("url".to_owned(), url(node, &mut call).into());
    let lists = ["headerParameters", "headerParametersUi"];
    let mut headers = pairs(node, &lists, "jsonHeaders", "headerParametersJson", &mut call.notes);
    headers.retain(|(name, _)| call.accepts_header(name));
    let lists = ["queryParameters", "queryParametersUi"];
    let mut query = pairs(node, &lists, "jsonQuery", "queryParametersJson", &mut call.notes);
    query.retain(|(name, _)| call.accepts_parameter(name));
    for (name, pairs) in [("headers", headers), ("query", query)] {
        if !pairs.is_empty() {
            config.insert(name.to_owned(), translate_values(node, pairs, &mut call.notes).into());
        }
    }
    let mut secrets = Vec::new();
    if let Some(body) = body(node, &mut call.notes, &mut secrets).filter(|_| !matches!(method, "GET" | "HEAD")) {
        config.insert("body".to_owned(), body);
    }
    options(node, &mut config, &mut call.notes);
    Translation::new("http", config.into())
        .with_notes(call.notes)
        .with_reconnects(call.reconnect)
        .with_removed_secrets("body field", secrets)
}

fn url(node: Context, call: &mut HttpCall) -> String {
    let written = scalar_text(node.parameter("url"));
    let (sign, address) = written.strip_prefix('=').map_or(("", written.as_str()), |address| ("=", address));
    let address = format!("{sign}{}", call.address(address));
    node.jinja(&address.into(), &mut call.notes).trim().to_owned()
}

/// Name-value pairs, given as parameters or as JSON.
fn pairs(node: Context, lists: &[&str], new_json: &str, old_json: &str, notes: &mut Notes) -> Vec<(String, Value)> {
    let mut pairs = Vec::new();
    for list_name in lists {
        let all = node.parameter(list_name);
        for pair in list(&all["parameters"]).iter().chain(list(&all["parameter"])) {
            pairs.push((scalar_text(&pair["name"]).trim().to_owned(), pair["value"].clone()));
        }
    }
    for written in [new_json, old_json].map(|name| node.parameter(name)).into_iter().filter(|json| !json.is_null()) {
        match serde_json::from_str::<Value>(&scalar_text(written)) {
            Ok(json) => pairs.extend(entries(&json).map(|(name, value)| (name.trim().to_owned(), value.clone()))),
            Err(_) if text(written).is_empty() => {}
            Err(_) => note(notes, format!("`{new_json}` is one computed value: write its fields one by one")),
        }
    }
    pairs.retain(|(name, _)| !name.is_empty());
    pairs
}

fn translate_values(node: Context, pairs: Vec<(String, Value)>, notes: &mut Notes) -> Map<String, Value> {
    pairs.into_iter().map(|(name, value)| (name, node.jinja(&value, notes).into())).collect()
}

fn body(node: Context, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<Value> {
    let has_body = node.parameter("sendBody") == true || node.source().version < 3.0;
    if !has_body {
        return None;
    }
    let kind = ["contentType", "bodyContentType"].map(|name| text(node.parameter(name)));
    let kind = kind.into_iter().find(|kind| !kind.is_empty()).unwrap_or("json");
    match kind {
        "raw" => {
            let body = redact_body(&scalar_text(node.parameter("body")), notes);
            Some(json!({"type": "text", "text": node.jinja(&body.into(), notes)}))
        }
        "form-urlencoded" | "multipart-form-data" | "binaryData" => {
            if kind != "form-urlencoded" {
                note(notes, "files are not sent: only the form's other fields are");
            }
            let fields = pairs(node, &["bodyParameters", "bodyParametersUi"], "body", "bodyParametersJson", notes);
            let fields = remove_plain_secrets(fields, is_clear, secrets);
            Some(json!({"type": "form", "fields": translate_values(node, fields, notes)}))
        }
        _ => json_body(node, notes, secrets),
    }
}

fn json_body(node: Context, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<Value> {
    let written = ["jsonBody", "bodyParametersJson"].map(|name| node.parameter(name));
    if let Some(written) = written.into_iter().find(|json| !text(json).is_empty()) {
        return Some(match node.json(written, notes, secrets) {
            Some(value) => json!({"type": "json", "value": value}),
            None => {
                note(notes, "its body is only valid JSON after the placeholders are filled in: it is sent as text");
                json!({"type": "text", "text": node.jinja(written, notes)})
            }
        });
    }
    let fields = pairs(node, &["bodyParameters", "bodyParametersUi"], "", "", notes);
    let fields = remove_plain_secrets(fields, is_clear, secrets).into_iter();
    let fields: Vec<String> =
        fields.map(|(name, value)| format!("{}: {}", quote(&name), node.cel(&value, notes))).collect();
    (!fields.is_empty()).then(|| json!({"type": "json", "value": format!("{{{}}}", fields.join(", "))}))
}

fn options(node: Context, config: &mut Map<String, Value>, notes: &mut Notes) {
    let options = node.parameter("options");
    if let Some(timeout) = whole_number(&options["timeout"]) {
        config.insert("timeoutMs".to_owned(), timeout.clamp(100, 600_000).into());
    }
    if options["response"]["response"]["neverError"] == true {
        note(notes, "a response with an error status fails the node: `neverError` is not imported");
    }
    let format = [&options["response"]["response"]["responseFormat"], node.parameter("responseFormat")].map(text);
    match format.into_iter().find(|format| !format.is_empty()).unwrap_or("autodetect") {
        "json" => {
            config.insert("response".to_owned(), "json".into());
        }
        "text" | "string" => {
            config.insert("response".to_owned(), "text".into());
        }
        "file" => note(notes, "a response is read as JSON or text, not as a file"),
        _ => {}
    }
    for (name, what) in [
        ("pagination", "only the first page is requested: pagination is not imported"),
        ("batching", "calls are sent one at a time: batching is not imported"),
        ("proxy", "the proxy is not imported"),
        ("allowUnauthorizedCerts", "certificates are always verified"),
    ] {
        let option = &options[name];
        if !matches!(option, Value::Null | Value::Bool(false)) {
            note(notes, what);
        }
    }
}
