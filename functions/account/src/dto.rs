//! Response bodies, and the limits check for a new API key.

use auth::Caller;
use domain::identity::{Membership, Org, Plan, User};
use domain::limits::{Dimension, Level};
use domain::time::Time;
use domain::{Error, Result};
use serde::Serialize;
use store::catalog::Listing;
use store::identities::Identity;
use store::key_ring::KeySettings;
use store::model_catalog::find_guard;
use utoipa::ToSchema;
use web::gateway::{ApiKeyOut, InputGuardWire, KeySettingsIn, PlanLimitsOut, RoleName};

/// The caller's account, and the API key that authenticated the request.
#[derive(Serialize, ToSchema)]
#[schema(as = Me)]
pub struct MeOut {
    org: MyOrgOut,
    user: UserOut,
    membership: MembershipOut,
    plan: PlanOut,
    /// The API key that authenticated the request. Null if the request used an access token.
    #[schema(required)]
    api_key: Option<ApiKeyOut>,
}

/// The organization of the request.
#[derive(Serialize, ToSchema)]
#[schema(as = MyOrg)]
struct MyOrgOut {
    id: String,
    name: String,
    /// Whether the organization is suspended.
    suspended: bool,
}

/// The authenticated user.
#[derive(Serialize, ToSchema)]
#[schema(as = Me_User)]
struct UserOut {
    id: String,
    name: String,
    #[schema(required)]
    email: Option<String>,
}

/// The user's membership in the organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Membership)]
struct MembershipOut {
    role: RoleName,
}

/// The plan of the organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Me_Plan)]
struct PlanOut {
    id: String,
    name: String,
    /// Whether the plan is exempt from billing. Calls then report their cost, but nothing is deducted.
    is_billing_exempt: bool,
    /// Whether the rate limits in `limits` are enforced.
    has_rate_limits: bool,
    limits: PlanLimitsOut,
    /// Whether the guard evaluates the input of chats and images before the provider is called.
    input_guard: InputGuardWire,
    /// The model that evaluates texts, unless a request names another. Null: the plan has no guard, and if `input_guard`
    /// is not `off`, calls are refused with `guard_misconfigured`.
    #[schema(required)]
    guard_model: Option<String>,
}

impl MeOut {
    pub fn new(caller: &Caller, listing: &Listing, api_key: Option<ApiKeyOut>) -> Self {
        let Identity { user, org, membership } = &*caller.identity;
        let User { id: user_id, name: user_name, email, .. } = user;
        let Plan { id: plan_id, name: plan_name, is_billing_exempt, has_rate_limits, limits, input_guard, .. } =
            &*caller.plan;
        let guard = find_guard(listing, &caller.plan, caller.at).ok();
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
                input_guard: (*input_guard).into(),
                guard_model: guard.map(|model| model.name.clone()),
            },
            api_key,
        }
    }
}

/// An organization that the caller is a member of.
#[derive(Serialize, ToSchema)]
#[schema(as = OrgOfMine)]
pub struct OrgOut {
    id: String,
    name: String,
    /// The caller's role in the organization.
    role: RoleName,
    /// The id of the plan.
    plan: String,
    /// Whether the organization is suspended.
    suspended: bool,
}

impl From<(Org, Membership)> for OrgOut {
    fn from((org, membership): (Org, Membership)) -> Self {
        let Org { id, name, plan, suspended, .. } = org;
        Self { id: id.to_string(), name, role: membership.role.into(), plan, suspended }
    }
}

/// Validates the settings of a new API key. Its rate limits must not exceed the plan's limits for a key.
pub fn check_key(body: KeySettingsIn, listing: &Listing, plan: &Plan, now: Time) -> Result<KeySettings> {
    let settings = body.read(None, listing, plan, now)?;
    if let Some(own) = settings.limits.filter(|_| plan.has_rate_limits) {
        let most = plan.limits.get(Level::Key);
        let higher = |dimension: &Dimension| own.get(*dimension) > most.get(*dimension).or(Some(u64::MAX));
        if let Some(dimension) = Dimension::ALL.into_iter().find(higher) {
            return Err(Error::invalid_body(
                format!("limits.{dimension}"),
                "exceeds the limit that your plan sets for a key; lower it",
            ));
        }
    }
    Ok(settings)
}

/// A new API key with its secret. The secret is returned only once.
#[derive(Serialize, ToSchema)]
#[schema(as = NewApiKey)]
pub struct NewApiKeyOut {
    #[serde(flatten)]
    pub key: ApiKeyOut,
    /// The secret. Send it in the header `Authorization: Bearer`.
    #[schema(example = "sk-svc-…")]
    pub secret: String,
}
