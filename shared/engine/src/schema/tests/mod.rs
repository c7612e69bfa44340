mod budget;
mod messages;
mod schemas;
mod suite;

use serde_json::{Value, json};

use super::*;

/// `field: message` of every violation.
fn violations(schema: &Value, value: &Value) -> Vec<String> {
    assert_eq!(faults(schema, "schema"), [], "{schema}");
    lines(check_value(schema, value, "value").violations)
}

fn lines(found: Vec<FieldProblem>) -> Vec<String> {
    found.into_iter().map(|(field, message)| format!("{field}: {}", message.en)).collect()
}
