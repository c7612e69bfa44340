//! What calls of other systems have in common, whoever drew them: an address, and names with values, of which those
//! that look secret are left out and told.

use super::loose::clipped;
use super::pieces::{Notes, note};
use super::secrets::{is_secret, without_secrets};

/// What the platform sets itself.
const OWN_HEADERS: [&str; 4] = ["content-length", "host", "idempotency-key", "transfer-encoding"];
/// A node needs no more credentials, whatever its file says.
const MAX_RECONNECT: usize = 40;

/// What is to be told of a call while it is read.
#[derive(Default)]
pub struct Call {
    pub notes: Notes,
    pub reconnect: Vec<String>,
}

impl Call {
    /// An address as it may be kept.
    pub fn address(&mut self, written: &str) -> String {
        let written = written.trim();
        let is_whole = ["{{", "http://", "https://"].iter().any(|start| written.starts_with(start));
        if !is_whole {
            note(&mut self.notes, "its address did not say how to call it: https is taken");
        }
        let scheme = if is_whole { "" } else { "https://" };
        let (address, secrets) = without_secrets(&format!("{scheme}{written}"));
        secrets.iter().for_each(|what| self.leave_out(what));
        address
    }

    /// Whether a header is carried over.
    pub fn takes_header(&mut self, name: &str) -> bool {
        if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            note(&mut self.notes, format!("its header {} is set by the platform", name.to_ascii_lowercase()));
            return false;
        }
        self.takes("header", name)
    }

    /// Whether a parameter of the query is carried over.
    pub fn takes_parameter(&mut self, name: &str) -> bool {
        self.takes("query parameter", name)
    }

    fn takes(&mut self, kind: &str, name: &str) -> bool {
        let is_left_out = is_secret(name);
        if is_left_out {
            self.leave_out(&format!("{kind} {name}"));
        }
        !is_left_out
    }

    fn leave_out(&mut self, what: &str) {
        let what = clipped(what, 100);
        note(&mut self.notes, format!("its {what} is left out: secrets are kept in credentials"));
        let credential = format!("a credential for the {what}");
        if self.reconnect.len() < MAX_RECONNECT && !self.reconnect.contains(&credential) {
            self.reconnect.push(credential);
        }
    }
}
