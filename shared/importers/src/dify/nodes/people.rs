//! Converts answers to people, and their decisions.

use serde_json::{Map, Value, json};

use super::super::super::lenient::{list, number, scalar_text, text, truncate};
use super::super::super::notes::{Notes, note};
use super::super::super::syntax::{output, quote};
use super::super::super::translation::Translation;
use super::super::app::Start;
use super::super::context::Context;
use super::super::texts;

/// An answer: a message, or a part of the result where a form starts the runs.
pub fn answer(node: Context) -> Translation {
    let mut notes = Notes::new();
    let text = node.jinja(node.data("answer"), &mut notes);
    let text = if text.is_empty() { "{{ '' }}".to_owned() } else { text };
    if node.app.start != Start::Form {
        return Translation::new("send_message", json!({"text": text})).with_notes(notes);
    }
    let translation = Translation::new("template", json!({"template": text})).with_notes(notes);
    let is_answer = |place: &usize| node.app.document.nodes[*place].kind == "answer";
    let is_outside = |place: &usize| node.app.document.nodes[*place].parent.is_none();
    let count = node.app.document.nodes.len();
    let is_last = !(0..count).any(|place| is_answer(&place) && node.app.upstream(place).contains(&node.node));
    if !is_last || !is_outside(&node.node) {
        return translation;
    }
    // Dify shows all answers of a run, one after the other.
    let earlier = node.app.upstream(node.node).iter().copied().filter(|place| is_answer(place) && is_outside(place));
    let mut parts: Vec<String> = earlier.take(8).map(|place| output(&node.app.ids[place])).collect();
    parts.reverse();
    let mut parts: Vec<String> = parts.into_iter().map(|path| format!("(has({path}) ? [{path}] : [])")).collect();
    parts.push(format!("[{}]", output(node.id())));
    let whole = if parts.len() == 1 { output(node.id()) } else { format!("({}).join('')", parts.join(" + ")) };
    translation.then("result", "send_result", json!({"output": format!("{{'answer': {whole}}}")}))
}

pub fn end(node: Context) -> Translation {
    let mut notes = Notes::new();
    let outputs: Vec<String> = list(node.data("outputs"))
        .iter()
        .take(200)
        .map(|output| {
            let value = node.selector_cel(&output["value_selector"], &mut notes);
            format!("{}: {value}", quote(&scalar_text(&output["variable"])))
        })
        .collect();
    Translation::new("send_result", json!({"output": format!("{{{}}}", outputs.join(", "))})).with_notes(notes)
}

/// A review. The first button approves; any other rejects.
pub fn review(node: Context) -> Translation {
    let mut notes = Notes::new();
    let mut config = Map::new();
    let title = if node.source().title.is_empty() { "Is it approved?" } else { &node.source().title };
    config.insert("title".to_owned(), texts::literal(&truncate(title, 190)).into());
    let content = without_inputs(&scalar_text(node.data("form_content")));
    config.insert("message".to_owned(), node.jinja(&content.into(), &mut notes).into());
    let fields = list(node.data("inputs")).iter().take(50).map(|input| {
        let name = truncate(&scalar_text(&input["output_variable_name"]), 60);
        let kind = match text(&input["type"]) {
            "number" => "number",
            "checkbox" | "boolean" => "boolean",
            _ => "text",
        };
        json!({"name": name, "label": name, "type": kind})
    });
    config.insert("fields".to_owned(), fields.collect());
    if let Some(count) = number(node.data("timeout")) {
        let unit = if text(node.data("timeout_unit")).starts_with("day") { 86_400.0 } else { 3_600.0 };
        config.insert("expiresInSeconds".to_owned(), Value::from((count * unit).clamp(60.0, 2_592_000.0) as u64));
    }
    let actions = list(node.data("user_actions"));
    let mut exits: Vec<(String, usize, String)> = vec![("__timeout".to_owned(), 0, "expired".to_owned())];
    for (index, action) in actions.iter().take(50).enumerate() {
        let port = if index == 0 { "approved" } else { "rejected" };
        exits.push((scalar_text(&action["id"]), 0, port.to_owned()));
    }
    if actions.len() > 2 {
        note(&mut notes, "a review has two decisions: all buttons but the first reject");
    }
    if !list(node.data("delivery_methods")).is_empty() {
        note(&mut notes, "people decide on the platform, not in the message");
    }
    Translation::new("review", config.into()).with_notes(notes).with_exits(exits)
}

/// Removes `{{#$output.note#}}`, the position of a field in the form. Here fields follow the text.
fn without_inputs(content: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(content.len()), content);
    while let Some((before, (_, behind))) =
        rest.split_once("{{#$output.").and_then(|(before, after)| Some((before, after.split_once("#}}")?)))
    {
        kept.push_str(before);
        rest = behind;
    }
    kept + rest
}
