//! The list of an account's workflows, with sorting, filters and page pagination.

use serde::Deserialize;
use uuid::Uuid;

use super::Workflows;
use super::item::{Head, WorkflowItem};
use crate::attribute::{Attribute, field};
use crate::condition::Condition;
use crate::item::{Item, parse};
use crate::query::{Range, TableIndex, TableQuery};
use crate::{keys, listing};
use domain::Result;
use domain::id::{OrgId, WorkflowId};
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest, Slice};
use domain::sharing::{Access, Ownership, TeamRole};
use domain::time::Time;
use domain::tool_mark::ToolMark;
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
    pub tool: Option<ToolMark>,
    pub access: Access,
}

impl WorkflowSummary {
    /// The workflow as a user with this role sees it.
    pub fn new(workflow: &Workflow, role: TeamRole) -> Self {
        Self {
            access: Access { owner: workflow.sharing.owner, role },
            id: workflow.id,
            name: workflow.name.clone(),
            description: workflow.description.clone(),
            state: workflow.state(),
            revision: workflow.revision,
            active: workflow.active.clone(),
            has_unpublished_changes: workflow.has_unpublished_changes(),
            created_at: workflow.created_at,
            updated_at: workflow.updated_at,
            tool: workflow.tool.clone(),
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
        user: Account,
        ownership: Ownership,
        wanted: &WorkflowFilter,
        sort: WorkflowSort,
        order: Order,
        request: PageRequest,
    ) -> Result<Page<WorkflowSummary>> {
        let filter = Condition::all([
            listing::search(field!(WorkflowItem::HEAD, folded), wanted.search.as_deref()),
            listing::one_of(field!(WorkflowItem::HEAD, state), &wanted.states),
        ]);
        let own = (keys::workflows(user), keys::workflow_count(user));
        let shared = (keys::shared_workflows(user), keys::shared_workflow_count(user));
        let lists = listing::selected(ownership, own, shared);
        let query =
            TableQuery { index: Some(index(sort)), order, filter, ..TableQuery::partition(keys::workflows(user)) };
        let page = listing::page(&self.entities, &self.counters, &lists, query, sort_key(sort), request).await?;
        page.try_map(|item| summary(user, item))
    }

    /// Lists the workflows of an organization, newest first.
    pub async fn list_of_org(&self, org: OrgId, limit: u32, after: Option<String>) -> Result<Slice<WorkflowSummary>> {
        let list = keys::workflows_of_org(org);
        let Slice { items, next } = listing::of_organization(&self.entities, list, limit, after).await?;
        let items = items.into_iter().filter_map(|item| Some(summary(owner(&item)?, item)));
        Ok(Slice { items: items.collect::<Result<_>>()?, next })
    }

    /// The workflows that a user has, or that are shared with them, and that are marked as tools, oldest first.
    pub async fn list_tools(&self, user: Account) -> Result<Vec<WorkflowSummary>> {
        let lists = [keys::workflows(user), keys::shared_workflows(user)];
        let found =
            listing::marked_as_tools(&self.entities, lists, WorkflowItem::BY_CREATED, field!(WorkflowItem::HEAD, tool))
                .await?;
        found.into_iter().map(|item| summary(user, item)).collect()
    }

    /// All workflows of an account, in the order of their names.
    pub async fn list_all(&self, account: Account) -> Result<Vec<WorkflowSummary>> {
        let index = Some(index(WorkflowSort::Name));
        let query = TableQuery { index, ..TableQuery::partition(keys::workflows(account)) };
        self.entities.query_all(query).await?.into_iter().map(|item| summary(account, item)).collect()
    }

    /// A page of the workflows of an account, newest first. `after` is the id of the last one of the page before.
    pub async fn list_newest(
        &self,
        account: Account,
        limit: u32,
        after: Option<Uuid>,
    ) -> Result<Slice<WorkflowSummary>> {
        let to = after.map_or(Uuid::max(), |after| Uuid::from_u128(after.as_u128().saturating_sub(1)));
        let range = Range::between(WorkflowItem::BY_CREATED, Uuid::nil().to_string(), to.to_string());
        let query = TableQuery {
            index: Some(index(WorkflowSort::CreatedAt)),
            range: Some(range),
            order: Order::Desc,
            limit: Some(limit),
            ..TableQuery::partition(keys::workflows(account))
        };
        let found = self.entities.query(&query).await?;
        let items = found.items.into_iter().map(|item| summary(account, item)).collect::<Result<Vec<_>>>()?;
        let next = items.last().filter(|_| found.next.is_some()).map(|last| last.id.to_string());
        Ok(Slice { items, next })
    }
}

fn owner(item: &Item) -> Option<Account> {
    keys::owner_of(&keys::Key::from_item(item)?.pk)
}

fn index(sort: WorkflowSort) -> TableIndex {
    TableIndex::local(sort_key(sort))
}

fn sort_key(sort: WorkflowSort) -> Attribute<String> {
    match sort {
        WorkflowSort::Name => WorkflowItem::BY_NAME,
        WorkflowSort::CreatedAt => WorkflowItem::BY_CREATED,
        WorkflowSort::UpdatedAt => WorkflowItem::BY_UPDATED,
    }
}

#[derive(Deserialize)]
struct ListedItem {
    sk: WorkflowId,
    head: Head,
}

fn summary(user: Account, item: Item) -> Result<WorkflowSummary> {
    let ListedItem { sk: id, head } = parse(item)?;
    let Head { name, description, state, active, unpublished, revision, created_at, updated_at, tool, .. } = head;
    let (owner, role) = (head.owner.unwrap_or(user.user), head.role.unwrap_or(TeamRole::Owner));
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
        tool,
        access: Access { owner, role },
    })
}

#[cfg(test)]
#[test]
fn fields_have_their_stored_names() {
    let (folded, state) = (field!(WorkflowItem::HEAD, folded).path(), field!(WorkflowItem::HEAD, state).path());
    let revision = field!(WorkflowItem::HEAD, revision).path();
    crate::stored_items::require("workflows::item::WorkflowItem", &[folded, state, revision]);
}
