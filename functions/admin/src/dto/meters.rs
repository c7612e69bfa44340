//! Own rate limits and spending caps of an organization, a user or an API key.

use domain::id::{ApiKeyId, Id, OrgId, UserId};
use domain::identity::Account;
use domain::time::Time;
use domain::usd::UsdIn;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use store::meters::{Meter, MeterOwner};
use utoipa::{IntoParams, ToSchema};
use web::gateway::{LimitsOut, SpendingCapOut};

/// Selects an organization (`org`), a user in it (`org` and `user`) or an API key (`key`).
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ScopeQuery {
    /// The id of the organization.
    #[param(nullable = false)]
    org: Option<String>,
    /// The id of a user in the organization. Requires `org`.
    #[param(nullable = false)]
    user: Option<String>,
    /// The id of an API key. Cannot be combined with `org` or `user`.
    #[param(nullable = false)]
    key: Option<String>,
}

impl ScopeQuery {
    pub fn read(&self) -> Result<MeterOwner> {
        match (&self.org, &self.user, &self.key) {
            (Some(org), None, None) => Ok(MeterOwner::Org(parse_id(org)?)),
            (Some(org), Some(user), None) => {
                Ok(MeterOwner::User(Account { org: parse_id::<OrgId>(org)?, user: parse_id::<UserId>(user)? }))
            }
            (None, None, Some(key)) => Ok(MeterOwner::Key(parse_id::<ApiKeyId>(key)?)),
            _ => Err(Error::invalid_query("org", "invalid combination; use `org`, `org` and `user`, or `key`")),
        }
    }
}

/// Parses an id. A malformed id is answered with 404, as in a path.
pub fn parse_id<I: Id>(text: &str) -> Result<I> {
    text.parse().map_err(|_| Error::NotFound { kind: I::KIND })
}

/// Returns the scope (`org`, `user` or `key`) and the id in that scope.
pub fn meter_scope(of: MeterOwner) -> (&'static str, String) {
    let id = match of {
        MeterOwner::Org(org) => org.to_string(),
        MeterOwner::User(Account { user, .. }) => user.to_string(),
        MeterOwner::Key(key) => key.to_string(),
    };
    (of.level().as_str(), id)
}

/// The own rate limits of an organization, a user or an API key. A limit that is not set here comes from the plan.
#[derive(Serialize, ToSchema)]
#[schema(as = OwnLimits)]
pub struct OwnLimitsOut {
    /// The scope: `org`, `user` or `key`.
    #[schema(example = "org")]
    scope: &'static str,
    /// The id of the organization, user or key.
    id: String,
    /// The limits. Null if none are set.
    #[schema(required)]
    limits: Option<LimitsOut>,
}

impl OwnLimitsOut {
    pub fn new(of: MeterOwner, meter: &Meter) -> Self {
        let (scope, id) = meter_scope(of);
        Self { scope, id, limits: meter.limits().map(LimitsOut::from) }
    }
}

/// A spending cap.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CapIn {
    /// The maximum spending per calendar month (UTC), in US dollars.
    pub limit: UsdIn,
}

/// Returns the spending cap with this month's spending, or `None` if no cap is set.
pub fn spending_cap(of: MeterOwner, meter: &Meter, now: Time) -> Option<SpendingCapOut> {
    let (scope, id) = meter_scope(of);
    Some(SpendingCapOut::new(scope, id, meter.cap()?, meter.spent(of.level(), now)))
}
