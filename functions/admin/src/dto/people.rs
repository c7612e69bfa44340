//! Organizations, users and their keys.

use domain::id::{OrgId, UserId};
use domain::identity::{Membership, Org, Role, User};
use domain::page::Slice;
use domain::time::Time;
use domain::usd::UsdIn;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use shared::auth::{Auth, DEFAULT_PLAN};
use shared::http::cursor::Cursors;
use shared::http::gateway::{ApiKeyOut, KeySettingsIn, LimitsIn, RoleName};
use shared::http::paging::{default_per_page, per_page};
use shared::store::api_keys::ApiKey;
use shared::store::meters::Meter;
use utoipa::{IntoParams, ToSchema};

use super::meters::id as read_id;
use super::{check_plain_name, check_text};

/// A new organization.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrgIn {
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// The id of a plan; `default` when left out
    plan: Option<String>,
    /// What the identity provider calls it in its access tokens: the first such token then finds this organization.
    /// Without it the id stands alone, and only API keys lead here.
    #[schema(min_length = 1, max_length = 255, example = "acme")]
    external_id: Option<String>,
}

impl OrgIn {
    pub fn read(self, auth: &Auth, now: Time) -> Result<Org> {
        let Self { name, plan, external_id } = self;
        let plan = plan.unwrap_or_else(|| DEFAULT_PLAN.to_owned());
        check_text("name", &name, 200)?;
        check_plain_name("plan", &plan)?;
        let id = match external_id {
            Some(external_id) => {
                check_external_id(&external_id)?;
                auth.org_of_issuer(&external_id)
            }
            None => OrgId::new(),
        };
        Ok(Org { id, name, plan, suspended: false, created_at: now })
    }
}

/// A new user in an organization.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserIn {
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    #[schema(max_length = 254, example = "ada@example.com")]
    email: Option<String>,
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    org: String,
    /// `member` when left out. An access token of the user's that is issued later replaces it.
    role: Option<RoleName>,
    /// The `sub` of the user's access tokens: the first such token then finds this user. Without it the id stands
    /// alone, and the user comes by API key only.
    #[schema(min_length = 1, max_length = 255, example = "ada")]
    external_id: Option<String>,
}

impl UserIn {
    pub fn read(self, auth: &Auth, now: Time) -> Result<(User, Membership)> {
        let Self { name, email, org, role, external_id } = self;
        check_text("name", &name, 200)?;
        if let Some(email) = &email {
            check_text("email", email, 254)?;
            if !email.contains('@') {
                return Err(Error::invalid_body("email", "an address, with an @"));
            }
        }
        let id = match external_id {
            Some(external_id) => {
                check_external_id(&external_id)?;
                auth.user_of_issuer(&external_id)
            }
            None => UserId::new(),
        };
        let role = role.map_or(Role::Member, Role::from);
        let org = read_id(&org)?;
        let membership = Membership { org, user: id, role, role_at: now.as_seconds(), created_at: now };
        Ok((User { id, name, email, suspended: false, created_at: now }, membership))
    }
}

/// As much as an access token may name; see `auth::access_token`.
fn check_external_id(external_id: &str) -> Result<()> {
    match (1..=255).contains(&external_id.len()) {
        true => Ok(()),
        false => Err(Error::invalid_body("external_id", "1 to 255 bytes")),
    }
}

/// What an operator may change of an organization.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrgPatch {
    #[schema(max_length = 200, required = false)]
    name: String,
    /// The id of a plan
    #[schema(required = false)]
    plan: String,
    /// Its credentials are refused while it is.
    #[schema(required = false)]
    suspended: bool,
}

impl From<&Org> for OrgPatch {
    fn from(Org { name, plan, suspended, .. }: &Org) -> Self {
        Self { name: name.clone(), plan: plan.clone(), suspended: *suspended }
    }
}

impl OrgPatch {
    pub fn read(self, before: &Org) -> Result<Org> {
        let Self { name, plan, suspended } = self;
        check_text("name", &name, 200)?;
        check_plain_name("plan", &plan)?;
        Ok(Org { name, plan, suspended, ..before.clone() })
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Org)]
pub struct OrgOut {
    id: String,
    name: String,
    plan: String,
    suspended: bool,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<&Org> for OrgOut {
    fn from(Org { id, name, plan, suspended, created_at }: &Org) -> Self {
        let (name, plan) = (name.clone(), plan.clone());
        Self { id: id.to_string(), name, plan, suspended: *suspended, created_at: created_at.to_string() }
    }
}

/// What an operator may change of a user.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPatch {
    /// Their credentials are refused while they are, in every organization.
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

#[derive(Serialize, ToSchema)]
#[schema(as = User)]
pub struct UserOut {
    id: String,
    name: String,
    #[schema(required)]
    email: Option<String>,
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

/// A user who was made, and what they are in their organization.
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

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct KeysQuery {
    /// Whose keys
    #[param(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    /// Only this user's in it
    #[param(nullable = false)]
    pub user: Option<String>,
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the answer before.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

/// A key, and whose it is.
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

/// A new key for a user in an organization.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyIn {
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
    /// A user in it
    #[schema(example = "usr_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub user: String,
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// The models it may call, by name or alias; all of the plan's when null or left out
    #[schema(min_items = 1, max_items = 100)]
    models: Option<Vec<String>>,
    /// Its own limits; where they say nothing, the plan's hold
    limits: Option<LimitsIn>,
    /// US dollars a calendar month
    spending_cap: Option<UsdIn>,
    /// From then on it is not valid any more.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Time>,
}

impl KeyIn {
    pub fn settings(self) -> KeySettingsIn {
        let Self { org: _, user: _, name, models, limits, spending_cap, expires_at } = self;
        KeySettingsIn { name, models, limits, spending_cap, expires_at }
    }
}

/// A key with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = NewAdminApiKey)]
pub struct NewKeyOut {
    #[serde(flatten)]
    pub key: KeyOut,
    /// Shown this once: null in the answer to a repeated `Idempotency-Key`, because only its hash is stored
    #[schema(required, example = "sk-svc-…")]
    pub secret: Option<String>,
}

/// A part of a list, each thing as the operator sees it.
pub fn shown<T, U: for<'a> From<&'a T>>(slice: Slice<T>, cursors: Cursors) -> shared::http::openai::CursorList<U> {
    shared::http::openai::CursorList::new(slice.map(|thing| U::from(&thing)), cursors)
}
