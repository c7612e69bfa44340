//! Converts branches: if, filter, switch.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::super::super::lenient::{is_empty, list, number, scalar_text, text, truncate, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::translation::Translation;
use super::super::context::Context;
use super::conditions;

/// Both outputs have the same order as ours.
pub fn condition(node: Context) -> Translation {
    let mut notes = Notes::new();
    let expression = expression(node, &mut notes);
    Translation::new("condition", json!({"expression": expression})).with_notes(notes)
}

/// A filter. Its false output is not connected.
pub fn filter(node: Context) -> Translation {
    let translation = condition(node).with_exits([("0", 0, "true")]);
    translation.with_notes(["it passes or drops one value; it does not select items"])
}

fn expression(node: Context, notes: &mut Notes) -> String {
    let conditions = node.parameter("conditions");
    match conditions["conditions"].is_array() {
        true => conditions::translate_v2(node, conditions, notes),
        false => conditions::translate_v1(node, conditions, notes),
    }
}

/// One more than our limit, so that validation reports the excess.
const MAX_RULES: usize = 51;

/// A case, and its original output.
struct Case {
    expression: String,
    name: String,
    output: usize,
}

pub fn switch(node: Context) -> Translation {
    let mut notes = Notes::new();
    let cases = match text(node.parameter("mode")) {
        "expression" => expression_cases(node, &mut notes),
        _ if node.parameter("rules")["values"].is_array() => rule_cases(node, &mut notes),
        _ => v1_cases(node, &mut notes),
    };
    if cases.is_empty() {
        return Translation::unsupported("the switch has no rules");
    }
    if node.parameter("options")["allMatchingOutputs"] == true {
        note(&mut notes, "only the first matching case is taken, not all of them");
    }
    let mut names = HashSet::from(["default".to_owned(), "error".to_owned()]);
    let mut exits = Vec::new();
    let mut written = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let mut name = truncate(&case.name, 40);
        if name.is_empty() || !names.insert(name.clone()) {
            name = format!("case {}", index + 1);
            names.insert(name.clone());
        }
        exits.push((case.output.to_string(), 0, name.clone()));
        written.push(json!({"name": name, "expression": case.expression}));
    }
    if let Some(output) = fallback(node, cases.len()) {
        exits.push((output.to_string(), 0, "default".to_owned()));
    }
    Translation::new("switch", json!({"cases": written})).with_notes(notes).with_exits(exits)
}

/// The fallback output: an extra one, one of the cases', or none.
fn fallback(node: Context, cases: usize) -> Option<u64> {
    let new = &node.parameter("options")["fallbackOutput"];
    match (new, node.parameter("fallbackOutput")) {
        (Value::String(extra), _) if extra == "extra" => Some(cases as u64),
        (Value::Null, old) => number(old).filter(|output| *output >= 0.0).and_then(|_| whole_number(old)),
        (new, _) => whole_number(new),
    }
}

fn rule_cases(node: Context, notes: &mut Notes) -> Vec<Case> {
    let rules = list(&node.parameter("rules")["values"]).iter().take(MAX_RULES).enumerate();
    let case = |(output, rule): (usize, &Value)| {
        let name = scalar_text(&rule["outputKey"]);
        let expression = conditions::translate_v2(node, &rule["conditions"], notes);
        Case { expression, name: if name.is_empty() { format!("output {output}") } else { name }, output }
    };
    rules.map(case).collect()
}

/// `dataType`, `value1`, and rules of `{operation, value2, output}`, or `{operation, value2, outputKey}`.
fn v1_cases(node: Context, notes: &mut Notes) -> Vec<Case> {
    let kind = match text(node.parameter("dataType")) {
        "" => "number",
        kind => kind,
    };
    let left = conditions::operand(node, kind, node.parameter("value1"), notes);
    let rules = list(&node.parameter("rules")["rules"]).iter().take(MAX_RULES).enumerate();
    let case = |(index, rule): (usize, &Value)| {
        let operation = text(&rule["operation"]);
        let operation = if operation.is_empty() { "equal" } else { operation };
        let expression = conditions::compare_with(node, kind, operation, (&left, &rule["value2"]), false, notes);
        let output =
            if rule["outputKey"].is_null() { whole_number(&rule["output"]).unwrap_or(0) as usize } else { index };
        let name = [&rule["outputKey"], &rule["value2"]].map(scalar_text).into_iter().find(|name| !name.is_empty());
        let name = name.filter(|name| !name.starts_with('=')).unwrap_or_else(|| format!("output {output}"));
        Case { expression, name, output }
    };
    rules.map(case).collect()
}

/// A switch on an expression that computes the output's number.
fn expression_cases(node: Context, notes: &mut Notes) -> Vec<Case> {
    const MAX_OUTPUTS: u64 = 40;
    let output = match node.parameter("output") {
        output if is_empty(output) => return Vec::new(),
        output => node.cel(output, notes),
    };
    let count = [node.parameter("numberOutputs"), node.parameter("outputsAmount")].into_iter().find_map(whole_number);
    let count = count.unwrap_or(4);
    if count > MAX_OUTPUTS {
        note(notes, format!("it has {count} outputs, and only the first {MAX_OUTPUTS} are kept"));
    }
    let cases = (0..count.min(MAX_OUTPUTS) as usize).map(|index| Case {
        expression: format!("({output}) == {index}"),
        name: format!("output {index}"),
        output: index,
    });
    cases.collect()
}
