//! How a step ends.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

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

/// Why a step failed. The engine's own messages never show a value of the run. The message of a `fail` node is written by
/// the author of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepError {
    pub code: String,
    pub message: String,
}

impl StepError {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    pub fn too_large() -> Self {
        Self::new("value_too_large", "the value is larger than 1 MiB as JSON; pass on less of it")
    }

    pub fn too_deep() -> Self {
        Self::new("value_too_deep", "lists and maps are nested more than 100 levels deep; flatten the value")
    }

    /// The error with the place where it happened.
    pub fn located(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    /// The value of the port `error`.
    pub fn to_value(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
