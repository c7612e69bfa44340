//! How a provider fails, whichever it is.

use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The provider finds fault with the request itself: another try, there or elsewhere, ends the same.
    Request,
    /// The provider has no way to do what a parameter asks; found here, before anything was sent.
    Unsupported,
    /// The provider does not accept our credentials, or does not know the model.
    Setup,
    RateLimited,
    /// It answers with a server error, or is not reached.
    Unavailable,
    Timeout,
    /// What it sends cannot be understood, or stops short.
    Broken,
    /// We have no connection free: the provider was not asked.
    Exhausted,
}

/// What went wrong upstream. `message` is for the client: it holds what the provider said of the request, and never
/// an address or a credential of ours.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: FailureKind,
    /// The provider's own code, or ours.
    pub code: String,
    pub message: String,
    pub param: Option<String>,
    pub retry_after: Option<Duration>,
    /// Whether the request had reached the provider whole, so that it may have begun to work, and to charge.
    pub may_have_run: bool,
}

impl Failure {
    pub fn new(kind: FailureKind, code: impl Into<String>, message: impl Into<String>) -> Self {
        let may_have_run = matches!(kind, FailureKind::Timeout | FailureKind::Broken);
        Self { kind, code: code.into(), message: message.into(), param: None, retry_after: None, may_have_run }
    }

    /// A parameter that this provider cannot take.
    pub fn unsupported(param: impl Into<String>, why: impl fmt::Display) -> Self {
        let param = param.into();
        let message = format!("{param}: {why}");
        Self { param: Some(param), ..Self::new(FailureKind::Unsupported, "parameter_not_supported", message) }
    }

    pub fn garbled(cause: impl fmt::Display) -> Self {
        tracing::warn!(%cause, "a provider's answer cannot be understood");
        Self::new(FailureKind::Broken, "provider_answer_garbled", "the provider's answer cannot be understood")
    }

    pub fn cut() -> Self {
        Self::new(FailureKind::Broken, "provider_stream_cut", "the provider stopped in the middle of its answer")
    }

    pub fn exhausted() -> Self {
        Self::new(FailureKind::Exhausted, "unavailable", "the platform has too many connections open")
    }

    pub fn timeout() -> Self {
        Self::new(FailureKind::Timeout, "provider_timeout", "the provider did not answer in time")
    }

    /// Whether trying again, there or elsewhere, may end better.
    pub fn may_pass(&self) -> bool {
        use FailureKind::{Broken, RateLimited, Setup, Timeout, Unavailable};
        matches!(self.kind, Setup | RateLimited | Unavailable | Timeout | Broken)
    }
}
