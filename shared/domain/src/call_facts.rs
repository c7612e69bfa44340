//! What the log of calls keeps of a call besides its charge.

use serde::{Deserialize, Serialize};

use super::call_retention::CallRetention;
use super::time::Time;

/// The error code of a stream whose client disconnected.
pub const CLIENT_DISCONNECTED: &str = "client_disconnected";

/// What the client says about a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallLabels {
    /// The client's name for the person who uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_user: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl CallLabels {
    pub const MAX_TAGS: usize = 10;
    /// The maximum number of characters of a tag.
    pub const MAX_TAG_LENGTH: usize = 64;
    /// The maximum number of characters of the name of an end user.
    pub const MAX_END_USER_LENGTH: usize = 128;

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How a call was made and served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallFacts {
    /// The alias by which the request named the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The provider's name for the model. Empty if no deployment was tried.
    pub upstream: String,
    #[serde(default, skip_serializing_if = "CallLabels::is_empty")]
    pub labels: CallLabels,
    #[serde(default)]
    pub is_streamed: bool,
    /// The cache of answers answered it, and no provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cached: bool,
    /// A batch made the call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_batch: bool,
    /// A tool of an MCP server was called, and no model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_tool: bool,
    pub started_at: Time,
    /// The milliseconds until the first output. `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_ms: Option<u64>,
    /// The code of the error that ended the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The attempts that failed, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_attempts: Vec<FailedAttempt>,
    /// How long the bodies of the call are kept. `None` if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<CallRetention>,
}

/// An attempt at a deployment that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedAttempt {
    pub provider: String,
    /// The provider's name for the model.
    pub upstream: String,
    /// The code of the error.
    pub error: String,
    pub duration_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStatus {
    Completed,
    /// It ended with an error, before or during its answer.
    Failed,
    /// Its client disconnected before the end of a stream.
    Cancelled,
}

impl CallFacts {
    pub fn status(&self) -> CallStatus {
        match self.error.as_deref() {
            None => CallStatus::Completed,
            Some(CLIENT_DISCONNECTED) => CallStatus::Cancelled,
            Some(_) => CallStatus::Failed,
        }
    }
}
