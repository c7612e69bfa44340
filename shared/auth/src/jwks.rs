//! A cache of the issuer's public keys (JWKS), located by OpenID Connect discovery or by `AUTH_JWKS_URL`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use tokio::sync::Mutex;

use domain::{Error, Result};
use platform::aws;

/// Keys are fetched again after this time, so that keys which the issuer withdrew stop being accepted.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);
/// An unknown key id may be a new key or a forgery. It triggers a new fetch, but not more often than this.
const MIN_AGE: Duration = Duration::from_secs(5);
const LIMIT_BYTES: usize = 256 * 1024;

pub struct Jwks {
    location: JwksLocation,
    cache: Mutex<KeyCache>,
}

#[derive(Default)]
struct KeyCache {
    keys: Option<Keys>,
    /// The time of the last fetch, including failed ones.
    last_fetch_at: Option<Instant>,
}

enum JwksLocation {
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
        let place =
            jwks_url.map_or_else(|| JwksLocation::Discovery(discovery()), |url| JwksLocation::Keys(url.to_owned()));
        Self { location: place, cache: Mutex::default() }
    }

    /// Returns the key that a token was signed with, if the issuer publishes it.
    pub async fn key(&self, kid: Option<&str>, algorithm: Algorithm) -> Result<Option<DecodingKey>> {
        // The lock allows one fetch at a time. Requests that wait for it use its result.
        let mut cache = self.cache.lock().await;
        let found = |keys: &Option<Keys>| keys.as_ref().and_then(|keys| find(&keys.set, kid, algorithm));
        let key = found(&cache.keys);
        let is_stale = cache.keys.as_ref().is_none_or(|keys| keys.fetched_at.elapsed() > MAX_AGE);
        // If the issuer is unreachable, only one request per `MIN_AGE` waits for it.
        let fetched_lately = cache.last_fetch_at.is_some_and(|at| at.elapsed() < MIN_AGE);
        if !fetched_lately && (is_stale || key.is_none()) {
            let fetched = self.fetch().await;
            cache.last_fetch_at = Some(Instant::now());
            match fetched {
                Ok(set) => {
                    cache.keys = Some(Keys { fetched_at: Instant::now(), set: Arc::new(set) });
                    return Ok(found(&cache.keys));
                }
                Err(cause) => tracing::warn!(%cause, "the issuer's keys could not be fetched"),
            }
        }
        match (key, &cache.keys) {
            (None, None) => Err(Error::busy("the issuer's keys could not be fetched")),
            (key, _) => Ok(key),
        }
    }

    async fn fetch(&self) -> Result<JwkSet> {
        let url = match &self.location {
            JwksLocation::Keys(url) => url.clone(),
            JwksLocation::Discovery(url) => {
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
        // A token without a key id is accepted only if exactly one key fits.
        None => fitting.next().filter(|_| fitting.next().is_none()),
    };
    key.and_then(|key| DecodingKey::from_jwk(key).ok())
}

/// Whether the key may be used with the algorithm. The key determines it, never the token alone (RFC 8725).
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
