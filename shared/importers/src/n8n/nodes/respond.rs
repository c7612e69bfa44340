//! Translates the answers to calls of webhooks, which are the output of the run.

use serde_json::{Map, Value, json};

use crate::lenient::{is_empty, list, scalar_text, text, truncate, whole_number};
use crate::n8n::context::Context;
use crate::n8n::javascript::{expression, is_computed, literal_text};
use crate::n8n::policies::OnError;
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::secrets::is_removed;
use crate::translation::Translation;
use engine::nodes::webhook_answer::is_refused_header;

const CONTENT_TYPE: &str = "content-type";

/// The answer to a webhook. The node passes its items on.
pub fn respond(node: Context) -> Translation {
    let mut notes = Notes::new();
    let body = body(node, &mut notes);
    let nodes = &node.workflow.document.nodes;
    if !nodes.iter().any(|node| !node.is_disabled && matches!(node.kind, "webhook" | "chatTrigger" | "wait")) {
        note(&mut notes, "no webhook starts the workflow, so nobody gets its response");
    }
    let output = match nodes.iter().any(|node| node.answers_calls()) {
        true => respond_with(node, body, &mut notes),
        false => body.unwrap_or_else(|| "null".to_owned()),
    };
    if *node.parameter("enableResponseOutput") == true {
        note(&mut notes, "its second output, which has the response, is not imported");
    }
    let mut config = result(&output);
    if OnError::read(node).is_some() {
        config["itemMode"]["error"] = json!({"js": "n8n.callError(output)"});
    }
    Translation::new("send_result", config).with_notes(notes)
}

fn body(node: Context, notes: &mut Notes) -> Option<String> {
    let body = node.parameter("responseBody");
    let in_field = |value: &str| match node.option("responseKey") {
        key if is_empty(key) => value.to_owned(),
        key => format!("n8n.bodyFields([[{}, {value}]])", expression(key)),
    };
    match text(node.parameter("respondWith")) {
        "allIncomingItems" => Some(in_field("$input.all().map((item) => item.json)")),
        "json" if !is_empty(body) => Some(format!("n8n.responseBody({})", expression(body))),
        "text" => Some(expression(body)),
        "noData" | "redirect" => None,
        "binary" if text(node.parameter("responseDataSource")) == "set" => Some(file(node.parameter("inputFieldName"))),
        "binary" => Some("Object.values($binary)[0]".to_owned()),
        "" | "firstIncomingItem" | "json" => Some(in_field("$json")),
        other => {
            note(notes, format!("the response is JSON, a text or a file, not `{}`", truncate(other, 20)));
            Some("$json".to_owned())
        }
    }
}

fn file(name: &Value) -> String {
    format!("$binary[{}]", if is_empty(name) { quote("data") } else { expression(name) })
}

/// The response of the node: `{status, headers, body}`.
fn respond_with(node: Context, body: Option<String>, notes: &mut Notes) -> String {
    let kind = text(node.parameter("respondWith"));
    let mut headers = headers(node, notes);
    let is_typed = headers.keys().any(|name| name.eq_ignore_ascii_case(CONTENT_TYPE));
    match kind {
        "text" if !is_typed => drop(headers.insert(CONTENT_TYPE.to_owned(), "text/html; charset=utf-8".into())),
        "redirect" => drop(headers.insert("location".to_owned(), node.parameter("redirectURL").clone())),
        _ => {}
    }
    add_headers_of_webhooks(node, &mut headers, notes);
    let status = status(node.option("responseCode")).or((kind == "redirect").then(|| "307".to_owned()));
    response(status, headers, body)
}

fn response(status: Option<String>, headers: Map<String, Value>, body: Option<String>) -> String {
    let headers = (!headers.is_empty()).then(|| expression(&headers.into()));
    let parts = [("status", status), ("headers", headers), ("body", body)];
    let parts = parts.into_iter().filter_map(|(name, part)| part.map(|part| format!("{name}: {part}")));
    match parts.collect::<Vec<_>>().join(", ") {
        parts if parts.is_empty() => "null".to_owned(),
        parts => format!("({{ {parts} }})"),
    }
}

fn status(code: &Value) -> Option<String> {
    if is_computed(&scalar_text(code)) {
        return Some(format!("Number({})", expression(code)));
    }
    whole_number(code).filter(|code| (200..600).contains(code) && *code != 200).map(|code| code.to_string())
}

/// Adds the headers of the webhook that the node responds to, unless the node has its own.
fn add_headers_of_webhooks(node: Context, own: &mut Map<String, Value>, notes: &mut Notes) {
    let workflow = node.workflow;
    let ancestors = workflow.wiring.ancestors(node.node).into_iter();
    for webhook in ancestors.filter(|ancestor| workflow.node(*ancestor).answers_calls()) {
        for (name, value) in headers(Context { workflow, node: webhook }, notes) {
            if !own.keys().any(|known| known.eq_ignore_ascii_case(&name)) {
                own.insert(name, value);
            }
        }
    }
}

fn headers(node: Context, notes: &mut Notes) -> Map<String, Value> {
    let mut headers = Map::new();
    for entry in list(&node.option("responseHeaders")["entries"]) {
        let name = literal_text(&entry["name"]).trim().to_owned();
        match domain::header::problem(&name).is_some() || is_refused_header(&name) || is_removed(&entry["value"]) {
            _ if name.is_empty() => {}
            true => note(notes, format!("its header {} is not imported", truncate(&name, 60))),
            false => drop(headers.insert(name, entry["value"].clone())),
        }
    }
    headers
}

/// What the caller of a run gets, if its last node answers: a webhook gets a response, and another workflow the items.
pub fn last_output(caller: Option<Context>, notes: &mut Notes) -> String {
    let Some(node) = caller.filter(|caller| caller.source().answers_calls()) else { return "$input.all()".to_owned() };
    let kind = [node.parameter("responseData"), node.option("responseData")].map(text);
    let body = match kind.into_iter().find(|kind| !kind.is_empty()) {
        Some("allEntries") => Some("$input.all().map((item) => item.json)".to_owned()),
        Some("noData") => None,
        Some("firstEntryBinary") => Some(file(node.parameter("responseBinaryPropertyName"))),
        _ => match node.option("responsePropertyName") {
            name if is_empty(name) => Some("$json".to_owned()),
            name => Some(format!("$json[{}]", expression(name))),
        },
    };
    let codes = [&node.option("responseCode")["values"]["responseCode"], node.parameter("responseCode")];
    response(codes.into_iter().find_map(status), headers(node, notes), body)
}

/// The configuration of a `send_result` that passes its items on.
pub fn result(output: &str) -> Value {
    json!({"output": {"js": output}, "itemMode": {"run": "all", "result": {"js": "$input.all()"}}})
}
