//! The list of an account's workflows, with sorting, filters and page pagination.

use serde::Deserialize;

use super::Workflows;
use super::item::{Head, WorkflowItem};
use crate::attribute::field;
use crate::condition::Condition;
use crate::item::{Item, parse};
use crate::query::{TableIndex, TableQuery};
use crate::{keys, listing};
use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest};
use domain::time::Time;
use domain::workflow::{Active, Workflow, WorkflowState};

/// A workflow as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowSummary {
    pub id: WorkflowId,
    pub name: String,
    pub description: Option<String>,
    pub state: WorkflowState,
    pub revision: u64,
    pub active: Option<Active>,
    pub has_unpublished_changes: bool,
    pub created_at: Time,
    pub updated_at: Time,
}

impl From<&Workflow> for WorkflowSummary {
    fn from(workflow: &Workflow) -> Self {
        Self {
            id: workflow.id,
            name: workflow.name.clone(),
            description: workflow.description.clone(),
            state: workflow.state(),
            revision: workflow.revision,
            active: workflow.active.clone(),
            has_unpublished_changes: workflow.has_unpublished_changes(),
            created_at: workflow.created_at,
            updated_at: workflow.updated_at,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkflowSort {
    Name,
    CreatedAt,
    #[default]
    UpdatedAt,
}

/// The filter of a list. An empty list and no search select all workflows.
#[derive(Clone, Debug, Default)]
pub struct WorkflowFilter {
    pub search: Option<String>,
    pub states: Vec<WorkflowState>,
}

impl Workflows {
    pub async fn list(
        &self,
        account: Account,
        wanted: &WorkflowFilter,
        sort: WorkflowSort,
        order: Order,
        request: PageRequest,
    ) -> Result<Page<WorkflowSummary>> {
        let filter = Condition::all([
            listing::search(field!(WorkflowItem::HEAD, folded), wanted.search.as_deref()),
            listing::one_of(field!(WorkflowItem::HEAD, state), &wanted.states),
        ]);
        let query =
            TableQuery { index: Some(index(sort)), order, filter, ..TableQuery::partition(keys::workflows(account)) };
        let count = keys::workflow_count(account);
        listing::page(&self.entities, &self.counters, count, query, request).await?.try_map(summary)
    }

    /// All workflows of an account, in the order of their names.
    pub async fn list_all(&self, account: Account) -> Result<Vec<WorkflowSummary>> {
        let index = Some(index(WorkflowSort::Name));
        let query = TableQuery { index, ..TableQuery::partition(keys::workflows(account)) };
        self.entities.query_all(query).await?.into_iter().map(summary).collect()
    }
}

fn index(sort: WorkflowSort) -> TableIndex {
    match sort {
        WorkflowSort::Name => TableIndex::local(WorkflowItem::BY_NAME),
        WorkflowSort::CreatedAt => TableIndex::local(WorkflowItem::BY_CREATED),
        WorkflowSort::UpdatedAt => TableIndex::local(WorkflowItem::BY_UPDATED),
    }
}

#[derive(Deserialize)]
struct ListedItem {
    sk: WorkflowId,
    head: Head,
}

fn summary(item: Item) -> Result<WorkflowSummary> {
    let ListedItem { sk: id, head } = parse(item)?;
    let Head { name, description, state, active, unpublished, revision, created_at, updated_at, .. } = head;
    let has_unpublished_changes = unpublished;
    Ok(WorkflowSummary {
        id,
        name,
        description,
        state,
        revision,
        active,
        has_unpublished_changes,
        created_at,
        updated_at,
    })
}

#[cfg(test)]
#[test]
fn fields_have_their_stored_names() {
    let (folded, state) = (field!(WorkflowItem::HEAD, folded).path(), field!(WorkflowItem::HEAD, state).path());
    let revision = field!(WorkflowItem::HEAD, revision).path();
    crate::stored_items::require("workflows::item::WorkflowItem", &[folded, state, revision]);
}
