//! Messages to people, and what is waited for from them.

use serde_json::{Map, Value, json};

use super::super::super::loose::{clipped, list, number, said, text};
use super::super::super::made::Made;
use super::super::super::pieces::{Notes, note};
use super::super::context::Context;
use super::super::expressions::SENDER;
use super::super::parameter::located_value;
use super::flow::located_text;

/// By the services that messages are sent with here too.
pub fn send(node: Context) -> Made {
    let kind = node.source().kind;
    let (resource, operation) = (text(node.parameter("resource")), text(node.parameter("operation")));
    let sends = matches!(resource, "" | "message") && matches!(operation, "" | "post" | "send" | "sendMessage");
    if !sends {
        let what = format!("{resource} {operation}");
        return Made::unsupported(format!(
            "there is no match for `{}` of {kind}: call it by http",
            clipped(what.trim(), 60)
        ));
    }
    let mut notes = Notes::new();
    let said = match kind {
        "whatsApp" => ["textBody", "text"],
        _ => ["text", "message"],
    };
    let Some(written) = said.map(|name| node.parameter(name)).into_iter().find(|said| !said.is_null()) else {
        return Made::unsupported("it sends no text");
    };
    let mut config = Map::from_iter([("text".to_owned(), node.jinja(written, &mut notes).into())]);
    let to = match (kind, text(node.parameter("select"))) {
        ("telegram", _) => node.parameter("chatId"),
        ("whatsApp", _) => node.parameter("recipientPhoneNumber"),
        (_, "user") => node.parameter("user"),
        _ if node.parameter("channelId").is_null() => node.parameter("channel"),
        _ => node.parameter("channelId"),
    };
    let to = if names_sender(node, to) { None } else { located_text(node, to, &mut notes) };
    if let Some(to) = to {
        config.insert("to".to_owned(), to.into());
    }
    if matches!(text(node.parameter("messageType")), "block" | "attachment" | "template" | "image" | "document") {
        note(&mut notes, "its text alone is sent, without what stood around it");
    }
    Made::new("send_message", config.into()).noting(notes).reconnecting([format!("a messaging channel for {kind}")])
}

/// Whether it answers whoever wrote what began the run, which is what a message does that says nobody.
fn names_sender(node: Context, to: &Value) -> bool {
    let to = located_value(to).map(|to| node.pieces(to)).unwrap_or_default();
    to.sole().is_some_and(|filled| filled.cel.as_ref().is_err_and(|why| why == SENDER))
}

/// A message that is answered by a person, on whatever service it was sent.
pub fn review(node: Context) -> Made {
    let mut notes = Notes::new();
    let kind = node.source().kind;
    let titles = ["subject", "message"].map(|name| node.parameter(name));
    let title = titles.into_iter().find(|title| !text(title).is_empty()).cloned();
    let mut config = Map::new();
    let title = title.map_or("Is it approved?".to_owned(), |title| node.jinja(&title, &mut notes));
    config.insert("title".to_owned(), title.into());
    if !text(node.parameter("subject")).is_empty() {
        config.insert("message".to_owned(), node.jinja(node.parameter("message"), &mut notes).into());
    }
    match text(node.parameter("responseType")) {
        "freeText" | "freetext" => {
            config.insert("fields".to_owned(), json!([{"name": "text", "label": "Answer", "type": "text"}]));
        }
        "customForm" => {
            config.insert("fields".to_owned(), fields(list(&node.parameter("formFields")["values"])));
        }
        _ => {}
    }
    let limit = &node.parameter("options")["limitWaitTime"]["values"];
    expires(limit, &mut config);
    note(&mut notes, format!("people decide on the platform, not in a message of {kind}"));
    note(&mut notes, "it goes on the same way whatever is decided, as it did");
    on_the_same_way(Made::new("review", config.into()).noting(notes))
}

/// A wait for a call or a form.
pub fn awaited(node: Context) -> Made {
    let mut notes = Notes::new();
    let what = if text(node.parameter("resume")) == "form" { "for a form" } else { "to be called" };
    note(&mut notes, format!("it waited {what}: here a person lets it go on"));
    let named = match text(node.parameter("formTitle")) {
        "" => json!(node.source().name),
        _ => node.parameter("formTitle").clone(),
    };
    let mut config = Map::from_iter([("title".to_owned(), node.jinja(&named, &mut notes).into())]);
    config.insert("fields".to_owned(), fields(list(&node.parameter("formFields")["values"])));
    if node.parameter("limitWaitTime") == true {
        let amount =
            json!({"resumeAmount": node.parameter("resumeAmount"), "resumeUnit": node.parameter("resumeUnit")});
        expires(&amount, &mut config);
    }
    on_the_same_way(Made::new("review", config.into()).noting(notes))
}

/// A page of a form in the middle of a run.
pub fn form(node: Context) -> Made {
    if text(node.parameter("operation")) == "completion" {
        let mut notes = Notes::new();
        let title = node.cel(node.parameter("completionTitle"), &mut notes);
        return Made::new("send_result", json!({"output": title})).noting(notes);
    }
    awaited(node).noting(["it is filled in on the platform"])
}

/// Approved, rejected and expired lead where its one output led.
fn on_the_same_way(made: Made) -> Made {
    made.with_exits([("0", 0, "approved"), ("0", 0, "rejected"), ("0", 0, "expired")])
}

fn expires(limit: &Value, config: &mut Map<String, Value>) {
    let Some(amount) = number(&limit["resumeAmount"]) else { return };
    let unit = match text(&limit["resumeUnit"]) {
        "minutes" => 60.0,
        "days" => 86_400.0,
        "seconds" => 1.0,
        _ => 3_600.0,
    };
    let seconds = (amount * unit).clamp(60.0, 2_592_000.0) as u64;
    config.insert("expiresInSeconds".to_owned(), seconds.into());
}

/// The fields of a form; what they are called is their name.
fn fields(given: &[Value]) -> Value {
    const MAX_FIELDS: usize = 50;
    let fields = given.iter().take(MAX_FIELDS).enumerate().map(|(index, field)| {
        let label = clipped(&said(&field["fieldLabel"]), 150);
        let name = clipped(&said(&field["fieldName"]), 60);
        let name = if name.is_empty() { clipped(&label, 60) } else { name };
        let kind = match text(&field["fieldType"]) {
            "number" => "number",
            "checkbox" | "boolean" => "boolean",
            _ => "text",
        };
        let name = if name.is_empty() { format!("field {}", index + 1) } else { name };
        json!({"name": name, "label": label, "type": kind, "required": field["requiredField"] == true})
    });
    Value::Array(fields.collect())
}
