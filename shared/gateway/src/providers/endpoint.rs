//! The HTTP client of a provider: base URL, headers, timeouts, error bodies and event streams.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use serde::Serialize;
use serde_json::Value;
use zeroize::Zeroizing;

use super::multipart::MultipartForm;
use super::probe::{self, OfferedModels, Probe, TIMEOUTS};
use super::settings::ProviderSettings;
use super::status::{self, ErrorDetails};
use crate::failure::{FailureKind, ProviderFailure};
use domain::provider::ProviderKind;
use domain::{Error, Result};
use outbound::sse::{Event, Parser, SseError};
use outbound::{Answer, Body, Outbound, OutboundError, RequestTimeouts, sensitive};
use platform::config::OUTBOUND_ALLOWED_CIDRS;
use platform::telemetry::{TRACEPARENT, TraceContext};

/// Embeddings of 2,048 texts are at most 130 MB of JSON. Chat answers are far smaller.
const MAX_ANSWER_BYTES: usize = 160 << 20;
/// The largest audio file. Uncompressed speech of 4,096 characters at the usual speed has about half of it.
const MAX_FILE_BYTES: usize = 32 << 20;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const MAX_ERROR_BYTES: usize = 64 << 10;
const MAX_LIST_BYTES: usize = 4 << 20;
const MAX_EVENT_BYTES: usize = 16 << 20;

pub struct Endpoint {
    /// The provider's name, for the log.
    provider: String,
    outbound: Outbound,
    base_url: String,
    /// The query string of every request, with its `?`, such as Azure's `api-version`.
    query: String,
    headers: HeaderMap,
    timeouts: RequestTimeouts,
    /// Values that are removed from the provider's error messages.
    secrets: Vec<Zeroizing<String>>,
}

/// The bytes of a request.
struct Payload {
    content_type: HeaderValue,
    body: Bytes,
}

impl Payload {
    fn json(body: &impl Serialize) -> Result<Self, ProviderFailure> {
        let body = serde_json::to_vec(body).map_err(ProviderFailure::malformed_answer)?;
        Ok(Self { content_type: JSON, body: body.into() })
    }
}

/// Where a request goes, below the base URL.
pub struct Target<'a> {
    path: &'a str,
    /// A header of this request. Its value follows that of the operator, if there is one.
    header: Option<(HeaderName, HeaderValue)>,
}

impl<'a> From<&'a str> for Target<'a> {
    fn from(path: &'a str) -> Self {
        Self { path, header: None }
    }
}

impl Target<'_> {
    #[must_use]
    pub fn with_header(self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_str(value).ok().filter(|value| !value.is_empty());
        Self { header: value.map(|value| (HeaderName::from_static(name), value)), ..self }
    }
}

