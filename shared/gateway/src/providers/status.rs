//! Maps a provider's error response to a `ProviderFailure`: HTTP status, error body and `Retry-After`.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::failure::{FailureKind, ProviderFailure};
use domain::text::{shorten, shorten_to};
use domain::time::Time;
use outbound::{self, MAX_RETRY_AFTER};

const MAX_MESSAGE_CHARS: usize = 2_000;
/// Error codes about the model or the account, at any HTTP status.
const SETUP_CODES: [&str; 9] = [
    "model_not_found",
    "invalid_model",
    "model_not_available",
    "DeploymentNotFound",
    "insufficient_quota",
    "invalid_api_key",
    "API_KEY_INVALID",
    "billing_error",
    "authentication_error",
];

/// The message of a refusal without one of the provider.
pub const NO_REASON: &str = "the provider refused the request";

/// The error in a provider's response body.
#[derive(Debug, Default, PartialEq)]
pub struct ErrorDetails {
    pub code: Option<String>,
    pub message: Option<String>,
    pub param: Option<String>,
    pub retry_after: Option<Duration>,
}

impl ErrorDetails {
    /// Reads the error formats of `OpenAI`, compatible servers and Anthropic: `{"error": {…}}`, `{"error": "…"}`,
    /// `{"message": …}` and `{"detail": …}`. Google's format has `details`, and may be in a list.
    pub fn read(body: &Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = match body.get("error") {
            Some(Value::String(message)) => {
                let message = shorten_to(message, MAX_MESSAGE_CHARS).into_owned();
                return Self { message: Some(message), ..Self::default() };
            }
            Some(error) if error.is_object() => error,
            _ => body,
        };
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) if !text.is_empty() => Some(shorten_to(text, MAX_MESSAGE_CHARS).into_owned()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
        let detail = |name: &str| details.clone().find_map(|detail| detail[name].as_str());
        let short = |text: String| shorten(&text).into_owned();
        // A numeric code only repeats the HTTP status, so `status` or `type` is used instead.
        let code = text("code").filter(|code| code.parse::<u16>().is_err());
        let code = detail("reason").map(str::to_owned).or(code).or_else(|| text("status")).or_else(|| text("type"));
        Self {
            code: code.filter(|code| code != "error").map(short),
            message: text("message").or_else(|| text("detail")),
            param: text("param").map(short),
            retry_after: detail("retryDelay").and_then(protobuf_duration),
        }
    }

    fn is_setup_error(&self) -> bool {
        self.code.as_deref().is_some_and(|code| SETUP_CODES.contains(&code))
    }
}

/// Parses a protobuf duration such as `36s` or `0.5s`.
fn protobuf_duration(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.strip_suffix('s')?.parse().ok()?).ok()
}

/// Creates the failure of a response whose status is not a success.
pub fn failure_of_response(status: StatusCode, headers: &HeaderMap, error: ErrorDetails) -> ProviderFailure {
    let kind = match status.as_u16() {
        _ if error.is_setup_error() => FailureKind::Setup,
        // The gateway follows no redirects: one means that the operator's base URL is wrong.
        300..=399 | 401..=403 | 405 | 407 => FailureKind::Setup,
        404 | 410 if error.param.as_deref().is_none_or(|param| param == "model") => FailureKind::Setup,
        408 | 504 => FailureKind::Timeout,
        429 => FailureKind::RateLimited,
        400..=499 => FailureKind::Request,
        _ => FailureKind::Unavailable,
    };
    let retry_after = retry_after(headers, Time::now()).or(error.retry_after);
    tracing::warn!(status = status.as_u16(), code = error.code.as_deref(), ?kind, "a provider refused a request");
    ProviderFailure { retry_after, ..failure_of_kind(kind, error) }
}

/// Creates the failure of the field `error` in the body of a successful response.
pub fn failure_in_answer(error: &Value) -> ProviderFailure {
    failure_in_stream(ErrorDetails::read(&json!({ "error": error })))
}

