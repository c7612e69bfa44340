//! The changes of workflows that their activity shows. Each is stored with the revision that it made.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Workflows;
use crate::attribute::SK;
use crate::item::{Item, parse};
use crate::keys::{self, Key};
use crate::query::{Range, TableQuery};
use crate::table::Table;
use crate::write::Write;
use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::page::{Order, Slice};
use domain::workflow::{Workflow, WorkflowChange};

#[derive(Serialize, Deserialize, Attributes)]
struct ChangeItem {
    pk: String,
    /// The id of the write, which orders the changes by time.
    sk: Uuid,
    #[serde(flatten)]
    change: WorkflowChange,
}

/// The writes of a new revision: the workflow itself, and the change if the activity shows it.
pub(super) fn with_change(
    entities: &Table,
    write: Write,
    before: &Workflow,
    after: &Workflow,
    write_id: Uuid,
) -> Vec<Write> {
    let change = WorkflowChange::between(before, after);
    [write].into_iter().chain(change.map(|change| put_change(entities, after, change, write_id))).collect()
}

pub(super) fn put_change(entities: &Table, workflow: &Workflow, change: WorkflowChange, write_id: Uuid) -> Write {
    let Key { pk, .. } = keys::workflow_change(workflow.account, workflow.id, write_id);
    entities.put(&ChangeItem { pk, sk: write_id, change })
}

impl Workflows {
    /// Lists the changes of a workflow, newest first, each with its id. `after` is the id of the last change of the page
    /// before.
    pub async fn changes(
        &self,
        account: Account,
        id: WorkflowId,
        limit: u32,
        after: Option<Uuid>,
    ) -> Result<Slice<(Uuid, WorkflowChange)>> {
        let to = after.map_or(Uuid::max(), |after| Uuid::from_u128(after.as_u128().saturating_sub(1)));
        let range = Some(Range::between(SK, Uuid::nil().to_string(), to.to_string()));
        let partition = TableQuery::partition(keys::workflow_changes(account, id));
        let found =
            self.entities.query(&TableQuery { range, order: Order::Desc, limit: Some(limit), ..partition }).await?;
        let read = |item: Item| parse::<ChangeItem>(item).map(|item| (item.sk, item.change));
        let items = found.items.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        let next = items.last().filter(|_| found.next.is_some()).map(|(id, _)| id.to_string());
        Ok(Slice { items, next })
    }
}
