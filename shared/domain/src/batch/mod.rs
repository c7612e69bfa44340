//! Batches: the requests of a file, which the platform makes one after the other within a day.

mod lines;
mod progress;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::{ApiKeyId, BatchId, FileId};
use crate::identity::Account;
use crate::time::Time;
use crate::{Error, Result};

pub use lines::{BatchLine, read_lines};
pub use progress::BatchProgress;

/// How long a batch may take. The answers of its calls are kept for replays at least as long.
pub const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
/// The name of the window in requests.
pub const WINDOW_NAME: &str = "24h";
/// How long a batch is kept: as long as the files that it writes.
pub const BATCH_KEPT: Duration = Duration::from_secs(31 * 24 * 60 * 60);
/// The maximum number of batches of a user in an organization that have not ended.
pub const MAX_UNFINISHED: usize = 50;
pub const MAX_LINES: usize = 10_000;

/// The route that answers the requests of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BatchEndpoint {
    #[serde(rename = "/v1/chat/completions")]
    ChatCompletions,
    #[serde(rename = "/v1/completions")]
    Completions,
    #[serde(rename = "/v1/embeddings")]
    Embeddings,
    #[serde(rename = "/v1/messages")]
    Messages,
    #[serde(rename = "/v1/rerank")]
    Rerank,
    #[serde(rename = "/v1/responses")]
    Responses,
}

impl BatchEndpoint {
    pub const ALL: [Self; 6] =
        [Self::ChatCompletions, Self::Completions, Self::Embeddings, Self::Messages, Self::Rerank, Self::Responses];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/v1/chat/completions",
            Self::Completions => "/v1/completions",
            Self::Embeddings => "/v1/embeddings",
            Self::Messages => "/v1/messages",
            Self::Rerank => "/v1/rerank",
            Self::Responses => "/v1/responses",
        }
    }

    /// The path of the route on this platform.
    pub fn path(self) -> String {
        format!("/gateway{}", self.as_str())
    }

    pub fn read(name: &str) -> Result<Self> {
        let names = || Self::ALL.map(|endpoint| format!("`{}`", endpoint.as_str())).join(", ");
        let found = Self::ALL.into_iter().find(|endpoint| endpoint.as_str() == name);
        found.ok_or_else(|| Error::invalid_body("endpoint", format_args!("must be one of {}", names())))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchState {
    Validating,
    /// The file is not a list of requests.
    Failed,
    InProgress,
    /// Every line has an answer or an error.
    Finalizing,
    Completed,
    /// The window ended before every line was answered.
    Expired,
    Cancelling,
    Cancelled,
}

impl BatchState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Validating => "validating",
            Self::Failed => "failed",
            Self::InProgress => "in_progress",
            Self::Finalizing => "finalizing",
            Self::Completed => "completed",
            Self::Expired => "expired",
            Self::Cancelling => "cancelling",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn has_ended(self) -> bool {
        matches!(self, Self::Failed | Self::Completed | Self::Expired | Self::Cancelled)
    }

    /// Whether the user can cancel the batch.
    pub fn may_cancel(self) -> bool {
        matches!(self, Self::Validating | Self::InProgress)
    }
}

/// What a batch is to do, and who pays for it. It never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchOrder {
    pub id: BatchId,
    pub account: Account,
    /// The key that created the batch makes its calls.
    pub key: ApiKeyId,
    pub endpoint: BatchEndpoint,
    pub input_file: FileId,
    /// The object with a copy of the input, so that the user may delete the file.
    pub input: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// The tags of the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How many seconds the files that the batch writes are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_kept_s: Option<u32>,
    pub created_at: Time,
}

impl BatchOrder {
    /// When the lines without an answer expire.
    pub fn deadline(&self) -> Time {
        self.created_at.plus(WINDOW)
    }
}

/// When a batch came into its states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchTimes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finalizing_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelling_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
}

impl BatchTimes {
    /// With the time of a state.
    #[must_use]
    pub fn with(self, state: BatchState, at: Time) -> Self {
        match state {
            BatchState::Validating => self,
            BatchState::InProgress => Self { in_progress_at: Some(at), ..self },
            BatchState::Finalizing => Self { finalizing_at: Some(at), ..self },
            BatchState::Cancelling => Self { cancelling_at: Some(at), ..self },
            BatchState::Failed | BatchState::Completed | BatchState::Expired | BatchState::Cancelled => {
                Self { ended_at: Some(at), ..self }
            }
        }
    }
}

/// A fault of the input file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchProblem {
    pub code: String,
    pub message: String,
    /// The number of the line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub order: BatchOrder,
    pub state: BatchState,
    pub times: BatchTimes,
    /// The number of claims. It is the fencing token of the worker that has the batch.
    pub epoch: u64,
    pub progress: BatchProgress,
    pub problems: Vec<BatchProblem>,
    pub output_file: Option<FileId>,
    pub error_file: Option<FileId>,
}
