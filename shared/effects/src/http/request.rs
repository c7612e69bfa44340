//! The request of an `http` node, from its evaluated configuration.

use bytes::Bytes;
use documents::{Content, File};
use domain::address;
use engine::nodes::http::{HttpNode, Method, RequestBody, header_problem};
use engine::run::StepError;
use form_urlencoded::Serializer;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Request, Uri};
use indexmap::IndexMap;
use serde_json::Value;

use super::MAX_BODY_BYTES;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const BINARY: HeaderValue = HeaderValue::from_static("application/octet-stream");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// An `http` node, with the values of its expressions.
pub type EvaluatedNode = HttpNode<Value, String>;

pub fn build_request(node: &EvaluatedNode, idempotency_key: &str) -> Result<Request<Bytes>, StepError> {
    let method = node.method.unwrap_or(Method::Get);
    let mut headers = build_headers(node)?;
    let body = match &node.body {
        Some(body) => {
            let (media_type, body) = encode_body(body)?;
            headers.entry(CONTENT_TYPE).or_insert(media_type);
            body
        }
        None => Bytes::new(),
    };
    if !matches!(method, Method::Get | Method::Head) {
        let key = HeaderValue::from_str(idempotency_key).map_err(|_| invalid_header("idempotency-key", UNSENDABLE))?;
        headers.insert(HeaderName::from_static("idempotency-key"), key);
    }
    if body.is_empty() && matches!(method, Method::Post | Method::Put | Method::Patch) {
        // Some servers answer 411 without it, and hyper omits it.
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    let mut request = Request::new(body);
    *request.method_mut() = to_http(method);
    *request.uri_mut() = build_uri(node)?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// The URL with the parameters of `query`, which follow those that it has.
fn build_uri(node: &EvaluatedNode) -> Result<Uri, StepError> {
    let url = node.url.trim();
    if let Some(problem) = address::problem(url) {
        return Err(StepError::new("invalid_url", format!("config.url: {}", problem.en)));
    }
    let query = encode_pairs(&node.query);
    let separator = match url {
        _ if query.is_empty() => "",
        url if url.ends_with(['?', '&']) => "",
        url if url.contains('?') => "&",
        _ => "?",
    };
    let too_long = |_| StepError::new("invalid_url", "config.query: the URL is too long; send less in the query");
    Uri::try_from(format!("{url}{separator}{query}")).map_err(too_long)
}

fn build_headers(node: &EvaluatedNode) -> Result<HeaderMap, StepError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &node.headers {
        if let Some(problem) = header_problem(name, value) {
            return Err(invalid_header(name, problem.en));
        }
        let unsendable = || invalid_header(name, UNSENDABLE);
        let name = HeaderName::try_from(name).map_err(|_| unsendable())?;
        headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| unsendable())?);
    }
    Ok(headers)
}

/// The media type and the content.
fn encode_body(body: &RequestBody<Value, String>) -> Result<(HeaderValue, Bytes), StepError> {
    let (media_type, body): (_, Bytes) = match body {
        RequestBody::Json { value } => (JSON, value.to_string().into()),
        RequestBody::Text { text } => (TEXT, text.clone().into()),
        RequestBody::Form { fields } => (FORM, encode_pairs(fields).into()),
        RequestBody::File { file } => encode_file(file)?,
    };
    if body.len() > MAX_BODY_BYTES {
        let message = format!("config.body: the body is larger than {MAX_BODY_BYTES} bytes; send less");
        return Err(StepError::new("request_too_large", message));
    }
    Ok((media_type, body))
}

fn encode_file(file: &Value) -> Result<(HeaderValue, Bytes), StepError> {
    let invalid = |problem: &str| StepError::new("file_invalid", format!("config.body.file: {problem}"));
    let file = File::from_value(file.clone()).map_err(invalid)?;
    let default = if matches!(file.content, Content::Text(_)) { TEXT } else { BINARY };
    let media_type = match &file.content_type {
        Some(named) => HeaderValue::from_str(named).map_err(|_| invalid("`contentType` cannot be sent in a header"))?,
        None => default,
    };
    Ok((media_type, file.into_bytes().into()))
}

const UNSENDABLE: &str = "cannot be sent in a header";

fn invalid_header(name: &str, problem: &str) -> StepError {
    StepError::new("invalid_header", format!("config.headers.{name}: {problem}"))
}

fn encode_pairs(pairs: &IndexMap<String, String>) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn to_http(method: Method) -> http::Method {
    match method {
        Method::Get => http::Method::GET,
        Method::Head => http::Method::HEAD,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Patch => http::Method::PATCH,
        Method::Delete => http::Method::DELETE,
    }
}
