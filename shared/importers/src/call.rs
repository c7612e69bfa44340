//! What every imported HTTP call needs, from either platform: a clean address, and headers and parameters without
//! secrets. What is removed is reported.

use super::lenient::truncate;
use super::notes::{Notes, note};
use super::secrets::{is_secret, remove_url_secrets};

/// Headers that the platform sets itself.
const OWN_HEADERS: [&str; 4] = ["content-length", "host", "idempotency-key", "transfer-encoding"];
/// The most credentials that are listed for one node.
const MAX_RECONNECT: usize = 40;

/// What the report will say about a call.
#[derive(Default)]
pub struct HttpCall {
    pub notes: Notes,
    pub reconnect: Vec<String>,
}

impl HttpCall {
    /// The address without secrets, with a scheme.
    pub fn address(&mut self, written: &str) -> String {
        let written = written.trim();
        let has_scheme = ["{{", "http://", "https://"].iter().any(|start| written.starts_with(start));
        if !has_scheme {
            note(&mut self.notes, "its URL had no scheme: https is assumed");
        }
        let scheme = if has_scheme { "" } else { "https://" };
        let (address, secrets) = remove_url_secrets(&format!("{scheme}{written}"));
        secrets.iter().for_each(|what| self.report_removed(what));
        address
    }

    /// Whether a header is imported. One that is not is reported.
    pub fn accepts_header(&mut self, name: &str) -> bool {
        !self.is_own_header(name) && self.accepts("header", name)
    }

    /// Whether the platform sets a header itself, which is reported.
    pub fn is_own_header(&mut self, name: &str) -> bool {
        let is_own = OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own));
        if is_own {
            note(&mut self.notes, format!("its header {} is set by the platform", name.to_ascii_lowercase()));
        }
        is_own
    }

    /// Whether a query parameter is imported. One that is not is reported.
    pub fn accepts_parameter(&mut self, name: &str) -> bool {
        self.accepts("query parameter", name)
    }

    fn accepts(&mut self, kind: &str, name: &str) -> bool {
        let is_removed = is_secret(name);
        if is_removed {
            self.report_removed(&format!("{kind} {name}"));
        }
        !is_removed
    }

    /// Reports a secret that is left out.
    pub fn report_removed(&mut self, what: &str) {
        let what = truncate(what, 100);
        note(&mut self.notes, format!("its {what} is left out: keep secrets in a credential"));
        let credential = format!("a credential for the {what}");
        if self.reconnect.len() < MAX_RECONNECT && !self.reconnect.contains(&credential) {
            self.reconnect.push(credential);
        }
    }
}
