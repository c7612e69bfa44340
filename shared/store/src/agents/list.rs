//! The list of an account's agents, with sorting, filters and page pagination.

use serde::Deserialize;

use super::Agents;
use super::item::{AgentItem, Head};
use crate::attribute::field;
use crate::condition::Condition;
use crate::item::{Item, parse};
use crate::keys;
use crate::listing;
use crate::query::{TableIndex, TableQuery};
use domain::Result;
use domain::agent::{Agent, AgentScope, AgentStatus, AgentType};
use domain::id::AgentId;
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest};
use domain::time::Time;

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
}

impl From<Agent> for AgentSummary {
    fn from(agent: Agent) -> Self {
        Self {
            status: agent.status(),
            id: agent.id,
            name: agent.name,
            description: agent.description,
            r#type: agent.r#type,
            requests: agent.requests,
            scope: agent.scope,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
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
        account: Account,
        filter: &AgentFilter,
        sort: AgentSort,
        order: Order,
        request: PageRequest,
    ) -> Result<Page<AgentSummary>> {
        let query = TableQuery {
            index: Some(index(sort)),
            order,
            filter: filter.condition(),
            ..TableQuery::partition(keys::agents(account))
        };
        let count = keys::agent_count(account);
        listing::page(&self.entities, &self.counters, count, query, request).await?.try_map(summary)
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

fn index(sort: AgentSort) -> TableIndex {
    match sort {
        AgentSort::Name => TableIndex::local(AgentItem::BY_NAME),
        AgentSort::CreatedAt => TableIndex::local(AgentItem::BY_CREATED),
        AgentSort::UpdatedAt => TableIndex::local(AgentItem::BY_UPDATED),
        AgentSort::Requests => TableIndex::local(AgentItem::BY_REQUESTS),
    }
}

#[derive(Deserialize)]
struct ListedItem {
    sk: AgentId,
    head: Head,
}

fn summary(item: Item) -> Result<AgentSummary> {
    let ListedItem { sk: id, head } = parse(item)?;
    let scope = head.scope();
    let Head { name, description, r#type, status, requests, created_at, updated_at, .. } = head;
    Ok(AgentSummary { id, name, description, r#type, status, requests, scope, created_at, updated_at })
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
    ];
    crate::stored_items::require("agents::item::AgentItem", &fields);
}
