//! Extractors of request data, and the error of handlers. Each API has its envelope for errors, which the middleware adds.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, MatchedPath, RawPathParams, Request};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, HeaderName, ORIGIN};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::{BodyExt, LengthLimitError};
use ring::digest::{Digest, SHA256, digest};
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use super::base_url::BaseUrl;
use super::scoped_routes::ScopedRoutes;
use super::session_cookie::{self, NextCookie, SESSION_COOKIE, set_session};
use super::{MAX_BODY_BYTES, classify};
use auth::{Auth, Caller, NeededScope, SessionCaller, SessionUse, refused};
use domain::id::PathIds;
use domain::sharing::Shareable;
use domain::token::TokenKind;
use domain::{Error, Refusal, address, json, media_type};
use store::sharing::StoredAccess;

const DISCARDED_BYTES: usize = 4 * MAX_BODY_BYTES;
const HASH_BYTES: usize = 16;
/// The header in which Anthropic's clients send their API key to the gateway.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

pub type Result<T> = std::result::Result<T, ApiError>;

/// The error of a handler or of an extractor. The middleware of its area renders it in the envelope of its API.
pub struct ApiError(pub Error);

impl<E: Into<Error>> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = classify(&self.0).0.into_response();
        response.extensions_mut().insert(Arc::new(self.0));
        response
    }
}

/// The JSON body, within the limits of its published schema.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + ToSchema + 'static> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        Ok(Self(json::parse_within_limits(&read_json(request).await?)?))
    }
}

/// The JSON body, whose limits are not checked yet. The handler checks them together with its own rules, so that one answer
/// lists all problems.
pub struct UncheckedJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for UncheckedJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        Ok(Self(json::parse(&read_json(request).await?)?))
    }
}

/// The JSON body, or the default value if the body is empty or `{}`.
pub struct OptionalJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + ToSchema + Default + 'static> FromRequest<S> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let is_json = is_json(&request);
        let bytes = read_request(request).await?;
        match bytes.trim_ascii() {
            // Clients that send no fields may name no content type, or another one.
            b"" | b"{}" => Ok(Self(T::default())),
            _ if !is_json => Err(Error::NotJson.into()),
            b"null" => Ok(Self(T::default())),
            _ => {
                check_object(&bytes)?;
                Ok(Self(json::parse_within_limits(&bytes)?))
            }
        }
    }
}

/// The text of a JSON or YAML file, not parsed.
pub struct TextFile(pub String);

impl<S: Send + Sync> FromRequest<S> for TextFile {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let is_yaml = media_type::of_headers(request.headers()).contains("yaml");
        if !is_yaml && !is_json(&request) {
            return Err(Error::NotAFile.into());
        }
        let bytes = read_request(request).await?;
        let text = String::from_utf8(bytes.into()).map_err(|_| Error::invalid_body("", "must be UTF-8"))?;
        Ok(Self(text))
    }
}

/// The body as it was sent.
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        Ok(Self(read_request(request).await?))
    }
}

/// The body, read as `J`, its hash, by which a retry of the same request is recognized, and its bytes.
pub struct Hashed<J> {
    pub body: J,
    pub hash: String,
    pub bytes: Bytes,
}

impl<S: Send + Sync, J: FromRequest<S, Rejection = ApiError>> FromRequest<S> for Hashed<J> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let (parts, body) = request.into_parts();
        let bytes = read_body(&parts, body).await?;
        let hash = encode_hash(&digest(&SHA256, &bytes));
        let body = J::from_request(Request::from_parts(parts, bytes.clone().into()), state).await?;
        Ok(Self { body, hash, bytes })
    }
}

/// The form in which the hash of a body is compared and stored.
pub(crate) fn encode_hash(digest: &Digest) -> String {
    URL_SAFE_NO_PAD.encode(&digest.as_ref()[..HASH_BYTES])
}

