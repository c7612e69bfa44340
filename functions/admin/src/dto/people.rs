//! Organizations, users and their keys.

use serde::{Deserialize, Serialize};
use shared::Result;
use shared::domain::identity::{Org, User};
use shared::domain::page::Slice;
use shared::http::cursor::Cursors;
use shared::http::gateway::ApiKeyOut;
use shared::http::paging::{default_per_page, per_page};
use shared::store::api_keys::ApiKey;
use shared::store::meters::Meter;
use utoipa::{IntoParams, ToSchema};

use super::{check_plain_name, check_text};

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

/// A part of a list, each thing as the operator sees it.
pub fn shown<T, U: for<'a> From<&'a T>>(slice: Slice<T>, cursors: Cursors) -> shared::http::openai::CursorList<U> {
    shared::http::openai::CursorList::new(slice.map(|thing| U::from(&thing)), cursors)
}
