//! The request of an `http` node, from its evaluated configuration.

use bytes::Bytes;
use domain::address;
use domain::id::CredentialId;
use engine::agent::ToolCredentialKey;
use engine::drive::EffectError;
use engine::nodes::http::{Method, ResponseFormat, header_problem};
use engine::run::StepError;
use form_urlencoded::Serializer;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Request, Uri};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{MAX_BODY_BYTES, errors};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// The configuration of an `http` node, with the value of each expression in its place. The maps keep the order of the
/// author; their values are texts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallConfig {
    method: Option<Method>,
    url: String,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    query: Map<String, Value>,
    body: Option<RequestBody>,
    pub credential_id: Option<CredentialId>,
    pub tool_credential: Option<ToolCredentialKey>,
    pub response: Option<ResponseFormat>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum RequestBody {
    Json { value: Value },
    Text { text: String },
    Form { fields: Map<String, Value> },
}

impl CallConfig {
    pub fn read(config: &Map<String, Value>) -> Result<Self, EffectError> {
        // The cause could contain a value.
        let invalid = |_| StepError::new("invalid_config", "the configuration of the node is not valid; save it again");
        Self::deserialize(config).map_err(invalid).map_err(errors::permanent)
    }

    pub fn request(&self, idempotency_key: &str) -> Result<Request<Bytes>, StepError> {
        let method = self.method.unwrap_or(Method::Get);
        let mut headers = self.headers()?;
        let body = match &self.body {
            Some(body) => {
                let (media_type, body) = body.encode()?;
                headers.entry(CONTENT_TYPE).or_insert(media_type);
                body
            }
            None => Bytes::new(),
        };
        if !matches!(method, Method::Get | Method::Head) {
            let key =
                HeaderValue::from_str(idempotency_key).map_err(|_| invalid_header("idempotency-key", UNSENDABLE))?;
            headers.insert(HeaderName::from_static("idempotency-key"), key);
        }
        if body.is_empty() && matches!(method, Method::Post | Method::Put | Method::Patch) {
            // Some servers answer 411 without it, and hyper omits it.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let mut request = Request::new(body);
        *request.method_mut() = to_http(method);
        *request.uri_mut() = self.uri()?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// The scheme, host and port that are called.
    pub fn origin(&self) -> &str {
        address::origin(self.url.trim())
    }

    /// The URL with the parameters of `query`, which follow those that it has.
    fn uri(&self) -> Result<Uri, StepError> {
        let url = self.url.trim();
        if let Some(problem) = address::problem(url) {
            return Err(StepError::new("invalid_url", format!("config.url: {problem}")));
        }
        let query = encode_pairs(&self.query);
        let separator = match url {
            _ if query.is_empty() => "",
            url if url.ends_with(['?', '&']) => "",
            url if url.contains('?') => "&",
            _ => "?",
        };
        let too_long = |_| StepError::new("invalid_url", "config.query: the URL is too long; send less in the query");
        Uri::try_from(format!("{url}{separator}{query}")).map_err(too_long)
    }

    fn headers(&self) -> Result<HeaderMap, StepError> {
        let mut headers = HeaderMap::new();
        for (name, value) in texts(&self.headers) {
            if let Some(problem) = header_problem(name, value) {
                return Err(invalid_header(name, problem));
            }
            let unsendable = || invalid_header(name, UNSENDABLE);
            let name = HeaderName::try_from(name).map_err(|_| unsendable())?;
            headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| unsendable())?);
        }
        Ok(headers)
    }
}

impl RequestBody {
    /// The media type and the content.
    fn encode(&self) -> Result<(HeaderValue, Bytes), StepError> {
        let (media_type, body) = match self {
            Self::Json { value } => (JSON, value.to_string()),
            Self::Text { text } => (TEXT, text.clone()),
            Self::Form { fields } => (FORM, encode_pairs(fields)),
        };
        if body.len() > MAX_BODY_BYTES {
            let message = format!("config.body: the body is larger than {MAX_BODY_BYTES} bytes; send less");
            return Err(StepError::new("request_too_large", message));
        }
        Ok((media_type, body.into()))
    }
}

const UNSENDABLE: &str = "cannot be sent in a header";

fn invalid_header(name: &str, problem: &str) -> StepError {
    StepError::new("invalid_header", format!("config.headers.{name}: {problem}"))
}

fn encode_pairs(pairs: &Map<String, Value>) -> String {
    Serializer::new(String::new()).extend_pairs(texts(pairs)).finish()
}

/// The entries of a map of templates, whose values are texts.
fn texts(map: &Map<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    map.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
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
