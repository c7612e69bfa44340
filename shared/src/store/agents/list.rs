//! The list of an account's agents: sorted by an index, a page at a time.

use serde::{Deserialize, Serialize};

use super::Agents;
use super::item::{Head, scope};
use crate::Result;
use crate::domain::agent::{Agent, AgentStatus, AgentType, Scope};
use crate::domain::id::AgentId;
use crate::domain::identity::Account;
use crate::domain::page::{Order, Page, PageRequest};
use crate::domain::text;
use crate::domain::time::Time;
use crate::store::keys;
use crate::store::table::{Filter, Index, Item, Query, parse};
use crate::store::write::to_value;

/// What a list shows of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSummary {
    pub id: AgentId,
    pub name: String,
    pub description: Option<String>,
    pub r#type: AgentType,
    pub status: AgentStatus,
    pub requests: u64,
    pub scope: Scope,
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

/// Which agents are wanted; empty lists and no search mean all.
#[derive(Clone, Debug, Default)]
pub struct AgentFilter {
    pub search: Option<String>,
    pub statuses: Vec<AgentStatus>,
    pub types: Vec<AgentType>,
}

impl Agents {
    /// A page of the account's list. Without a filter it reads the page and the total, however long the list is.
    pub async fn list(
        &self,
        account: Account,
        filter: &AgentFilter,
        sort: AgentSort,
        order: Order,
        request: PageRequest,
    ) -> Result<Page<AgentSummary>> {
        let query = Query {
            index: Some(Index::Local(index(sort))),
            order,
            filter: filter.expression(),
            ..Query::partition(keys::agents(account))
        };
        if query.filter.is_some() {
            return request.of(self.entities.query_all(query).await?).try_map(summary);
        }
        let (total, items) = futures::try_join!(self.count(account), self.page(query, request))?;
        Page { items, total, request }.try_map(summary)
    }

    async fn count(&self, account: Account) -> Result<u64> {
        #[derive(Deserialize)]
        struct CountItem {
            total: u64,
        }
        let item = self.counters.get(&keys::agent_count(account)).await?;
        item.map_or(Ok(0), |item| Ok(parse::<CountItem>(item)?.total))
    }

    async fn page(&self, mut query: Query, request: PageRequest) -> Result<Vec<Item>> {
        let mut skip = request.offset();
        while skip > 0 {
            let limit = Some(u32::try_from(skip).unwrap_or(u32::MAX));
            let skipped = self.entities.query(&Query { limit, count_only: true, ..query.clone() }).await?;
            if skipped.next.is_none() {
                return Ok(Vec::new());
            }
            skip -= skipped.count;
            query.after = skipped.next;
        }
        let mut items = Vec::new();
        loop {
            query.limit = Some(request.per_page - items.len() as u32);
            let mut found = self.entities.query(&query).await?;
            items.append(&mut found.items);
            if items.len() as u32 == request.per_page || found.next.is_none() {
                return Ok(items);
            }
            query.after = found.next;
        }
    }
}

impl AgentFilter {
    /// The filter as DynamoDB applies it; nothing when every agent is wanted.
    fn expression(&self) -> Option<Filter> {
        let mut filter = Filter::default();
        if let Some(search) = self.search.as_deref().filter(|search| !search.is_empty()) {
            filter.and("contains(#head.#folded, :search)", &["head", "folded"]);
            filter.values.insert(":search".to_owned(), to_value(text::folded(search)));
        }
        filter.one_of("status", &self.statuses);
        filter.one_of("type", &self.types);
        Some(filter).filter(|filter| !filter.expression.is_empty())
    }
}

impl Filter {
    fn and(&mut self, condition: &str, names: &[&str]) {
        if !self.expression.is_empty() {
            self.expression.push_str(" AND ");
        }
        self.expression.push_str(condition);
        self.names.extend(names.iter().map(|name| (format!("#{name}"), (*name).to_owned())));
    }

    fn one_of(&mut self, name: &str, wanted: &[impl Serialize]) {
        if wanted.is_empty() {
            return;
        }
        let placeholders: Vec<String> = (0..wanted.len()).map(|i| format!(":{name}{i}")).collect();
        self.and(&format!("#head.#{name} IN ({})", placeholders.join(", ")), &["head", name]);
        self.values.extend(placeholders.into_iter().zip(wanted.iter().map(to_value)));
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
    let Head { name, description, r#type, status, workflow, requests, created_at, updated_at, .. } = head;
    Ok(AgentSummary { id, name, description, r#type, status, requests, scope: scope(workflow), created_at, updated_at })
}
