//! Converts messages to people, and waits for their answers.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{list, number, scalar_text, text, truncate};
use super::super::super::notes::{Notes, note};
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::super::expressions::SENDER;
use super::super::parameter::located_value;

/// A message over one of the supported messaging services.
pub fn send(node: Context) -> Translation {
    let kind = node.source().kind;
    let (resource, operation) = (text(node.parameter("resource")), text(node.parameter("operation")));
    let sends = matches!(resource, "" | "message") && matches!(operation, "" | "post" | "send" | "sendMessage");
    if !sends {
        let what = format!("{resource} {operation}");
        return Translation::unsupported(format!(
            "the operation `{}` of {kind} is not supported: call it by http",
            truncate(what.trim(), 60)
        ));
    }
    let mut notes = Notes::new();
    let fields = match kind {
        "whatsApp" => ["textBody", "text"],
        _ => ["text", "message"],
    };
    let Some(written) = fields.map(|name| node.parameter(name)).into_iter().find(|text| !text.is_null()) else {
        return Translation::unsupported("the message has no text");
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
        note(&mut notes, "only its text is sent, without blocks or attachments");
    }
    Translation::new("send_message", config.into())
        .with_notes(notes)
        .with_reconnects([format!("a messaging channel for {kind}")])
}

/// Whether the message answers the sender of the trigger. A `send_message` without a recipient does that.
fn names_sender(node: Context, to: &Value) -> bool {
    let to = located_value(to).map(|to| node.pieces(to)).unwrap_or_default();
    to.single_placeholder().is_some_and(|placeholder| placeholder.cel.as_ref().is_err_and(|why| why == SENDER))
}

/// The value of a resource locator, as a string.
fn located_text(node: Context, locator: &Value, notes: &mut Notes) -> Option<String> {
    located_value(locator).map(|value| node.cel(value, notes))
}

/// A message that waits for a person's answer, on any service.
pub fn review(node: Context) -> Translation {
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
    set_expiry(limit, &mut config);
    note(&mut notes, format!("people decide on the platform, not in the {kind} message"));
    note(&mut notes, "every decision continues the same way, as before");
    with_single_exit(Translation::new("review", config.into()).with_notes(notes))
}

/// A wait for a webhook call or a form.
pub fn wait_for_person(node: Context) -> Translation {
    let mut notes = Notes::new();
    let what = if text(node.parameter("resume")) == "form" { "a form" } else { "a call" };
    note(&mut notes, format!("it waited for {what}: here a person continues the run"));
    let named = match text(node.parameter("formTitle")) {
        "" => json!(node.source().name),
        _ => node.parameter("formTitle").clone(),
    };
    let mut config = Map::from_iter([("title".to_owned(), node.jinja(&named, &mut notes).into())]);
    config.insert("fields".to_owned(), fields(list(&node.parameter("formFields")["values"])));
    if node.parameter("limitWaitTime") == true {
        let amount =
            json!({"resumeAmount": node.parameter("resumeAmount"), "resumeUnit": node.parameter("resumeUnit")});
        set_expiry(&amount, &mut config);
    }
    with_single_exit(Translation::new("review", config.into()).with_notes(notes))
}

/// A form page in the middle of a run.
pub fn form(node: Context) -> Translation {
    if text(node.parameter("operation")) == "completion" {
        let mut notes = Notes::new();
        let title = node.cel(node.parameter("completionTitle"), &mut notes);
        return Translation::new("send_result", json!({"output": title})).with_notes(notes);
    }
    wait_for_person(node).with_notes(["the form is filled in on the platform"])
}

/// A review whose three outputs all continue like the original's single one.
fn with_single_exit(translation: Translation) -> Translation {
    translation.with_exits([("0", 0, "approved"), ("0", 0, "rejected"), ("0", 0, "expired")])
}

fn set_expiry(limit: &Value, config: &mut Map<String, Value>) {
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

/// The fields of a form. A field's label is its name.
fn fields(given: &[Value]) -> Value {
    const MAX_FIELDS: usize = 50;
    let fields = given.iter().take(MAX_FIELDS).enumerate().map(|(index, field)| {
        let label = truncate(&scalar_text(&field["fieldLabel"]), 150);
        let name = truncate(&scalar_text(&field["fieldName"]), 60);
        let name = if name.is_empty() { truncate(&label, 60) } else { name };
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
