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
    let describe = |(field, message): FieldProblem| {
        assert_ne!(message.en, message.es);
        format!("{field}: {}", message.en)
    };
    found.into_iter().map(describe).collect()
}
