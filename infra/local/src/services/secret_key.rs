//! The secret key of the embedded services: made at every start, and given to this platform's own clients only.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

use crate::failure::Failure;

const SECRET_BYTES: usize = 32;

/// Whoever has it may read and change everything that the platform stores.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(Arc<str>);

impl SecretKey {
    pub fn generate() -> Result<Self, Failure> {
        let mut bytes = [0; SECRET_BYTES];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| Failure::Said("the system has no randomness".to_owned()))?;
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
