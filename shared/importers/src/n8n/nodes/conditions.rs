//! Translates the conditions of if, filter and switch.

use serde_json::Value;

use super::super::super::comparison::{Comparison, Side, combined, write};
use super::super::super::lenient::{clipped, entries, list, scalar_text, text};
use super::super::super::pieces::{Notes, Piece, note, untranslated};
use super::super::super::syntax::number;
use super::super::context::Context;

/// More conditions would exceed the length limit of an expression anyway.
const MAX_CONDITIONS: usize = 300;

/// Version 2: `{combinator, conditions: [{leftValue, operator: {type, operation}, rightValue}]}`.
pub fn new(node: Context, conditions: &Value, notes: &mut Notes) -> String {
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
            compared(node, kind, operation, sides, ignores_case, notes)
        })
        .collect();
    combined(&parts, text(&conditions["combinator"]) == "or")
}

/// Version 1: `{string: [{value1, operation, value2}], number: […]}`.
pub fn old(node: Context, conditions: &Value, notes: &mut Notes) -> String {
    let mut parts = Vec::new();
    for (kind, of_kind) in entries(conditions) {
        for condition in list(of_kind).iter().take(MAX_CONDITIONS) {
            let sides = (&condition["value1"], &condition["value2"]);
            parts.push(compared(node, kind, old_operation(kind, condition), sides, false, notes));
        }
    }
    combined(&parts, text(node.parameter("combineOperation")) == "any")
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
pub fn compared(
    node: Context,
    kind: &str,
    operation: &str,
    (left, right): (&Value, &Value),
    ignores_case: bool,
    notes: &mut Notes,
) -> String {
    let left = side(node, kind, left, notes);
    against(node, kind, operation, (&left, right), ignores_case, notes)
}

/// One comparison whose left side is given: all rules of a switch share it.
pub fn against(
    node: Context,
    kind: &str,
    operation: &str,
    (left, right): (&Side, &Value),
    ignores_case: bool,
    notes: &mut Notes,
) -> String {
    let Some((what, is_negated)) = comparison(kind, operation) else {
        note(notes, format!("the comparison `{}` is not supported", clipped(operation, 40)));
        return format!("{} == true", untranslated(operation));
    };
    let takes_right = !matches!(what, Comparison::Exists | Comparison::Empty | Comparison::Null | Comparison::True);
    let right = if takes_right { side(node, kind, right, notes) } else { Side::value("null") };
    write(what, is_negated, ignores_case && matches!(kind, "string" | "array"), left, &right)
}

pub fn side(node: Context, kind: &str, value: &Value, notes: &mut Notes) -> Side {
    if let Value::String(text) = value
        && !text.starts_with('=')
    {
        // A string in a number field is a number.
        return match (kind, number(text)) {
            ("number", Some(number)) => Side::value(number),
            ("boolean", _) if matches!(text.as_str(), "true" | "false") => Side::value(text.clone()),
            _ => Side::literal(text),
        };
    }
    // `=refund` has no placeholder, so it is a literal too.
    if let [Piece::Text(text)] = &node.pieces(value).0[..]
        && value.is_string()
    {
        return Side::literal(text);
    }
    match value {
        Value::Null => Side::literal(""),
        Value::String(_) => Side::value(node.cel(value, notes)),
        Value::Number(_) if kind == "string" => Side::literal(&scalar_text(value)),
        other => Side::value(node.cel(other, notes)),
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
