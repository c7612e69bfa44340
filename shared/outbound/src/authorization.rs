//! The authorization of outbound requests by a credential.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Request, Uri};
use url::Url;

use super::OutboundError;
use super::call_error::CallError;
use domain::credential::Credential;
use domain::header;

/// Adds a credential to a request, except those of OAuth 2, which need a token.
pub(super) fn authorize(credential: &Credential, request: &mut Request<Bytes>) -> Result<(), CallError> {
    match credential {
        Credential::Bearer { token } => {
            request.headers_mut().insert(AUTHORIZATION, secret(&format!("Bearer {token}"))?);
        }
        Credential::Basic { username, password } => {
            request.headers_mut().insert(AUTHORIZATION, basic(username, password)?);
        }
        Credential::Header { header, value } => {
            // The header name was validated on creation and is validated again, because connections are shared.
            if header::problem(header).is_some() {
                return Err(CallError::InvalidCredential);
            }
            let header = HeaderName::try_from(header).map_err(|_| CallError::InvalidCredential)?;
            request.headers_mut().insert(header, secret(value)?);
        }
        Credential::Query { parameter, value } => {
            let mut url = Url::parse(&request.uri().to_string()).map_err(|_| OutboundError::NotHttp)?;
            url.query_pairs_mut().append_pair(parameter, value);
            *request.uri_mut() = Uri::try_from(url.as_str()).map_err(|_| CallError::InvalidCredential)?;
        }
        Credential::Path { value } => *request.uri_mut() = fill_path(request.uri(), value)?,
        Credential::Oauth2ClientCredentials { .. } | Credential::Oauth2AuthorizationCode { .. } => {}
        // Sending one would reveal the account of a provider to another system.
        Credential::Slack { .. }
        | Credential::Telegram { .. }
        | Credential::Whatsapp { .. }
        | Credential::SignedHttp { .. } => return Err(CallError::MessagingCredential),
    }
    Ok(())
}

/// The URL with a secret in the reserved place of its path. The host is never a part of it.
fn fill_path(url: &Uri, secret: &str) -> Result<Uri, CallError> {
    if !url.path().contains(Credential::PATH_PLACE) {
        return Err(CallError::NoPlaceInPath);
    }
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let filled = format!("{}{query}", url.path().replace(Credential::PATH_PLACE, secret));
    let mut parts = url.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(filled).map_err(|_| CallError::InvalidCredential)?);
    Uri::from_parts(parts).map_err(|_| CallError::InvalidCredential)
}

/// The header of a user and a password.
pub fn basic(username: &str, password: &str) -> Result<HeaderValue, CallError> {
    secret(&format!("Basic {}", BASE64_STANDARD.encode(format!("{username}:{password}"))))
}

pub(super) fn secret(value: &str) -> Result<HeaderValue, CallError> {
    sensitive(value).ok_or(CallError::InvalidCredential)
}

/// A header value marked as sensitive: it is not logged, and a redirect to another origin removes it.
pub fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}
