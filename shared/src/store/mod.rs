//! The only place that knows DynamoDB: one repository per entity, over one small `Table`.

pub mod admin;
pub mod agents;
pub mod api_keys;
pub mod attention;
pub mod catalog;
pub mod claims;
pub mod dependents;
pub mod idempotency;
pub mod identities;
pub mod key_ring;
pub mod keys;
pub mod leases;
pub mod ledger;
mod listing;
pub mod meters;
mod slice;
pub mod table;
pub mod usage;
pub mod work;
pub mod workflows;
mod write;

pub use admin::Admin;
pub use agents::Agents;
pub use api_keys::ApiKeys;
pub use attention::Attention;
pub use catalog::Catalog;
pub use claims::Claims;
pub use identities::Identities;
pub use key_ring::KeyRing;
pub use leases::Leases;
pub use ledger::Ledger;
pub use meters::MeterBook;
pub use usage::Usage;
pub use work::Works;
pub use workflows::Workflows;