/// Creates the failure of an error that arrives in the body or stream of a successful response.
pub fn failure_in_stream(error: ErrorDetails) -> ProviderFailure {
    let code = error.code.as_deref().unwrap_or_default().to_ascii_lowercase();
    let kind = match code.as_str() {
        _ if error.is_setup_error() => FailureKind::Setup,
        "invalid_request_error"
        | "invalid_argument"
        | "content_filter"
        | "context_length_exceeded"
        | "invalid_prompt" => FailureKind::Request,
        // OpenAI's Responses API has fifteen codes for pictures that it cannot read or refuses.
        code if code.contains("image") => FailureKind::Request,
        "rate_limit_error" | "rate_limit_exceeded" | "resource_exhausted" => FailureKind::RateLimited,
        "timeout" | "timeout_error" | "deadline_exceeded" => FailureKind::Timeout,
        _ => FailureKind::Unavailable,
    };
    tracing::warn!(code = error.code.as_deref(), ?kind, "a provider reported an error within its answer");
    ProviderFailure { may_have_run: true, retry_after: error.retry_after, ..failure_of_kind(kind, error) }
}

fn failure_of_kind(kind: FailureKind, error: ErrorDetails) -> ProviderFailure {
    let (code, message) = match kind {
        // The provider's message is about the platform's account, so it is not shown to clients.
        FailureKind::Setup => {
            let message = "the provider does not accept the platform's credentials, or does not know the model";
            return ProviderFailure::new(kind, "provider_setup", message);
        }
        FailureKind::RateLimited => ("provider_rate_limited", "the provider's rate limit is reached"),
        FailureKind::Timeout => ("provider_timeout", "the provider did not answer in time"),
        FailureKind::Request => ("provider_refused", NO_REASON),
        _ => ("provider_unavailable", "the provider failed"),
    };
    let message = error.message.as_deref().unwrap_or(message).to_owned();
    let known = if kind == FailureKind::Request { code_of_message(&message) } else { None };
    let code = known.map(str::to_owned).or(error.code).unwrap_or_else(|| code.to_owned());
    ProviderFailure { param: error.param, ..ProviderFailure::new(kind, code, message) }
}

/// What vendors write when the input is too long. OpenAI has a code for it, and others have only the text.
const TOO_LONG: [&str; 9] = [
    // Anthropic
    "prompt is too long",
    "exceed context limit",
    // Gemini
    "exceeds the maximum number of tokens",
    // Bedrock
    "input is too long",
    "too many input tokens",
    // vLLM and servers like it
    "maximum context length",
    // TGI
    "`max_new_tokens` must be <=",
    // llama.cpp
    "exceeds the available context size",
    "context window",
];
/// What vendors write when they block the content.
const FILTERED: [&str; 4] =
    ["content filtering policy", "content management policy", "blocked by our content filter", "content policy"];

/// The code of a refusal that clients handle, by its text.
fn code_of_message(message: &str) -> Option<&'static str> {
    let message = message.to_ascii_lowercase();
    let has = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    match () {
        () if has(&TOO_LONG) => Some("context_length_exceeded"),
        () if has(&FILTERED) => Some("content_filter"),
        () => None,
    }
}

