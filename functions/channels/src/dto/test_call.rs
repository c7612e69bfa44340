//! Request and result of a credential test call.

use outbound::CallError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::builder::test_call::{TestCallError, TestCallOutcome};

/// The request of a credential test call.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(title = "CredentialTest")]
pub struct TestIn {
    /// The URL to call. Without it, the test only requests a token; this is possible only for credentials of the types
    /// `oauth2_client_credentials` and `oauth2_authorization_code`. Credentials of messaging providers are tested without a URL.
    #[schema(max_length = 2000, example = "https://api.example.com/me")]
    pub url: Option<String>,
    /// The HTTP method of the call. Defaults to `GET`.
    pub method: TestMethod,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestMethod {
    #[default]
    Get,
    Head,
    Post,
}

/// The result of a test call.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "CredentialTestResult")]
pub struct TestOut {
    /// Whether the test call succeeded: the answer has a status below 400, the token was issued, or the messaging
    /// provider accepted the credential.
    pub ok: bool,
    /// The HTTP status of the answer. Null if no URL was called or there was no answer.
    #[schema(required, minimum = 100, maximum = 599)]
    pub status: Option<u16>,
    /// The reason why there was no answer.
    #[schema(required)]
    pub error: Option<TestCallError>,
    /// The duration of the test call in milliseconds.
    pub duration_ms: u64,
}

impl From<TestCallOutcome> for TestOut {
    fn from(TestCallOutcome { ok, status, error, duration_ms }: TestCallOutcome) -> Self {
        Self { ok, status, error, duration_ms }
    }
}

/// Maps a failed call to the error of the result.
pub fn to_test_call_error(error: &CallError) -> TestCallError {
    TestCallError { code: error.code().to_owned(), message: error.to_string() }
}
