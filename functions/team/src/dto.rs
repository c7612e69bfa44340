//! Query parameters and bodies of members, owners and lists of an organization.

use domain::Error;
use domain::agent::AgentStatus;
use domain::id::UserId;
use domain::identity::Role;
use domain::sharing::TeamRole;
use domain::workflow::WorkflowState;
use serde::{Deserialize, Serialize};
use store::agents::AgentSummary;
use store::identities::Member;
use store::workflows::WorkflowSummary;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::gateway::RoleName;
use web::paging::{check_search, default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListPeople {
    /// Returns only people whose name or address contains this text. The search is case-insensitive.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

impl ListPeople {
    pub fn search(&self) -> Result<Option<&str>, Error> {
        check_search(self.search.as_deref())?;
        Ok(self.search.as_deref().filter(|text| !text.is_empty()))
    }
}

/// A member of the caller's organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Person")]
pub struct PersonOut {
    #[schema(example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    user_id: String,
    name: String,
    /// Administrators see the address of each person, and everybody sees their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    /// The role in the organization.
    role: RoleName,
    /// Whether the person cannot sign in at the moment.
    suspended: bool,
}

impl PersonOut {
    /// A person as the caller sees them.
    pub fn new(Member { user, membership }: Member, caller: &auth::Caller) -> Self {
        let sees_email = user.id == caller.user || caller.role >= Role::Admin;
        Self {
            user_id: user.id.to_string(),
            name: user.name,
            email: user.email.filter(|_| sees_email),
            role: membership.role.into(),
            suspended: user.suspended,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemberQuery {
    /// The member to remove
    #[param(value_type = String)]
    pub user_id: UserId,
}

/// A new member, or the new role of one.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "MemberIn")]
pub struct TeamMemberIn {
    /// A user of the organization.
    #[schema(value_type = String, example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    pub user_id: UserId,
    /// `editor`, `operator` or `viewer`.
    #[schema(example = "operator")]
    pub role: String,
}

/// A member of a workflow or an agent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Member")]
pub struct TeamMemberOut {
    #[schema(example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    user_id: String,
    role: TeamRole,
}

impl From<(UserId, TeamRole)> for TeamMemberOut {
    fn from((user, role): (UserId, TeamRole)) -> Self {
        Self { user_id: user.to_string(), role }
    }
}

/// The new owner.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "Transfer")]
pub struct TransferIn {
    /// A user of the organization.
    #[schema(value_type = String, example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    pub user_id: UserId,
}

/// From whom an administrator takes something over.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "TakeOver")]
pub struct TakeOverIn {
    /// The owner, who is suspended or is not in the organization any more.
    #[schema(value_type = String, example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    pub owner: UserId,
    /// The new owner. Defaults to the caller.
    #[schema(value_type = Option<String>, example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    pub user_id: Option<UserId>,
}

/// Who owns a workflow or an agent, and who else uses it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Ownership")]
pub struct OwnershipOut {
    #[schema(example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    pub owner: String,
    pub members: Vec<TeamMemberOut>,
}

/// A workflow of the organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "OrganizationWorkflow")]
pub struct OrganizationWorkflowOut {
    id: Uuid,
    name: String,
    state: WorkflowState,
    /// The user who owns it.
    #[schema(example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    owner: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<WorkflowSummary> for OrganizationWorkflowOut {
    fn from(WorkflowSummary { id, name, state, access, updated_at, .. }: WorkflowSummary) -> Self {
        let (owner, updated_at) = (access.owner.to_string(), updated_at.to_string());
        Self { id: id.uuid(), name, state, owner, updated_at }
    }
}

/// An agent of the organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "OrganizationAgent")]
pub struct OrganizationAgentOut {
    id: Uuid,
    name: String,
    status: AgentStatus,
    /// The user who owns it.
    #[schema(example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    owner: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<AgentSummary> for OrganizationAgentOut {
    fn from(AgentSummary { id, name, status, access, updated_at, .. }: AgentSummary) -> Self {
        let (owner, updated_at) = (access.owner.to_string(), updated_at.to_string());
        Self { id: id.uuid(), name, status, owner, updated_at }
    }
}