/// How long the provider asks to wait: `retry-after-ms` in milliseconds, or the standard `Retry-After`.
fn retry_after(headers: &HeaderMap, now: Time) -> Option<Duration> {
    let millis = headers.get("retry-after-ms").and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok());
    let wait = millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1_000.0).ok());
    wait.map(|wait| wait.min(MAX_RETRY_AFTER)).or_else(|| outbound::retry_after(headers, now))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn milliseconds_take_precedence_over_the_standard_retry_after() {
        let read = |pairs: &[(&'static str, &str)]| retry_after(&headers(pairs), Time::from_millis(784_111_747_000));
        assert_eq!(read(&[("retry-after-ms", "1500"), ("retry-after", "9")]), Some(Duration::from_millis(1_500)));
        assert_eq!(read(&[("retry-after-ms", " 0.5 ")]), Some(Duration::from_micros(500)));
        assert_eq!(read(&[("retry-after-ms", "99999999999")]), Some(MAX_RETRY_AFTER));
        for unknown in ["-1", "soon", "1e300", "NaN", ""] {
            assert_eq!(read(&[("retry-after-ms", unknown), ("retry-after", "7")]), Some(Duration::from_secs(7)));
        }
        assert_eq!(read(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(Duration::from_secs(30)));
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn error_bodies_of_many_servers_are_read() {
        let read = |body: Value| {
            let error = ErrorDetails::read(&body);
            (error.code.unwrap_or_default(), error.message.unwrap_or_default(), error.param.unwrap_or_default())
        };
        let is = |code: &str, message: &str, param: &str| (code.to_owned(), message.to_owned(), param.to_owned());
        assert_eq!(
            read(json!({"error": {"message": "no", "type": "t", "param": "n", "code": "c"}})),
            is("c", "no", "n")
        );
        assert_eq!(read(json!({"error": {"message": "no", "type": "t", "code": null}})), is("t", "no", ""));
        assert_eq!(
            read(json!({"type": "error", "error": {"type": "api_error", "message": "x"}})),
            is("api_error", "x", "")
        );
        let flat = json!({"object": "error", "message": "no", "type": "BadRequestError", "code": 400});
        assert_eq!(read(flat), is("BadRequestError", "no", ""));
        assert_eq!(read(json!({"error": "gone"})), is("", "gone", ""));
        assert_eq!(read(json!({"detail": "Not Found"})), is("", "Not Found", ""));
        assert_eq!(read(json!([1])), is("", "", ""));
        let google = json!([{"error": {"code": 429, "message": "no", "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"},
        ]}}]);
        assert_eq!(read(google.clone()), is("RESOURCE_EXHAUSTED", "no", ""));
        assert_eq!(ErrorDetails::read(&google).retry_after, Some(Duration::from_secs(36)));
    }

    #[test]
    fn each_status_maps_to_a_failure_kind() {
        let kind = |status: u16, error: ErrorDetails| {
            failure_of_response(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), error).kind
        };
        let cases = [
            (302, FailureKind::Setup),
            (400, FailureKind::Request),
            (401, FailureKind::Setup),
            (402, FailureKind::Setup),
            (403, FailureKind::Setup),
            (404, FailureKind::Setup),
            (408, FailureKind::Timeout),
            (413, FailureKind::Request),
            (422, FailureKind::Request),
            (429, FailureKind::RateLimited),
            (500, FailureKind::Unavailable),
            (503, FailureKind::Unavailable),
            (504, FailureKind::Timeout),
            (529, FailureKind::Unavailable),
        ];
        for (status, expected) in cases {
            assert_eq!(kind(status, ErrorDetails::default()), expected, "{status}");
        }
        let error_with = |code: &str, param: Option<&str>| ErrorDetails {
            code: Some(code.to_owned()),
            param: param.map(str::to_owned),
            ..ErrorDetails::default()
        };
        assert_eq!(kind(404, error_with("not_found", Some("previous_response_id"))), FailureKind::Request);
        assert_eq!(kind(400, error_with("model_not_found", Some("model"))), FailureKind::Setup);
        assert_eq!(kind(429, error_with("insufficient_quota", None)), FailureKind::Setup);
    }

    #[test]
    fn refusals_for_length_and_content_have_one_code_at_all_vendors() {
        let code = |message: &str, code: &str| {
            let error = ErrorDetails {
                code: Some(code.to_owned()),
                message: Some(message.to_owned()),
                ..ErrorDetails::default()
            };
            failure_of_response(StatusCode::BAD_REQUEST, &HeaderMap::new(), error).code
        };
        for (message, own) in [
            ("prompt is too long: 208310 tokens > 200000 maximum", "invalid_request_error"),
            ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", "invalid_request_error"),
            (
                "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
                "INVALID_ARGUMENT",
            ),
            ("Input is too long for requested model.", "ValidationException"),
            (
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
                "BadRequestError",
            ),
            ("the request exceeds the available context size", "exceed_context_size_error"),
        ] {
            assert_eq!(code(message, own), "context_length_exceeded", "{message}");
        }
        let filtered =
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
        assert_eq!(code(filtered, "content_filter"), "content_filter");
        assert_eq!(code("Output blocked by content filtering policy", "invalid_request_error"), "content_filter");
        assert_eq!(code("temperature: must be at most 1", "invalid_request_error"), "invalid_request_error");
    }

    #[test]
    fn messages_about_the_platforms_account_are_hidden() {
        let error = ErrorDetails {
            message: Some("Incorrect API key provided: sk-ab***yz".to_owned()),
            ..ErrorDetails::default()
        };
        let failure = failure_of_response(StatusCode::UNAUTHORIZED, &HeaderMap::new(), error);
        let expected = "the provider does not accept the platform's credentials, or does not know the model";
        assert_eq!(failure.message, expected);
    }
}
