//! Converts branches, loops and joins.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::super::comparison::{Comparison, Operand, join_conditions, write_comparison};
use super::super::super::lenient::{is_empty, list, scalar_text, text, truncate, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::pieces::untranslated_marker;
use super::super::super::syntax::{cel_literal, cel_number, output};
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::super::texts;

/// More conditions would exceed the length limit of an expression anyway.
const MAX_CONDITIONS: usize = 300;
/// Dify's default limit for loops.
const MAX_ROUNDS: u64 = 100;

pub fn switch(node: Context) -> Translation {
    let mut notes = Notes::new();
    // Older files have a single case without an id.
    let old = [node.source().data.clone()];
    let cases = if node.data("cases").is_array() { list(node.data("cases")) } else { &old };
    let mut names = HashSet::from(["default".to_owned(), "error".to_owned()]);
    let (mut written, mut exits) = (Vec::new(), Vec::new());
    for (index, case) in cases.iter().take(51).enumerate() {
        let id = [&case["case_id"], &case["id"]].map(scalar_text).into_iter().find(|id| !id.is_empty());
        let id = id.filter(|_| node.data("cases").is_array()).unwrap_or_else(|| "true".to_owned());
        let mut name = if id.len() <= 20 { id.clone() } else { format!("case {}", index + 1) };
        if !names.insert(name.clone()) {
            name = format!("case {}", index + 1);
            names.insert(name.clone());
        }
        let conditions = list(&case["conditions"]).iter().take(MAX_CONDITIONS);
        let parts: Vec<String> =
            conditions.map(|condition| translate_comparison(node, condition, None, &mut notes)).collect();
        let expression = join_conditions(&parts, text(&case["logical_operator"]) == "or");
        written.push(json!({"name": name, "expression": expression}));
        exits.push((id, 0, name));
    }
    exits.push(("false".to_owned(), 0, "default".to_owned()));
    Translation::new("switch", json!({"cases": written})).with_notes(notes).with_exits(exits)
}

/// One comparison. With `element`, it compares an element of a list.
pub fn translate_comparison(node: Context, condition: &Value, element: Option<&str>, notes: &mut Notes) -> String {
    let operator = [&condition["comparison_operator"], &condition["operator"]].map(scalar_text);
    let operator = operator.into_iter().find(|operator| !operator.is_empty()).unwrap_or_default();
    let left = match (element, text(&condition["key"])) {
        (Some(element), "") => element.to_owned(),
        (Some(element), key) => file_field(element, key),
        (None, _) => node.selector_cel(&condition["variable_selector"], notes),
    };
    if !list(&condition["sub_variable_condition"]["conditions"]).is_empty() {
        note(notes, "its conditions on files are left out");
    }
    let Some((what, is_negated)) = comparison(&operator) else {
        note(notes, format!("the comparison `{}` is not supported", truncate(&operator, 40)));
        return format!("{} == true", untranslated_marker(&operator));
    };
    // The status of a call is a number here, whatever it is compared with.
    let is_status = list(&condition["variable_selector"]).get(1).is_some_and(|field| field == "status_code");
    let kind = if is_status { "number" } else { text(&condition["varType"]) };
    let right = operand(node, &condition["value"], kind, what, notes);
    write_comparison(what, is_negated, false, &Operand::value(left), &right)
}

/// A field of a list's element. Those of Dify's files have other names here.
fn file_field(element: &str, key: &str) -> String {
    match key {
        "mime_type" => format!("{element}.contentType"),
        "extension" => format!("('.' + {element}.name.split('.').last())"),
        "type" => format!(
            "({element}.contentType.startsWith('image/') ? 'image' : {element}.contentType.startsWith('audio/') ? 'audio' : {element}.contentType.startsWith('video/') ? 'video' : 'document')"
        ),
        key => super::super::super::syntax::member(element, key),
    }
}

fn operand(node: Context, given: &Value, kind: &str, what: Comparison, notes: &mut Notes) -> Operand {
    let is_number = matches!(kind, "number" | "integer" | "float")
        || matches!(what, Comparison::Greater | Comparison::AtLeast | Comparison::Less | Comparison::AtMost);
    match given {
        Value::String(text) if text.contains("{{#") => Operand::value(texts::pieces(text, &node).cel(notes)),
        Value::String(text) if is_number => cel_number(text).map_or_else(|| Operand::literal(text), Operand::value),
        Value::String(text) if kind == "boolean" && matches!(text.as_str(), "true" | "false") => {
            Operand::value(text.as_str())
        }
        Value::String(text) if what == Comparison::In => {
            let items: Vec<&str> = text.split(',').map(str::trim).collect();
            Operand::value(cel_literal(&json!(items)))
        }
        Value::String(text) => Operand::literal(text),
        other => Operand::value(cel_literal(other)),
    }
}

fn comparison(operator: &str) -> Option<(Comparison, bool)> {
    use Comparison::*;
    Some(match operator {
        "contains" => (Contains, false),
        "not contains" => (Contains, true),
        "start with" => (StartsWith, false),
        "end with" => (EndsWith, false),
        "is" | "=" => (Equal, false),
        "is not" | "≠" => (Equal, true),
        "empty" | "is empty" => (Empty, false),
        "not empty" | "is not empty" => (Empty, true),
        "null" => (Null, false),
        "not null" => (Null, true),
        "exists" => (Exists, false),
        "not exists" => (Exists, true),
        "in" => (In, false),
        "not in" => (In, true),
        ">" => (Greater, false),
        "≥" => (AtLeast, false),
        "<" => (Less, false),
        "≤" => (AtMost, false),
        "before" => (Before, false),
        "after" => (After, false),
        _ => return None,
    })
}

/// A loop over a list. A second step computes the result when it is not the last node's output.
pub fn iteration(node: Context) -> Translation {
    let mut notes = Notes::new();
    let mut config = Map::from_iter([(
        "items".to_owned(),
        Value::from(node.selector_cel(node.data("iterator_selector"), &mut notes)),
    )]);
    if node.data("is_parallel") == true {
        let most = whole_number(node.data("parallel_nums")).unwrap_or(10);
        config.insert("concurrency".to_owned(), most.clamp(1, 20).into());
    }
    match text(node.data("error_handle_mode")) {
        "continue-on-error" => {
            config.insert("onItemError".to_owned(), "null".into());
        }
        "remove-abnormal-output" => {
            config.insert("onItemError".to_owned(), "skip".into());
        }
        _ => {}
    }
    let mut translation = Translation::new("loop", config.into());
    if let Some(result) = result(node, &mut notes) {
        translation = translation.then("result", "transform", json!({"value": result}));
        translation.wires = vec![(1, "out".to_owned(), 0)];
    }
    translation.with_exits([("item", 0, "item"), ("source", 0, "done")]).with_notes(notes)
}

/// The result of an element. None when it is the whole output of the only last node.
fn result(node: Context, notes: &mut Notes) -> Option<String> {
    let selector = node.data("output_selector");
    if is_empty(selector) {
        return None;
    }
    let document = &node.app.document;
    let child = document.children(node.node).next()?;
    let result = Context { node: child, ..node }.selector_cel(selector, notes);
    let is_last = |place: &usize| !document.edges.iter().any(|edge| edge.from == *place);
    let mut lasts =
        document.children(node.node).filter(|place| is_last(place) && !document.nodes[*place].is_body_start());
    let only = lasts.next().filter(|_| lasts.next().is_none());
    (only.map(|place| output(&node.app.ids[place])) != Some(result.clone())).then_some(result)
}

/// A loop with a fixed number of rounds.
pub fn repeat(node: Context) -> Translation {
    let wanted = whole_number(node.data("loop_count")).unwrap_or(10);
    let count = wanted.clamp(1, MAX_ROUNDS);
    let mut translation = Translation::new("loop", json!({"items": format!("range({count})")}));
    if wanted > count {
        translation = translation.with_notes([format!("it runs at most {count} rounds instead of {wanted}")]);
    }
    if !list(node.data("break_conditions")).is_empty() {
        translation =
            translation.with_notes(["it runs all its rounds: write its end condition as a condition in the body"]);
    }
    if !list(node.data("loop_variables")).is_empty() {
        translation = translation.with_notes(["loop variables are not supported"]);
    }
    translation.with_exits([("item", 0, "item"), ("source", 0, "done")])
}

/// The first value that exists, when only one of several branches was taken.
pub fn first_of(node: Context) -> Translation {
    let mut notes = Notes::new();
    let merge = json!({"mode": "first"});
    let settings = node.data("advanced_settings");
    if settings["group_enabled"] == true {
        let groups = list(&settings["groups"]).iter().take(50).map(|group| {
            let first = first(node, list(&group["variables"]), &mut notes);
            (scalar_text(&group["group_name"]), Value::from(first))
        });
        let fields = Map::from_iter(groups);
        let mut translation = Translation::new("merge", merge).then("", "transform", json!({"fields": fields}));
        translation.steps[0].suffix = "merge";
        return translation.with_notes(notes);
    }
    let variables = list(node.data("variables"));
    // When the variables are the whole outputs of the incoming nodes, the merge itself gives the same.
    let document = &node.app.document;
    let leading: Vec<String> = document
        .edges
        .iter()
        .filter(|edge| edge.to == node.node)
        .map(|edge| output(&node.app.ids[edge.from]))
        .collect();
    let is_whole = |selector: &Value| node.placeholder(selector).cel.is_ok_and(|path| leading.contains(&path));
    if variables.iter().take(100).all(is_whole) && leading.len() <= variables.len() {
        return Translation::new("merge", merge);
    }
    let value = first(node, variables, &mut notes);
    let mut translation = Translation::new("merge", merge).then("", "transform", json!({"value": value}));
    translation.steps[0].suffix = "merge";
    translation.with_notes(notes)
}

fn first(node: Context, selectors: &[Value], notes: &mut Notes) -> String {
    let mut paths: Vec<String> = selectors.iter().take(40).map(|selector| node.selector_cel(selector, notes)).collect();
    let Some(last) = paths.pop() else { return "null".to_owned() };
    paths.into_iter().rev().fold(last, |rest, path| format!("has({path}) ? {path} : {rest}"))
}
