//! E-mails over SMTP, feeds, and calls of GraphQL.

use serde_json::{Map, Value, json};

use super::call::UNKNOWN_HOST;
use super::poll::{MAX_POLLED, Poll};
use super::source::{Arg, Source, is_static, names, text_field};
use crate::lenient::{is_empty, scalar_text, truncate};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::translation::Translation;

pub fn send(source: &Source) -> Option<Translation> {
    if source.operation("send") != "send" {
        return None;
    }
    let mut notes = Notes::new();
    let mut config = Map::from_iter([("host".to_owned(), json!(UNKNOWN_HOST))]);
    let mut set = |name: &str, value: Option<&Value>| {
        if let Some(value) = value {
            config.insert(name.to_owned(), text_field(source, value));
        }
    };
    set("from", Some(or_empty(source.get("fromEmail"))));
    set("to", Some(or_empty(source.get("toEmail"))));
    set("subject", Some(or_empty(source.get("subject"))));
    set("cc", source.find_any(&["options.ccEmail", "ccEmail"]));
    set("bcc", source.find_any(&["options.bccEmail", "bccEmail"]));
    set("replyTo", source.find("options.replyTo"));
    let format = match source.text("emailFormat") {
        _ if source.version < 2.0 => "both",
        "" if source.version < 2.1 => "text",
        "" => "html",
        format => format,
    };
    let is_html = matches!(format, "html" | "both");
    let html = ["html", "message"].into_iter().find_map(|path| source.find(path)).filter(|_| is_html);
    let plain = source.find("text").filter(|_| matches!(format, "text" | "both"));
    set("html", html);
    set("text", plain);
    if html.is_none() && plain.is_none() {
        set("text", Some(source.find_any(&["text", "html", "message"]).unwrap_or(&EMPTY)));
    }
    if let Some(files) = source.find_any(&["options.attachments", "attachments"]) {
        let files = match files {
            Value::String(text) if text.starts_with('=') => (source.js)(files),
            other => Value::from(names(other)).to_string(),
        };
        config.insert("attachments".to_owned(), json!({"js": format!("n8n.files({files})")}));
    }
    if source.is_true("options.allowUnauthorizedCerts") {
        note(&mut notes, "certificates are always verified");
    }
    config.insert("itemMode".to_owned(), json!({"result": {"js": "output"}}));
    Some(
        Translation::new("email", config.into())
            .with_notes(notes)
            .with_reconnects(["the SMTP server of the e-mail, and a credential for it"]),
    )
}

static EMPTY: Value = Value::String(String::new());

fn or_empty(value: &Value) -> &Value {
    if value.is_null() { &EMPTY } else { value }
}

/// The media types of feeds.
const FEED_TYPES: &str =
    "application/rss+xml, application/atom+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1";

/// The items of a feed.
pub fn feed(source: &Source) -> Option<Translation> {
    read_feed(source, None)
}

fn read_feed(source: &Source, limit: Option<u64>) -> Option<Translation> {
    let given = source.find_any(&["url", "feedUrl"]).unwrap_or(&EMPTY);
    let address = scalar_text(given);
    let is_invalid = is_static(given) && domain::address::problem(&address).is_some();
    let url = if is_invalid { json!({"js": quote(&address)}) } else { text_field(source, given) };
    let limit = limit.map(|limit| ("limit".to_owned(), Arg::Parameter(limit.into())));
    let custom = source.find("options.customFields");
    let custom = custom.map(|names| ("custom".to_owned(), Arg::Parameter(names.clone())));
    let options: Vec<_> = limit.into_iter().chain(custom).collect();
    let items = match options.is_empty() {
        true => "n8n.feedItems(output)".to_owned(),
        false => format!("n8n.feedItems(output, {})", Arg::Object(options).script(source.js)),
    };
    let mut item_mode = Map::from_iter([("result".to_owned(), json!({"js": items}))]);
    // Older versions read one feed, whatever comes in.
    if source.kind == "rssFeedRead" && source.version < 1.1 {
        item_mode.insert("run".to_owned(), "first".into());
    }
    let config = json!({
        "method": "GET", "url": url, "headers": {"Accept": FEED_TYPES}, "response": "text", "itemMode": item_mode,
    });
    let notes = [
        is_invalid.then(|| format!("`{}` is no URL: write the one of the feed", truncate(&address, 80))),
        source.is_true("options.ignoreSSL").then(|| "certificates are always verified".to_owned()),
        Some("a feed has at most 1 MiB".to_owned()),
    ];
    Some(Translation::new("http", config).with_notes(notes.into_iter().flatten()))
}

/// The trigger of feeds.
pub fn poll(source: &Source) -> Option<Poll> {
    Some(Poll::new(read_feed(source, Some(MAX_POLLED))?, "$json.guid ?? $json.id ?? $json.link ?? $json.title"))
}

pub fn graphql(source: &Source) -> Option<Translation> {
    let endpoint = source.find("endpoint").filter(|_| source.text("requestMethod") != "GET")?;
    let query = or_empty(source.get("query"));
    let mut fields = vec![("query".to_owned(), Arg::Parameter(query.clone()))];
    if let Some(variables) = source.find("variables") {
        let variables = match variables {
            Value::String(_) => Arg::Script(format!("n8n.parsed({})", (source.js)(variables))),
            other => Arg::Parameter(other.clone()),
        };
        fields.push(("variables".to_owned(), variables));
    }
    if let Some(name) = source.find("operationName") {
        fields.push(("operationName".to_owned(), Arg::Parameter(name.clone())));
    }
    let is_query = match source.text("requestFormat") {
        "" => source.version < 1.1,
        format => format == "graphql",
    };
    let answer = "n8n.graphqlAnswer(output.body)";
    let result = match source.text("responseFormat") {
        // A body that is sent as JSON gets an answer that is read as JSON.
        "string" => {
            let name = source.js_or("dataPropertyName", "\"data\"");
            let text = if is_query { "n8n.graphqlText(output.body)" } else { answer };
            format!("({{ [{name}]: {text} }})")
        }
        _ => answer.to_owned(),
    };
    let mut config = json!({
        "method": "POST", "url": text_field(source, endpoint), "failOnStatus": true,
        "body": {"type": "json", "value": {"js": Arg::Object(fields).script(source.js)}},
        "itemMode": {"result": {"js": result}},
    });
    if is_query {
        config["headers"] = json!({"content-type": "application/graphql"});
        config["body"] = json!({"type": "text", "text": text_field(source, query)});
    }
    let has_headers = !is_empty(source.get("headerParametersUi.parameter"));
    let is_open = matches!(source.text("authentication"), "" | "none");
    let notes = has_headers.then_some("its headers are not imported: they may have secrets");
    let reconnects = (!is_open).then_some("a credential for the GraphQL server");
    Some(Translation::new("http", config).with_notes(notes).with_reconnects(reconnects))
}
