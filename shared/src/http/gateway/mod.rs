//! Wire types that several functions of the gateway share.

mod api_key;
mod guard;
mod key_settings;
mod limits;
mod model;
mod role;
mod transaction;
mod usage;
mod wire_enum;

pub use api_key::ApiKeyOut;
pub use guard::{GuardEventOut, GuardResultOut, GuardSeverityWire, InputGuardWire};
pub use key_settings::KeySettingsIn;
pub use limits::{LimitsIn, LimitsOut, PlanLimitsIn, PlanLimitsOut, SpendingCapOut};
pub use model::{DeprecationOut, ModelTypeWire, PricingOut};
pub use role::RoleName;
pub use transaction::{TotalsOut, TransactionKind, TransactionOut, TransactionsOut, month_of};
pub use usage::{FiguresOut, OrgUsageOut, UsageOut, UsageQuery, period};
