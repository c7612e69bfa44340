//! Values that are made of others.

use serde_json::{Map, Value, json};

use super::super::super::loose::{clipped, list, said, text, whole};
use super::super::super::made::Made;
use super::super::super::pieces::{Notes, note};
use super::super::super::written::{quoted, value};
use super::super::context::Context;
use super::super::texts;
use super::logic::compared;

/// Real Jinja there: a filter that is not known here is found out as the template is read.
pub fn template(node: Context) -> Made {
    let mut notes = Notes::new();
    let template = texts::template(node, text(node.data("template")), node.data("variables"), &mut notes);
    Made::new("template", json!({"template": template})).noting(notes)
}

/// What was kept for the run or the conversation is a value like any other.
pub fn assigner(node: Context) -> Made {
    let mut notes = Notes::new();
    let mut fields = Map::new();
    let old = [node.source().data.clone()];
    let items = if node.data("items").is_array() { list(node.data("items")) } else { &old };
    for item in items.iter().take(200) {
        let target = if item["variable_selector"].is_array() {
            &item["variable_selector"]
        } else {
            &item["assigned_variable_selector"]
        };
        let name = list(target).last().map(said).unwrap_or_default();
        let operation = [&item["operation"], &item["write_mode"]].map(text).into_iter().find(|name| !name.is_empty());
        let given = match &item["value"] {
            Value::Null => &item["input_variable_selector"],
            given => given,
        };
        let given = match (given, text(&item["input_type"])) {
            (_, "constant") => value(given),
            (Value::Array(_), _) => node.selected(given, &mut notes),
            (Value::String(text), _) => texts::pieces(text, &node).cel(&mut notes),
            (given, _) => value(given),
        };
        let written = match operation.unwrap_or("over-write") {
            "over-write" | "set" => given,
            "clear" => "null".to_owned(),
            other => {
                note(&mut notes, format!("`{}` of a variable is to be written out", clipped(other, 40)));
                given
            }
        };
        if !name.is_empty() {
            fields.insert(name, written.into());
        }
    }
    note(&mut notes, "nothing is kept for the conversation: its values are fields of what this node gives");
    Made::new("transform", json!({"fields": fields})).noting(notes)
}

/// A list, chosen from, put in order and cut.
pub fn list_operator(node: Context) -> Made {
    let mut notes = Notes::new();
    let mut list_text = node.selected(node.data("variable"), &mut notes);
    let filter = node.data("filter_by");
    if filter["enabled"] == true {
        let conditions = list(&filter["conditions"]).iter().take(100);
        let parts: Vec<String> =
            conditions.map(|condition| compared(node, condition, Some("element"), &mut notes)).collect();
        list_text =
            format!("{list_text}.filter(element, {})", super::super::super::comparison::combined(&parts, false));
    }
    let order = node.data("order_by");
    if order["enabled"] == true {
        let key = said(&order["key"]);
        let by = if key.is_empty() { String::new() } else { quoted(&key) };
        list_text = format!("{list_text}.sort({by})");
        if said(&order["value"]) == "desc" {
            list_text.push_str(".reverse()");
        }
    }
    let taken = node.data("extract_by");
    if taken["enabled"] == true {
        match whole(&taken["serial"]) {
            Some(place) if place > 0 => list_text = format!("[{list_text}[{}]]", place - 1),
            _ => note(&mut notes, "which element it takes is to be written out"),
        }
    }
    let limit = node.data("limit");
    if let (true, Some(most)) = (limit["enabled"] == true, whole(&limit["size"])) {
        list_text = format!("size({list_text}) > {most} ? ({list_text}).slice(0, {most}) : {list_text}");
    }
    // An empty list has neither a first nor a last: both are null, as they were.
    let fields = json!({
        "result": list_text,
        "first_record": format!("(({list_text}) + [null]).first()"),
        "last_record": format!("([null] + ({list_text})).last()"),
    });
    Made::new("transform", json!({"fields": fields})).noting(notes)
}
