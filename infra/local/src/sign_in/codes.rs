//! Authorization codes: each can be exchanged once, within a minute.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domain::session::random_text;
use domain::time::Time;

use crate::issuer::Subject;

/// All codes are forgotten beyond this number.
const MAX_CODES: usize = 100;

#[derive(Default)]
pub struct Codes(Mutex<HashMap<String, Code>>);

/// A code that the client has not exchanged yet.
pub struct Code {
    pub subject: Subject,
    pub client_id: String,
    pub redirect_uri: String,
    pub nonce: Option<String>,
    pub challenge: String,
    pub valid_until: Time,
}

impl Codes {
    /// Returns the name of the code.
    pub fn keep(&self, code: Code, now: Time) -> String {
        let (name, mut codes) = (random_text().to_string(), self.0.lock().unwrap_or_else(PoisonError::into_inner));
        codes.retain(|_, code| now < code.valid_until);
        if codes.len() >= MAX_CODES {
            codes.clear();
        }
        codes.insert(name.clone(), code);
        name
    }

    pub fn take(&self, name: &str, now: Time) -> Option<Code> {
        let code = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name)?;
        (now < code.valid_until).then_some(code)
    }
}
