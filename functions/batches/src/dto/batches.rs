//! Batches on the wire.

use std::collections::BTreeMap;

use domain::batch::{Batch, BatchProblem, BatchState, WINDOW_NAME};
use domain::id::{BatchId, FileId};
use domain::page::Slice;
use domain::time::Time;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use web::paging::{default_per_page, per_page};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct BatchHeaders {
    /// Tags of the calls, separated by commas, for the log of calls. At most 10, each of at most 64 characters.
    #[param(rename = "X-Svc-Tags", nullable = false, example = "nightly")]
    #[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
    tags: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchIn)]
pub struct BatchIn {
    /// A file with the purpose `batch`. Each of its lines is a JSON object with `custom_id`, `method` (`POST`), `url` (the endpoint)
    /// and `body`, at most 10,000
    pub input_file_id: String,
    /// `/v1/chat/completions`, `/v1/completions`, `/v1/embeddings`, `/v1/messages`, `/v1/rerank` or `/v1/responses`
    #[schema(example = "/v1/chat/completions")]
    pub endpoint: String,
    completion_window: WindowIn,
    /// Up to 16 texts of the caller, each of at most 512 characters, with names of at most 64
    #[schema(nullable = false)]
    metadata: Option<BTreeMap<String, String>>,
    #[schema(nullable = false)]
    output_expires_after: Option<ExpiresAfterIn>,
}

/// The time in which the calls are made
#[derive(Deserialize, ToSchema)]
#[schema(as = BatchWindow)]
enum WindowIn {
    #[serde(rename = "24h")]
    Day,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExpiresAfter)]
struct ExpiresAfterIn {
    #[expect(dead_code, reason = "there is only one")]
    anchor: AnchorIn,
    /// How long the files that the batch writes are kept: 30 days by default
    #[schema(minimum = 3600, maximum = 2592000)]
    seconds: u32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExpiryAnchor)]
enum AnchorIn {
    CreatedAt,
}

impl BatchIn {
    pub fn metadata(&self) -> Result<BTreeMap<String, String>> {
        let metadata = self.metadata.clone().unwrap_or_default();
        let fits = |(name, value): (&String, &String)| name.chars().count() <= 64 && value.chars().count() <= 512;
        match metadata.len() <= 16 && metadata.iter().all(fits) {
            true => Ok(metadata),
            false => {
                let problem = "must have at most 16 texts of at most 512 characters, with names of at most 64";
                Err(Error::invalid_body("metadata", problem))
            }
        }
    }

    /// How many seconds the files that the batch writes are kept.
    pub fn output_kept_s(&self) -> Option<u32> {
        let WindowIn::Day = self.completion_window;
        self.output_expires_after.as_ref().map(|expiry| expiry.seconds)
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListBatches {
    /// The `last_id` of the previous page
    #[param(nullable = false)]
    after: Option<String>,
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
}

impl ListBatches {
    pub fn after(&self) -> Result<Option<BatchId>> {
        let after = self.after.as_deref().map(str::parse).transpose();
        after.map_err(|_| Error::invalid_query("after", "must be the id of a batch"))
    }
}

/// A batch. All times are Unix seconds
#[derive(Serialize, ToSchema)]
#[schema(as = Batch)]
pub struct BatchOut {
    #[schema(value_type = String)]
    id: BatchId,
    #[schema(example = "batch")]
    object: &'static str,
    endpoint: &'static str,
    /// The faults of the input file, if the batch has `failed`
    #[schema(required)]
    errors: Option<BatchErrorsOut>,
    #[schema(value_type = String)]
    input_file_id: FileId,
    #[schema(example = "24h")]
    completion_window: &'static str,
    /// `validating`, `failed`, `in_progress`, `finalizing`, `completed`, `expired`, `cancelling` or `cancelled`
    status: &'static str,
    /// The answers, when the batch has ended
    #[schema(required, value_type = Option<String>)]
    output_file_id: Option<FileId>,
    /// The requests that were refused or that failed, when the batch has ended
    #[schema(required, value_type = Option<String>)]
    error_file_id: Option<FileId>,
    created_at: i64,
    #[schema(required)]
    in_progress_at: Option<i64>,
    expires_at: i64,
    #[schema(required)]
    finalizing_at: Option<i64>,
    #[schema(required)]
    completed_at: Option<i64>,
    #[schema(required)]
    failed_at: Option<i64>,
    #[schema(required)]
    expired_at: Option<i64>,
    #[schema(required)]
    cancelling_at: Option<i64>,
    #[schema(required)]
    cancelled_at: Option<i64>,
    request_counts: RequestCountsOut,
    metadata: BTreeMap<String, String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = BatchRequestCounts)]
struct RequestCountsOut {
    total: u32,
    completed: u32,
    failed: u32,
}

#[derive(Serialize, ToSchema)]
#[schema(as = BatchErrors)]
struct BatchErrorsOut {
    #[schema(example = "list")]
    object: &'static str,
    data: Vec<BatchErrorOut>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = BatchError)]
