//! Translates the conditions of if, filter and switch.

use serde_json::Value;

use super::super::super::comparison::{Comparison, Operand, join_conditions, write_comparison};
use super::super::super::lenient::{entries, list, scalar_text, text, truncate};
use super::super::super::notes::{Notes, note};
use super::super::super::pieces::{Piece, untranslated_marker};
use super::super::super::syntax::cel_number;
use super::super::context::Context;

/// More conditions would exceed the length limit of an expression anyway.
const MAX_CONDITIONS: usize = 300;

/// Version 2: `{combinator, conditions: [{leftValue, operator: {type, operation}, rightValue}]}`.
pub fn translate_v2(node: Context, conditions: &Value, notes: &mut Notes) -> String {
    let ignores_case = match (&node.parameter("options")["ignoreCase"], &conditions["options"]["caseSensitive"]) {
        (Value::Bool(ignores), _) => *ignores,
        (_, Value::Bool(minds)) => !minds,
        _ => true,
    };
    let parts: Vec<String> = list(&conditions["conditions"])
        .iter()
        .take(MAX_CONDITIONS)
        .map(|condition| {
            let operator = &condition["operator"];
            let (kind, operation) = (text(&operator["type"]), text(&operator["operation"]));
            let operation = if operation.is_empty() { "equals" } else { operation };
            let sides = (&condition["leftValue"], &condition["rightValue"]);
            translate_comparison(node, kind, operation, sides, ignores_case, notes)
        })
        .collect();
    join_conditions(&parts, text(&conditions["combinator"]) == "or")
}

/// Version 1: `{string: [{value1, operation, value2}], number: […]}`.
pub fn translate_v1(node: Context, conditions: &Value, notes: &mut Notes) -> String {
    let mut parts = Vec::new();
    for (kind, of_kind) in entries(conditions) {
        for condition in list(of_kind).iter().take(MAX_CONDITIONS) {
            let sides = (&condition["value1"], &condition["value2"]);
            parts.push(translate_comparison(node, kind, old_operation(kind, condition), sides, false, notes));
        }
    }
    join_conditions(&parts, text(node.parameter("combineOperation")) == "any")
}

fn old_operation<'c>(kind: &str, condition: &'c Value) -> &'c str {
    match (text(&condition["operation"]), kind) {
        ("", "number") => "smaller",
        ("", "dateTime") => "after",
        ("", _) => "equal",
        (operation, _) => operation,
    }
}

/// One comparison, by n8n's operator name.
pub fn translate_comparison(
    node: Context,
    kind: &str,
    operation: &str,
    (left, right): (&Value, &Value),
    ignores_case: bool,
    notes: &mut Notes,
) -> String {
    let left = operand(node, kind, left, notes);
    compare_with(node, kind, operation, (&left, right), ignores_case, notes)
}

/// One comparison whose left side is given: all rules of a switch share it.
pub fn compare_with(
    node: Context,
    kind: &str,
    operation: &str,
    (left, right): (&Operand, &Value),
    ignores_case: bool,
    notes: &mut Notes,
) -> String {
    let Some((what, is_negated)) = comparison(kind, operation) else {
        note(notes, format!("the comparison `{}` is not supported", truncate(operation, 40)));
        return format!("{} == true", untranslated_marker(operation));
    };
    let takes_right = !matches!(what, Comparison::Exists | Comparison::Empty | Comparison::Null | Comparison::True);
    let right = if takes_right { operand(node, kind, right, notes) } else { Operand::value("null") };
    write_comparison(what, is_negated, ignores_case && matches!(kind, "string" | "array"), left, &right)
}

pub fn operand(node: Context, kind: &str, value: &Value, notes: &mut Notes) -> Operand {
    if let Value::String(text) = value
        && !text.starts_with('=')
    {
        // A string in a number field is a number.
        return match (kind, cel_number(text)) {
            ("number", Some(number)) => Operand::value(number),
            ("boolean", _) if matches!(text.as_str(), "true" | "false") => Operand::value(text.clone()),
            _ => Operand::literal(text),
        };
    }
    // `=refund` has no placeholder, so it is a literal too.
    if let [Piece::Text(text)] = &node.pieces(value).0[..]
        && value.is_string()
    {
        return Operand::literal(text);
    }
    match value {
        Value::Null => Operand::literal(""),
        Value::String(_) => Operand::value(node.cel(value, notes)),
        Value::Number(_) if kind == "string" => Operand::literal(&scalar_text(value)),
        other => Operand::value(node.cel(other, notes)),
    }
}

fn comparison(kind: &str, operation: &str) -> Option<(Comparison, bool)> {
    use Comparison::*;
    let is_time = kind == "dateTime";
    Some(match operation {
        "equals" | "equal" if is_time => (SameTime, false),
        "notEquals" | "notEqual" if is_time => (SameTime, true),
        "equals" | "equal" => (Equal, false),
        "notEquals" | "notEqual" => (Equal, true),
        "contains" => (Contains, false),
        "notContains" => (Contains, true),
        "startsWith" => (StartsWith, false),
        "notStartsWith" => (StartsWith, true),
        "endsWith" => (EndsWith, false),
        "notEndsWith" => (EndsWith, true),
        "regex" => (Matches, false),
        "notRegex" => (Matches, true),
        "gt" | "larger" => (Greater, false),
        "gte" | "largerEqual" => (AtLeast, false),
        "lt" | "smaller" => (Less, false),
        "lte" | "smallerEqual" => (AtMost, false),
        "after" => (After, false),
        "before" => (Before, false),
        "afterOrEquals" => (NotBefore, false),
        "beforeOrEquals" => (NotAfter, false),
        "true" => (True, false),
        "false" => (True, true),
        "exists" => (Exists, false),
        "notExists" => (Exists, true),
        "empty" | "isEmpty" => (Empty, false),
        "notEmpty" | "isNotEmpty" => (Empty, true),
        "lengthEquals" => (LengthEqual, false),
        "lengthNotEquals" => (LengthEqual, true),
        "lengthGt" => (LengthGreater, false),
        "lengthGte" => (LengthAtLeast, false),
        "lengthLt" => (LengthLess, false),
        "lengthLte" => (LengthAtMost, false),
        _ => return None,
    })
}