impl Endpoint {
    /// Creates the endpoint. `auth` is the default header for the API key, and the prefix of the key in it.
    pub fn new(
        settings: &ProviderSettings,
        outbound: &Outbound,
        default_url: &str,
        auth: (HeaderName, &str),
    ) -> Result<Self> {
        let wrong = |what: &str| Error::internal(format!("provider {}: {what} is not valid", settings.name));
        let url = settings.base_url.as_deref().unwrap_or(default_url);
        let (base_url, query) = url.find('?').map_or((url, ""), |at| url.split_at(at));
        let base_url = with_version(base_url.trim_end_matches('/'), settings.kind);
        let parsed: http::Uri = base_url.parse().map_err(|_| wrong("the base URL"))?;
        let host = parsed.host().ok_or_else(|| wrong("the base URL"))?.to_owned();
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let name: HeaderName = name.parse().map_err(|_| wrong("a header name"))?;
            headers.insert(name, sensitive(value).ok_or_else(|| wrong("a header value"))?);
        }
        if let Some(key) = &settings.api_key {
            let (name, before) = match &settings.auth_header {
                Some(name) => (name.parse().map_err(|_| wrong("the header for the API key"))?, ""),
                None => auth,
            };
            let before = if name == AUTHORIZATION { "Bearer " } else { before };
            let value = Zeroizing::new(format!("{before}{}", key.as_str()));
            headers.insert(name, sensitive(&value).ok_or_else(|| wrong("the API key"))?);
        }
        // Short header values (`true`, a version) are no secrets, and replacing them would garble messages.
        let values = settings.headers.values().filter(|value| value.len() >= 12);
        let secrets = values.map(|value| value.clone().into());
        let secrets = settings.api_key.iter().cloned().chain(secrets).chain([base_url.clone().into(), host.into()]);
        Ok(Self {
            provider: settings.name.clone(),
            outbound: outbound.clone(),
            query: query.to_owned(),
            headers,
            timeouts: RequestTimeouts {
                first_byte: settings.timeouts.first_byte(),
                idle: settings.timeouts.idle(),
                total: settings.timeouts.total(),
            },
            secrets: secrets.filter(|secret: &Zeroizing<String>| !secret.is_empty()).collect(),
            base_url,
        })
    }

    /// Adds a header to every request, unless the operator set it.
    pub fn default_header(&mut self, name: &'static str, value: &'static str) {
        self.headers.entry(name).or_insert(HeaderValue::from_static(value));
    }

    /// Posts a request that is not streamed, and reads the complete response body with `read`.
    pub async fn post_json<'a, T>(
        &self,
        target: impl Into<Target<'a>>,
        body: &impl Serialize,
        read: impl FnOnce(&Bytes) -> Result<T, ProviderFailure>,
    ) -> Result<T, ProviderFailure> {
        self.post_whole(target.into(), Payload::json(body)?, "application/json", read).await
    }

    /// Posts a form, and reads the complete response body with `read`.
    pub async fn post_form<T>(
        &self,
        path: &str,
        form: MultipartForm,
        read: impl FnOnce(&Bytes) -> Result<T, ProviderFailure>,
    ) -> Result<T, ProviderFailure> {
        let (content_type, body) = form.finish()?;
        // The answer is JSON or a text, as a parameter of the form says.
        self.post_whole(path.into(), Payload { content_type, body }, "*/*", read).await
    }

    async fn post_whole<T>(
        &self,
        target: Target<'_>,
        payload: Payload,
        accept: &'static str,
        read: impl FnOnce(&Bytes) -> Result<T, ProviderFailure>,
    ) -> Result<T, ProviderFailure> {
        let timeouts = RequestTimeouts { first_byte: self.timeouts.total, idle: self.timeouts.total, ..self.timeouts };
        let answer = self.post(target, payload, accept, &timeouts).await?;
        let body = answer.body.read_to_end(MAX_ANSWER_BYTES).await.map_err(read_failure)?;
        read(&body).map_err(|failure| self.without_secrets(failure))
    }

    /// Posts a request that is answered with a file, and returns its content type and its pieces as they arrive.
    pub async fn file(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<(Option<String>, BoxStream<'static, Result<Bytes, ProviderFailure>>), ProviderFailure> {
        let answer = self.post(path.into(), Payload::json(body)?, "*/*", &self.timeouts).await?;
        if content_type(&answer).starts_with("application/json") {
            return Err(self.failure_in(answer.body, "JSON instead of a file").await);
        }
        let kind = Some(content_type(&answer).to_owned()).filter(|kind| !kind.is_empty());
        let pieces = answer.body.scan(0, |bytes, piece| {
            let piece = piece.map_err(read_failure).and_then(|piece| {
                *bytes += piece.len();
                let too_large =
                    || ProviderFailure::malformed_answer(OutboundError::TooLarge { limit_bytes: MAX_FILE_BYTES });
                if *bytes > MAX_FILE_BYTES { Err(too_large()) } else { Ok(piece) }
            });
            std::future::ready(Some(piece))
        });
        Ok((kind, pieces.boxed()))
    }

    /// Downloads a file that an answer refers to. The request has no credentials, because the host may be another one.
    pub async fn download(&self, url: &str, max_bytes: usize) -> Result<Bytes, ProviderFailure> {
        let request = Request::builder().uri(url).header(USER_AGENT, "atelier").body(Bytes::new());
        let request = request.map_err(ProviderFailure::malformed_answer)?;
        let answer = self.outbound.send(request, &self.timeouts).await;
        let answer = answer.map_err(|error| send_failure(self.log_forbidden(error)))?;
        if !answer.status.is_success() {
            return Err(ProviderFailure::malformed_answer(format_args!("a file with status {}", answer.status)));
        }
        answer.body.read_to_end(max_bytes).await.map_err(read_failure)
    }

    pub async fn events<'a>(
        &self,
        target: impl Into<Target<'a>>,
        body: &impl Serialize,
    ) -> Result<Events, ProviderFailure> {
        let answer = self.post(target.into(), Payload::json(body)?, "text/event-stream", &self.timeouts).await?;
        if content_type(&answer).starts_with("application/json") {
            return Err(self.failure_in(answer.body, "JSON instead of an event stream").await);
        }
        Ok(Events { body: Some(answer.body), parser: Parser::new(MAX_EVENT_BYTES) })
    }

    /// The failure in a body of JSON. Some servers answer a streaming request with status 200 and an error.
    async fn failure_in(&self, body: Body, otherwise: &'static str) -> ProviderFailure {
        let body = match body.read_to_end(MAX_ERROR_BYTES).await {
            Ok(body) => serde_json::from_slice::<Value>(&body),
            Err(error) => return read_failure(error),
        };
        self.without_secrets(match body {
            Ok(body) if body.get("error").is_some_and(|error| !error.is_null()) => {
                status::failure_in_stream(ErrorDetails::read(&body))
            }
            Ok(_) => ProviderFailure::malformed_answer(otherwise),
            Err(error) => ProviderFailure::malformed_answer(error),
        })
    }

    async fn post(
        &self,
        Target { path, header }: Target<'_>,
        payload: Payload,
        accept: &'static str,
        timeouts: &RequestTimeouts,
    ) -> Result<Answer, ProviderFailure> {
        let mut request = self.request(Method::POST, path, accept, payload)?;
        if let Some((name, value)) = header {
            request.headers_mut().append(name, value);
        }
        let answer = self.outbound.send(request, timeouts).await;
        let answer = answer.map_err(|error| send_failure(self.log_forbidden(error)))?;
        if answer.status.is_success() {
            return Ok(answer);
        }
        let (status, headers) = (answer.status, answer.headers);
        let error = read_error(answer.body).await;
        Err(self.without_secrets(status::failure_of_response(status, &headers, error)))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        accept: &'static str,
        Payload { content_type, body }: Payload,
    ) -> Result<Request<Bytes>, ProviderFailure> {
        let query = if path.contains('?') { self.query.replacen('?', "&", 1) } else { self.query.clone() };
        let request = Request::builder().method(method).uri(format!("{}/{path}{query}", self.base_url)).body(body);
        let mut request: Request<Bytes> = request.map_err(|_| ProviderFailure::setup())?;
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().insert(CONTENT_TYPE, content_type);
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accept));
        request.headers_mut().entry(USER_AGENT).or_insert(HeaderValue::from_static("atelier"));
        let context = TraceContext::current();
        if let Some(traceparent) = context.and_then(|context| context.traceparent().try_into().ok()) {
            request.headers_mut().insert(TRACEPARENT, traceparent);
        }
        Ok(request)
    }

    /// Makes a test call: a POST with the body, or a GET without one. The result quotes the provider's error message.
    pub async fn probe(&self, path: &str, body: Option<Value>) -> Result<Probe, ProviderFailure> {
        self.call_for_test(path, body).await.map(|(probe, _)| probe)
    }

    /// Lists the models that the provider offers at this path.
    pub async fn list_models(&self, path: &str) -> Result<OfferedModels, ProviderFailure> {
        let (probe, body) = self.call_for_test(path, None).await?;
        let Some(body) = body else { return Ok(OfferedModels { probe, models: Vec::new() }) };
        // The body has the deadline of the whole call.
        let read = match body.read_to_end(MAX_LIST_BYTES).await {
            Ok(answer) => serde_json::from_slice(&answer).map_err(|_| {
                let message = "the answer is not a list of models; check the base URL";
                ("provider_answer_unreadable".to_owned(), message.to_owned())
            }),
            Err(error) => Err((error.code().to_owned(), error.to_string())),
        };
        Ok(match read {
            Ok(answer) => OfferedModels { probe, models: probe::model_names(&answer) },
            Err(error) => OfferedModels { probe: Probe { error: Some(error), ..probe }, models: Vec::new() },
        })
    }

    /// Makes a test call, and returns the body of the answer if the call succeeded.
    async fn call_for_test(&self, path: &str, body: Option<Value>) -> Result<(Probe, Option<Body>), ProviderFailure> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let payload = Payload { content_type: JSON, body: body.into() };
        let request = self.request(method, path, "application/json", payload)?;
        let answer = match self.outbound.send(request, &TIMEOUTS).await {
            Ok(answer) => answer,
            Err(error) => {
                let error = self.log_forbidden(error);
                let message = match error {
                    OutboundError::Forbidden => format!("{error}; {OUTBOUND_ALLOWED_CIDRS} allows private addresses"),
                    _ => error.to_string(),
                };
                return Ok((Probe { status: None, error: Some((error.code().to_owned(), message)) }, None));
            }
        };
        let status = answer.status;
        if status.is_success() {
            return Ok((Probe { status: Some(status.as_u16()), error: None }, Some(answer.body)));
        }
        let error = read_error(answer.body).await;
        let message = error.message.unwrap_or_else(|| format!("the provider answered with status {status}"));
        let failure = self.without_secrets(ProviderFailure::new(FailureKind::Request, "provider_refused", message));
        let code = error.code.unwrap_or(failure.code);
        Ok((Probe { status: Some(status.as_u16()), error: Some((code, failure.message)) }, None))
    }

    /// Logs a forbidden destination with its address, because the client's error message must not contain it.
    fn log_forbidden(&self, error: OutboundError) -> OutboundError {
        if error == OutboundError::Forbidden {
            tracing::warn!(
                provider = self.provider,
                base_url = self.base_url,
                "the provider's address is private or reserved; {OUTBOUND_ALLOWED_CIDRS} allows such addresses"
            );
        }
        error
    }

    /// Replaces the platform's addresses, credentials and account names in the failure's message.
    pub fn without_secrets(&self, mut failure: ProviderFailure) -> ProviderFailure {
        for secret in &self.secrets {
            if failure.message.contains(secret.as_str()) {
                failure.message = failure.message.replace(secret.as_str(), "…");
            }
        }
        if failure.message.split(' ').any(names_account) {
            let words = failure.message.split(' ').map(|word| if names_account(word) { "…" } else { word });
            failure.message = words.collect::<Vec<_>>().join(" ");
        }
        failure
    }
}

