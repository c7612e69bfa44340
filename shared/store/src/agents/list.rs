//! The list of an account's agents, with sorting, filters and page pagination.

use serde::Deserialize;

use super::Agents;
use super::item::Head;
use crate::item::{Item, parse};
use crate::keys;
use crate::listing;
use crate::table::{Filter, TableIndex, TableQuery};
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
            index: Some(TableIndex::Local(index(sort))),
            order,
            filter: filter.expression(),
            ..TableQuery::partition(keys::agents(account))
        };
        let count = keys::agent_count(account);
        listing::page(&self.entities, &self.counters, count, query, request).await?.try_map(summary)
    }
}

impl AgentFilter {
    /// The filter expression for DynamoDB, `None` when it selects all agents.
    fn expression(&self) -> Option<Filter> {
        let mut filter = Filter::default();
        filter.search(self.search.as_deref());
        filter.one_of("head.status", &self.statuses);
        filter.one_of("head.type", &self.types);
        filter.any()
    }
}

fn index(sort: AgentSort) -> &'static str {
    match sort {
        AgentSort::Name => "by_name",
        AgentSort::CreatedAt => "by_created",
        AgentSort::UpdatedAt => "by_updated",
        AgentSort::Requests => "by_requests",
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
