//! Request and response bodies of organizations, users and API keys.

use auth::{Auth, DEFAULT_PLAN, MAX_NAME_BYTES};
use domain::body_problems::Problems;
use domain::id::{OrgId, UserId};
use domain::identity::{Membership, Org, Role, User};
use domain::page::Slice;
use domain::schema::{self, Title};
use domain::time::Time;
use domain::usd::UsdIn;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use store::api_keys::ApiKey;
use store::meters::Meter;
use utoipa::{IntoParams, ToSchema};
use web::cursor::Cursors;
use web::gateway::{ApiKeyOut, KeyName, KeySettingsIn, LimitsIn, RoleName};
use web::paging::{default_per_page, per_page};

use super::meters::parse_id;
use super::{Email, ExternalId, PlainName};

/// A new organization.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrgIn {
    #[schema(value_type = Title)]
    pub name: String,
    /// The id of the plan. Defaults to `default`.
    #[schema(value_type = Option<PlainName>)]
    pub plan: Option<String>,
    /// The organization's identifier in the identity provider's access tokens. Tokens with this identifier then belong
    /// to this organization. Without it, the organization is reachable only with API keys.
    #[schema(value_type = Option<ExternalId>)]
    pub external_id: Option<String>,
}

impl OrgIn {
    pub fn read(self, auth: &Auth, now: Time) -> Result<Org> {
        let mut problems = Problems::default();
        problems.take(schema::check(&self));
        let Self { name, plan, external_id } = self;
        let plan = plan.unwrap_or_else(|| DEFAULT_PLAN.to_owned());
        problems.take(check_external_id(external_id.as_deref()));
        problems.finish()?;
        let id = external_id.map_or_else(OrgId::new, |external_id| auth.org_of_issuer(&external_id));
        Ok(Org { id, name, plan, suspended: false, keeps_guard_input: false, call_retention: None, created_at: now })
    }
}

/// A new user in an organization.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserIn {
    #[schema(value_type = Title)]
    pub name: String,
    #[schema(value_type = Option<Email>)]
    pub email: Option<String>,
    /// The id of the organization.
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    /// The user's role in the organization. Defaults to `member`. The role in a later access token replaces it.
    pub role: Option<RoleName>,
    /// The `sub` claim of the user's access tokens. Tokens with this claim then belong to this user. Without it, the
    /// user can authenticate only with API keys.
    #[schema(value_type = Option<ExternalId>)]
    pub external_id: Option<String>,
}

impl UserIn {
    pub fn read(self, auth: &Auth, now: Time) -> Result<(User, Membership)> {
        let mut problems = Problems::default();
        problems.take(schema::check(&self));
        let Self { name, email, org, role, external_id } = self;
        problems.take(check_external_id(external_id.as_deref()));
        problems.finish()?;
        let id = external_id.map_or_else(UserId::new, |external_id| auth.user_of_issuer(&external_id));
        let role = role.map_or(Role::Member, Role::from);
        let org = parse_id(&org)?;
        let membership = Membership { org, user: id, role, role_at: now.as_seconds(), listed: true, created_at: now };
        Ok((User { id, name, email, suspended: false, created_at: now }, membership))
    }
}

/// Refuses an external id that no access token can have.
fn check_external_id(external_id: Option<&str>) -> Result<()> {
    match external_id.is_none_or(|id| id.len() <= MAX_NAME_BYTES) {
        true => Ok(()),
        false => Err(Error::invalid_body("external_id", format_args!("at most {MAX_NAME_BYTES} bytes in UTF-8"))),
    }
}

/// The fields of an organization that an operator may change.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrgPatch {
    #[schema(value_type = Title, required = false)]
    name: String,
    /// The id of the plan.
    #[schema(value_type = PlainName, required = false)]
    plan: String,
    /// Whether the organization is suspended. While it is, all its credentials are refused.
    #[schema(required = false)]
    suspended: bool,
    /// Whether guard events keep the messages that they evaluated.
    #[schema(required = false)]
    keeps_guard_input: bool,
}

impl From<&Org> for OrgPatch {
    fn from(Org { name, plan, suspended, keeps_guard_input, .. }: &Org) -> Self {
        let (suspended, keeps_guard_input) = (*suspended, *keeps_guard_input);
        Self { name: name.clone(), plan: plan.clone(), suspended, keeps_guard_input }
    }
}

impl OrgPatch {
    pub fn read(self, before: &Org) -> Result<Org> {
        schema::check(&self)?;
        let Self { name, plan, suspended, keeps_guard_input } = self;
        Ok(Org { name, plan, suspended, keeps_guard_input, ..before.clone() })
    }
}

