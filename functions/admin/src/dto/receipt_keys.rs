//! The response body of a new key of receipts.

use serde::Serialize;
use store::receipt_keys::StoredReceiptKeys;
use utoipa::ToSchema;

/// The key that signs receipts.
#[derive(Serialize, ToSchema)]
#[schema(as = NewReceiptKey)]
pub struct NewReceiptKeyOut {
    /// Its id in receipts and in the key set.
    kid: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// The number of keys before it, which only verify.
    retired: usize,
}

impl From<&StoredReceiptKeys> for NewReceiptKeyOut {
    fn from(keys: &StoredReceiptKeys) -> Self {
        Self { kid: keys.current.kid(), created_at: keys.created_at.to_string(), retired: keys.retired.len() }
    }
}
