//! JSON Schema, draft 2020-12: validates values, reports faults of schemas, and finds the expressions in node
//! configurations. Every validation has a budget. The keywords that are left out (`$dynamicRef`, `unevaluated…`, remote
//! references) are refused when a schema is saved, never ignored.

mod budget;
mod checker;
mod equality;
mod example;
mod faults;
mod findings;
mod integers;
mod keywords;
mod language;
mod number;
mod path;
mod pattern;
mod reference;
mod vocabulary;

#[cfg(test)]
mod tests;

use serde_json::Value;

use budget::ValidationBudget;
use checker::{Checker, Dialect};
pub use example::example;
pub use faults::faults;
pub use findings::{FieldProblem, Findings};
pub use integers::convert_whole_floats;
pub use language::{ExpressionLanguage, LANGUAGE, Program};
pub(crate) use path::Path;

/// Validates a node's configuration against the schema of its type: `format: uuid` is enforced, and the expressions
/// are collected.
pub fn check_config(schema: &Value, config: &Value, field: &str) -> Findings {
    Checker::new(schema, Dialect::NodeType, ValidationBudget::default()).check(config, field)
}

/// Validates a value against a schema that a user wrote, and for which [`faults`] finds none. `format` is an annotation.
pub fn check_value(schema: &Value, value: &Value, field: &str) -> Findings {
    Checker::new(schema, Dialect::User, ValidationBudget::default()).check(value, field)
}