/// An organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Org)]
pub struct OrgOut {
    id: String,
    name: String,
    /// The id of the plan.
    plan: String,
    /// Whether the organization is suspended. While it is, all its credentials are refused.
    suspended: bool,
    /// Whether guard events keep the messages that they evaluated.
    keeps_guard_input: bool,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<&Org> for OrgOut {
    fn from(Org { id, name, plan, suspended, keeps_guard_input, call_retention: _, created_at }: &Org) -> Self {
        let (id, created_at) = (id.to_string(), created_at.to_string());
        let (suspended, keeps_guard_input) = (*suspended, *keeps_guard_input);
        Self { id, name: name.clone(), plan: plan.clone(), suspended, keeps_guard_input, created_at }
    }
}

/// The fields of a user that an operator may change.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPatch {
    /// Whether the user is suspended. While they are, their credentials are refused in every organization.
    #[schema(required = false)]
    suspended: bool,
}

impl From<&User> for UserPatch {
    fn from(user: &User) -> Self {
        Self { suspended: user.suspended }
    }
}

impl UserPatch {
    pub fn read(self, before: &User) -> User {
        User { suspended: self.suspended, ..before.clone() }
    }
}

/// A user.
#[derive(Serialize, ToSchema)]
#[schema(as = User)]
pub struct UserOut {
    id: String,
    name: String,
    #[schema(required)]
    email: Option<String>,
    /// Whether the user is suspended. While they are, their credentials are refused in every organization.
    suspended: bool,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<&User> for UserOut {
    fn from(User { id, name, email, suspended, created_at }: &User) -> Self {
        let (name, email) = (name.clone(), email.clone());
        Self { id: id.to_string(), name, email, suspended: *suspended, created_at: created_at.to_string() }
    }
}

/// A new user, with the organization and the role in it.
#[derive(Serialize, ToSchema)]
#[schema(as = NewUser)]
pub struct NewUserOut {
    #[serde(flatten)]
    user: UserOut,
    org: String,
    role: RoleName,
}

impl NewUserOut {
    pub fn new(user: &User, membership: &Membership) -> Self {
        Self { user: user.into(), org: membership.org.to_string(), role: membership.role.into() }
    }
}

/// A user's role in an organization, for the audit log.
#[derive(Serialize)]
pub struct MembershipOut {
    org: String,
    user: String,
    role: RoleName,
}

impl From<&Membership> for MembershipOut {
    fn from(Membership { org, user, role, .. }: &Membership) -> Self {
        Self { org: org.to_string(), user: user.to_string(), role: (*role).into() }
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct KeysQuery {
    /// The id of the organization.
    #[param(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    /// Returns only the keys of this user.
    #[param(nullable = false)]
    pub user: Option<String>,
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

/// An API key with its organization and user.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminApiKey)]
pub struct KeyOut {
    org: String,
    user: String,
    #[serde(flatten)]
    key: ApiKeyOut,
}

impl KeyOut {
    pub fn new(key: &ApiKey, meter: &Meter) -> Self {
        let (org, user) = (key.account.org.to_string(), key.account.user.to_string());
        Self { org, user, key: ApiKeyOut::new(key, meter) }
    }
}

/// A new API key for a user in an organization.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyIn {
    /// The id of the organization.
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    /// The id of a user in the organization.
    #[schema(example = "usr_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub user: String,
    #[schema(value_type = KeyName)]
    name: String,
    /// The names or aliases of the models that the key may call. Defaults to all models of the plan.
    #[schema(min_items = 1, max_items = 100)]
    models: Option<Vec<String>>,
    /// The key's own rate limits. A limit that is not set here comes from the plan.
    limits: Option<LimitsIn>,
    /// The maximum spending per calendar month, in US dollars.
    spending_cap: Option<UsdIn>,
    /// When the key expires.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Time>,
}

impl KeyIn {
    pub fn settings(self) -> KeySettingsIn {
        let Self { org: _, user: _, name, models, limits, spending_cap, expires_at } = self;
        KeySettingsIn { name, models, limits, spending_cap, expires_at }
    }
}

/// A new API key with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = NewAdminApiKey)]
pub struct NewKeyOut {
    #[serde(flatten)]
    pub key: KeyOut,
    /// The secret, returned only once. Null in a replayed response, because only a hash of the secret is stored.
    #[schema(required, example = "sk-svc-…")]
    pub secret: Option<String>,
}

/// Converts a slice of stored items into a page of response bodies.
pub fn to_page<T, U: for<'a> From<&'a T>>(slice: Slice<T>, cursors: Cursors) -> web::gateway::CursorList<U> {
    web::gateway::CursorList::new(slice.map(|thing| U::from(&thing)), cursors)
}
