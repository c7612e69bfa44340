//! Who may use a workflow or an agent: its owner, and the members with whom the owner shares it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::id::{AgentId, Id, UserId, WorkflowId};
use crate::{Error, Result};

/// The maximum number of members of a workflow or an agent.
pub const MAX_MEMBERS: usize = 50;

/// What a user may do with a workflow or an agent. Each role includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TeamRole {
    /// Reads everything except credentials.
    Viewer,
    /// Runs it, answers conversations and resolves reviews.
    Operator,
    /// Changes the draft and the credentials, and publishes.
    Editor,
    /// Shares, transfers and deletes it, and pays for its runs.
    Owner,
}

impl TeamRole {
    /// The roles that a member can have.
    pub const OF_MEMBERS: [Self; 3] = [Self::Editor, Self::Operator, Self::Viewer];

    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// The role that a member gets, by its name.
    pub fn of_member(name: &str) -> Result<Self> {
        Self::OF_MEMBERS.into_iter().find(|role| role.name() == name).ok_or_else(|| {
            let message = "role: must be \"editor\", \"operator\" or \"viewer\"".to_owned();
            Error::Forbidden { code: "invalid_role", message }
        })
    }

    /// Refuses a user whose role is lower than the required one.
    pub fn require(self, required: Self) -> Result<()> {
        if self >= required {
            return Ok(());
        }
        let message = match required {
            Self::Owner => "only the owner may do this; ask the owner".to_owned(),
            _ => format!("your role is {}, and this needs the role {}; ask the owner", self.name(), required.name()),
        };
        Err(Error::Forbidden { code: "not_owner", message })
    }
}

/// Who owns a workflow or an agent, and what the caller may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = EntityAccess, title = "EntityAccess")]
pub struct Access {
    #[schema(value_type = String, example = "usr_0198c2f4d5a07c3e8b1f2a3b4c5d6e7f")]
    pub owner: UserId,
    pub role: TeamRole,
}

/// Selects what a list shows by the access of the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ownership {
    #[default]
    Mine,
    Shared,
    All,
}

/// What can be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shareable {
    Workflow(WorkflowId),
    Agent(AgentId),
}

impl Shareable {
    /// The error if it does not exist, or is not the caller's.
    pub fn not_found(self) -> Error {
        match self {
            Self::Workflow(_) => Error::NotFound { kind: WorkflowId::KIND },
            Self::Agent(_) => Error::NotFound { kind: AgentId::KIND },
        }
    }
}

impl fmt::Display for Shareable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workflow(id) => write!(f, "workflow {id}"),
            Self::Agent(id) => write!(f, "agent {id}"),
        }
    }
}

/// The id of something that can be shared.
pub trait SharedId: Id + Copy {
    fn shareable(self) -> Shareable;
}

impl SharedId for WorkflowId {
    fn shareable(self) -> Shareable {
        Shareable::Workflow(self)
    }
}

impl SharedId for AgentId {
    fn shareable(self) -> Shareable {
        Shareable::Agent(self)
    }
}

/// The owner and the members. All are users of one organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    pub owner: UserId,
    pub members: BTreeMap<UserId, TeamRole>,
}

impl Sharing {
    pub fn of(owner: UserId) -> Self {
        Self { owner, members: BTreeMap::new() }
    }

    /// The role of a user. None for everybody else.
    pub fn role_of(&self, user: UserId) -> Option<TeamRole> {
        if user == self.owner { Some(TeamRole::Owner) } else { self.members.get(&user).copied() }
    }

    /// Adds a member, or changes the role of one.
    pub fn with_member(&self, user: UserId, role: TeamRole) -> Result<Self> {
        if user == self.owner {
            let message = "the owner has access already; share with another user".to_owned();
            return Err(Error::Forbidden { code: "member_is_owner", message });
        }
        let mut members = self.members.clone();
        members.insert(user, role);
        if members.len() > MAX_MEMBERS {
            let message = format!("there are {MAX_MEMBERS} members already, the maximum; remove one first");
            return Err(Error::Conflict { code: "too_many_members", message });
        }
        Ok(Self { owner: self.owner, members })
    }

    pub fn without_member(&self, user: UserId) -> Result<Self> {
        let mut members = self.members.clone();
        members.remove(&user).ok_or(Error::NotFound { kind: "member" })?;
        Ok(Self { owner: self.owner, members })
    }

    /// Makes another user the owner. The owner before becomes an editor if `stays`, and loses the access otherwise.
    pub fn transferred(&self, to: UserId, stays: bool) -> Result<Self> {
        if to == self.owner {
            let message = "the user is the owner already; name another user".to_owned();
            return Err(Error::Forbidden { code: "member_is_owner", message });
        }
        let mut members = self.members.clone();
        members.remove(&to);
        if stays {
            members.insert(self.owner, TeamRole::Editor);
        }
        Ok(Self { owner: to, members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_includes_those_below_it() {
        assert!(TeamRole::Editor.require(TeamRole::Operator).is_ok());
        let refused = TeamRole::Operator.require(TeamRole::Editor).unwrap_err().to_string();
        assert_eq!(refused, "your role is operator, and this needs the role editor; ask the owner");
    }

    #[test]
    fn only_roles_of_members_can_be_given() {
        assert_eq!(TeamRole::of_member("viewer").unwrap(), TeamRole::Viewer);
        assert!(TeamRole::of_member("owner").is_err());
        assert!(TeamRole::of_member("Editor").is_err());
    }

    #[test]
    fn the_owner_is_no_member() {
        let (owner, other) = (UserId::new(), UserId::new());
        let sharing = Sharing::of(owner);
        assert!(sharing.with_member(owner, TeamRole::Viewer).is_err());
        let shared = sharing.with_member(other, TeamRole::Viewer).unwrap();
        let moved = shared.transferred(other, true).unwrap();
        assert_eq!((moved.role_of(other), moved.role_of(owner)), (Some(TeamRole::Owner), Some(TeamRole::Editor)));
        assert_eq!(shared.transferred(other, false).unwrap().role_of(owner), None);
        assert!(shared.transferred(owner, true).is_err());
    }
}
