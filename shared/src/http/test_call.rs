//! The result of a test call, which the answers of every area share.

use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;

use domain::Result;

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
    /// Makes the call, which gives the answer's status and the failure. It is ok without a failure and below status 400.
    /// An error means that the call could not be tried.
    pub async fn run(call: impl Future<Output = Result<(Option<u16>, Option<TestCallError>)>>) -> Result<Self> {
        let began = Instant::now();
        let (status, error) = call.await?;
        let duration_ms = began.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        Ok(Self { ok: error.is_none() && status.is_none_or(|status| status < 400), status, error, duration_ms })
    }
}
