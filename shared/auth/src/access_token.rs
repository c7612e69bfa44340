//! Verification of access tokens: JWTs of one trusted issuer (RFC 7519, RFC 8725, RFC 9068).

use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use super::jwks::Jwks;
use super::token_parts::TokenParts;
use super::{refused, ring_provider};
use domain::identity::Role;
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use domain::{Error, Refusal, Result};
use platform::config;
use platform::config::Config;

/// Only asymmetric algorithms are accepted: with `none` or an HMAC, every verifier could also forge tokens.
const ALGORITHMS: [(&str, Algorithm); 3] =
    [("RS256", Algorithm::RS256), ("ES256", Algorithm::ES256), ("EdDSA", Algorithm::EdDSA)];
/// The `typ` values of access tokens. Tokens for other purposes (`logout+jwt`, `dpop+jwt` …) have another.
const TYPES: [&str; 4] = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"];
const LEEWAY_S: f64 = 60.0;
/// A longer text is refused before it is parsed, as a protection against denial of service.
const MAX_TOKEN_BYTES: usize = 8 * 1024;
/// The limit of OpenID Connect for a `sub`.
pub const MAX_NAME_BYTES: usize = 255;
/// The end of the year 9999. A later time is an error of the issuer.
const LAST_SECOND: f64 = 253_402_300_799.0;

/// The claims of a valid token.
#[derive(Debug)]
pub struct TokenClaims {
    pub issuer: String,
    pub subject: String,
    pub org: String,
    pub role: Role,
    pub name: Option<String>,
    pub email: Option<String>,
    /// In Unix seconds. The current time if the token has no `iat`.
    pub issued_at: i64,
}

pub struct AccessTokens {
    pub(super) issuer: String,
    audience: String,
    org_claim: String,
    roles_claim: String,
    jwks: Jwks,
}

/// The reason for refusing a token, which is only logged.
type Reason = &'static str;

impl AccessTokens {
    pub fn new(settings: &Config) -> Result<Self> {
        ring_provider::install();
        let setting = |name| settings.required(name).map(str::to_owned).map_err(Error::internal);
        let issuer = setting(config::AUTH_ISSUER)?;
        Ok(Self {
            audience: setting(config::AUTH_AUDIENCE)?,
            org_claim: settings.optional(config::AUTH_ORG_CLAIM).unwrap_or("org_id").to_owned(),
            roles_claim: settings.optional(config::AUTH_ROLES_CLAIM).unwrap_or("roles").to_owned(),
            jwks: Jwks::new(&issuer, settings.optional(config::AUTH_JWKS_URL)),
            issuer,
        })
    }

    pub async fn verify(&self, token: &str, now: Time) -> Result<TokenClaims> {
        if SecretToken::parse(TokenKind::ApiKey, token).is_some() {
            return Err(refused(Refusal::ApiKey, "an API key instead of an access token"));
        }
        let claims = self.signed_claims(token).await?;
        self.check_claims(&claims, &self.audience, now).map_err(unknown)
    }

    /// Verifies an ID token (OpenID Connect Core, 3.1.3.7): it is for this client, and answers the request with this nonce.
    pub async fn verify_id_token(&self, token: &str, client: &str, nonce: &str, now: Time) -> Result<TokenClaims> {
        let claims = self.signed_claims(token).await?;
        let is_or_missing = |name: &str, expected: &str| claims.get(name).is_none_or(|value| *value == expected);
        if !is_or_missing("azp", client) {
            return Err(unknown("issued to another client"));
        }
        if claims.get("nonce").is_none_or(|value| *value != nonce) {
            return Err(unknown("does not answer this sign-in"));
        }
        self.check_claims(&claims, client, now).map_err(unknown)
    }

