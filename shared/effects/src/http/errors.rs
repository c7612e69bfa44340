//! The errors of calls. Their messages never contain a URL, a value of a header or parameter, or a credential.

use std::time::Duration;

use engine::drive::{EffectError, RetryHint};
use engine::run::StepError;
use http::StatusCode;
use outbound::{CallError, OutboundError};

use super::RETRIED_STATUSES;
use crate::errors::{permanent, temporary};

/// The error of an answer whose status is one.
pub fn error_status(status: StatusCode) -> StepError {
    StepError::new("http_status", format!("the destination answered with status {}", status.as_u16()))
}

/// An answer that is discarded, because another attempt follows.
pub fn temporary_status(status: StatusCode, wait: Option<Duration>) -> EffectError {
    temporary("http_status", format!("the destination answered with status {}", status.as_u16()), wait)
}

/// A call without a complete answer.
pub fn failed_call(error: &CallError) -> EffectError {
    if let CallError::Outbound(OutboundError::Timeout { sent: true } | OutboundError::Cut) = error {
        let error = StepError::new(error.code(), error.to_string());
        return EffectError { error, retry: RetryHint::Uncertain };
    }
    if is_temporary(error) {
        return temporary(error.code(), error.to_string(), None);
    }
    permanent(StepError::new(error.code(), error.to_string()))
}

/// Whether another attempt may succeed.
pub fn is_temporary(error: &CallError) -> bool {
    match error {
        CallError::Outbound(error) => match error {
            OutboundError::Exhausted
            | OutboundError::Unreachable
            | OutboundError::Timeout { .. }
            | OutboundError::Cut => true,
            OutboundError::Forbidden
            | OutboundError::NotHttp
            | OutboundError::TooLarge { .. }
            | OutboundError::TooManyRedirects => false,
        },
        CallError::TokenRefused { status, .. } => RETRIED_STATUSES.contains(status),
        CallError::TokenUnavailable { .. } => true,
        CallError::NoToken
        | CallError::ConsentNeeded(_)
        | CallError::InvalidCredential
        | CallError::NoPlaceInPath
        | CallError::MessagingCredential => false,
    }
}
