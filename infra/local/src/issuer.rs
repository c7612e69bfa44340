//! Issues access tokens (JWT) on this machine. Its Ed25519 key is stored in the data folder.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domain::identity::Role;
use domain::time::Time;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data_dir::write_private;
use crate::failure::Failure;

/// The `iss` claim. It is not the platform's URL, because the identity of a user must not change with the port.
pub const ISSUER: &str = "urn:atelier:local";
pub const AUDIENCE: &str = "atelier";
/// The console as a client of this issuer. It differs from `AUDIENCE`, so an ID token is no access token.
pub const CONSOLE_CLIENT: &str = "atelier-console";
/// The path at which the keys are served.
pub const JWKS: &str = "/local/jwks.json";
const FILE: &str = "issuer.json";

pub struct Issuer {
    key: Ed25519KeyPair,
    kid: String,
}

#[derive(Serialize, Deserialize)]
struct IssuerFile {
    pkcs8: String,
}

/// The user, organization and role that a token is issued for.
#[derive(Clone, Debug)]
pub struct Subject {
    pub user: String,
    pub org: String,
    pub role: Role,
}

impl Issuer {
    /// Opens the issuer of a data folder, or creates it.
    pub fn open_or_create(folder: &Path) -> Result<Self, Failure> {
        if let Some(issuer) = Self::open(folder)? {
            return Ok(issuer);
        }
        let generated = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let pkcs8 =
            generated.map_err(|_| Failure::Other("the random number generator of the system failed".to_owned()))?;
        let file = IssuerFile { pkcs8: STANDARD.encode(pkcs8.as_ref()) };
        let content = serde_json::to_vec_pretty(&file).unwrap_or_default();
        let written = write_private(&folder.join(FILE), &content);
        written.map_err(|cause| Failure::Folder { folder: folder.to_owned(), cause })?;
        Self::from_pkcs8(pkcs8.as_ref()).ok_or_else(|| Failure::Other("the new signing key cannot be read".to_owned()))
    }

    /// Opens the issuer of a data folder; `None` if no platform was started on it yet.
    pub fn open(folder: &Path) -> Result<Option<Self>, Failure> {
        let file = folder.join(FILE);
        let Ok(content) = fs::read(&file) else { return Ok(None) };
        let damaged =
            || Failure::Damaged { folder: folder.to_owned(), file, cause: "it holds no valid key".to_owned() };
        let parsed: Option<IssuerFile> = serde_json::from_slice(&content).ok();
        let pkcs8 = parsed.and_then(|file| STANDARD.decode(file.pkcs8).ok());
        pkcs8.and_then(|pkcs8| Self::from_pkcs8(&pkcs8)).map(Some).ok_or_else(damaged)
    }

    fn from_pkcs8(pkcs8: &[u8]) -> Option<Self> {
        let key = Ed25519KeyPair::from_pkcs8(pkcs8).ok()?;
        let digest = ring::digest::digest(&ring::digest::SHA256, key.public_key().as_ref());
        Some(Self { kid: URL_SAFE_NO_PAD.encode(&digest.as_ref()[..12]), key })
    }

    pub fn token(&self, subject: &Subject, valid: Duration) -> String {
        self.sign(&claims(subject, AUDIENCE, valid))
    }

    /// An ID token for the console, in answer to its request with this nonce.
    pub fn id_token(&self, subject: &Subject, nonce: &str, valid: Duration) -> String {
        let mut claims = claims(subject, CONSOLE_CLIENT, valid);
        claims["nonce"] = nonce.into();
        self.sign(&claims)
    }

    /// Signs any claims. Tests create invalid tokens with it.
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_parts(&self.header().to_string(), &claims.to_string())
    }

    pub fn header(&self) -> Value {
        json!({"alg": "EdDSA", "typ": "JWT", "kid": self.kid})
    }

    /// Signs any header and claims, byte for byte.
    pub fn sign_parts(&self, header: &str, claims: &str) -> String {
        let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = self.key.sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    /// The claims of a token that this issuer has signed. The caller checks what they say.
    pub fn verify(&self, token: &str) -> Option<Value> {
        let (message, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let key = UnparsedPublicKey::new(&ED25519, self.key.public_key());
        key.verify(message.as_bytes(), &signature).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(message.split_once('.')?.1).ok()?).ok()
    }

    pub fn jwks(&self) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.key.public_key().as_ref());
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": self.kid, "x": x}]})
    }
}

fn claims(Subject { user, org, role }: &Subject, audience: &str, valid: Duration) -> Value {
    let now = Time::now();
    json!({
        "iss": ISSUER,
        "aud": audience,
        "sub": user,
        "name": user,
        "org_id": org,
        "roles": [role],
        "iat": now.as_seconds(),
        "exp": now.plus(valid).as_seconds(),
    })
}
