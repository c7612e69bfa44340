//! The secret key of the embedded services. It is generated at every start, and only this platform's clients get it.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

use crate::failure::Failure;

const SECRET_BYTES: usize = 32;

/// A program with this key can read and change all data of the platform.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(Arc<str>);

impl SecretKey {
    pub fn generate() -> Result<Self, Failure> {
        let mut bytes = [0; SECRET_BYTES];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| Failure::Other("the random number generator of the system failed".to_owned()))?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes).into()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey")
    }
}
