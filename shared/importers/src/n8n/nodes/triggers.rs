//! Translates triggers: webhooks, forms, manual runs, sub-workflow entries and messages.

use serde_json::{Map, Value, json};

use super::forms;
use crate::lenient::{entries, is_empty, list, scalar_text, text};
use crate::n8n::context::Context;
use crate::n8n::javascript::literal_text;
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::secrets::redact;
use crate::translation::Translation;

/// The most bytes of pinned data that are kept as an example.
const MAX_EXAMPLE_BYTES: usize = 64 * 1024;
const MAX_EXAMPLES: usize = 100;
pub const PINNED: &str = "its pinned data is left out";

/// The value of a call has the names that n8n gives it, `body`, `query` and `headers`.
pub fn webhook(node: Context) -> Translation {
    let mode = text(node.parameter("responseMode")).trim_start_matches('=');
    let answers = match mode {
        "lastNode" => "that responds with the run's result (sync)",
        "responseNode" | "streaming" => "that responds with the output of send_result (sync)",
        _ => "that responds at once (async)",
    };
    let methods = match node.parameter("httpMethod") {
        Value::Array(several) => several.iter().map(text).collect(),
        one => vec![Some(text(one)).filter(|method| !method.is_empty()).unwrap_or("GET")],
    };
    let mut config = json!({"input": "call"});
    if methods.contains(&"GET") {
        config["allowGet"] = true.into();
    }
    if node.source().answers_calls() {
        config["response"] = "output".into();
    }
    let mut translation =
        Translation::new("webhook", config).with_reconnects([format!("a webhook {answers}, with a new URL and token")]);
    if methods.contains(&"GET") {
        // In n8n, the body of a call without one is an empty object.
        let code = "return { ...$json, body: $json.body ?? {} };";
        translation = translation.before("call", "code", json!({"javascript": code}));
    }
    if let Some(method) = methods.iter().find(|method| !matches!(**method, "GET" | "POST")) {
        translation = translation.with_notes([format!("webhooks are called by POST or GET, not by {method}")]);
    }
    if !matches!(text(node.parameter("authentication")), "" | "none") {
        translation = translation.with_notes(["calls are authenticated by the webhook's own token"]);
    }
    if !is_empty(node.option("ipWhitelist")) {
        translation =
            translation.with_notes(["anyone with the token may call it: its list of addresses is not imported"]);
    }
    if *node.option("ignoreBots") == true {
        translation = translation.with_notes(["bots with the token may call it: `ignoreBots` is not imported"]);
    }
    if *node.option("rawBody") == true || *node.option("binaryData") == true {
        translation = translation.with_notes(["the body of a call is read as JSON or a form, and is no file"]);
    }
    if text(node.parameter("path")).contains(':') {
        translation = translation.with_notes(["its path has no parameters: send them in the query"]);
    }
    translation
}

/// A run that is started by hand or by another workflow. Its input is an item, or a list of items.
pub fn input(node: Context) -> Translation {
    let pinned = node.pinned();
    let items = pinned.iter().map(|item| if item["json"].is_object() { &item["json"] } else { item });
    let example = match &items.take(MAX_EXAMPLES).collect::<Vec<_>>()[..] {
        [] => None,
        [one] => Some((*one).clone()),
        several => Some(several.iter().map(|item| (*item).clone()).collect()),
    };
    let example = example.filter(|example: &Value| example.to_string().len() <= MAX_EXAMPLE_BYTES);
    let kept = example.as_ref().map(redact);
    let config = kept.iter().map(|kept| ("example".to_owned(), kept.clone()));
    let translation = Translation::new("input", Value::Object(config.collect())).with_notes(declared_fields(node));
    match example {
        None if !pinned.is_empty() => translation.with_notes([PINNED]),
        example if example != kept => {
            translation.with_notes(["what looks like a secret in its pinned data is left out"])
        }
        _ => translation,
    }
}

