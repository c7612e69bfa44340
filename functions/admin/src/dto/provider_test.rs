//! Test calls of a provider.

use domain::Result;
use serde::{Deserialize, Serialize};
use shared::http::test_call::{TestCallError, Tested};
use utoipa::ToSchema;

use super::check_text;

#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "ProviderTest")]
pub struct ProviderTestIn {
    /// The provider's own name of a model, which is asked for a few tokens. Without it the provider's models are
    /// listed, which costs nothing; Bedrock needs it.
    #[schema(max_length = 200, example = "gpt-5-mini")]
    model: Option<String>,
}

impl ProviderTestIn {
    pub fn read_model(self) -> Result<Option<String>> {
        if let Some(model) = &self.model {
            check_text("model", model, 200)?;
        }
        Ok(self.model)
    }
}

/// What came of a test call.
#[derive(Serialize, ToSchema)]
#[schema(title = "ProviderTestResult")]
pub struct ProviderTestOut {
    /// Whether the provider answered with a status under 400.
    ok: bool,
    /// The status of the answer; null without an answer, and for the embedded models.
    #[schema(required, minimum = 100, maximum = 599)]
    status: Option<u16>,
    /// What the provider says, or why there is no answer.
    #[schema(required)]
    error: Option<TestCallError>,
    duration_ms: u64,
}

impl From<Tested> for ProviderTestOut {
    fn from(Tested { ok, status, error, duration_ms }: Tested) -> Self {
        Self { ok, status, error, duration_ms }
    }
}
