//! Access tokens: JWTs of one trusted issuer.

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::jwks::Jwks;
use super::{refused, ring_provider};
use crate::config::Config;
use crate::domain::identity::Role;
use crate::domain::token::{SecretToken, TokenKind};
use crate::{Error, Refusal, Result, config};

/// Asymmetric only: with `none` or an HMAC, whoever can verify a token could also make one.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];
const LEEWAY_S: u64 = 60;
/// Longer ones are not tokens but attempts to make us work.
const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// What a valid token says.
#[derive(Debug)]
pub struct Claims {
    pub issuer: String,
    pub subject: String,
    pub org: String,
    pub role: Role,
    pub name: Option<String>,
    pub email: Option<String>,
}

pub struct AccessTokens {
    issuer: String,
    audience: String,
    org_claim: String,
    roles_claim: String,
    jwks: Jwks,
}

#[derive(Deserialize)]
struct RawClaims {
    sub: String,
    #[serde(default)]
    aud: Option<Audience>,
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

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

    pub async fn verify(&self, token: &str) -> Result<Claims> {
        let unknown = |why: &str| refused(Refusal::Unknown, why);
        if SecretToken::parse(TokenKind::ApiKey, token).is_some() {
            return Err(refused(Refusal::ApiKey, "an API key"));
        }
        if token.len() > MAX_TOKEN_BYTES {
            return Err(refused(Refusal::Malformed, "longer than a token may be"));
        }
        let header = decode_header(token).map_err(|_| refused(Refusal::Malformed, "not a JWT"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(unknown("signed by an algorithm that is not taken"));
        }
        let key = self.jwks.key(header.kid.as_deref(), header.alg).await?;
        let key = key.ok_or_else(|| unknown("signed with a key that the issuer does not have"))?;

        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY_S;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "sub"]);
        // Checked below: Cognito's access tokens name their client in another claim.
        validation.validate_aud = false;
        let claims = decode::<RawClaims>(token, &key, &validation).map_err(|error| unknown(why(&error)))?.claims;

        if !self.is_for_us(&claims) {
            return Err(unknown("made for another audience"));
        }
        if claims.sub.is_empty() {
            return Err(unknown("names no subject"));
        }
        let org = claims.others.get(&self.org_claim).and_then(Value::as_str).filter(|org| !org.is_empty());
        Ok(Claims {
            org: org.ok_or_else(|| unknown("names no organization"))?.to_owned(),
            role: role(claims.others.get(&self.roles_claim)),
            issuer: self.issuer.clone(),
            subject: claims.sub,
            name: claims.name,
            email: claims.email,
        })
    }

    fn is_for_us(&self, claims: &RawClaims) -> bool {
        match &claims.aud {
            Some(Audience::One(audience)) => *audience == self.audience,
            Some(Audience::Many(audiences)) => audiences.contains(&self.audience),
            None => claims.client_id.as_ref() == Some(&self.audience),
        }
    }
}

fn why(error: &jsonwebtoken::errors::Error) -> &'static str {
    use jsonwebtoken::errors::ErrorKind;
    match error.kind() {
        ErrorKind::ExpiredSignature => "expired",
        ErrorKind::ImmatureSignature => "not valid yet",
        ErrorKind::InvalidIssuer => "of another issuer",
        ErrorKind::InvalidSignature => "its signature is not the issuer's",
        ErrorKind::MissingRequiredClaim(_) => "a claim is missing",
        _ => "not readable",
    }
}

/// The highest of the roles that we know; who has none is a member.
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