/// What is different if a sub-workflow declares its fields.
fn declared_fields(node: Context) -> Option<&'static str> {
    let source = node.source();
    let passes_all = source.version < 1.1 || text(node.parameter("inputSource")) == "passthrough";
    (source.kind == "executeWorkflowTrigger" && !passes_all)
        .then_some("it gets all fields that its caller sends, not only those that it declares")
}

/// A run that other workflows start when they fail. No failure does so by itself.
pub fn error() -> Translation {
    let example = json!({
        "execution": {
            "id": "1", "url": "", "mode": "trigger", "lastNodeExecuted": "Node With Error",
            "error": {"message": "Example Error Message", "stack": ""},
        },
        "workflow": {"id": "1", "name": "Example Workflow"},
    });
    Translation::new("input", json!({"example": example})).with_reconnects([
        "the workflows whose failures start this one: lead the port `error` of their nodes (`onError: branch`) to a node \
         `workflow` that starts it, with an input in the form of the example",
    ])
}

/// A form, and code that gives its values the names of n8n.
pub fn form(node: Context) -> Translation {
    let page = forms::page(node);
    let named = |name: &str| {
        let written = literal_text(node.parameter(name));
        if written.trim().is_empty() { literal_text(node.option(name)) } else { written }
    };
    let title = named("formTitle");
    let mut config = Map::from_iter([
        (
            "title".to_owned(),
            Value::from(if title.trim().is_empty() { "Form".to_owned() } else { forms::cut(&title, 200) }),
        ),
        ("fields".to_owned(), page.fields),
    ]);
    let answer = &node.option("respondWithOptions")["values"];
    let texts = [
        ("description", named("formDescription"), 10_000),
        ("button", scalar_text(node.option("buttonLabel")), 100),
        ("confirmation", scalar_text(&answer["formSubmittedText"]), 10_000),
        ("redirectUrl", scalar_text(&answer["redirectUrl"]), 2_000),
    ];
    for (name, written, most) in
        texts.into_iter().filter(|(_, written, _)| !written.trim().is_empty() && !written.starts_with('='))
    {
        config.insert(name.to_owned(), forms::cut(&written, most).into());
    }
    let javascript = format!(
        "const values = $json;\nreturn {{ json: {{ {}submittedAt: $now.toISO(), formMode: \"production\" }}{} }};",
        page.json, page.binary
    );
    let has_login = !matches!(text(node.parameter("authentication")), "" | "none");
    Translation::new("form", config.into())
        .before("page", "code", json!({"javascript": javascript}))
        .with_notes(page.notes)
        .with_notes(has_login.then_some("its login is not imported"))
        .with_reconnects(["a webhook for the form: its page is at the URL of the webhook, with /form at the end"])
}

/// A message of a conversation, and code that gives it the form of the service.
pub fn message(node: Context) -> Translation {
    let source = node.source();
    let service = if source.is_chat() { "the chat" } else { source.kind.trim_end_matches("Trigger") };
    let javascript = format!("return n8n.messageOf({}, $json);", quote(service));
    let translation = Translation::new("message", json!({}))
        .before("message", "code", json!({"javascript": javascript}))
        .with_reconnects([format!("a messaging channel in place of {service}")]);
    let has_options = entries(node.parameter("options")).next().is_some();
    let is_filtered = has_options || !list(node.parameter("trigger")).is_empty();
    let is_other = |update: &Value| !matches!(text(update), "message" | "*");
    let has_others = list(node.parameter("updates")).iter().any(is_other);
    let mut notes = Notes::new();
    match service {
        "slack" if is_filtered => note(&mut notes, "every message starts a run: the event filter is not imported"),
        "telegram" if has_others => {
            note(&mut notes, "only messages start a run: presses of buttons and other updates do not");
        }
        _ => {}
    }
    let fields = node.parameter("additionalFields");
    if ["chatIds", "userIds"].iter().any(|name| !is_empty(&fields[*name])) {
        note(&mut notes, "every message starts a run: its lists of chats and users are not imported");
    }
    if fields["download"] == true {
        note(&mut notes, "the files of messages are not read: read them by their ids with a node after it");
    }
    translation.with_notes(notes)
}
