//! The links to the further pages of a form. Only the browser that has sent the form and the members who operate the workflow have its
//! link: the id of the run alone, which other systems see, opens no page.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac::{HMAC_SHA256, Key, sign};
use subtle::ConstantTimeEq;

use crate::id::RunId;
use crate::webhook::Webhook;

/// 128 bits, which nobody guesses.
const MARK_BYTES: usize = 16;

pub fn is_link(text: &str) -> bool {
    text.len() < 100 && text.is_ascii() && text.contains('.')
}

impl Webhook {
    /// The link to the pages of a run: its id, and a mark that only somebody with the token of the webhook could make. A new token
    /// makes all links invalid.
    pub fn form_link(&self, run: RunId) -> String {
        format!("{run}.{}", self.mark_of(run))
    }

    /// The run of a link; none if the link was not made for this webhook.
    pub fn run_of_link(&self, link: &str) -> Option<RunId> {
        let (run, mark) = link.split_once('.')?;
        let run: RunId = run.parse().ok()?;
        let is_real: bool = self.mark_of(run).as_bytes().ct_eq(mark.as_bytes()).into();
        is_real.then_some(run)
    }

    fn mark_of(&self, run: RunId) -> String {
        let key = Key::new(HMAC_SHA256, self.token.as_str().as_bytes());
        let mark = sign(&key, format!("form {run}").as_bytes());
        URL_SAFE_NO_PAD.encode(&mark.as_ref()[..MARK_BYTES])
    }
}
