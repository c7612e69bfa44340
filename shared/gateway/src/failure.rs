//! The failure of a provider call, in one form for all providers, with its kind and whether a retry is useful.

use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The provider refuses the request itself. A retry would fail again at every provider.
    Request,
    /// The provider does not support a parameter. The gateway detects this before it sends anything.
    Unsupported,
    /// The provider does not accept the platform's credentials, or does not know the model.
    Setup,
    RateLimited,
    /// The provider returned a server error, or could not be reached.
    Unavailable,
    Timeout,
    /// The provider's answer cannot be parsed, or ends early.
    Broken,
    /// The platform has no free connection. Nothing was sent.
    Exhausted,
}

/// A failed provider call. `message` is shown to the client. It may quote the provider's error message, but never
/// contains an address or a credential of the platform.
#[derive(Clone, Debug)]
pub struct ProviderFailure {
    pub kind: FailureKind,
    /// The provider's error code, or the gateway's.
    pub code: String,
    pub message: String,
    pub param: Option<String>,
    pub retry_after: Option<Duration>,
    /// Whether the provider may have received the complete request, and may have processed and charged it.
    pub may_have_run: bool,
}

impl ProviderFailure {
    pub fn new(kind: FailureKind, code: impl Into<String>, message: impl Into<String>) -> Self {
        let may_have_run = matches!(kind, FailureKind::Timeout | FailureKind::Broken);
        Self { kind, code: code.into(), message: message.into(), param: None, retry_after: None, may_have_run }
    }

    /// Creates the failure for a parameter that the provider does not support.
    pub fn unsupported(param: impl Into<String>, why: impl fmt::Display) -> Self {
        let param = param.into();
        let message = format!("{param}: {why}");
        Self { param: Some(param), ..Self::new(FailureKind::Unsupported, "parameter_not_supported", message) }
    }

    pub fn malformed_answer(cause: impl fmt::Display) -> Self {
        tracing::warn!(%cause, "a provider's answer could not be parsed");
        Self::new(FailureKind::Broken, "provider_answer_garbled", "the provider's answer could not be parsed")
    }

    pub fn stream_cut() -> Self {
        Self::new(FailureKind::Broken, "provider_stream_cut", "the provider stopped in the middle of its answer")
    }

    pub fn exhausted() -> Self {
        Self::new(FailureKind::Exhausted, "unavailable", "the platform has too many connections open")
    }

    pub fn timeout() -> Self {
        Self::new(FailureKind::Timeout, "provider_timeout", "the provider did not answer in time")
    }

    /// Whether the call may succeed on a retry, at the same or another deployment.
    pub fn is_retryable(&self) -> bool {
        use FailureKind::{Broken, RateLimited, Setup, Timeout, Unavailable};
        matches!(self.kind, Setup | RateLimited | Unavailable | Timeout | Broken)
    }
}
