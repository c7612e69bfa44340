//! The ways a run may go, and where they meet again.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::super::comparison::{Comparison, Side, combined, write};
use super::super::super::loose::{clipped, is_empty, list, said, text, whole};
use super::super::super::made::Made;
use super::super::super::pieces::{Notes, note, untranslated};
use super::super::super::written::{number, output, value};
use super::super::context::Context;
use super::super::texts;

/// So many make an expression that is too long in any case.
const MAX_CONDITIONS: usize = 300;
/// As many as a loop of Dify has by itself.
const MAX_ROUNDS: u64 = 100;

pub fn switch(node: Context) -> Made {
    let mut notes = Notes::new();
    // At first there was one case, without an id.
    let old = [node.source().data.clone()];
    let cases = if node.data("cases").is_array() { list(node.data("cases")) } else { &old };
    let mut names = HashSet::from(["default".to_owned(), "error".to_owned()]);
    let (mut written, mut exits) = (Vec::new(), Vec::new());
    for (index, case) in cases.iter().take(51).enumerate() {
        let id = [&case["case_id"], &case["id"]].map(said).into_iter().find(|id| !id.is_empty());
        let id = id.filter(|_| node.data("cases").is_array()).unwrap_or_else(|| "true".to_owned());
        let mut name = if id.len() <= 20 { id.clone() } else { format!("case {}", index + 1) };
        if !names.insert(name.clone()) {
            name = format!("case {}", index + 1);
            names.insert(name.clone());
        }
        let conditions = list(&case["conditions"]).iter().take(MAX_CONDITIONS);
        let parts: Vec<String> = conditions.map(|condition| compared(node, condition, None, &mut notes)).collect();
        let expression = combined(&parts, text(&case["logical_operator"]) == "or");
        written.push(json!({"name": name, "expression": expression}));
        exits.push((id, 0, name));
    }
    exits.push(("false".to_owned(), 0, "default".to_owned()));
    Made::new("switch", json!({"cases": written})).noting(notes).with_exits(exits)
}

/// One comparison; of an element of a list when it has a name.
pub fn compared(node: Context, condition: &Value, element: Option<&str>, notes: &mut Notes) -> String {
    let operator = [&condition["comparison_operator"], &condition["operator"]].map(said);
    let operator = operator.into_iter().find(|operator| !operator.is_empty()).unwrap_or_default();
    let left = match (element, text(&condition["key"])) {
        (Some(element), "") => element.to_owned(),
        (Some(element), key) => super::super::super::written::member(element, key),
        (None, _) => node.selected(&condition["variable_selector"], notes),
    };
    if !list(&condition["sub_variable_condition"]["conditions"]).is_empty() {
        note(notes, "what it asks of files is left out");
    }
    let Some((what, is_negated)) = comparison(&operator) else {
        note(notes, format!("the comparison `{}` has no match here", clipped(&operator, 40)));
        return format!("{} == true", untranslated(&operator));
    };
    let right = side(node, &condition["value"], text(&condition["varType"]), what, notes);
    write(what, is_negated, false, &Side::value(left), &right)
}

