//! Wire types that several functions of the gateway show.

mod api_key;
mod limits;
mod model;
mod transaction;

pub use api_key::ApiKeyOut;
pub use limits::{LimitsIn, LimitsOut, PlanLimitsIn, PlanLimitsOut, SpendingCapOut};
pub use model::{DeprecationOut, ModelTypeWire, PricingOut};
pub use transaction::{TotalsOut, TransactionKind, TransactionOut, TransactionsOut, month_of};
