//! Converts HTTP requests.

use serde_json::{Map, Value, json};

use super::super::super::call::HttpCall;
use super::super::super::json_text;
use super::super::super::lenient::{list, scalar_text, text, truncate, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::secrets::{redact_body, remove_plain_secrets};
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::super::texts;

pub fn http(node: Context) -> Translation {
    let mut call = HttpCall::default();
    let method = text(node.data("method")).to_uppercase();
    let method = if method.is_empty() { "GET".to_owned() } else { method };
    if !matches!(method.as_str(), "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE") {
        return Translation::unsupported("its HTTP method is not supported");
    }
    // Dify reads every response body as text, whatever its media type.
    let mut config =
        Map::from_iter([("method".to_owned(), Value::from(method.as_str())), ("response".to_owned(), "text".into())]);
    let url = call.address(&scalar_text(node.data("url")));
    config.insert("url".to_owned(), node.jinja(&url.into(), &mut call.notes).trim().into());
    let mut headers = lines(node.data("headers"));
    headers.retain(|(name, _)| call.accepts_header(name));
    let mut query = lines(node.data("params"));
    query.retain(|(name, _)| call.accepts_parameter(name));
    for (name, pairs) in [("headers", headers), ("query", query)] {
        if !pairs.is_empty() {
            config.insert(name.to_owned(), translate_values(node, pairs, &mut call.notes).into());
        }
    }
    let mut secrets = Vec::new();
    if let Some(body) = body(node, &mut call.notes, &mut secrets).filter(|_| !matches!(method.as_str(), "GET" | "HEAD"))
    {
        config.insert("body".to_owned(), body);
    }
    if text(&node.data("authorization")["type"]) == "api-key" {
        let kind = scalar_text(&node.data("authorization")["config"]["type"]);
        let header = scalar_text(&node.data("authorization")["config"]["header"]);
        let kind = if kind.is_empty() { "bearer".to_owned() } else { truncate(&kind, 40) };
        call.reconnect.push(match header.is_empty() || kind != "custom" {
            true => format!("a credential ({kind})"),
            false => format!("a credential (header {})", truncate(&header, 60)),
        });
    }
    // A timeout of 0 is none.
    let timeouts = ["max_read_timeout", "read"].map(|name| whole_number(&node.data("timeout")[name]));
    if let Some(seconds) = timeouts.into_iter().flatten().find(|seconds| *seconds > 0) {
        config.insert("timeoutMs".to_owned(), seconds.saturating_mul(1_000).clamp(100, 600_000).into());
    }
    if node.data("ssl_verify") == false {
        note(&mut call.notes, "certificates are always verified");
    }
    Translation::new("http", config.into())
        .with_notes(call.notes)
        .with_reconnects(call.reconnect)
        .with_removed_secrets("body field", secrets)
}

/// Splits lines of the form `name:value`.
fn lines(written: &Value) -> Vec<(&str, &str)> {
    let pair = |line| {
        let (name, value): (&str, &str) = str::split_once(line, ':').unwrap_or((line, ""));
        (name.trim(), value.trim())
    };
    text(written).lines().map(pair).filter(|(name, _)| !name.is_empty()).take(1_000).collect()
}

fn translate_values(node: Context, pairs: Vec<(&str, &str)>, notes: &mut Notes) -> Map<String, Value> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), node.jinja(&value.into(), notes).into())).collect()
}

fn body(node: Context, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<Value> {
    let body = node.data("body");
    let data = &body["data"];
    // A list of fields; in older files, one text.
    let whole = match data {
        Value::Array(fields) => fields.first().map(|field| scalar_text(&field["value"])).unwrap_or_default(),
        other => scalar_text(other),
    };
    match text(&body["type"]) {
        "json" => {
            let pieces = texts::pieces(&whole, &node);
            Some(match json_text::cel(&pieces, notes, secrets) {
                Some(value) => json!({"type": "json", "value": value}),
                None => {
                    note(notes, "its body is only valid JSON after the placeholders are filled in: it is sent as text");
                    json!({"type": "text", "text": pieces.jinja(notes)})
                }
            })
        }
        "raw-text" => {
            let whole = redact_body(&whole, notes);
            Some(json!({"type": "text", "text": node.jinja(&whole.into(), notes)}))
        }
        "form-data" | "x-www-form-urlencoded" => {
            let fields: Vec<(String, Value)> = match data {
                Value::Array(fields) => fields
                    .iter()
                    .take(1_000)
                    .filter(|field| text(&field["type"]) != "file" && !scalar_text(&field["key"]).is_empty())
                    .map(|field| (scalar_text(&field["key"]), field["value"].clone()))
                    .collect(),
                other => lines(other).into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
            };
            let is_clear = |value: &Value| !scalar_text(value).is_empty() && !scalar_text(value).contains("{{#");
            let fields = remove_plain_secrets(fields, is_clear, secrets).into_iter();
            let fields: Map<String, Value> =
                fields.map(|(name, value)| (name, node.jinja(&value, notes).into())).collect();
            if list(data).iter().any(|field| text(&field["type"]) == "file") {
                note(notes, "files are not sent");
            }
            Some(json!({"type": "form", "fields": fields}))
        }
        "binary" => {
            note(notes, "files are not sent");
            None
        }
        _ => None,
    }
}
