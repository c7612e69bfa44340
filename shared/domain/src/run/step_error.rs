//! Why a step of a run failed.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The platform's own messages never show a value of the run. The message of a `fail` node is written by the author of
/// the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    pub code: String,
    pub message: String,
}

impl StepError {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
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
