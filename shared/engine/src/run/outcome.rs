//! How a step ends.

use std::sync::Arc;

use serde_json::Value;

pub use domain::run::StepError;

/// The output port at which a run continues, and the value there.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutcome {
    pub port: String,
    pub value: Arc<Value>,
}

impl StepOutcome {
    pub fn new(port: impl Into<String>, value: impl Into<Arc<Value>>) -> Self {
        Self { port: port.into(), value: value.into() }
    }
}

pub fn too_deep() -> StepError {
    StepError::new("value_too_deep", "lists and maps are nested more than 100 levels deep; flatten the value")
}
