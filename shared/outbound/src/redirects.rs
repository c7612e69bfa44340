//! Redirects. Each is a separate request, which the SSRF guard checks like the first.

use bytes::Bytes;
use http::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, LOCATION, PROXY_AUTHORIZATION,
};
use http::request::Parts;
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use tokio::time::Instant;
use url::Url;

use super::{Answer, Outbound, OutboundError, RequestTimeouts};

/// Enough for a chain of moved pages; a redirect loop soon exceeds it.
pub const MAX_REDIRECTS: usize = 10;

/// The redirects that a client follows. It returns the others as answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirects {
    /// To any destination that the guard allows. Credentials are sent only to the first origin.
    #[default]
    All,
    /// Those that keep the origin, the method and the body.
    WithinOrigin,
}

impl Outbound {
    /// Sends the request and follows redirects. `timeouts` cover all of them together.
    pub async fn follow(&self, request: Request<Bytes>, timeouts: &RequestTimeouts) -> Result<Answer, OutboundError> {
        self.follow_some(request, timeouts, Redirects::All).await
    }

    pub(super) async fn follow_some(
        &self,
        request: Request<Bytes>,
        timeouts: &RequestTimeouts,
        redirects: Redirects,
    ) -> Result<Answer, OutboundError> {
        let deadline = Instant::now() + timeouts.total;
        let (mut parts, mut body) = request.into_parts();
        for _ in 0..=MAX_REDIRECTS {
            let request = Request::from_parts(parts.clone(), body.clone());
            let answer = self.send(request, &timeouts.until(deadline)).await?;
            let Some(location) = location(answer.status, &answer.headers) else { return Ok(answer) };
            let method = parts.method.clone();
            let is_same_origin = apply_redirect(&mut parts, &mut body, answer.status, location)?;
            let is_allowed = redirects == Redirects::All || (is_same_origin && parts.method == method);
            if !is_allowed {
                return Ok(answer);
            }
        }
        Err(OutboundError::TooManyRedirects)
    }
}

fn location(status: StatusCode, headers: &HeaderMap) -> Option<&[u8]> {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308).then(|| headers.get(LOCATION))?.map(|value| value.as_bytes())
}

/// Rewrites the request for a redirect as browsers do: the URL, and sometimes the method and the body. Returns whether the
/// origin is the same.
fn apply_redirect(
    parts: &mut Parts,
    body: &mut Bytes,
    status: StatusCode,
    location: &[u8],
) -> Result<bool, OutboundError> {
    let wrong = |_| OutboundError::NotHttp;
    let from = Url::parse(&parts.uri.to_string()).map_err(wrong)?;
    let location = str::from_utf8(location).map_err(|_| OutboundError::NotHttp)?;
    let mut to = from.join(location).map_err(wrong)?;
    to.set_fragment(None);
    parts.uri = Uri::try_from(to.as_str()).map_err(|_| OutboundError::NotHttp)?;

    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    let is_asked_again = matches!(status.as_u16(), 307 | 308);
    if !is_read && !is_asked_again && (status == StatusCode::SEE_OTHER || parts.method == Method::POST) {
        parts.method = Method::GET;
        *body = Bytes::new();
        for header in [CONTENT_LENGTH, CONTENT_TYPE, CONTENT_ENCODING] {
            parts.headers.remove(header);
        }
    }
    let is_same_origin = from.origin() == to.origin();
    if !is_same_origin {
        remove_credentials(&mut parts.headers);
    }
    Ok(is_same_origin)
}

/// Removes credentials, which must not be sent to another origin.
fn remove_credentials(headers: &mut HeaderMap) {
    let is_secret = |value: &http::HeaderValue| value.is_sensitive();
    let secret: Vec<_> = headers.iter().filter(|(_, value)| is_secret(value)).map(|(name, _)| name.clone()).collect();
    for name in secret.into_iter().chain([AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION]) {
        headers.remove(name);
    }
}
