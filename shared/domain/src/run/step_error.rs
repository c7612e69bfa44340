//! Why a step of a run failed.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::text::shorten_to;

/// A longer message is shortened, so that events with errors stay small.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Why a step failed
// The platform's own messages never show a value of the run. The message of a `fail` node is written by the author of
// the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepError {
    /// A stable identifier for programs
    #[schema(example = "timeout")]
    pub code: String,
    pub message: String,
}

impl StepError {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        Self { code, message: shorten_to(&message, MAX_MESSAGE_CHARS).into_owned() }
    }

    /// The error with the place where it happened.
    pub fn located(self, place: &str) -> Self {
        Self::new(self.code, format!("{place}: {}", self.message))
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
