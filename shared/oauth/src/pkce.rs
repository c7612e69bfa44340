//! Proof Key for Code Exchange (RFC 7636): only who began the consent can use its code.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::session::random_text;
use ring::digest::{SHA256, digest};

pub struct Pkce {
    pub verifier: String,
}

impl Pkce {
    pub fn generate() -> Self {
        Self { verifier: random_text().to_string() }
    }

    /// The `code_challenge` of a verifier, by the method S256.
    pub fn challenge(verifier: &str) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
    }
}
