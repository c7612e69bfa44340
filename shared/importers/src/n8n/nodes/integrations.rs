//! Translates nodes for which the platform has its own: emails, feeds and tables.

use serde_json::{Map, Value, json};

use crate::lenient::{is_empty, list, scalar_text, text, whole_number};
use crate::n8n::context::Context;
use crate::n8n::javascript::{expression, is_computed, literal_text, text_field, value_field};
use crate::n8n::parameter::located;
use crate::notes::{Notes, note};
use crate::slug::slug;
use crate::translation::Translation;

/// The server of a mail, until the user names the one of the credential.
const UNBOUND_HOST: &str = "smtp.example.com";

pub fn email(node: Context) -> Translation {
    let items = "({ accepted: output.accepted, rejected: output.rejected, messageId: output.messageId })";
    let mut config = Map::from_iter([
        ("host".to_owned(), UNBOUND_HOST.into()),
        ("itemMode".to_owned(), json!({"result": {"js": items}})),
    ]);
    let option = |name: &str| if is_empty(node.parameter(name)) { node.option(name) } else { node.parameter(name) };
    for (field, given) in [
        ("from", node.parameter("fromEmail")),
        ("to", node.parameter("toEmail")),
        ("subject", node.parameter("subject")),
        ("cc", option("ccEmail")),
        ("bcc", option("bccEmail")),
        ("replyTo", option("replyTo")),
    ] {
        if !is_empty(given) || matches!(field, "from" | "to" | "subject") {
            config.insert(field.to_owned(), text_field(given));
        }
    }
    // Version 2 sends HTML by default, and the format names the fields that are sent.
    let format = match text(node.parameter("emailFormat")) {
        _ if node.source().version < 2.0 => "both",
        "text" => "text",
        "both" => "both",
        _ => "html",
    };
    for name in ["text", "html"].into_iter().filter(|name| format == "both" || format == *name) {
        if !is_empty(node.parameter(name)) {
            config.insert(name.to_owned(), text_field(node.parameter(name)));
        }
    }
    if !config.contains_key("text") && !config.contains_key("html") {
        config.insert("text".to_owned(), "".into());
    }
    let files = option("attachments");
    if !is_empty(files) {
        let files = format!("String({}).split(\",\").map((name) => $binary[name.trim()])", expression(files));
        config.insert("attachments".to_owned(), json!({"js": files}));
    }
    Translation::new("email", config.into())
        .with_notes(["write the SMTP server of its credential"])
        .with_reconnects(["an SMTP server, with a credential of the type basic"])
}

pub fn feed(node: Context) -> Translation {
    let items = "output.items.map(({ id, title, link, summary, content, author, published, categories }) => ({ json: {\n  \
                 creator: author, title, link, pubDate: published, isoDate: published, guid: id, categories,\n  \
                 content: content ?? summary,\n  contentSnippet: String(content ?? summary ?? \"\").replace(/<[^>]*>/g, \"\").trim()\n} }))";
    let config = json!({"url": text_field(node.parameter("url")), "limit": 500, "itemMode": {"result": {"js": items}}});
    Translation::new("feed", config)
}

/// The rows of a data table. n8n shares its tables between workflows.
pub fn table(node: Context) -> Translation {
    let operation = text(node.parameter("operation"));
    let action = match operation {
        "" | "insert" => "add",
        "get" => "find",
        "update" | "upsert" => operation,
        "deleteRows" => "delete",
        "rowExists" | "rowNotExists" => "count",
        _ => return Translation::unsupported("its operation on the table is not supported"),
    };
    let mut notes = Notes::new();
    note(&mut notes, "its table has the rows of this workflow only, and begins empty");
    let name = slug(&located(node.parameter("dataTableId")));
    let name = if name.is_empty() { "table".to_owned() } else { name };
    let mut config = Map::from_iter([("table".to_owned(), Value::from(name)), ("action".to_owned(), action.into())]);
    if action != "add" {
        filters(node, &mut config, &mut notes);
    }
    if matches!(action, "add" | "update" | "upsert") {
        let columns = node.parameter("columns");
        let is_mapped = columns["mappingMode"] == "autoMapInputData";
        let values = if is_mapped { json!({"js": "$json"}) } else { value_field(&columns["value"]) };
        config.insert("values".to_owned(), values);
    }
    if action == "find" {
        let limit = whole_number(node.parameter("limit")).unwrap_or(50);
        let limit = if *node.parameter("returnAll") == true { 1_000 } else { limit.clamp(1, 1_000) };
        config.insert("limit".to_owned(), limit.into());
        let column = literal_text(node.parameter("orderByColumn"));
        if *node.parameter("orderBy") == true && !column.is_empty() {
            config.insert("orderBy".to_owned(), column.into());
            config.insert("descending".to_owned(), (*node.parameter("orderByDirection") == "DESC").into());
        }
    }
    let items = match operation {
        "rowExists" => Some("output > 0 ? $input.item : []"),
        "rowNotExists" => Some("output > 0 ? [] : $input.item"),
        _ => None,
    };
    if let Some(items) = items {
        config.insert("itemMode".to_owned(), json!({"result": {"js": items}}));
    }
    Translation::new("table", config.into()).with_notes(notes)
}

fn filters(node: Context, config: &mut Map<String, Value>, notes: &mut Notes) {
    const MAX_FILTERS: usize = 20;
    let conditions = list(&node.parameter("filters")["conditions"]).iter().take(MAX_FILTERS);
    let filters = conditions.map(|condition| {
        let (operator, value) = match text(&condition["condition"]) {
            "" | "eq" => ("equals", None),
            "neq" => ("notEquals", None),
            "gt" => ("greater", None),
            "gte" => ("atLeast", None),
            "lt" => ("less", None),
            "lte" => ("atMost", None),
            "isEmpty" => ("isEmpty", Some(None)),
            "isNotEmpty" => ("isNotEmpty", Some(None)),
            "isTrue" => ("equals", Some(Some("true"))),
            "isFalse" => ("equals", Some(Some("false"))),
            like => {
                if like == "ilike" || scalar_text(&condition["keyValue"]).contains('%') {
                    note(notes, "a filter compares a part of a text with its case, and `%` has no meaning");
                }
                ("contains", None)
            }
        };
        let field = literal_text(&condition["keyName"]);
        let field = if field.is_empty() { "id".to_owned() } else { field };
        let mut filter = json!({"field": field, "operator": operator});
        match value {
            None => filter["value"] = value_field(&condition["keyValue"]),
            Some(Some(value)) => filter["value"] = json!({"js": value}),
            Some(None) => {}
        }
        filter
    });
    let filters: Vec<Value> = filters.collect();
    if list(&node.parameter("filters")["conditions"]).iter().any(|condition| is_computed(text(&condition["keyName"]))) {
        note(notes, "the name of a column is computed: write it");
    }
    if !filters.is_empty() {
        config.insert("filters".to_owned(), filters.into());
        if text(node.parameter("matchType")) != "allConditions" {
            config.insert("matching".to_owned(), "any".into());
        }
    }
}
