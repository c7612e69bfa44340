//! The rule that webhooks, credentials, tables and private agents share: each is added to an existing workflow, up to a maximum of its kind.

use super::keys::Key;
use super::table::{RefusedWrite, Table};
use super::write::Write;
use super::{dependents, quota};
use domain::Error;
use domain::id::{Id, WorkflowId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::time::Time;

/// The label of the check that the workflow exists.
const WORKFLOW: &str = "workflow";

/// A kind of entity that belongs to a workflow.
pub struct WorkflowPart {
    pub kind: &'static str,
    pub max: usize,
    /// The code of the error when a workflow has the maximum.
    pub too_many: &'static str,
}

impl WorkflowPart {
    /// The conditions for adding an entity: the workflow exists, and has fewer than the maximum. They belong in the
    /// transaction that creates the entity.
    pub fn require_room(
        &self,
        table: &Table,
        account: Account,
        workflow: WorkflowId,
        count: Key,
        now: Time,
    ) -> [Write; 2] {
        let exists = dependents::require_exists(table, account, &Reference::Workflow(workflow), now);
        [exists.labeled(WORKFLOW), quota::increment(table, count, self.max)]
    }

    /// Why it was not added.
    pub fn refusal(&self, refused: &RefusedWrite) -> Error {
        let Self { kind, max, too_many } = self;
        match refused.label {
            WORKFLOW => Error::NotFound { kind: WorkflowId::KIND },
            quota::LABEL => Error::Conflict {
                code: too_many,
                message: format!("a workflow has at most {max} {kind}s; delete one first"),
            },
            _ => Error::internal(format!("a new {kind}'s id is in use")),
        }
    }
}
