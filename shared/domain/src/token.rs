//! Secrets that the platform issues: API keys, tokens of channels and of service accounts. Only their hash is stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 32 random bytes in base62.
const SECRET_CHARS: usize = 43;
/// A CRC-32 of the text before it, so that a secret scanner can verify a key offline.
const CHECKSUM_CHARS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    ApiKey,
    Channel,
    /// The token of a service account.
    Service,
}

impl TokenKind {
    pub fn prefix(self) -> &'static str {
        match self {
            Self::ApiKey => "sk-svc-",
            Self::Channel => "whk_",
            Self::Service => "svt_",
        }
    }
}

/// A plain-text secret. `Debug` prints only its last four characters, and dropping it wipes its memory.
pub struct SecretToken(Zeroizing<String>);

/// The SHA-256 hash of a secret, which is stored instead of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenHash(String);

impl SecretToken {
    pub fn generate(kind: TokenKind) -> Self {
        let mut random = Zeroizing::new([0; 32]);
        SystemRandom::new().fill(&mut *random).expect("the system has randomness");
        let mut text = Zeroizing::new(kind.prefix().to_owned());
        text.push_str(&Zeroizing::new(base62(&*random, SECRET_CHARS)));
        let checksum = crc32fast::hash(text.as_bytes());
        text.push_str(&base62(&checksum.to_be_bytes(), CHECKSUM_CHARS));
        Self(text)
    }

    /// Checks the format and the checksum of a token, so that an invalid one needs no database lookup.
    pub fn parse(kind: TokenKind, text: &str) -> Option<Self> {
        let body = text.strip_prefix(kind.prefix())?;
        if body.len() != SECRET_CHARS + CHECKSUM_CHARS || !body.bytes().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        let (secret, checksum) = text.split_at(text.len() - CHECKSUM_CHARS);
        let expected = base62(&crc32fast::hash(secret.as_bytes()).to_be_bytes(), CHECKSUM_CHARS);
        (checksum == expected).then(|| Self(Zeroizing::new(text.to_owned())))
    }

    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }

    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }

    /// The plain-text secret, for the one response that shows it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SecretToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "…{}", self.last4())
    }
}

impl TokenHash {
    pub(crate) fn of(secret: &str) -> Self {
        Self(URL_SAFE_NO_PAD.encode(digest(&SHA256, secret.as_bytes())))
    }

    pub fn from_stored(hash: String) -> Self {
        Self(hash)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

/// Encodes a big-endian number in base62, padded with zeros to `width`.
fn base62(bytes: &[u8], width: usize) -> String {
    let mut number = Zeroizing::new(bytes.to_vec());
    let mut digits = vec![ALPHABET[0]; width];
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0u32;
        for byte in number.iter_mut() {
            let value = remainder << 8 | u32::from(*byte);
            *byte = (value / 62) as u8;
            remainder = value % 62;
        }
        *digit = ALPHABET[remainder as usize];
    }
    String::from_utf8(digits).expect("the alphabet is ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_tokens_parse_and_keep_their_hash() {
        for kind in [TokenKind::ApiKey, TokenKind::Channel, TokenKind::Service] {
            let token = SecretToken::generate(kind);
            let parsed = SecretToken::parse(kind, token.reveal()).expect("its own form");
            assert!(parsed.hash().matches(&token.hash()));
            assert!(!parsed.hash().matches(&SecretToken::generate(kind).hash()));
        }
    }

    #[test]
    fn mistyped_and_foreign_tokens_are_refused_by_their_format() {
        let token = SecretToken::generate(TokenKind::ApiKey);
        let mut typo = token.reveal().to_owned();
        let flipped = if typo.as_bytes()[20] == b'a' { "b" } else { "a" };
        typo.replace_range(20..21, flipped);
        assert!(SecretToken::parse(TokenKind::ApiKey, &typo).is_none());
        assert!(SecretToken::parse(TokenKind::Channel, token.reveal()).is_none());
        assert!(SecretToken::parse(TokenKind::ApiKey, "sk-svc-").is_none());
        assert!(SecretToken::parse(TokenKind::ApiKey, "sk-svc-ñ").is_none());
    }

    #[test]
    fn debug_output_does_not_show_the_secret() {
        let token = SecretToken::generate(TokenKind::ApiKey);
        assert_eq!(format!("{token:?}"), format!("…{}", token.last4()));
    }

    #[test]
    fn base62_is_positional() {
        assert_eq!(base62(&[0, 0], 3), "000");
        assert_eq!(base62(&[0, 61], 3), "00z");
        assert_eq!(base62(&[0, 62], 3), "010");
        assert_eq!(base62(&[0xff; 4], 6), "4gfFC3");
    }
}
