//! Translates messages to people, and waits for their answers.

use serde_json::{Map, Value, json};

use super::forms;
use crate::lenient::{list, number, scalar_text, text, truncate};
use crate::n8n::context::Context;
use crate::n8n::document::SourceNode;
use crate::n8n::javascript::{codes, expression, is_computed, is_one_expression, literal_text, text_field};
use crate::n8n::parameter::located_value;
use crate::n8n::services::telegram_bot;
use crate::n8n::wiring::NodeRole;
use crate::translation::Translation;

/// A text that answers the message that started the run. It goes over the channel of that message, without a recipient. None if the
/// node does something else.
pub fn answer(node: Context) -> Option<Translation> {
    let kind = node.source().kind;
    let (resource, operation) = (text(node.parameter("resource")), text(node.parameter("operation")));
    let sends =
        matches!(resource, "" | "message") && matches!(operation, "" | "post" | "send" | "sendMessage" | "postMessage");
    let written = ["text", "textBody", "message"].map(|name| node.parameter(name));
    let written = written.into_iter().find(|text| !text.is_null() && sends)?;
    let to = match (kind, text(node.parameter("select"))) {
        ("telegram", _) => node.parameter("chatId"),
        ("whatsApp", _) => node.parameter("recipientPhoneNumber"),
        (_, "user") => node.parameter("user"),
        _ if node.parameter("channelId").is_null() => node.parameter("channel"),
        _ => node.parameter("channelId"),
    };
    let to = located_value(to).filter(|to| names_sender(node, to))?;
    let items = match kind {
        "telegram" => {
            let chat = expression(to);
            &format!("({{ ok: true, result: {{ message_id: output.messageId, chat: {{ id: {chat} }} }} }})")
        }
        "whatsApp" => "({ messages: [{ id: output.messageId }] })",
        _ => "({ ok: true, channel: output.threadId, ts: output.messageId, message_timestamp: output.messageId })",
    };
    let config = json!({"text": text_field(written), "itemMode": {"result": {"js": items}}});
    let is_rich = matches!(text(node.parameter("messageType")), "block" | "attachment");
    let rich = is_rich.then_some("only its text is sent, without blocks or attachments");
    let is_html = kind == "telegram" && telegram_bot::is_html(node.parameters());
    let notes = rich.or(is_html.then_some("its HTML is sent as a text: write it in Markdown"));
    Some(
        Translation::new("send_message", config)
            .with_notes(notes)
            .with_reconnects([format!("a messaging channel for {kind}")]),
    )
}

/// What is different in a message over a channel whose text has bold words in the form of its service, `*bold*`.
pub fn formatting(node: Context, translation: &Translation) -> Option<&'static str> {
    let is_message = translation.steps.iter().any(|step| step.kind == "send_message");
    if !is_message || !node.source().is_messaging() {
        return None;
    }
    let written = ["text", "textBody", "message"].map(|name| text(node.parameter(name)));
    let is_given = written.iter().any(|text| is_one_expression(text));
    let mut before = node.workflow.wiring.incoming(node.node);
    let is_bold = written.iter().any(|text| has_bold(text))
        || (is_given && before.any(|wire| holds_bold(&node.workflow.parameters[wire.from].value)));
    is_bold.then_some("its text is Markdown here, in which `*bold*` is italic: write `**bold**`")
}

fn holds_bold(value: &Value) -> bool {
    match value {
        Value::String(text) => has_bold(text),
        Value::Array(items) => items.iter().any(holds_bold),
        Value::Object(fields) => fields.values().any(holds_bold),
        _ => false,
    }
}

/// Whether a line has words between two asterisks, which is neither a product nor a comment or a pattern of code.
fn has_bold(text: &str) -> bool {
    let opens = |before: Option<char>, after: Option<char>| {
        before.is_none_or(|c| !c.is_alphanumeric() && !"*/.)]\\".contains(c))
            && after.is_some_and(|c| !c.is_whitespace() && !"*/=".contains(c))
    };
    text.split(['\n']).flat_map(|line| line.split("\\n")).any(|line| {
        let mut marks = line.match_indices('*').map(|(at, _)| at);
        marks.any(|at| {
            let (before, after) = (&line[..at], &line[at + 1..]);
            let closes = after.find('*').is_some_and(|end| {
                let inner = &after[..end];
                !inner.ends_with(char::is_whitespace) && !after[end + 1..].starts_with(['*', '/'])
            });
            opens(before.chars().next_back(), after.chars().next()) && closes
        })
    })
}

