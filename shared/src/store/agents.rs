//! Agents, in the order of every list, with what depends on them.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::dependents::{self, Dependent};
use super::idempotency;
use super::keys::{self, Key};
use super::table::{Filter, Item, Query, Refused, Table, parse, pause, to_item};
use super::work::{self, Gone};
use super::write::{Write, to_value};
use crate::domain::agent::{Agent, AgentConfig, AgentPatch, AgentStatus, AgentType, Intent, Scope};
use crate::domain::id::{AgentId, Id, WorkId, WorkflowId};
use crate::domain::identity::{Account, Plan};
use crate::domain::page::{Order, Page, PageRequest};
use crate::domain::reference::Reference;
use crate::domain::text;
use crate::domain::time::Time;
use crate::{Context, Error, Result, config};

#[derive(Clone)]
pub struct Agents {
    entities: Table,
    counters: Table,
}

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

/// What came of a creation.
#[derive(Debug)]
pub enum Created {
    Now,
    /// The key was used before; this was the answer then.
    Before(String),
}

#[derive(Serialize, Deserialize)]
struct AgentItem {
    pk: String,
    sk: String,
    rev: u64,
    /// Which write made this revision, so that a write whose answer was lost recognises itself.
    write_id: Uuid,
    head: Head,
    /// JSON text: as exact as it was sent, and one value to DynamoDB.
    config: String,
    #[serde(default)]
    gone: Vec<Reference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_updated: Option<String>,
}

/// What the local indexes carry.
#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
    folded: String,
    description: Option<String>,
    r#type: AgentType,
    intent: Intent,
    status: AgentStatus,
    workflow: Option<WorkflowId>,
    requests: u64,
    created_at: Time,
    updated_at: Time,
}

#[derive(Deserialize)]
struct ListedItem {
    sk: AgentId,
    head: Head,
}

