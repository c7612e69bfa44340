//! What an organization, a user in it, or a key is held to.

use domain::id::{ApiKeyId, Id, OrgId, UserId};
use domain::identity::Account;
use domain::time::Time;
use domain::usd::UsdIn;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use shared::http::gateway::{LimitsOut, SpendingCapOut};
use shared::store::meters::{Meter, MeterOf};
use utoipa::{IntoParams, ToSchema};

/// Whose: `org`, `org` and `user`, or `key`.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WhoseQuery {
    /// An organization
    #[param(nullable = false)]
    org: Option<String>,
    /// A user in it
    #[param(nullable = false)]
    user: Option<String>,
    /// Or an API key
    #[param(nullable = false)]
    key: Option<String>,
}

impl WhoseQuery {
    pub fn read(&self) -> Result<MeterOf> {
        match (&self.org, &self.user, &self.key) {
            (Some(org), None, None) => Ok(MeterOf::Org(id(org)?)),
            (Some(org), Some(user), None) => {
                Ok(MeterOf::User(Account { org: id::<OrgId>(org)?, user: id::<UserId>(user)? }))
            }
            (None, None, Some(key)) => Ok(MeterOf::Key(id::<ApiKeyId>(key)?)),
            _ => Err(Error::invalid_query("org", "say whose: org, org and user, or key")),
        }
    }
}

/// What is no id is not found, as in a path.
pub fn id<I: Id>(text: &str) -> Result<I> {
    text.parse().map_err(|_| Error::NotFound { kind: I::KIND })
}

/// `org`, `user` or `key`, and its id.
pub fn scope(of: MeterOf) -> (&'static str, String) {
    let id = match of {
        MeterOf::Org(org) => org.to_string(),
        MeterOf::User(Account { user, .. }) => user.to_string(),
        MeterOf::Key(key) => key.to_string(),
    };
    (of.level().as_str(), id)
}

/// Their own limits; where these say nothing, the plan's hold.
#[derive(Serialize, ToSchema)]
#[schema(as = OwnLimits)]
pub struct OwnLimitsOut {
    #[schema(example = "org")]
    scope: &'static str,
    id: String,
    /// Null when there are none
    #[schema(required)]
    limits: Option<LimitsOut>,
}

impl OwnLimitsOut {
    pub fn new(of: MeterOf, meter: &Meter) -> Self {
        let (scope, id) = scope(of);
        Self { scope, id, limits: meter.limits().map(LimitsOut::from) }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CapIn {
    /// US dollars a calendar month (UTC)
    pub limit: UsdIn,
}

/// The cap, if there is one.
pub fn cap(of: MeterOf, meter: &Meter, now: Time) -> Option<SpendingCapOut> {
    let (scope, id) = scope(of);
    Some(SpendingCapOut::new(scope, id, meter.cap()?, meter.spent(of.level(), now)))
}
