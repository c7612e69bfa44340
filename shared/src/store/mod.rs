//! The only place that knows DynamoDB: one repository per entity, over one small `Table`.

pub mod agents;
pub mod api_keys;
pub mod balances;
pub mod catalog;
pub mod dependents;
pub mod idempotency;
pub mod identities;
pub mod keys;
pub mod table;
pub mod work;
mod write;

pub use agents::Agents;
pub use api_keys::ApiKeys;
pub use balances::Balances;
pub use catalog::Catalog;
pub use identities::Identities;
pub use work::Works;