/// Accepts no body, an empty one or `{}`, which some clients send instead of an empty body.
pub struct NoBody;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        match read_request(request).await?.trim_ascii() {
            b"" => Ok(Self),
            body if body.starts_with(b"{") && json::parse::<Nothing>(body).is_ok() => Ok(Self),
            _ => Err(Error::invalid_body("", "this call takes no body").into()),
        }
    }
}

/// The query parameters.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let query = parts.uri.query().unwrap_or_default();
        let parameters = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
        let read = serde_path_to_error::deserialize(parameters).map_err(|error| {
            let path = error.path().to_string();
            let parameter = if path == "." { "query".to_owned() } else { path };
            Error::invalid_query(parameter, error.into_inner())
        });
        Ok(Self(read?))
    }
}

/// The ids of the path. A malformed id is answered with 404, like an unknown one.
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: PathIds> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        // If the decoded path is not UTF-8, it contains no valid id.
        let read = match RawPathParams::from_request_parts(parts, &()).await {
            Ok(parameters) => T::read(&parameters.iter().map(|(_, value)| value).collect::<Vec<_>>()),
            Err(_) => T::read(&[]),
        };
        Ok(Self(read?))
    }
}

/// Reads the whole body.
pub(crate) async fn read_request(request: Request) -> domain::Result<Bytes> {
    let (parts, body) = request.into_parts();
    read_body(&parts, body).await
}

/// Reads a whole body, up to the maximum.
async fn read_body(parts: &Parts, body: Body) -> domain::Result<Bytes> {
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

/// Reads a body that must be a JSON object.
async fn read_json(request: Request) -> domain::Result<Bytes> {
    if !is_json(&request) {
        return Err(Error::NotJson);
    }
    let bytes = read_request(request).await?;
    check_object(&bytes)?;
    Ok(bytes)
}

/// Every body must be an object. serde would read a list as the fields of a struct in their order, and its message about
/// other values would name a Rust type.
fn check_object(bytes: &[u8]) -> domain::Result<()> {
    match bytes.trim_ascii_start().first() {
        Some(b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f') => Err(Error::invalid_body("", "must be an object")),
        _ => Ok(()),
    }
}

fn is_json(request: &Request<Body>) -> bool {
    declares_json(request.headers())
}

/// Whether the media type is `application/json` or has the suffix `+json`, such as `application/merge-patch+json`.
pub fn declares_json(headers: &HeaderMap) -> bool {
    let media_type = media_type::of_headers(headers);
    media_type == "application/json" || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

/// The token of the header `Authorization: Bearer <token>`.
pub(crate) fn bearer(parts: &Parts) -> domain::Result<&str> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header.and_then(|value| value.split_once(' '));
    let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
    let is_one_word = |token: &&str| !token.is_empty() && !token.contains(char::is_whitespace);
    token.filter(is_one_word).ok_or_else(|| refused(Refusal::Missing, "no bearer token"))
}

/// The user of a request to the builder or workbenches API: with a session, an access token or a service token.
pub(crate) async fn caller(parts: &Parts, auth: &Auth) -> domain::Result<Caller> {
    caller_with_access(parts, auth, None).await.map(|(caller, _)| caller)
}

/// The user of a request that leads to requests of other routes, which check the scopes of a service token. A cookie does not
/// count: those requests have only the token.
pub(crate) async fn token_caller(parts: &Parts, auth: &Auth) -> domain::Result<Caller> {
    let (caller, _) = match bearer(parts)? {
        token if is_service_token(token) => auth.service_caller(token, Some(NeededScope::Any), None).await?,
        token => auth.caller_with_access(token, None).await?,
    };
    record_caller(&caller);
    Ok(caller)
}

/// The user of a request, and what they may do with something, from one read.
pub(crate) async fn caller_with_access(
    parts: &Parts,
    auth: &Auth,
    what: Option<Shareable>,
) -> domain::Result<(Caller, Option<StoredAccess>)> {
    let found = match session(parts, auth, what).await? {
        Some(SessionCaller { caller, access, .. }) => (caller, access),
        None => match bearer(parts)? {
            token if is_service_token(token) => auth.service_caller(token, needed_scope(parts), what).await?,
            token => auth.caller_with_access(token, what).await?,
        },
    };
    record_caller(&found.0);
    Ok(found)
}

/// Whether a token is meant as that of a service account.
pub(crate) fn is_service_token(token: &str) -> bool {
    token.starts_with(TokenKind::Service.prefix())
}

/// The user of the session of a request. None if the request has a token, or no session.
pub(crate) async fn session_caller(parts: &Parts, auth: &Auth) -> domain::Result<Option<Caller>> {
    Ok(session(parts, auth, None).await?.map(|found| found.caller))
}

async fn session(parts: &Parts, auth: &Auth, what: Option<Shareable>) -> domain::Result<Option<SessionCaller>> {
    let Some(cookie) = session_cookie(parts, auth)? else { return Ok(None) };
    let slot = parts.extensions.get::<NextCookie>();
    // Changes may take long. Meanwhile the next cookie would not have arrived, and the old one would be over.
    let session_use = if slot.is_some() && parts.method.is_safe() { SessionUse::Rotate } else { SessionUse::Keep };
    let found = auth.session_caller_with_access(cookie, session_use, what).await?;
    if let (Some(slot), Some(next)) = (slot, &found.next) {
        slot.set(set_session(next, &BaseUrl::from_parts(parts))?);
    }
    Ok(Some(found))
}

/// The session cookie of a request without a token, if it comes from where sessions are accepted.
pub(crate) fn session_cookie<'a>(parts: &'a Parts, auth: &Auth) -> domain::Result<Option<&'a str>> {
    let has_token = parts.headers.contains_key(AUTHORIZATION) || parts.headers.contains_key(X_API_KEY);
    match session_cookie::find(&parts.headers, SESSION_COOKIE).filter(|_| !has_token) {
        Some(cookie) => check_origin(parts, auth).map(|()| Some(cookie)),
        None => Ok(None),
    }
}

