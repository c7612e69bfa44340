//! Request and result of a provider test call.

use domain::Result;
use domain::schema::{self, Title};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::builder::test_call::{TestCallError, TestCallOutcome};

/// The request of a provider test call.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "ProviderTest")]
pub struct ProviderTestIn {
    /// The provider's name of a model that the test asks for a few tokens. Without it, the test lists the provider's
    /// models, which is free. Required for Bedrock.
    #[schema(value_type = Option<Title>, example = "gpt-5-mini")]
    model: Option<String>,
}

impl ProviderTestIn {
    pub fn read_model(self) -> Result<Option<String>> {
        schema::check(&self).map(|()| self.model)
    }
}

/// The result of a test call.
#[derive(Serialize, ToSchema)]
#[schema(title = "ProviderTestResult")]
pub struct ProviderTestOut {
    /// Whether the test call succeeded: the provider answered with a status below 400.
    ok: bool,
    /// The HTTP status of the answer. Null if there was no answer, and for the embedded models.
    #[schema(required, minimum = 100, maximum = 599)]
    status: Option<u16>,
    /// The provider's error, or the reason why there was no answer.
    #[schema(required)]
    error: Option<TestCallError>,
    /// The duration of the test call in milliseconds.
    duration_ms: u64,
}

impl From<TestCallOutcome> for ProviderTestOut {
    fn from(TestCallOutcome { ok, status, error, duration_ms }: TestCallOutcome) -> Self {
        Self { ok, status, error, duration_ms }
    }
}
