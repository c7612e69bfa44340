//! The issuer's public keys, found by OpenID Connect discovery or where the settings say.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::{Error, Result, aws};

/// Keys that the issuer withdrew are forgotten after this time.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);
/// A token with an unknown key id may announce a new key, or be made up: look again, but not for each of them.
const MIN_AGE: Duration = Duration::from_secs(5);
const LIMIT_BYTES: usize = 256 * 1024;

pub struct Jwks {
    place: Place,
    keys: Mutex<Option<Keys>>,
}

enum Place {
    Discovery(String),
    Keys(String),
}

#[derive(Clone)]
struct Keys {
    fetched_at: Instant,
    set: Arc<JwkSet>,
}

#[derive(Deserialize)]
struct Discovery {
    jwks_uri: String,
}

impl Jwks {
    pub fn new(issuer: &str, jwks_url: Option<&str>) -> Self {
        let discovery = || format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let place = jwks_url.map_or_else(|| Place::Discovery(discovery()), |url| Place::Keys(url.to_owned()));
        Self { place, keys: Mutex::default() }
    }

    /// The key a token was signed with, if the issuer has it.
    pub async fn key(&self, kid: Option<&str>, algorithm: Algorithm) -> Result<Option<DecodingKey>> {
        // One look at a time: those who wait find what the first one fetched.
        let mut keys = self.keys.lock().await;
        let found = |keys: &Option<Keys>| keys.as_ref().and_then(|keys| find(&keys.set, kid, algorithm));
        let age = keys.as_ref().map(|keys| keys.fetched_at.elapsed());
        let known = found(&keys);
        let worth_a_look = age.is_none_or(|age| age > MAX_AGE || (known.is_none() && age > MIN_AGE));
        if !worth_a_look {
            return Ok(known);
        }
        match self.fetch().await {
            Ok(set) => {
                *keys = Some(Keys { fetched_at: Instant::now(), set: Arc::new(set) });
                Ok(found(&keys))
            }
            Err(cause) if known.is_some() => {
                tracing::warn!(%cause, "the issuer's keys could not be read again; using those on hand");
                Ok(known)
            }
            Err(cause) => Err(Error::busy(format!("the issuer's keys could not be read: {cause:?}"))),
        }
    }

    async fn fetch(&self) -> Result<JwkSet> {
        let url = match &self.place {
            Place::Keys(url) => url.clone(),
            Place::Discovery(url) => {
                let document = aws::fetch(url, LIMIT_BYTES).await?;
                serde_json::from_slice::<Discovery>(&document).map_err(Error::internal)?.jwks_uri
            }
        };
        let set = aws::fetch(&url, LIMIT_BYTES).await?;
        serde_json::from_slice(&set).map_err(Error::internal)
    }
}

fn find(set: &JwkSet, kid: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let mut fitting = set.keys.iter().filter(|key| fits(key, algorithm));
    let key = match kid {
        Some(kid) => fitting.find(|key| key.common.key_id.as_deref() == Some(kid)),
        // A token without a key id is only clear when there is one key it could mean.
        None => fitting.next().filter(|_| fitting.next().is_none()),
    };
    key.and_then(|key| DecodingKey::from_jwk(key).ok())
}

/// The key decides the algorithm, not the token.
fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let family = match (&key.algorithm, algorithm) {
        (AlgorithmParameters::RSA(_), Algorithm::RS256) => true,
        (AlgorithmParameters::EllipticCurve(key), Algorithm::ES256) => key.curve == EllipticCurve::P256,
        (AlgorithmParameters::OctetKeyPair(key), Algorithm::EdDSA) => key.curve == EllipticCurve::Ed25519,
        _ => false,
    };
    let named = key.common.key_algorithm.is_none_or(|named| named.to_string() == format!("{algorithm:?}"));
    let signs = key.common.public_key_use.as_ref().is_none_or(|r#use| *r#use == PublicKeyUse::Signature);
    family && named && signs
}
