//! Signature verification for `jsonwebtoken` with *ring*, which TLS already links. The providers of `jsonwebtoken`
//! would link a second cryptography library into every function.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use signature::Verifier;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_: &Algorithm, _: &EncodingKey| -> Result<Box<dyn JwtSigner>, Error> {
        Err(ErrorKind::InvalidAlgorithm.into())
    },
    verifier_factory: |algorithm: &Algorithm, key: &DecodingKey| -> Result<Box<dyn JwtVerifier>, Error> {
        match algorithm {
            Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA => {
                Ok(Box::new(RingVerifier { algorithm: *algorithm, key: key.clone() }))
            }
            _ => Err(ErrorKind::InvalidAlgorithm.into()),
        }
    },
    key_utils: KeyUtils::new_unimplemented(),
};

pub fn install() {
    // When several functions share a process, the provider is already installed; that error is ignored.
    let _ = PROVIDER.install_default();
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (self.key.kind(), self.algorithm) {
            (DecodingKeyKind::RsaModulusExponent { n, e }, Algorithm::RS256) => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (DecodingKeyKind::SecretOrDer(key), Algorithm::ES256) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(message, signature)
            }
            (DecodingKeyKind::SecretOrDer(key), Algorithm::EdDSA) => {
                UnparsedPublicKey::new(&ED25519, key).verify(message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
