//! What the family takes and answers.

use serde::{Deserialize, Serialize};
use shared::auth::Caller;
use shared::domain::identity::{Membership, Org, Plan, Role, User};
use shared::domain::limits::{Dimension, Level, Limits};
use shared::domain::money::Money;
use shared::domain::time::Time;
use shared::gateway::visible;
use shared::http::gateway::{ApiKeyOut, LimitsIn, PlanLimitsOut};
use shared::http::usd::UsdIn;
use shared::store::catalog::Listing;
use shared::store::identities::Identity;
use shared::{Error, Result};
use utoipa::ToSchema;

const MAX_NAME_CHARS: usize = 200;
const MAX_MODELS: usize = 100;

/// Who calls, and with what.
#[derive(Serialize, ToSchema)]
#[schema(as = Me)]
pub struct MeOut {
    org: MyOrgOut,
    user: UserOut,
    membership: MembershipOut,
    plan: PlanOut,
    /// The key of this call; null with an access token
    #[schema(required)]
    api_key: Option<ApiKeyOut>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MyOrg)]
struct MyOrgOut {
    id: String,
    name: String,
    suspended: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Me_User)]
struct UserOut {
    id: String,
    name: String,
    #[schema(required)]
    email: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Membership)]
struct MembershipOut {
    role: RoleOut,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
enum RoleOut {
    Member,
    Admin,
    Operator,
}

impl From<Role> for RoleOut {
    fn from(role: Role) -> Self {
        match role {
            Role::Member => Self::Member,
            Role::Admin => Self::Admin,
            Role::Operator => Self::Operator,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Me_Plan)]
struct PlanOut {
    id: String,
    name: String,
    is_billing_exempt: bool,
    has_rate_limits: bool,
    limits: PlanLimitsOut,
}

impl MeOut {
    pub fn new(caller: &Caller, api_key: Option<ApiKeyOut>) -> Self {
        let Identity { user, org, membership } = &*caller.identity;
        let User { id: user_id, name: user_name, email, .. } = user;
        let Plan { id: plan_id, name: plan_name, is_billing_exempt, has_rate_limits, limits, .. } = &*caller.plan;
        Self {
            org: MyOrgOut { id: org.id.to_string(), name: org.name.clone(), suspended: org.suspended },
            user: UserOut { id: user_id.to_string(), name: user_name.clone(), email: email.clone() },
            membership: MembershipOut { role: membership.role.into() },
            plan: PlanOut {
                id: plan_id.clone(),
                name: plan_name.clone(),
                is_billing_exempt: *is_billing_exempt,
                has_rate_limits: *has_rate_limits,
                limits: (*limits).into(),
            },
            api_key,
        }
    }
}

/// An organization of the caller's.
#[derive(Serialize, ToSchema)]
#[schema(as = OrgOfMine)]
pub struct OrgOut {
    id: String,
    name: String,
    role: RoleOut,
    plan: String,
    suspended: bool,
}

impl From<(Org, Membership)> for OrgOut {
    fn from((org, membership): (Org, Membership)) -> Self {
        let Org { id, name, plan, suspended, .. } = org;
        Self { id: id.to_string(), name, role: membership.role.into(), plan, suspended }
    }
}

/// A new key.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApiKeyIn {
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// The models it may call, by name or alias; all of the plan's when null or left out
    #[schema(min_items = 1, max_items = 100)]
    pub models: Option<Vec<String>>,
    /// Its own limits, no higher than the plan's for keys
    limits: Option<LimitsIn>,
    /// US dollars a calendar month
    spending_cap: Option<UsdIn>,
    /// From then on it is not valid any more.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Time>,
}

/// What a key is held to.
pub struct Held {
    pub limits: Option<Limits>,
    pub cap: Option<Money>,
}

impl ApiKeyIn {
    /// Checks it: a key never reaches beyond its plan.
    pub fn check(&self, listing: &Listing, plan: &Plan, now: Time) -> Result<Held> {
        if self.name.trim().is_empty() || self.name.chars().count() > MAX_NAME_CHARS {
            return Err(Error::invalid_body("name", format_args!("1 to {MAX_NAME_CHARS} characters")));
        }
        let models = self.models.as_deref().unwrap_or_default();
        if self.models.is_some() && (models.is_empty() || models.len() > MAX_MODELS) {
            return Err(Error::invalid_body("models", format_args!("1 to {MAX_MODELS} names, or null for all")));
        }
        if let Some(i) = models.iter().position(|name| visible(listing, plan, name, now).is_err()) {
            return Err(Error::invalid_body(format!("models[{i}]"), "no such model in your plan"));
        }
        if self.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(Error::invalid_body("expires_at", "a moment in the future"));
        }
        let limits = self.limits.map(|limits| limits.read("limits")).transpose()?;
        if let Some(own) = limits.filter(|_| plan.has_rate_limits) {
            let most = plan.limits.of(Level::Key);
            let higher = |dimension: &Dimension| own.of(*dimension) > most.of(*dimension).or(Some(u64::MAX));
            if let Some(dimension) = Dimension::ALL.into_iter().find(higher) {
                return Err(Error::invalid_body(format!("limits.{dimension}"), "higher than your plan allows a key"));
            }
        }
        Ok(Held { limits, cap: self.spending_cap.map(|cap| cap.0) })
    }
}

/// A key with its secret, which is shown this once.
#[derive(Serialize, ToSchema)]
#[schema(as = NewApiKey)]
pub struct NewApiKeyOut {
    #[serde(flatten)]
    pub key: ApiKeyOut,
    #[schema(example = "sk-svc-…")]
    pub secret: String,
}
