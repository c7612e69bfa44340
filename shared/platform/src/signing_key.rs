//! Keys that sign with Ed25519 (RFC 8032), and their public form as a JSON Web Key (RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::secrets::fill_randomly;
use domain::{Error, Result};

const SEED_LEN: usize = 32;

/// A key pair.
pub struct SigningKey(Ed25519KeyPair);

/// A public key, as the member `x` of its JSON Web Key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PublicKey(String);

impl SigningKey {
    /// A random key, and its seed.
    pub fn generate() -> Result<(Self, Zeroizing<Vec<u8>>)> {
        let mut seed = Zeroizing::new(vec![0; SEED_LEN]);
        fill_randomly(&mut seed)?;
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| Error::internal("not an Ed25519 seed"))?;
        Ok((Self(pair), seed))
    }

    /// The key with this seed. Fails if its public key is another one.
    pub fn from_seed(seed: &[u8], public: &PublicKey) -> Result<Self> {
        let public = URL_SAFE_NO_PAD.decode(&public.0).map_err(Error::internal)?;
        let pair = Ed25519KeyPair::from_seed_and_public_key(seed, &public);
        pair.map(Self).map_err(|_| Error::internal("the seed of a signing key does not match its public key"))
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(URL_SAFE_NO_PAD.encode(self.0.public_key()))
    }

    /// The signature of a message, as base64url. It is the same each time.
    pub fn sign(&self, message: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(self.0.sign(message))
    }
}

impl PublicKey {
    pub fn x(&self) -> &str {
        &self.0
    }

    /// The id of the key: the thumbprint of its JSON Web Key (RFC 7638).
    pub fn kid(&self) -> String {
        let key = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.0);
        URL_SAFE_NO_PAD.encode(digest(&SHA256, key.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of RFC 8037, appendix A.
    const SEED: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    #[test]
    fn signatures_and_thumbprints_are_those_of_the_rfc() {
        let public = PublicKey(PUBLIC.to_owned());
        assert_eq!(public.kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        let key = SigningKey::from_seed(&URL_SAFE_NO_PAD.decode(SEED).unwrap(), &public).unwrap();
        assert_eq!(key.public(), public);
        let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        assert_eq!(key.sign(message), signature);
    }

    #[test]
    fn a_generated_key_is_read_back_from_its_seed_and_matches_no_other() {
        let ((key, seed), (other, _)) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
        assert_ne!(key.public(), other.public());
        assert_eq!(SigningKey::from_seed(&seed, &key.public()).unwrap().sign(b"m"), key.sign(b"m"));
        assert!(SigningKey::from_seed(&seed, &other.public()).is_err());
    }
}