impl Agents {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
        })
    }

    /// Creates the agent, once for all requests that carry the same idempotency key:
    /// `answer` is kept for those that come later.
    pub async fn create(&self, agent: &Agent, key: Option<Uuid>, answer: &str) -> Result<Created> {
        let mut writes = Vec::new();
        if let Some(key) = key {
            writes.push(idempotency::claim(&self.entities, agent.account, "agents", key, answer, agent.created_at));
        }
        writes.push(self.inserted(agent));
        if agent.scope == Scope::Global {
            writes.push(self.counters.update(keys::agent_count(agent.account)).add("total", 1));
        }
        match self.entities.transact(agent.id.uuid(), &writes).await? {
            Ok(()) => Ok(Created::Now),
            Err(refused) if key.is_some() && refused.index == 0 => {
                idempotency::first_answer(refused).map(Created::Before)
            }
            Err(_) => Err(Error::internal("a new agent's id was taken")),
        }
    }

    pub async fn get(&self, account: Account, id: AgentId) -> Result<Agent> {
        let item = self.entities.get(&keys::agent(account, id)).await?;
        item.map(|item| agent(account, item)).transpose()?.flatten().ok_or(Error::NotFound { kind: AgentId::KIND })
    }

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
            index: Some(index(sort)),
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

    /// Merges a patch into the agent. When someone else changed it meanwhile, the patch is merged again into what
    /// they left, unless the caller asked for a certain version.
    pub async fn patch(
        &self,
        account: Account,
        id: AgentId,
        patch: &AgentPatch,
        plan: &Plan,
        expected: impl Fn(&Agent) -> bool,
    ) -> Result<Agent> {
        for attempt in 0.. {
            let (before, known) = self.get_with(account, id, &patch.references(), plan).await?;
            let after = before.patched(patch, &known, Time::now())?;
            if !expected(&before) {
                return Err(Error::PreconditionFailed);
            }
            if self.replace(&before, &after).await? {
                return Ok(after);
            }
            pause(attempt, "others keep changing the agent").await?;
        }
        unreachable!("pause gives up")
    }

    /// Takes the agent out of every list, and leaves word for those who name it. What it did is kept.
    pub async fn delete(&self, account: Account, id: AgentId, work_id: WorkId) -> Result<()> {
        let now = Time::of(work_id.uuid());
        let gone = Gone { account, reference: Reference::Agent(id) };
        let deleted = |condition: &str| {
            let key = keys::agent(account, id);
            let update = self.entities.update(key).set("deleted_at", now).set("head.updated_at", now);
            let unlisted = ["by_name", "by_created", "by_updated", "by_requests"];
            let update = unlisted.iter().fold(update, |update, attribute| update.remove(attribute));
            update.require("attribute_exists(pk) AND attribute_not_exists(deleted_at)").require(condition)
        };
        let listed = [
            deleted("attribute_exists(by_name)"),
            work::gone(&self.entities, work_id, &gone),
            self.counters.update(keys::agent_count(account)).add("total", -1),
        ];
        let Err(refused) = self.entities.transact(work_id.uuid(), &listed).await? else { return Ok(()) };
        // An agent private to a workflow is in no list, so there is no total to change.
        let is_there = refused.item.map(|item| agent(account, item)).transpose()?.flatten().is_some();
        if is_there {
            let unlisted = [deleted("attribute_not_exists(by_name)"), work::gone(&self.entities, work_id, &gone)];
            if self.entities.transact(Uuid::now_v7(), &unlisted).await?.is_ok() {
                return Ok(());
            }
        }
        Err(Error::NotFound { kind: AgentId::KIND })
    }

    /// Counts executions. The owner changed nothing, so neither the version nor the time of change moves.
    pub async fn count_requests(&self, account: Account, id: AgentId, requests: u64) -> Result<()> {
        let step = u128::from(requests) * keys::REQUESTS_STEP;
        let key = keys::agent(account, id);
        let counted = self.entities.update(key.clone()).increase("head.requests", requests).add("by_requests", step);
        if self.entities.write(counted.require("attribute_exists(by_requests)")).await?.is_err() {
            let unlisted = self.entities.update(key).increase("head.requests", requests);
            // Deleted meanwhile: there is nothing left to count.
            let _ = self.entities.write(unlisted.require("attribute_exists(pk)")).await?;
        }
        Ok(())
    }

    /// Tells every agent that names the thing that it is gone. Told twice, an agent is the same.
    pub async fn mark_gone(&self, gone: &Gone) -> Result<()> {
        let mut after = None;
        loop {
            let (dependents, next) = dependents::page(&self.entities, gone.account, &gone.reference, after).await?;
            for dependent in dependents {
                self.mark_one(dependent, &gone.reference).await?;
            }
            match next {
                None => return Ok(()),
                next => after = next,
            }
        }
    }

    async fn mark_one(&self, dependent: Dependent, reference: &Reference) -> Result<()> {
        for attempt in 0.. {
            let Some(item) = self.entities.get(&keys::agent(dependent.account, dependent.agent)).await? else {
                return Ok(());
            };
            let Some(before) = agent(dependent.account, item)? else { return Ok(()) };
            if before.gone.contains(reference) || !before.config.references().contains_key(reference) {
                return Ok(());
            }
            let mut after = before.clone();
            after.gone.insert(reference.clone());
            after.revision += 1;
            if self.replace(&before, &after).await? {
                return Ok(());
            }
            pause(attempt, "others keep changing the agent").await?;
        }
        unreachable!("pause gives up")
    }

    /// The agent, and which of the references exist for its account: one call.
    async fn get_with(
        &self,
        account: Account,
        id: AgentId,
        references: &BTreeSet<Reference>,
        plan: &Plan,
    ) -> Result<(Agent, BTreeSet<Reference>)> {
        let own = keys::agent(account, id);
        let places: Vec<(Key, &Reference)> =
            references.iter().map(|reference| (place(account, reference), reference)).collect();
        let mut wanted: Vec<Key> = places.iter().map(|(key, _)| key.clone()).filter(|key| *key != own).collect();
        wanted.push(own.clone());

        let found = self.entities.batch_get(&wanted).await?;
        let mut found: HashMap<Key, Item> =
            found.into_iter().filter_map(|item| Some((Key::of(&item)?, item))).collect();
        let known = places.iter().filter(|(key, reference)| {
            let visible = |name: &String| plan.allows(name);
            let allowed = if let Reference::Model(name) = reference { visible(name) } else { true };
            allowed && found.get(key).is_some_and(|item| !item.contains_key("deleted_at"))
        });
        let known = known.map(|(_, reference)| (*reference).clone()).collect();
        let agent = found.remove(&own).map(|item| agent(account, item)).transpose()?.flatten();
        Ok((agent.ok_or(Error::NotFound { kind: AgentId::KIND })?, known))
    }

    /// Writes what changed, if `before` is still what stands there. False when it is not.
    async fn replace(&self, before: &Agent, after: &Agent) -> Result<bool> {
        let write_id = Uuid::now_v7();
        let update = self.replaced(before, after, write_id);
        let (old, new) = (before.config.references(), after.config.references());
        let added = new.keys().filter(|reference| !old.contains_key(*reference));
        let removed = old.keys().filter(|reference| !new.contains_key(*reference));
        let dependent = Dependent { account: after.account, agent: after.id };

        let mut writes = vec![update];
        for reference in added {
            writes.push(dependents::added(&self.entities, dependent, reference));
            // It was there when it was looked up; it must still be there when it is named.
            writes.push(
                self.entities
                    .check(place(after.account, reference))
                    .require("attribute_exists(pk) AND attribute_not_exists(deleted_at)"),
            );
        }
        writes.extend(removed.map(|reference| dependents::removed(&self.entities, dependent, reference)));

        let outcome = match writes.len() {
            1 => self.entities.write(writes.remove(0)).await?,
            _ => self.entities.transact(write_id, &writes).await?,
        };
        match outcome {
            Ok(()) => Ok(true),
            Err(Refused { index: 0, item: Some(item) }) => Ok(parse::<Written>(item)?.write_id == write_id),
            Err(_) => Ok(false),
        }
    }

    fn inserted(&self, agent: &Agent) -> Write {
        let key = keys::agent(agent.account, agent.id);
        let listed = agent.scope == Scope::Global;
        let mut item: Item = to_item(&AgentItem {
            pk: key.pk,
            sk: key.sk,
            rev: agent.revision,
            write_id: agent.id.uuid(),
            config: config_text(&agent.config),
            gone: agent.gone.iter().cloned().collect(),
            deleted_at: None,
            by_name: listed.then(|| keys::by_name(&agent.name, agent.id)),
            by_created: listed.then(|| agent.id.to_string()),
            by_updated: listed.then(|| keys::by_updated(agent.updated_at, agent.id)),
            head: head(agent),
        });
        if listed {
            item.insert("by_requests".to_owned(), keys::requests_rank(agent.requests, agent.id));
        }
        self.entities.put_item(item).require("attribute_not_exists(pk)")
    }

    /// Everything but the count of requests, which others add to meanwhile.
    fn replaced(&self, before: &Agent, after: &Agent, write_id: Uuid) -> Write {
        let Head { name, folded, description, r#type, intent, status, updated_at, .. } = head(after);
        let mut update = self
            .entities
            .update(keys::agent(after.account, after.id))
            .set("rev", after.revision)
            .set("write_id", write_id)
            .set("config", config_text(&after.config))
            .set("gone", after.gone.iter().collect::<Vec<_>>())
            .set("head.name", name)
            .set("head.folded", folded)
            .set("head.description", description)
            .set("head.type", r#type)
            .set("head.intent", intent)
            .set("head.status", status)
            .set("head.updated_at", updated_at);
        if after.scope == Scope::Global {
            update = update
                .set("by_name", keys::by_name(&after.name, after.id))
                .set("by_updated", keys::by_updated(after.updated_at, after.id));
        }
        update.require("rev = :rev AND attribute_not_exists(deleted_at)").bind(":rev", before.revision)
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

#[derive(Deserialize)]
struct Written {
    write_id: Uuid,
}

fn index(sort: AgentSort) -> &'static str {
    match sort {
        AgentSort::Name => "by_name",
        AgentSort::CreatedAt => "by_created",
        AgentSort::UpdatedAt => "by_updated",
        AgentSort::Requests => "by_requests",
    }
}

fn place(account: Account, reference: &Reference) -> Key {
    match reference {
        Reference::Agent(id) => keys::agent(account, *id),
        Reference::Workflow(id) => keys::workflow(account, *id),
        Reference::Model(name) => keys::model(name),
    }
}

fn config_text(config: &AgentConfig) -> String {
    serde_json::to_string(config).expect("a configuration is JSON")
}

fn head(agent: &Agent) -> Head {
    Head {
        name: agent.name.clone(),
        folded: text::folded(&agent.name),
        description: agent.description.clone(),
        r#type: agent.r#type,
        intent: agent.intent,
        status: agent.status(),
        workflow: match agent.scope {
            Scope::Global => None,
            Scope::Workflow(id) => Some(id),
        },
        requests: agent.requests,
        created_at: agent.created_at,
        updated_at: agent.updated_at,
    }
}

fn scope(workflow: Option<WorkflowId>) -> Scope {
    workflow.map_or(Scope::Global, Scope::Workflow)
}

/// The agent in an item; nothing when it was deleted.
fn agent(account: Account, item: Item) -> Result<Option<Agent>> {
    let item: AgentItem = parse(item)?;
    if item.deleted_at.is_some() {
        return Ok(None);
    }
    let Head { name, description, r#type, intent, workflow, requests, created_at, updated_at, .. } = item.head;
    Ok(Some(Agent {
        id: item.sk.parse().map_err(Error::internal)?,
        account,
        name,
        description,
        r#type,
        intent,
        scope: scope(workflow),
        config: serde_json::from_str(&item.config).map_err(Error::internal)?,
        gone: item.gone.into_iter().collect(),
        requests,
        created_at,
        updated_at,
        revision: item.rev,
    }))
}

fn summary(item: Item) -> Result<AgentSummary> {
    let ListedItem { sk: id, head } = parse(item)?;
    let Head { name, description, r#type, status, workflow, requests, created_at, updated_at, .. } = head;
    Ok(AgentSummary { id, name, description, r#type, status, requests, scope: scope(workflow), created_at, updated_at })
}