    /// The claims of a token that the issuer has signed.
    async fn signed_claims(&self, token: &str) -> Result<Map<String, Value>> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(refused(Refusal::Malformed, "longer than the maximum of an access token"));
        }
        let TokenParts { header, claims, message, signature } =
            TokenParts::read(token).ok_or_else(|| refused(Refusal::Malformed, "not a JWT"))?;

        let (algorithm, kid) = check_header(&header).map_err(unknown)?;
        let key = self.jwks.key(kid, algorithm).await?;
        let key = key.ok_or_else(|| unknown("signed with a key that the issuer does not publish"))?;
        if !jsonwebtoken::crypto::verify(signature, message.as_bytes(), &key, algorithm).unwrap_or(false) {
            return Err(unknown("the signature is invalid"));
        }
        Ok(claims)
    }

    fn check_claims(&self, claims: &Map<String, Value>, audience: &str, now: Time) -> Result<TokenClaims, Reason> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = |name: &str| text(name).filter(|text| (1..=MAX_NAME_BYTES).contains(&text.len()));
        let seconds = now.as_seconds() as f64;
        if text("iss").as_deref() != Some(&self.issuer) {
            return Err("issued by another issuer");
        }
        if !is_for(audience, claims) {
            return Err("issued for another audience");
        }
        if numeric_date(claims, "exp")?.ok_or("has no expiry")? < seconds - LEEWAY_S {
            return Err("expired");
        }
        if numeric_date(claims, "nbf")?.is_some_and(|nbf| nbf > seconds + LEEWAY_S) {
            return Err("not valid yet");
        }
        let issued_at = numeric_date(claims, "iat")?.map_or(now.as_seconds(), |iat| iat as i64);
        Ok(TokenClaims {
            issuer: self.issuer.clone(),
            subject: name("sub").ok_or("has no subject")?,
            org: name(&self.org_claim).ok_or("has no organization")?,
            role: role(claims.get(&self.roles_claim)),
            name: text("name"),
            email: text("email"),
            // If the issuer's clock is ahead, a later token must still be able to change the role.
            issued_at: issued_at.min(now.as_seconds()),
        })
    }
}

fn unknown(why: Reason) -> Error {
    refused(Refusal::Unknown, why)
}

/// Checks the audience. An access token of Amazon Cognito has no `aud` but a `client_id`.
fn is_for(expected: &str, claims: &Map<String, Value>) -> bool {
    match claims.get("aud") {
        Some(Value::String(audience)) => audience == expected,
        Some(Value::Array(audiences)) => {
            audiences.iter().all(Value::is_string) && audiences.iter().any(|one| *one == expected)
        }
        Some(_) => false,
        None => claims.get("client_id").is_some_and(|client| *client == expected),
    }
}

/// Returns the algorithm and the key id of the token header.
fn check_header(header: &Map<String, Value>) -> Result<(Algorithm, Option<&str>), Reason> {
    // No critical extension is supported, and a JWT never has an unencoded payload (RFC 7797).
    if header.contains_key("crit") || header.contains_key("b64") {
        return Err("has a critical extension");
    }
    let is_typed_wrong = |typ: &Value| typ.as_str().is_none_or(|typ| !TYPES.contains(&&*typ.to_ascii_lowercase()));
    if header.get("typ").is_some_and(is_typed_wrong) {
        return Err("has the type of another kind of token");
    }
    let named = header.get("alg").and_then(Value::as_str);
    let algorithm = ALGORITHMS.iter().find(|(name, _)| Some(*name) == named);
    let (_, algorithm) = algorithm.ok_or("signed with an algorithm that is not accepted")?;
    match header.get("kid") {
        None => Ok((*algorithm, None)),
        Some(kid) => Ok((*algorithm, Some(kid.as_str().ok_or("the key id is not a string")?))),
    }
}

/// Reads a `NumericDate`: seconds since 1970, with or without a fraction.
fn numeric_date(claims: &Map<String, Value>, name: &str) -> Result<Option<f64>, Reason> {
    let Some(claim) = claims.get(name) else { return Ok(None) };
    let seconds = claim.as_f64().filter(|seconds| (0.0..=LAST_SECOND).contains(seconds));
    seconds.map(Some).ok_or("has an invalid time")
}

/// The highest known role of the claim, or `Member`.
fn role(claim: Option<&Value>) -> Role {
    let one = |role: &Value| match role.as_str() {
        Some("operator") => Some(Role::Operator),
        Some("admin") => Some(Role::Admin),
        _ => None,
    };
    let highest = match claim {
        Some(Value::Array(roles)) => roles.iter().filter_map(one).max(),
        Some(role) => one(role),
        None => None,
    };
    highest.unwrap_or(Role::Member)
}
