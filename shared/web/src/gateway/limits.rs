//! The wire types of rate limits and spending caps.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use domain::Result;
use domain::body_problems::Problems;
use domain::limits::{Limits, PlanLimits};
use domain::money::Money;
use domain::usd::Usd;

/// The largest limit that can be set. It keeps the sums of counters from overflowing.
const MAX_LIMIT: u64 = 1_000_000_000_000;

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

impl LimitsIn {
    /// Validates the limits. `field` is their path in the body.
    pub fn read(self, field: &str) -> Result<Limits> {
        let Self { rpm, rpd, tpm, tpd, ipm } = self;
        let mut problems = Problems::default();
        for (name, limit) in [("rpm", rpm), ("rpd", rpd), ("tpm", tpm), ("tpd", tpd), ("ipm", ipm)] {
            if limit.is_some_and(|limit| limit > MAX_LIMIT) {
                let path = if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
                problems.add(&path, format_args!("at most {MAX_LIMIT}"));
            }
        }
        problems.finish().map(|()| Limits { rpm, rpd, tpm, tpd, ipm })
    }
}

/// The limits of a plan: for each organization on it, for each of their users, and for each key
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanLimitsIn {
    org: Option<LimitsIn>,
    user: Option<LimitsIn>,
    key: Option<LimitsIn>,
}

impl PlanLimitsIn {
    pub fn read(self) -> Result<PlanLimits> {
        let mut problems = Problems::default();
        let mut read = |limits: Option<LimitsIn>, field| problems.or_default(limits.unwrap_or_default().read(field));
        let limits = PlanLimits {
            org: read(self.org, "limits.org"),
            user: read(self.user, "limits.user"),
            key: read(self.key, "limits.key"),
        };
        problems.finish().map(|()| limits)
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
