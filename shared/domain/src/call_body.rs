//! The bodies of a call of a model that its organization keeps: what the client sent, and what it got.

use serde::{Deserialize, Serialize};

use super::id::{OrgId, TransactionId};
use super::ledger::Charge;
use super::time::Time;

/// Where the bodies of a call are kept, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPlace {
    pub org: OrgId,
    pub call: TransactionId,
    pub expires_at: Time,
    /// The name of the object. The bucket keeps it at least until the bodies expire.
    pub object: String,
}

impl BodyPlace {
    /// `None` if the organization did not keep bodies when the call was made.
    pub fn of_call(call: &Charge) -> Option<Self> {
        let retention = call.facts.as_ref()?.retention?;
        Some(Self {
            org: call.org,
            call: call.id,
            expires_at: call.bodies_expire_at()?,
            object: format!("{}/{}/{}", retention.object_prefix(), call.org, call.id),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptBodies {
    pub request: KeptBody,
    pub response: KeptBody,
}

/// The text of a body, or its beginning.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptBody {
    pub text: String,
    /// The body was longer than what is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl KeptBody {
    /// A longer body is cut.
    pub const MAX_BYTES: usize = 1024 * 1024;

    pub fn new(body: &str) -> Self {
        let kept = body.floor_char_boundary(Self::MAX_BYTES);
        Self { text: body[..kept].to_owned(), is_cut: kept < body.len() }
    }
}

/// Bodies never reach a log.
impl std::fmt::Debug for KeptBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeptBody({} bytes)", self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bodies_are_cut_between_characters() {
        let longest = "a".repeat(KeptBody::MAX_BYTES);
        assert_eq!(KeptBody::new(&longest), KeptBody { text: longest.clone(), is_cut: false });
        let cut = KeptBody::new(&format!("{}ñ", &longest[1..]));
        assert_eq!((cut.text.len(), cut.is_cut), (KeptBody::MAX_BYTES - 1, true));
    }
}
