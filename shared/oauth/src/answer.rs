//! What an authorization server adds to the URL of the browser.

use form_urlencoded::Serializer;
use serde::Deserialize;

/// The answer. It may have other parameters too.
#[derive(Deserialize)]
pub struct BrowserAnswer {
    pub code: Option<String>,
    pub state: Option<String>,
    pub error: Option<String>,
    pub iss: Option<String>,
}

impl BrowserAnswer {
    /// The answer as a query.
    pub fn to_query(&self) -> String {
        let fields = [("code", &self.code), ("state", &self.state), ("error", &self.error), ("iss", &self.iss)];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
        Serializer::new(String::new()).extend_pairs(fields).finish()
    }
}

/// The code of an error as it may be shown. Other texts of the authorization server are not shown.
pub fn shown_code(error: &str) -> &str {
    let is_code =
        !error.is_empty() && error.len() <= 64 && error.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if is_code { error } else { "error" }
}