/// CSRF protection: a browser attaches the session cookie to requests of any site, so only pages of the platform and of the
/// console may use it to change data.
fn check_origin(parts: &Parts, auth: &Auth) -> domain::Result<()> {
    let origin = parts.headers.get(ORIGIN).and_then(|value| value.to_str().ok());
    let BaseUrl(base_url) = BaseUrl::from_parts(parts);
    let is_own = |origin: &str| base_url.as_deref().is_some_and(|url| address::origin(url) == origin);
    if parts.method.is_safe() || origin.is_some_and(|origin| is_own(origin) || auth.is_console(origin)) {
        return Ok(());
    }
    let message = "a change by session cookie must come from the console; send an access token instead".to_owned();
    Err(Error::Forbidden { code: "origin_not_allowed", message })
}

/// A change that comes from where sessions are accepted, even if the request has no session.
pub struct AllowedOrigin;

impl<S: AsRef<Auth> + Send + Sync> FromRequestParts<S> for AllowedOrigin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Ok(check_origin(parts, state.as_ref()).map(|()| Self)?)
    }
}

/// The scope that the route of a request needs. None if no service account may use the route.
fn needed_scope(parts: &Parts) -> Option<NeededScope> {
    let route = parts.extensions.get::<MatchedPath>()?.as_str();
    let area = parts.extensions.get::<ScopedRoutes>()?.area_of(route)?;
    Some(NeededScope::Of { area, is_safe: parts.method.is_safe() })
}

/// Adds the caller to the log line of the request.
pub(crate) fn record_caller(caller: &Caller) {
    let span = tracing::Span::current();
    span.record("user_id", tracing::field::display(caller.user));
    span.record("org_id", tracing::field::display(caller.org));
}
