//! Calls of other systems.

use serde_json::{Map, Value, json};

use super::super::super::json_text;
use super::super::super::loose::{clipped, list, said, text, whole};
use super::super::super::made::Made;
use super::super::super::pieces::{Notes, note};
use super::super::context::Context;
use super::super::texts;

/// What the platform sets itself, or what a credential is for.
const RESERVED: [&str; 5] = ["authorization", "content-length", "host", "idempotency-key", "transfer-encoding"];

pub fn http(node: Context) -> Made {
    let (mut notes, mut reconnect) = (Notes::new(), Vec::new());
    let method = text(node.data("method")).to_uppercase();
    let method = if method.is_empty() { "GET".to_owned() } else { method };
    if !matches!(method.as_str(), "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE") {
        return Made::unsupported("its method is none that can be called here");
    }
    // Its body is a text there, whatever its media type.
    let mut config =
        Map::from_iter([("method".to_owned(), Value::from(method.as_str())), ("response".to_owned(), "text".into())]);
    let url = node.jinja(node.data("url"), &mut notes);
    let url = url.trim();
    let is_whole = url.starts_with("{{") || url.starts_with("http://") || url.starts_with("https://");
    if !is_whole {
        note(&mut notes, "its address did not say how to call it: https is taken");
    }
    config.insert("url".to_owned(), if is_whole { url.into() } else { format!("https://{url}").into() });

    let mut headers = lines(node, node.data("headers"), &mut notes);
    let own: Vec<String> =
        headers.keys().filter(|name| RESERVED.contains(&name.to_lowercase().as_str())).cloned().collect();
    for name in own {
        headers.shift_remove(&name);
        match name.eq_ignore_ascii_case("authorization") {
            true => {
                note(&mut notes, "its header Authorization is left out: secrets are kept in credentials");
                reconnect.push("a credential for the header Authorization".to_owned());
            }
            false => note(&mut notes, format!("its header {} is set by the platform", clipped(&name, 40))),
        }
    }
    let query = lines(node, node.data("params"), &mut notes);
    for (name, fields) in [("headers", headers), ("query", query)] {
        if !fields.is_empty() {
            config.insert(name.to_owned(), fields.into());
        }
    }
    if let Some(body) = body(node, &mut notes).filter(|_| !matches!(method.as_str(), "GET" | "HEAD")) {
        config.insert("body".to_owned(), body);
    }
    if text(&node.data("authorization")["type"]) == "api-key" {
        let kind = said(&node.data("authorization")["config"]["type"]);
        reconnect
            .push(format!("a credential ({})", if kind.is_empty() { "bearer".to_owned() } else { clipped(&kind, 40) }));
    }
    if let Some(seconds) = whole(&node.data("timeout")["max_read_timeout"]).or(whole(&node.data("timeout")["read"])) {
        config.insert("timeoutMs".to_owned(), seconds.saturating_mul(1_000).clamp(100, 600_000).into());
    }
    if node.data("ssl_verify") == false {
        note(&mut notes, "certificates are always verified");
    }
    Made::new("http", config.into()).noting(notes).reconnecting(reconnect)
}

/// `name:value` on each line.
fn lines(node: Context, written: &Value, notes: &mut Notes) -> Map<String, Value> {
    let pair = |line: &str| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let name = name.trim();
        (!name.is_empty()).then(|| (name.to_owned(), node.jinja(&value.trim().into(), notes).into()))
    };
    text(written).lines().take(1_000).filter_map(pair).collect()
}

fn body(node: Context, notes: &mut Notes) -> Option<Value> {
    let body = node.data("body");
    let data = &body["data"];
    // A list of fields, or, before, one text.
    let whole = match data {
        Value::Array(fields) => fields.first().map(|field| said(&field["value"])).unwrap_or_default(),
        other => said(other),
    };
    match text(&body["type"]) {
        "json" => {
            let pieces = texts::pieces(&whole, &node);
            Some(match json_text::cel(&pieces, notes) {
                Some(value) => json!({"type": "json", "value": value}),
                None => {
                    note(notes, "its body is no JSON before it is filled in: it is sent as a text");
                    json!({"type": "text", "text": pieces.jinja(notes)})
                }
            })
        }
        "raw-text" => Some(json!({"type": "text", "text": node.jinja(&whole.into(), notes)})),
        "form-data" | "x-www-form-urlencoded" => {
            let fields: Map<String, Value> = match data {
                Value::Array(fields) => fields
                    .iter()
                    .take(1_000)
                    .filter(|field| text(&field["type"]) != "file" && !said(&field["key"]).is_empty())
                    .map(|field| (said(&field["key"]), node.jinja(&field["value"], notes).into()))
                    .collect(),
                other => lines(node, other, notes),
            };
            if list(data).iter().any(|field| text(&field["type"]) == "file") {
                note(notes, "files are not sent along");
            }
            Some(json!({"type": "form", "fields": fields}))
        }
        "binary" => {
            note(notes, "files are not sent along");
            None
        }
        _ => None,
    }
}
