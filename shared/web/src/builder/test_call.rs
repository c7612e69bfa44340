//! The result of a test call to another system, shared by the responses of every area.

use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;

use domain::Result;

/// Why a test call failed
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(title = "TestCallError")]
pub struct TestCallError {
    #[schema(example = "destination_forbidden")]
    pub code: String,
    pub message: String,
}

/// The outcome of a test call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCallOutcome {
    pub ok: bool,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    pub error: Option<TestCallError>,
    pub duration_ms: u64,
}

impl TestCallOutcome {
    /// Runs the call, which returns the status of the response and the failure. The outcome is `ok` if there is no
    /// failure and the status is below 400. An error means that the call could not be made.
    pub async fn run(call: impl Future<Output = Result<(Option<u16>, Option<TestCallError>)>>) -> Result<Self> {
        let began = Instant::now();
        let (status, error) = call.await?;
        let duration_ms = began.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        Ok(Self { ok: error.is_none() && status.is_none_or(|status| status < 400), status, error, duration_ms })
    }
}