/// Whether a bot of Telegram must send the message itself: it has a form that a channel does not have, or a node changes messages,
/// which it finds by the ids of Telegram.
pub fn needs_bot(node: Context) -> bool {
    const CHANGES: [&str; 4] = ["editMessageText", "deleteMessage", "pinChatMessage", "unpinChatMessage"];
    let mut nodes = node.workflow.document.nodes.iter();
    let changes = |node: &SourceNode| node.kind == "telegram" && CHANGES.contains(&text(&node.parameters["operation"]));
    node.source().kind == "telegram" && (telegram_bot::has_form(node.parameters()) || nodes.any(changes))
}

/// Whether the recipient is the sender of the message that started the run.
fn names_sender(node: Context, to: &Value) -> bool {
    const NAMES: [&str; 7] = ["chat", "from", "session", "wa_id", "channel", "user", "sender"];
    let workflow = node.workflow;
    let trigger = format!("{}Trigger", node.source().kind);
    let mut nodes = workflow.document.nodes.iter().enumerate();
    let has_trigger = nodes.any(|(index, node)| {
        (node.kind == trigger || node.is_chat()) && workflow.wiring.roles[index] == NodeRole::Step
    });
    let codes = codes(text(to));
    let names_one = codes.iter().any(|code| {
        let code = code.to_lowercase();
        NAMES.iter().any(|name| code.contains(name))
    });
    has_trigger && names_one
}

/// A message that waits for a person's answer, on any service.
pub fn review(node: Context) -> Translation {
    let kind = node.source().kind;
    let titles = ["subject", "message"].map(|name| node.parameter(name));
    let title = titles.into_iter().find(|title| !text(title).is_empty()).cloned();
    let title = text_field(&title.unwrap_or_else(|| "Is it approved?".into()));
    let mut config = Map::from_iter([("title".to_owned(), title)]);
    if !text(node.parameter("subject")).is_empty() {
        config.insert("message".to_owned(), text_field(node.parameter("message")));
    }
    let answer = match text(node.parameter("responseType")) {
        "freeText" | "freetext" => {
            config.insert("fields".to_owned(), json!([{"name": "text", "label": "Answer", "type": "text"}]));
            "({ data: { text: output.fields.text } })"
        }
        "customForm" => {
            config.insert("fields".to_owned(), fields(list(&node.parameter("formFields")["values"])));
            "({ data: output.fields })"
        }
        _ => "({ data: { approved: output.decision === \"approved\" } })",
    };
    set_expiry(&node.option("limitWaitTime")["values"], &mut config);
    config.insert("itemMode".to_owned(), json!({"run": "first", "result": {"js": answer}}));
    Translation::new("review", config.into())
        .with_notes([format!("people decide on the platform, not in the {} message", truncate(kind, 60))])
}

/// A wait for a webhook call or a form.
pub fn wait_for_person(node: Context) -> Translation {
    let is_form = text(node.parameter("resume")) == "form";
    let has_form = node.workflow.document.nodes.iter().any(|node| node.kind == "formTrigger" && !node.is_disabled);
    if is_form && has_form {
        return forms::form_page(node);
    }
    let (what, answer) = match is_form {
        true => ("a form", "output.fields"),
        false => ("a call", "({ headers: {}, params: {}, query: {}, body: output.fields })"),
    };
    let named = match text(node.parameter("formTitle")) {
        "" => json!(node.source().name),
        _ => node.parameter("formTitle").clone(),
    };
    let mut config = Map::from_iter([("title".to_owned(), text_field(&named))]);
    config.insert("fields".to_owned(), fields(list(&node.parameter("formFields")["values"])));
    if *node.parameter("limitWaitTime") == true {
        let amount =
            json!({"resumeAmount": node.parameter("resumeAmount"), "resumeUnit": node.parameter("resumeUnit")});
        set_expiry(&amount, &mut config);
    }
    config.insert("itemMode".to_owned(), json!({"run": "first", "result": {"js": answer}}));
    Translation::new("review", config.into())
        .with_notes([format!("it waited for {what}: here a person continues the run")])
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

/// The fields of a review. A field's label is its name.
fn fields(given: &[Value]) -> Value {
    const MAX_FIELDS: usize = 50;
    let fields = given.iter().take(MAX_FIELDS).enumerate().map(|(index, field)| {
        let label = truncate(&literal_text(&field["fieldLabel"]), 150);
        let name = truncate(&scalar_text(&field["fieldName"]), 60);
        let name = if name.is_empty() || is_computed(&name) { truncate(&label, 60) } else { name };
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
