//! Query parameters and bodies of the editors of a workbench.

use domain::Result;
use domain::id::UserId;
use domain::workbench::refusals;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

const EDITOR: &str = "editor";

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemberQuery {
    /// The editor to remove
    #[param(value_type = String)]
    pub user_id: UserId,
}

/// A new editor.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberIn {
    /// A user of the organization.
    #[schema(value_type = String, example = "usr_01a1fc0a4b5c7d8e9f00112233445566")]
    pub user_id: UserId,
    /// `editor`, the only role.
    #[schema(example = "editor")]
    role: String,
}

impl MemberIn {
    pub fn check_role(&self) -> Result<()> {
        if self.role == EDITOR { Ok(()) } else { Err(refusals::invalid_role()) }
    }
}

/// An editor of a workbench.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkbenchMember)]
pub struct MemberOut {
    user_id: String,
    /// `editor`, the only role.
    #[schema(example = "editor")]
    role: &'static str,
}

impl From<&UserId> for MemberOut {
    fn from(user: &UserId) -> Self {
        Self { user_id: user.to_string(), role: EDITOR }
    }
}
