//! The list of an account's agents, with sorting, filters and page pagination.

use serde::Deserialize;

use super::Agents;
use super::item::{AgentItem, Head};
use crate::attribute::{Attribute, field};
use crate::condition::Condition;
use crate::item::{Item, parse};
use crate::keys;
use crate::listing;
use crate::query::{TableIndex, TableQuery};
use domain::Result;
use domain::agent::{Agent, AgentScope, AgentStatus, AgentType};
use domain::id::{AgentId, OrgId};
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest, Slice};
use domain::sharing::{Access, Ownership, TeamRole};
use domain::time::Time;
use domain::tool_mark::ToolMark;

/// An agent as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSummary {
    pub id: AgentId,
    pub name: String,
    pub description: Option<String>,
    pub r#type: AgentType,
    pub status: AgentStatus,
    pub requests: u64,
    pub scope: AgentScope,
    pub created_at: Time,
    pub updated_at: Time,
    pub tool: Option<ToolMark>,
    pub access: Access,
}

impl AgentSummary {
    /// The agent as a user with this role sees it.
    pub fn new(agent: Agent, role: TeamRole) -> Self {
        Self {
            access: Access { owner: agent.sharing.owner, role },
            status: agent.status(),
            id: agent.id,
            name: agent.name,
            description: agent.description,
            r#type: agent.r#type,
            requests: agent.requests,
            scope: agent.scope,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
            tool: agent.tool,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentSort {
    Name,
    CreatedAt,
    #[default]
    UpdatedAt,
    Requests,
}

/// The filter of a list. Empty lists and no search select all agents.
#[derive(Clone, Debug, Default)]
pub struct AgentFilter {
    pub search: Option<String>,
    pub statuses: Vec<AgentStatus>,
    pub types: Vec<AgentType>,
}

impl Agents {
    pub async fn list(
        &self,
        user: Account,
        ownership: Ownership,
        filter: &AgentFilter,
        sort: AgentSort,
        order: Order,
        request: PageRequest,
    ) -> Result<Page<AgentSummary>> {
        let query = TableQuery {
            index: Some(index(sort)),
            order,
            filter: filter.condition(),
            ..TableQuery::partition(keys::agents(user))
        };
        let own = (keys::agents(user), keys::agent_count(user));
        let shared = (keys::shared_agents(user), keys::shared_agent_count(user));
        let lists = listing::selected(ownership, own, shared);
        let page = listing::page(&self.entities, &self.counters, &lists, query, sort_key(sort), request).await?;
        page.try_map(|item| summary(user, item))
    }

    /// The agents that a user has, or that are shared with them, and that are marked as tools, oldest first.
    pub async fn list_tools(&self, user: Account) -> Result<Vec<AgentSummary>> {
        let lists = [keys::agents(user), keys::shared_agents(user)];
        let found =
            listing::marked_as_tools(&self.entities, lists, AgentItem::BY_CREATED, field!(AgentItem::HEAD, tool))
                .await?;
        found.into_iter().map(|item| summary(user, item)).collect()
    }

    /// Lists the agents of an organization, newest first.
    pub async fn list_of_org(&self, org: OrgId, limit: u32, after: Option<String>) -> Result<Slice<AgentSummary>> {
        let list = keys::agents_of_org(org);
        let Slice { items, next } = listing::of_organization(&self.entities, list, limit, after).await?;
        let items = items.into_iter().filter_map(|item| Some(summary(owner(&item)?, item)));
        Ok(Slice { items: items.collect::<Result<_>>()?, next })
    }
}

impl AgentFilter {
    /// The condition of the selected agents, `None` when it selects all agents.
    fn condition(&self) -> Option<Condition> {
        Condition::all([
            listing::search(field!(AgentItem::HEAD, folded), self.search.as_deref()),
            listing::one_of(field!(AgentItem::HEAD, status), &self.statuses),
            listing::one_of(field!(AgentItem::HEAD, r#type), &self.types),
        ])
    }
}

fn owner(item: &Item) -> Option<Account> {
    keys::owner_of(&keys::Key::from_item(item)?.pk)
}

fn index(sort: AgentSort) -> TableIndex {
    TableIndex::local(sort_key(sort))
}

fn sort_key(sort: AgentSort) -> Attribute<String> {
    match sort {
        AgentSort::Name => AgentItem::BY_NAME,
        AgentSort::CreatedAt => AgentItem::BY_CREATED,
        AgentSort::UpdatedAt => AgentItem::BY_UPDATED,
        AgentSort::Requests => Attribute::named(AgentItem::BY_REQUESTS.name().to_owned()),
    }
}

#[derive(Deserialize)]
struct ListedItem {
    sk: AgentId,
    head: Head,
}

fn summary(user: Account, item: Item) -> Result<AgentSummary> {
    let ListedItem { sk: id, head } = parse(item)?;
    let scope = head.scope();
    let access = Access { owner: head.owner.unwrap_or(user.user), role: head.role.unwrap_or(TeamRole::Owner) };
    let Head { name, description, r#type, status, requests, created_at, updated_at, tool, .. } = head;
    Ok(AgentSummary { id, name, description, r#type, status, requests, scope, created_at, updated_at, tool, access })
}

#[cfg(test)]
#[test]
fn fields_have_their_stored_names() {
    let fields = [
        field!(AgentItem::HEAD, name).path(),
        field!(AgentItem::HEAD, folded).path(),
        field!(AgentItem::HEAD, description).path(),
        field!(AgentItem::HEAD, r#type).path(),
        field!(AgentItem::HEAD, intent).path(),
        field!(AgentItem::HEAD, status).path(),
        field!(AgentItem::HEAD, updated_at).path(),
        field!(AgentItem::HEAD, requests).path(),
        field!(AgentItem::HEAD, tool).path(),
    ];
    crate::stored_items::require("agents::item::AgentItem", &fields);
}
