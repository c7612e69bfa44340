//! Extractors of request data. The macros here define `Json`, `Query`, `Path` and callers once per envelope, so each
//! rejection has the error format of its area. The functions below implement them.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, ORIGIN};
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::{BodyExt, LengthLimitError};
use ring::digest::{SHA256, digest};
use serde::de::DeserializeOwned;

use super::MAX_BODY_BYTES;
use auth::{Auth, Caller, refused};
use domain::id::PathIds;
use domain::json;
use domain::{Error, Refusal, Result};

const DISCARDED_BYTES: usize = 4 * MAX_BODY_BYTES;
const HASH_BYTES: usize = 16;
const SESSION_COOKIE: &str = "svc_session";

macro_rules! extractors {
    () => {
        pub type Result<T> = std::result::Result<T, ApiError>;

        /// An error in the envelope of this area.
        pub struct ApiError(pub Error);

        impl<E: Into<Error>> From<E> for ApiError {
            fn from(error: E) -> Self {
                Self(error.into())
            }
        }

        pub const AREA: crate::Area = crate::Area::new(|error| ApiError(error).into_response());

        /// The JSON body.
        pub struct Json<T>(pub T);

        impl<S: Send + Sync, T: serde::de::DeserializeOwned> axum::extract::FromRequest<S> for Json<T> {
            type Rejection = ApiError;

            async fn from_request(request: axum::extract::Request, _: &S) -> Result<Self> {
                Ok(Self(crate::extract::json(request).await?))
            }
        }

        /// The JSON body, or the default value if the body is empty or `{}`.
        pub struct OptionalJson<T>(pub T);

        impl<S: Send + Sync, T: serde::de::DeserializeOwned + Default> axum::extract::FromRequest<S>
            for OptionalJson<T>
        {
            type Rejection = ApiError;

            async fn from_request(request: axum::extract::Request, _: &S) -> Result<Self> {
                Ok(Self(crate::extract::optional_json(request).await?))
            }
        }

        /// The text of a JSON or YAML file, not parsed.
        pub struct TextFile(pub String);

        impl<S: Send + Sync> axum::extract::FromRequest<S> for TextFile {
            type Rejection = ApiError;

            async fn from_request(request: axum::extract::Request, _: &S) -> Result<Self> {
                Ok(Self(crate::extract::text_file(request).await?))
            }
        }

        /// The body, read as `J`, and its hash, by which a retry of the same request is recognized.
        pub struct Hashed<J> {
            pub body: J,
            pub hash: String,
        }

        impl<S: Send + Sync, J: axum::extract::FromRequest<S, Rejection = ApiError>> axum::extract::FromRequest<S>
            for Hashed<J>
        {
            type Rejection = ApiError;

            async fn from_request(request: axum::extract::Request, state: &S) -> Result<Self> {
                let (request, hash) = crate::extract::hash_body(request).await?;
                Ok(Self { body: J::from_request(request, state).await?, hash })
            }
        }

        /// Accepts no body, an empty one or `{}`.
        impl<S: Send + Sync> axum::extract::FromRequest<S> for crate::extract::NoBody<ApiError> {
            type Rejection = ApiError;

            async fn from_request(request: axum::extract::Request, _: &S) -> Result<Self> {
                Ok(crate::extract::no_body(request).await?)
            }
        }

        /// The query parameters.
        pub struct Query<T>(pub T);

        impl<S: Send + Sync, T: serde::de::DeserializeOwned> axum::extract::FromRequestParts<S> for Query<T> {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut axum::http::request::Parts, _: &S) -> Result<Self> {
                Ok(Self(crate::extract::query(parts)?))
            }
        }

        /// The ids of the path. A malformed id is answered with 404, like an unknown one.
        pub struct Path<T>(pub T);

        impl<S: Send + Sync, T: domain::id::PathIds> axum::extract::FromRequestParts<S> for Path<T> {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut axum::http::request::Parts, _: &S) -> Result<Self> {
                Ok(Self(crate::extract::path(parts).await?))
            }
        }
    };
}

macro_rules! caller_by_access_token {
    ($caller:ident, cookies: $cookies:expr) => {
        impl<S> axum::extract::FromRequestParts<S> for $caller
        where
            S: AsRef<auth::Auth> + Send + Sync,
        {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut axum::http::request::Parts, state: &S) -> Result<Self> {
                Ok(Self(crate::extract::caller(parts, state.as_ref(), $cookies).await?))
            }
        }
    };
}

pub(crate) use {caller_by_access_token, extractors};

/// Refuses a body on routes that take none.
pub struct NoBody<E>(std::marker::PhantomData<E>);

pub(crate) async fn bytes(request: Request) -> Result<Bytes> {
    let (parts, body) = request.into_parts();
    read_body(&parts, body).await
}

/// Reads a whole body, up to the maximum.
async fn read_body(parts: &Parts, body: Body) -> Result<Bytes> {
    let too_large = || Error::TooLarge { limit_bytes: MAX_BODY_BYTES };
    if parts
        .headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(Error::EncodedBody);
    }
    let declared = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: usize| length > MAX_BODY_BYTES) {
        discard(body).await;
        return Err(too_large());
    }
    to_bytes(body, MAX_BODY_BYTES).await.map_err(|error| {
        let is_too_large = std::error::Error::source(&error).is_some_and(|cause| cause.is::<LengthLimitError>());
        if is_too_large {
            too_large()
        } else {
            Error::invalid_body("", "is incomplete, or its chunks are malformed; send it again")
        }
    })
}

