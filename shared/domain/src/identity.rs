//! Who uses the platform: users, the organizations they belong to, and what a plan lets them use.

use serde::{Deserialize, Serialize};

use super::id::{OrgId, UserId};
use super::limits::PlanLimits;
use super::time::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Member,
    Admin,
    /// Who runs the platform itself.
    Operator,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    pub id: UserId,
    pub name: String,
    pub email: Option<String>,
    pub suspended: bool,
    pub created_at: Time,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Org {
    pub id: OrgId,
    pub name: String,
    pub plan: String,
    pub suspended: bool,
    pub created_at: Time,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    pub org: OrgId,
    pub user: UserId,
    pub role: Role,
    /// When the role was given, in Unix seconds as tokens have it: a token that is older does not change it.
    #[serde(default)]
    pub role_at: i64,
    pub created_at: Time,
}

/// What the organizations on it may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub id: String,
    pub name: String,
    pub models: Models,
    /// Calls show what they would cost, and nothing is deducted.
    #[serde(default)]
    pub is_billing_exempt: bool,
    #[serde(default)]
    pub has_rate_limits: bool,
    #[serde(default)]
    pub limits: PlanLimits,
}

impl Plan {
    /// The plan of an organization whose own is not in the catalog: it allows nothing.
    pub fn none(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: id.to_owned(),
            models: Models::Only(Vec::new()),
            is_billing_exempt: false,
            has_rate_limits: false,
            limits: PlanLimits::default(),
        }
    }

    pub fn allows(&self, model: &str) -> bool {
        match &self.models {
            Models::All => true,
            Models::Only(names) => names.iter().any(|name| name == model),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Models {
    All,
    Only(Vec<String>),
}

/// Whose things they are: one user in one organization. Every repository of the builder is keyed by it,
/// so that a neighbour's things cannot even be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Account {
    pub org: OrgId,
    pub user: UserId,
}