fn content_type(answer: &Answer) -> &str {
    answer.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Adds the API version to the path of a base URL that has none. The vendors' SDKs take base URLs without it.
fn with_version(base_url: &str, kind: ProviderKind) -> String {
    let version = match kind {
        ProviderKind::Anthropic => "v1",
        ProviderKind::Gemini => "v1beta",
        ProviderKind::OpenAi | ProviderKind::Bedrock | ProviderKind::Dev => return base_url.to_owned(),
    };
    let is_version = |segment: &str| {
        let mut chars = segment.chars();
        chars.next() == Some('v') && chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    let path = base_url.split_once("://").map_or(base_url, |(_, rest)| rest).split('/').skip(1);
    if path.into_iter().any(is_version) { base_url.to_owned() } else { format!("{base_url}/{version}") }
}

/// Reads the error in a response body. An unreadable body yields an empty result, because the status is still useful.
async fn read_error(body: Body) -> ErrorDetails {
    let quick = Duration::from_secs(10);
    let body = tokio::time::timeout(quick, body.read_to_end(MAX_ERROR_BYTES)).await;
    let body = body.ok().and_then(std::result::Result::ok).unwrap_or_default();
    serde_json::from_slice(&body).map(|body| ErrorDetails::read(&body)).unwrap_or_default()
}

/// Whether a word names the platform's account. Providers put account names and partial keys in error messages.
fn names_account(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["sk-", "org-", "proj_"].iter().any(|prefix| word.starts_with(prefix))
}

fn send_failure(error: OutboundError) -> ProviderFailure {
    match error {
        // `TooManyRedirects` does not occur: these requests follow no redirects.
        OutboundError::Forbidden | OutboundError::NotHttp | OutboundError::TooManyRedirects => ProviderFailure::setup(),
        OutboundError::Timeout { sent } => ProviderFailure { may_have_run: sent, ..ProviderFailure::timeout() },
        OutboundError::Exhausted => ProviderFailure::exhausted(),
        OutboundError::Unreachable => ProviderFailure::unreachable(),
        OutboundError::Cut => ProviderFailure { may_have_run: true, ..ProviderFailure::unreachable() },
        OutboundError::TooLarge { .. } => ProviderFailure::malformed_answer(error),
    }
}

fn read_failure(error: OutboundError) -> ProviderFailure {
    match error {
        OutboundError::Timeout { .. } => ProviderFailure::timeout(),
        OutboundError::TooLarge { .. } => ProviderFailure::malformed_answer(error),
        _ => ProviderFailure::stream_cut(),
    }
}

/// The events of a streamed answer. Dropping it early closes the connection.
pub struct Events {
    body: Option<Body>,
    parser: Parser,
}

impl Events {
    /// Returns the next event, or `None` when the provider has ended the stream.
    pub async fn next(&mut self) -> Result<Option<Event>, ProviderFailure> {
        loop {
            match self.parser.next_event() {
                Ok(Some(event)) => return Ok(Some(event)),
                Ok(None) => {}
                Err(error @ (SseError::NotUtf8 | SseError::TooLarge(_))) => {
                    return Err(ProviderFailure::malformed_answer(error));
                }
            }
            let Some(body) = &mut self.body else { return Ok(None) };
            match body.next().await {
                Some(Ok(piece)) => self.parser.feed(&piece),
                Some(Err(error)) => return Err(read_failure(error)),
                None => return Ok(None),
            }
        }
    }

    /// Releases the connection for reuse after the last relevant event.
    pub fn finish(&mut self) {
        if let Some(body) = self.body.take() {
            body.finish();
        }
    }
}

impl ProviderFailure {
    pub(super) fn setup() -> Self {
        let message = "the provider is not configured correctly; ask the operator to check it";
        Self::new(FailureKind::Setup, "provider_setup", message)
    }

    pub(super) fn unreachable() -> Self {
        Self::new(FailureKind::Unavailable, "provider_unavailable", "the provider could not be reached")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_url_without_an_api_version_gets_one() {
        use ProviderKind::{Anthropic, Gemini, OpenAi};
        let cases = [
            (Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1"),
            (Anthropic, "https://api.anthropic.com/v1", "https://api.anthropic.com/v1"),
            (Anthropic, "https://proxy.test/anthropic", "https://proxy.test/anthropic/v1"),
            (Gemini, "https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta"),
            (Gemini, "https://v1.proxy.test/v1", "https://v1.proxy.test/v1"),
            (
                Gemini,
                "https://a.test/v1/projects/p/publishers/google",
                "https://a.test/v1/projects/p/publishers/google",
            ),
            (OpenAi, "http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ];
        for (kind, given, expected) in cases {
            assert_eq!(with_version(given, kind), expected);
        }
    }
}