/// Reads and drops some of a body that is too large. If the connection closed while the client is still sending, the
/// client would not receive the error.
async fn discard(mut body: Body) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        read += frame.data_ref().map_or(0, |data| data.len());
        if read > DISCARDED_BYTES {
            return;
        }
    }
}

/// The request with its whole body in memory, and the hash of the body.
pub(crate) async fn hash_body(request: Request) -> Result<(Request, String)> {
    let (parts, body) = request.into_parts();
    let bytes = read_body(&parts, body).await?;
    let hash = URL_SAFE_NO_PAD.encode(&digest(&SHA256, &bytes).as_ref()[..HASH_BYTES]);
    Ok((Request::from_parts(parts, bytes.into()), hash))
}

pub(crate) async fn json<T: DeserializeOwned>(request: Request) -> Result<T> {
    if !is_json(&request) {
        return Err(Error::NotJson);
    }
    parse(&bytes(request).await?)
}

pub(crate) async fn optional_json<T: DeserializeOwned + Default>(request: Request) -> Result<T> {
    let is_json = is_json(&request);
    let bytes = bytes(request).await?;
    // Clients that send no fields may name no content type, or another one.
    let is_empty = matches!(bytes.trim_ascii(), b"" | b"{}");
    match (is_empty, is_json) {
        (true, _) => Ok(T::default()),
        (false, true) => parse::<Option<T>>(&bytes).map(Option::unwrap_or_default),
        (false, false) => Err(Error::NotJson),
    }
}

pub(crate) async fn text_file(request: Request) -> Result<String> {
    let is_yaml = essence(request.headers()).contains("yaml");
    if !is_yaml && !is_json(&request) {
        return Err(Error::NotAFile);
    }
    let bytes = bytes(request).await?;
    String::from_utf8(bytes.into()).map_err(|_| Error::invalid_body("", "must be UTF-8"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    // Every body must be an object. serde would read a list as the fields of a struct in their order, and its message
    // about other values would name a Rust type.
    if matches!(bytes.trim_ascii_start().first(), Some(b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f')) {
        return Err(Error::invalid_body("", "must be an object"));
    }
    json::parse(bytes)
}

fn is_json(request: &Request<Body>) -> bool {
    declares_json(request.headers())
}

/// Whether the media type is `application/json` or has the suffix `+json`, such as `application/merge-patch+json`.
pub fn declares_json(headers: &HeaderMap) -> bool {
    let essence = essence(headers);
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// The media type, without its parameters.
fn essence(headers: &HeaderMap) -> String {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// `{}`, which some clients send instead of an empty body.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

pub(crate) async fn no_body<E>(request: Request) -> Result<NoBody<E>> {
    match bytes(request).await?.trim_ascii() {
        b"" => Ok(NoBody(std::marker::PhantomData)),
        body if body.starts_with(b"{") && parse::<Nothing>(body).is_ok() => Ok(NoBody(std::marker::PhantomData)),
        _ => Err(Error::invalid_body("", "this call takes no body")),
    }
}

pub(crate) fn query<T: DeserializeOwned>(parts: &Parts) -> Result<T> {
    let query = parts.uri.query().unwrap_or_default();
    let parameters = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(parameters).map_err(|error| {
        let path = error.path().to_string();
        let parameter = if path == "." { "query".to_owned() } else { path };
        Error::invalid_query(parameter, error.into_inner())
    })
}

pub(crate) async fn path<T: PathIds>(parts: &mut Parts) -> Result<T> {
    // If the decoded path is not UTF-8, it contains no valid id.
    match RawPathParams::from_request_parts(parts, &()).await {
        Ok(parameters) => T::read(&parameters.iter().map(|(_, value)| value).collect::<Vec<_>>()),
        Err(_) => T::read(&[]),
    }
}

/// The token of the header `Authorization: Bearer <token>`.
pub(crate) fn bearer(parts: &Parts) -> Result<&str> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header.and_then(|value| value.split_once(' '));
    let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
    let is_one_word = |token: &&str| !token.is_empty() && !token.contains(char::is_whitespace);
    token.filter(is_one_word).ok_or_else(|| refused(Refusal::Missing, "no bearer token"))
}

pub(crate) async fn caller(parts: &Parts, auth: &Auth, cookies: bool) -> Result<Caller> {
    let token = match session(parts).filter(|_| cookies && !parts.headers.contains_key(AUTHORIZATION)) {
        Some(token) => {
            check_origin(parts, auth)?;
            token
        }
        None => bearer(parts)?,
    };
    let caller = auth.caller(token).await?;
    record_caller(&caller);
    Ok(caller)
}

fn session(parts: &Parts) -> Option<&str> {
    let headers = parts.headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut cookies = headers.flat_map(|value| value.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(name, _)| *name == SESSION_COOKIE).map(|(_, token)| token)
}

/// CSRF protection: a browser attaches the session cookie to requests of any site, so only pages of the console may use
/// it to change data.
fn check_origin(parts: &Parts, auth: &Auth) -> Result<()> {
    let origin = parts.headers.get(ORIGIN).and_then(|value| value.to_str().ok());
    if parts.method.is_safe() || origin.is_some_and(|origin| auth.is_console(origin)) {
        return Ok(());
    }
    let message = "a change by session cookie must come from the console; send an access token instead".to_owned();
    Err(Error::Forbidden { code: "origin_not_allowed", message })
}

/// Adds the caller to the log line of the request.
pub(crate) fn record_caller(caller: &Caller) {
    let span = tracing::Span::current();
    span.record("user_id", tracing::field::display(caller.user));
    span.record("org_id", tracing::field::display(caller.org));
}
