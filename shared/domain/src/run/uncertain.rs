//! What happens with a call that may have taken place.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What happens when it is unknown whether an attempt took place: after a crash, a timeout or a lost answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnUncertain {
    /// The call is repeated; after a crash, with the same idempotency key.
    Retry,
    Fail,
    /// A person decides.
    Ask,
}
