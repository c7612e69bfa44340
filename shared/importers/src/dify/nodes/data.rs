//! Converts nodes that compute values from other values.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{list, scalar_text, text, truncate, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::syntax::{cel_literal, quote};
use super::super::super::translation::Translation;
use super::super::app::{CONVERSATIONS, empty_value};
use super::super::context::Context;
use super::super::texts;
use super::logic::translate_comparison;

/// Dify's templates are Jinja too. A filter that is unknown here is found when the draft is validated.
pub fn template(node: Context) -> Translation {
    let mut notes = Notes::new();
    let template = texts::template(node, text(node.data("template")), node.data("variables"), &mut notes);
    Translation::new("template", json!({"template": template})).with_notes(notes)
}

/// Assigned variables are fields of this node's output, and of the row that keeps the variables of the conversation.
pub fn assigner(node: Context) -> Translation {
    let mut notes = Notes::new();
    let mut fields = Map::new();
    let old = [node.source().data.clone()];
    let items = if node.data("items").is_array() { list(node.data("items")) } else { &old };
    let mut is_conversation = true;
    for item in items.iter().take(200) {
        let target = if item["variable_selector"].is_array() {
            &item["variable_selector"]
        } else {
            &item["assigned_variable_selector"]
        };
        let name = list(target).last().map(scalar_text).unwrap_or_default();
        if name.is_empty() {
            note(&mut notes, "an assignment without a variable is left out");
            continue;
        }
        is_conversation &= list(target).first().is_some_and(|first| first == "conversation");
        let current = node.selector_cel(target, &mut notes);
        let written = assigned(node, item, &current, &name, &mut notes);
        fields.insert(name, written.into());
    }
    if fields.is_empty() {
        return Translation::new("transform", json!({"value": "input"})).with_notes(notes);
    }
    let translation = Translation::new("transform", json!({"fields": fields}));
    match node.app.thread().filter(|_| is_conversation) {
        Some(thread) => translation
            .then(
                "save",
                "table",
                json!({"table": CONVERSATIONS, "action": "upsert", "filters": [{"field": "id", "value": thread}], "values": "input"}),
            )
            .with_notes(notes),
        None => {
            note(&mut notes, "loop variables are not supported: the values are fields of this node's output");
            translation.with_notes(notes)
        }
    }
}

/// The new value of a variable.
fn assigned(node: Context, item: &Value, current: &str, name: &str, notes: &mut Notes) -> String {
    let operation = [&item["operation"], &item["write_mode"]].map(text).into_iter().find(|name| !name.is_empty());
    let given = match &item["value"] {
        Value::Null => &item["input_variable_selector"],
        given => given,
    };
    let given = match (given, text(&item["input_type"])) {
        (_, "constant") => cel_literal(given),
        (Value::Array(_), _) => node.selector_cel(given, notes),
        (Value::String(text), _) => texts::pieces(text, &node).cel(notes),
        (given, _) => cel_literal(given),
    };
    match operation.unwrap_or("over-write") {
        "over-write" | "set" => given,
        "clear" => {
            let declared = list(&node.app.document.workflow["conversation_variables"]).iter();
            let kind =
                declared.filter(|known| text(&known["name"]) == name).map(|known| text(&known["value_type"])).next();
            empty_value(kind.unwrap_or_default()).to_owned()
        }
        "append" => format!("{current} + [{given}]"),
        "extend" => format!("{current} + {given}"),
        "remove-first" => format!("{current}.slice([1, size({current})].min(), size({current}))"),
        "remove-last" => format!("{current}.slice(0, [size({current}) - 1, 0].max())"),
        sign @ ("+=" | "-=" | "*=" | "/=") => format!("{current} {} ({given})", &sign[..1]),
        other => {
            let other = truncate(other, 40);
            note(notes, format!("the operation `{other}` on a variable is not supported: write it as an expression"));
            given
        }
    }
}

/// A list that is filtered, sorted and cut.
pub fn list_operator(node: Context) -> Translation {
    let mut notes = Notes::new();
    let mut list_text = node.selector_cel(node.data("variable"), &mut notes);
    let filter = node.data("filter_by");
    if filter["enabled"] == true {
        let conditions = list(&filter["conditions"]).iter().take(100);
        let parts: Vec<String> =
            conditions.map(|condition| translate_comparison(node, condition, Some("element"), &mut notes)).collect();
        list_text =
            format!("{list_text}.filter(element, {})", super::super::super::comparison::join_conditions(&parts, false));
    }
    let order = node.data("order_by");
    if order["enabled"] == true {
        let key = scalar_text(&order["key"]);
        let by = if key.is_empty() { String::new() } else { quote(&key) };
        list_text = format!("{list_text}.sort({by})");
        if scalar_text(&order["value"]) == "desc" {
            list_text.push_str(".reverse()");
        }
    }
    let taken = node.data("extract_by");
    if taken["enabled"] == true {
        match whole_number(&taken["serial"]) {
            Some(place) if place > 0 => list_text = format!("[{list_text}[{}]]", place - 1),
            _ => note(&mut notes, "the position of the element is computed: write it as an expression"),
        }
    }
    let limit = node.data("limit");
    if let (true, Some(most)) = (limit["enabled"] == true, whole_number(&limit["size"])) {
        list_text = format!("size({list_text}) > {most} ? ({list_text}).slice(0, {most}) : {list_text}");
    }
    // For an empty list, first and last are null, as in Dify.
    let fields = json!({
        "result": list_text,
        "first_record": format!("(({list_text}) + [null]).first()"),
        "last_record": format!("([null] + ({list_text})).last()"),
    });
    Translation::new("transform", json!({"fields": fields})).with_notes(notes)
}