struct BatchErrorOut {
    code: String,
    message: String,
    /// The number of the line, from 1
    #[schema(required)]
    line: Option<u32>,
    #[schema(required)]
    param: Option<String>,
}

impl From<BatchProblem> for BatchErrorOut {
    fn from(BatchProblem { code, message, line, param }: BatchProblem) -> Self {
        Self { code, message, line, param }
    }
}

impl From<Batch> for BatchOut {
    fn from(batch: Batch) -> Self {
        let Batch { order, state, times, progress, problems, output_file, error_file, .. } = batch;
        let seconds = |at: Option<Time>| at.map(Time::as_seconds);
        let ended_as = |end: BatchState| seconds(times.ended_at.filter(|_| state == end));
        let problems: Vec<BatchErrorOut> = problems.into_iter().map(BatchErrorOut::from).collect();
        Self {
            id: order.id,
            object: "batch",
            endpoint: order.endpoint.as_str(),
            errors: (!problems.is_empty()).then_some(BatchErrorsOut { object: "list", data: problems }),
            input_file_id: order.input_file,
            completion_window: WINDOW_NAME,
            status: state.as_str(),
            output_file_id: output_file,
            error_file_id: error_file,
            created_at: order.created_at.as_seconds(),
            in_progress_at: seconds(times.in_progress_at),
            expires_at: order.deadline().as_seconds(),
            finalizing_at: seconds(times.finalizing_at),
            completed_at: ended_as(BatchState::Completed),
            failed_at: ended_as(BatchState::Failed),
            expired_at: ended_as(BatchState::Expired),
            cancelling_at: seconds(times.cancelling_at),
            cancelled_at: ended_as(BatchState::Cancelled),
            request_counts: RequestCountsOut {
                total: progress.total,
                completed: progress.completed,
                failed: progress.failed,
            },
            metadata: order.metadata,
        }
    }
}

/// A page of batches
#[derive(Serialize, ToSchema)]
#[schema(as = BatchList)]
pub struct BatchListOut {
    #[schema(example = "list")]
    object: &'static str,
    data: Vec<BatchOut>,
    #[schema(required, value_type = Option<String>)]
    first_id: Option<BatchId>,
    /// Send it as `after` to get the next page
    #[schema(required, value_type = Option<String>)]
    last_id: Option<BatchId>,
    has_more: bool,
}

impl From<Slice<Batch>> for BatchListOut {
    fn from(Slice { items, next }: Slice<Batch>) -> Self {
        let ids = |batch: Option<&Batch>| batch.map(|batch| batch.order.id);
        let (first_id, last_id) = (ids(items.first()), ids(items.last()));
        let data = items.into_iter().map(BatchOut::from).collect();
        Self { object: "list", data, first_id, last_id, has_more: next.is_some() }
    }
}
