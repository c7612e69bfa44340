//! The stored form of a batch.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use domain::batch::{Batch, BatchOrder, BatchProblem, BatchProgress, BatchState, BatchTimes};
use domain::id::FileId;
use domain::time::Time;

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct BatchItem {
    pub pk: String,
    pub sk: String,
    pub order: BatchOrder,
    pub state: BatchState,
    pub times: BatchTimes,
    pub epoch: u64,
    /// Until when a worker has the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned_until: Option<Time>,
    pub progress: BatchProgress,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<BatchProblem>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<FileId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_file: Option<FileId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_shard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    pub expires_at: i64,
}

impl From<BatchItem> for Batch {
    fn from(item: BatchItem) -> Self {
        let BatchItem { order, state, times, epoch, progress, problems, output_file, error_file, .. } = item;
        let problems = problems.unwrap_or_default();
        Self { order, state, times, epoch, progress, problems, output_file, error_file }
    }
}
