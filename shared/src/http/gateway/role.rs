//! The wire type of a user's role in an organization.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use domain::identity::Role;

#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
pub enum RoleName {
    Member,
    Admin,
    Operator,
}

impl From<Role> for RoleName {
    fn from(role: Role) -> Self {
        match role {
            Role::Member => Self::Member,
            Role::Admin => Self::Admin,
            Role::Operator => Self::Operator,
        }
    }
}

impl From<RoleName> for Role {
    fn from(role: RoleName) -> Self {
        match role {
            RoleName::Member => Self::Member,
            RoleName::Admin => Self::Admin,
            RoleName::Operator => Self::Operator,
        }
    }
}
