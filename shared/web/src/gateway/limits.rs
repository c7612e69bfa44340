//! The wire types of rate limits and spending caps.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use domain::usd::Usd;

// The maximum keeps the sums of counters from overflowing.
/// The maximum per window. A null or missing field sets no limit
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsIn {
    /// Requests per minute
    #[schema(maximum = 1000000000000_u64)]
    rpm: Option<u64>,
    /// Requests per day
    #[schema(maximum = 1000000000000_u64)]
    rpd: Option<u64>,
    /// Tokens per minute
    #[schema(maximum = 1000000000000_u64)]
    tpm: Option<u64>,
    /// Tokens per day
    #[schema(maximum = 1000000000000_u64)]
    tpd: Option<u64>,
    /// Images per minute
    #[schema(maximum = 1000000000000_u64)]
    ipm: Option<u64>,
}

impl From<Limits> for LimitsIn {
    fn from(Limits { rpm, rpd, tpm, tpd, ipm }: Limits) -> Self {
        Self { rpm, rpd, tpm, tpd, ipm }
    }
}

impl From<LimitsIn> for Limits {
    fn from(LimitsIn { rpm, rpd, tpm, tpd, ipm }: LimitsIn) -> Self {
        Self { rpm, rpd, tpm, tpd, ipm }
    }
}

/// The limits of a plan: for each organization on it, for each of their users, and for each key
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanLimitsIn {
    org: Option<LimitsIn>,
    user: Option<LimitsIn>,
    key: Option<LimitsIn>,
}

impl From<PlanLimitsIn> for PlanLimits {
    fn from(PlanLimitsIn { org, user, key }: PlanLimitsIn) -> Self {
        let [org, user, key] = [org, user, key].map(|limits| limits.unwrap_or_default().into());
        Self { org, user, key }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Limits)]
pub struct LimitsOut {
    #[schema(required)]
    rpm: Option<u64>,
    #[schema(required)]
    rpd: Option<u64>,
    #[schema(required)]
    tpm: Option<u64>,
    #[schema(required)]
    tpd: Option<u64>,
    #[schema(required)]
    ipm: Option<u64>,
}

impl From<Limits> for LimitsOut {
    fn from(Limits { rpm, rpd, tpm, tpd, ipm }: Limits) -> Self {
        Self { rpm, rpd, tpm, tpd, ipm }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = PlanLimits)]
pub struct PlanLimitsOut {
    org: LimitsOut,
    user: LimitsOut,
    key: LimitsOut,
}

impl From<PlanLimits> for PlanLimitsOut {
    fn from(PlanLimits { org, user, key }: PlanLimits) -> Self {
        Self { org: org.into(), user: user.into(), key: key.into() }
    }
}

/// A limit on the spending of a calendar month (UTC)
#[derive(Serialize, ToSchema)]
#[schema(as = SpendingCap)]
pub struct SpendingCapOut {
    #[schema(example = "org")]
    scope: &'static str,
    id: String,
    #[schema(example = "month")]
    period: &'static str,
    limit: Usd,
    /// The spending of this month, including what open leases reserve
    used: Usd,
}

impl SpendingCapOut {
    pub fn new(scope: &'static str, id: impl ToString, limit: Money, used: Money) -> Self {
        Self { scope, id: id.to_string(), period: "month", limit: limit.into(), used: used.into() }
    }
}
