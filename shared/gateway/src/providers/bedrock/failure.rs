//! Maps errors of the AWS SDK to failures.

use aws_sdk_bedrockruntime::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_bedrockruntime::types::error::ConverseStreamOutputError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::ConnectorError;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::failure::{FailureKind, ProviderFailure};
use crate::providers::probe::Probe;
use crate::providers::status::{ErrorDetails, failure_in_stream, failure_of_response};
use outbound::is_exhaustion;
use platform::causes;

fn error_of(error: &impl ProvideErrorMetadata) -> ErrorDetails {
    ErrorDetails {
        code: error.code().map(str::to_owned),
        message: error.message().map(str::to_owned),
        ..ErrorDetails::default()
    }
}

pub fn call_failure<E: ProvideErrorMetadata>(error: SdkError<E, HttpResponse>) -> ProviderFailure {
    match error {
        SdkError::ServiceError(error) => {
            let raw = error.raw();
            let status = StatusCode::from_u16(raw.status().as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
            if status.is_success() {
                return ProviderFailure::malformed_answer("an answer that the SDK cannot parse");
            }
            let after = raw.headers().get("retry-after").and_then(|after| HeaderValue::from_str(after).ok());
            let headers: HeaderMap = after.map(|after| (http::header::RETRY_AFTER, after)).into_iter().collect();
            service_failure(status, &headers, error_of(error.err()))
        }
        SdkError::TimeoutError(_) => ProviderFailure::timeout(),
        SdkError::DispatchFailure(error) if error.is_timeout() => {
            ProviderFailure { may_have_run: false, ..ProviderFailure::timeout() }
        }
        SdkError::DispatchFailure(error) if error.as_connector_error().is_some_and(is_own_exhaustion) => {
            ProviderFailure::exhausted()
        }
        SdkError::DispatchFailure(error) => ProviderFailure {
            may_have_run: !error.as_connector_error().is_some_and(is_unreached),
            ..ProviderFailure::unreachable()
        },
        SdkError::ConstructionFailure(_) => ProviderFailure::setup(),
        _ => ProviderFailure::malformed_answer("an answer that the SDK cannot parse"),
    }
}

/// The result of a failed test call, with Bedrock's own error message.
pub fn probe<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> Probe {
    let status = error.raw_response().map(|raw| raw.status().as_u16());
    let code = error.code().unwrap_or(if status.is_some() { "provider_refused" } else { "destination_unreachable" });
    let message = error.message().unwrap_or("Bedrock sent no answer that can be parsed");
    Probe { status, error: Some((code.to_owned(), message.to_owned())) }
}

/// Whether the connection failed because this process has no free file descriptor.
fn is_own_exhaustion(error: &ConnectorError) -> bool {
    causes(error).filter_map(|cause| cause.downcast_ref()).any(is_exhaustion)
}

/// Whether no connection was established, so that nothing was sent.
fn is_unreached(error: &ConnectorError) -> bool {
    let failed = causes(error).find_map(|cause| cause.downcast_ref::<hyper_util::client::legacy::Error>());
    failed.is_some_and(|error| error.is_connect())
}

fn service_failure(status: StatusCode, headers: &HeaderMap, error: ErrorDetails) -> ProviderFailure {
    let is_of_model = error.message.as_deref().is_some_and(|message| message.contains("model identifier"));
    match error.code.as_deref() {
        // Bedrock reports an unknown model as an invalid request, but the catalog is wrong, not the client.
        Some("ValidationException") if is_of_model => ProviderFailure::setup(),
        // Bedrock uses 424 for a model that failed, and 429 for a model that is not loaded yet.
        Some("ModelErrorException") => failure_of_response(StatusCode::BAD_GATEWAY, headers, error),
        Some("ModelNotReadyException" | "ServiceQuotaExceededException") => {
            failure_of_response(StatusCode::SERVICE_UNAVAILABLE, headers, error)
        }
        _ => failure_of_response(status, headers, error),
    }
}

/// Creates the failure of an error in the middle of a stream.
pub fn stream_failure<R>(error: SdkError<ConverseStreamOutputError, R>) -> ProviderFailure {
    use ConverseStreamOutputError as Exception;
    match error {
        SdkError::ServiceError(error) => {
            let error = error.into_err();
            // The SDK gives stream errors no code, so the code is taken from the type.
            let (kind, code) = match &error {
                Exception::ThrottlingException(_) => (FailureKind::RateLimited, "ThrottlingException"),
                Exception::ValidationException(_) => (FailureKind::Request, "ValidationException"),
                Exception::ModelStreamErrorException(_) => (FailureKind::Unavailable, "ModelStreamErrorException"),
                Exception::ServiceUnavailableException(_) => (FailureKind::Unavailable, "ServiceUnavailableException"),
                _ => (FailureKind::Unavailable, "InternalServerException"),
            };
            let failure = failure_in_stream(ErrorDetails { code: Some(code.to_owned()), ..error_of(&error) });
            ProviderFailure { kind, ..failure }
        }
        SdkError::TimeoutError(_) => ProviderFailure::timeout(),
        SdkError::DispatchFailure(_) => ProviderFailure::stream_cut(),
        _ => ProviderFailure::malformed_answer("an event that the SDK cannot parse"),
    }
}
