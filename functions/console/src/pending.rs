//! A sign-in that the issuer has not answered yet. It is in an encrypted cookie, so the answer counts only in the browser that
//! began, and a request without an account stores nothing.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::session::random_text;
use domain::time::Time;
use platform::secrets::{Sealed, Secrets};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use web::base_url::BaseUrl;

pub const COOKIE: &str = "svc_login";
/// How long a user may take at the issuer.
pub const VALID: Duration = Duration::from_secs(10 * 60);
/// The place for which the cookie is encrypted.
const PLACE: &str = "console/login";
/// Longer values would not fit in a cookie.
const MAX_RETURN_BYTES: usize = 1_000;

#[derive(Serialize, Deserialize)]
pub struct PendingSignIn {
    pub state: String,
    pub nonce: String,
    pub verifier: String,
    /// The place in the console where the user wanted to go.
    pub place: String,
    until: Time,
}

impl PendingSignIn {
    pub fn new(place: Option<&str>, now: Time) -> Self {
        let random = || random_text().to_string();
        let place = place.filter(|place| is_place(place)).unwrap_or_default().to_owned();
        Self { state: random(), nonce: random(), verifier: random(), place, until: now.plus(VALID) }
    }

    /// The `code_challenge` of the verifier, by the method S256.
    pub fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, self.verifier.as_bytes()))
    }

    /// The value of the cookie.
    pub async fn seal(&self, secrets: &Secrets) -> domain::Result<String> {
        let text = serde_json::to_vec(self).map_err(domain::Error::internal)?;
        let sealed = secrets.seal(PLACE, &text).await?;
        Ok(URL_SAFE_NO_PAD.encode(serde_json::to_vec(&sealed).map_err(domain::Error::internal)?))
    }

    /// Reads the cookie. None if it is not one of ours, or too old.
    pub async fn open(cookie: &str, secrets: &Secrets, now: Time) -> Option<Self> {
        let sealed: Sealed = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cookie).ok()?).ok()?;
        let text = secrets.open(PLACE, &sealed).await;
        let text = text.inspect_err(|error| tracing::warn!(%error, "the cookie of a sign-in cannot be read")).ok()?;
        let pending: Self = serde_json::from_slice(&text).ok()?;
        (now < pending.until).then_some(pending)
    }
}

/// The path of the cookie: only the routes of the console get it.
pub fn cookie_path(BaseUrl(base_url): &BaseUrl) -> String {
    let url = base_url.as_deref().unwrap_or_default();
    format!("{}/console", &url[domain::address::origin(url).len()..])
}

/// Whether a text is a place in the console: the fragment of its URL. So it cannot lead to another page.
fn is_place(text: &str) -> bool {
    text.starts_with('#') && text.len() <= MAX_RETURN_BYTES && text.bytes().all(|c| c.is_ascii_graphic())
}
