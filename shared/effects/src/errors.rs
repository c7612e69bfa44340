//! The errors of the platform as errors of effects: which of them may go away, and when.

use std::io;
use std::time::Duration;

use domain::run::StepError;
use domain::{Error, ProviderTrouble};
use engine::drive::{EffectError, RetryHint};
use platform::telemetry;

/// An error that another attempt would not change.
pub fn refused(code: &str, message: &str) -> EffectError {
    permanent(StepError::new(code, message))
}

/// An error that another attempt would not change.
pub fn permanent(error: StepError) -> EffectError {
    EffectError { error, retry: RetryHint::Never }
}

/// An error that may go away, not before this time.
pub fn temporary(code: &str, message: impl Into<String>, wait: Option<Duration>) -> EffectError {
    EffectError { error: StepError::new(code, message), retry: RetryHint::After(wait.unwrap_or_default()) }
}

/// The error of a connection that broke while its encryption began; none if the encryption failed for another reason.
pub fn cut_while_encrypting(error: &io::Error) -> Option<EffectError> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let is_cut = [BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof].contains(&error.kind());
    let message = "the connection to the server broke at this step: the encryption";
    is_cut.then(|| temporary("connection_cut", message, None))
}

pub fn to_effect_error(error: Error) -> EffectError {
    let retry = match &error {
        Error::Provider {
            trouble: ProviderTrouble::RateLimited | ProviderTrouble::Failed | ProviderTrouble::Timeout,
            retry_after_s,
            ..
        } => RetryHint::After(Duration::from_secs(retry_after_s.unwrap_or_default())),
        Error::RateLimited { retry_after_s, .. } => RetryHint::After(Duration::from_secs(*retry_after_s)),
        Error::Maintenance { retry_after_s, .. } | Error::Unavailable { retry_after_s, .. } => {
            RetryHint::After(Duration::from_secs((*retry_after_s).into()))
        }
        _ => RetryHint::Never,
    };
    telemetry::log_cause(&error);
    EffectError { error: StepError::new(error.code(), error.to_string()), retry }
}
