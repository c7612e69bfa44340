//! What came of a test call: the part that every area's answer has.

use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;

/// Why a test call failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(title = "TestCallError")]
pub struct TestCallError {
    #[schema(example = "destination_forbidden")]
    pub code: String,
    pub message: String,
}

/// The end of a test call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    pub ok: bool,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
    pub error: Option<TestCallError>,
    pub duration_ms: u64,
}

impl Tested {
    /// Makes the call. It is well when it has no error and no status from 400 on.
    pub async fn run(call: impl Future<Output = (Option<u16>, Option<TestCallError>)>) -> Self {
        let began = Instant::now();
        let (status, error) = call.await;
        let duration_ms = began.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        Self { ok: error.is_none() && status.is_none_or(|status| status < 400), status, error, duration_ms }
    }
}