fn side(node: Context, given: &Value, kind: &str, what: Comparison, notes: &mut Notes) -> Side {
    let is_number = matches!(kind, "number" | "integer" | "float")
        || matches!(what, Comparison::Greater | Comparison::AtLeast | Comparison::Less | Comparison::AtMost);
    match given {
        Value::String(text) if text.contains("{{#") => Side::value(texts::pieces(text, &node).cel(notes)),
        Value::String(text) if is_number => number(text).map_or_else(|| Side::literal(text), Side::value),
        Value::String(text) if kind == "boolean" && matches!(text.as_str(), "true" | "false") => {
            Side::value(text.as_str())
        }
        Value::String(text) if what == Comparison::In => {
            let items: Vec<&str> = text.split(',').map(str::trim).collect();
            Side::value(value(&json!(items)))
        }
        Value::String(text) => Side::literal(text),
        other => Side::value(value(other)),
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
        "empty" => (Empty, false),
        "not empty" => (Empty, true),
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

/// For each element of a list. A second step makes the result where it is not just what the last one gives.
pub fn iteration(node: Context) -> Made {
    let mut notes = Notes::new();
    let mut config =
        Map::from_iter([("items".to_owned(), Value::from(node.selected(node.data("iterator_selector"), &mut notes)))]);
    if node.data("is_parallel") == true {
        let most = whole(node.data("parallel_nums")).unwrap_or(10);
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
    let mut made = Made::new("loop", config.into());
    if let Some(result) = result(node, &mut notes) {
        made = made.then("result", "transform", json!({"value": result}));
        made.wires = vec![(1, "out".to_owned(), 0)];
    }
    made.with_exits([("item", 0, "item"), ("source", 0, "done")]).noting(notes)
}

/// What an element gives, unless it is the whole value of the one node that ends the body.
fn result(node: Context, notes: &mut Notes) -> Option<String> {
    let selector = node.data("output_selector");
    if is_empty(selector) {
        return None;
    }
    let document = &node.app.document;
    let child = document.children(node.node).next()?;
    let result = Context { node: child, ..node }.selected(selector, notes);
    let is_last = |place: &usize| !document.edges.iter().any(|edge| edge.from == *place);
    let mut lasts =
        document.children(node.node).filter(|place| is_last(place) && !document.nodes[*place].is_body_start());
    let only = lasts.next().filter(|_| lasts.next().is_none());
    (only.map(|place| output(&node.app.ids[place])) != Some(result.clone())).then_some(result)
}

/// So many times over.
pub fn repeat(node: Context) -> Made {
    let wanted = whole(node.data("loop_count")).unwrap_or(10);
    let count = wanted.clamp(1, MAX_ROUNDS);
    let mut made = Made::new("loop", json!({"items": format!("range({count})")}));
    if wanted > count {
        made = made.noting([format!("it goes around {count} times at most, where it was {wanted}")]);
    }
    if !list(node.data("break_conditions")).is_empty() {
        made = made
            .noting(["it goes around as often as it may: what ended it earlier is to be made a condition in its body"]);
    }
    if !list(node.data("loop_variables")).is_empty() {
        made = made.noting(["a loop has no variables of its own here"]);
    }
    made.with_exits([("item", 0, "item"), ("source", 0, "done")])
}

/// The first value that is there, of ways of which one was gone.
pub fn first_of(node: Context) -> Made {
    let mut notes = Notes::new();
    let merge = json!({"mode": "first"});
    let settings = node.data("advanced_settings");
    if settings["group_enabled"] == true {
        let groups = list(&settings["groups"]).iter().take(50).map(|group| {
            let first = first(node, list(&group["variables"]), &mut notes);
            (said(&group["group_name"]), Value::from(first))
        });
        let fields = Map::from_iter(groups);
        let mut made = Made::new("merge", merge).then("", "transform", json!({"fields": fields}));
        made.steps[0].suffix = "merge";
        return made.noting(notes);
    }
    let variables = list(node.data("variables"));
    // The values of the nodes that lead here, whole, are what the merge itself gives.
    let document = &node.app.document;
    let leading: Vec<String> = document
        .edges
        .iter()
        .filter(|edge| edge.to == node.node)
        .map(|edge| output(&node.app.ids[edge.from]))
        .collect();
    let is_whole = |selector: &Value| node.filled(selector).cel.is_ok_and(|path| leading.contains(&path));
    if variables.iter().take(100).all(is_whole) && leading.len() <= variables.len() {
        return Made::new("merge", merge);
    }
    let value = first(node, variables, &mut notes);
    let mut made = Made::new("merge", merge).then("", "transform", json!({"value": value}));
    made.steps[0].suffix = "merge";
    made.noting(notes)
}

fn first(node: Context, selectors: &[Value], notes: &mut Notes) -> String {
    let mut paths: Vec<String> = selectors.iter().take(40).map(|selector| node.selected(selector, notes)).collect();
    let Some(last) = paths.pop() else { return "null".to_owned() };
    paths.into_iter().rev().fold(last, |rest, path| format!("has({path}) ? {path} : {rest}"))
}
