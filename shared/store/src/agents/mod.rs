//! The repository of agents. A change is one transaction with everything that depends on it: the total, the reverse
//! index of references, and the work that notifies dependents.

mod credentials;
mod item;
mod list;
mod private;
mod references;

use uuid::Uuid;

use super::attribute::field;
use super::dependents::Referrer;
use super::idempotency::{self, CreateOutcome, IdempotencyKey};
use super::keys;
use super::listing::CountItem;
use super::revision::{self, Attempts, REV, WRITE_ID};
use super::sharing;
use super::table::{Table, WriteOutcome};
use super::work::{self, DeletedEntity};
use super::write::Write;
use domain::agent::{Agent, AgentPatch, AgentScope, BrokenPin};
use domain::id::{AgentId, Id, UserId, WorkId};
use domain::identity::{Account, Plan};
use domain::reference::Reference;
use domain::sharing::Shareable;
use domain::time::{Clock, Time};
use domain::tool_mark::ToolMarkIn;
use domain::{Error, Result};
use platform::{Context, config};

pub use credentials::ToolCredentials;
use item::{AgentItem, Head, agent, broken_pins_text, config_text, credentials_text, head};
pub use list::{AgentFilter, AgentSort, AgentSummary};
pub use private::{MAX_TEAMS, PrivateList};
use private::{creation_refusal, creation_route};

/// The maximum number of writes in a transaction of DynamoDB.
const MAX_WRITES: usize = 100;

#[derive(Clone)]
pub struct Agents {
    entities: Table,
    counters: Table,
    clock: Clock,
}

impl Agents {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            clock: context.clock.clone(),
        })
    }

    /// Creates the agent, once for all requests with the same idempotency key. `answer` is stored and replayed to later
    /// requests.
    pub async fn create(
        &self,
        agent: &Agent,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
    ) -> Result<CreateOutcome> {
        let mut writes = Vec::new();
        if let Some(idempotency_key) = idempotency_key {
            let route = creation_route(agent.scope);
            let claim =
                idempotency::claim(&self.entities, agent.account, &route, idempotency_key, answer, agent.created_at);
            writes.push(claim);
        }
        writes.extend(self.listing_writes(agent));
        writes.push(self.entities.put_item(item::new_item(agent)).require_new());
        writes.extend(self.reference_writes(None, agent));
        match self.entities.transact(agent.id.uuid(), &writes).await? {
            WriteOutcome::Written => Ok(CreateOutcome::Now),
            WriteOutcome::Refused(refused) => match idempotency::replay(idempotency_key, &refused)? {
                Some(first) => first.into_text().map(CreateOutcome::Before),
                None => Err(creation_refusal(agent.scope, &refused)),
            },
        }
    }

    /// Finds the answer to the first creation with this idempotency key, if there was one.
    pub async fn first_answer(
        &self,
        account: Account,
        scope: AgentScope,
        key: &IdempotencyKey,
    ) -> Result<Option<String>> {
        let answer = idempotency::find(&self.entities, account, &creation_route(scope), key, self.clock.now()).await?;
        answer.map(|answer| answer.into_text()).transpose()
    }

    /// Builds a new global agent from the fields of a patch. It is not stored yet.
    pub async fn build(&self, account: Account, fields: &AgentPatch, plan: &Plan) -> Result<Agent> {
        let agent = Agent::new(AgentId::new(), account, AgentScope::Global);
        let references = fields.references();
        if references.is_empty() {
            return agent.with_fields(fields, &references);
        }
        let loaded = self.load_with_references(account, &keys::agent(account, agent.id), &references).await?;
        let referrer = Referrer { plan, workflow: None, now: self.clock.now() };
        agent.with_fields(fields, &loaded.find_known(&references, &referrer))
    }

    /// The writes that list a new agent: it counts in the total of its account, or in the quota of its workflow.
    fn listing_writes(&self, agent: &Agent) -> Vec<Write> {
        match agent.scope {
            AgentScope::Global => vec![self.counters.update(keys::agent_count(agent.account)).add(CountItem::TOTAL, 1)],
            AgentScope::Workflow(workflow, kind) => {
                let list = PrivateList { account: agent.account, workflow, kind };
                self.list_private_writes(list, agent)
            }
        }
    }

    pub async fn get(&self, account: Account, id: AgentId) -> Result<Agent> {
        let item = self.entities.get(&keys::agent(account, id)).await?;
        item.map(|item| agent(account, item)).transpose()?.flatten().ok_or(Error::NotFound { kind: AgentId::KIND })
    }

    /// Marks an agent as a tool for assistants, or removes the mark.
    pub async fn mark_as_tool(&self, account: Account, id: AgentId, tool: Option<ToolMarkIn>) -> Result<Agent> {
        let change = |before: &Agent| {
            if before.scope != AgentScope::Global {
                let problem = "the agent is private to a workflow; mark the workflow as a tool";
                return Err(Error::invalid_state(problem));
            }
            let mark = tool.clone().map(|tool| tool.into_mark(&before.name));
            let after = before.with_tool_mark(mark, self.clock.now());
            Ok((after.clone(), None, after))
        };
        self.change(account, id, change).await
    }

    /// Merges a patch into the agent, with an optimistic lock. If another request changed the agent meanwhile, the
    /// patch is merged again into the new revision, unless `expected` refuses that revision.
    pub async fn patch(
        &self,
        account: Account,
        id: AgentId,
        patch: &AgentPatch,
        plan: &Plan,
        expected: impl Fn(&Agent) -> bool,
    ) -> Result<Agent> {
        let mut attempts = Attempts::to_change(AgentId::KIND);
        loop {
            let references = patch.references();
            let loaded = self.load_with_references(account, &keys::agent(account, id), &references).await?;
            let before = loaded.own.clone().map(|item| agent(account, item)).transpose()?.flatten();
            let before = before.ok_or(Error::NotFound { kind: AgentId::KIND })?;
            let referrer = Referrer { plan, workflow: before.scope.workflow(), now: self.clock.now() };
            let known = loaded.find_known(&references, &referrer);
            let after = before.patched(patch, &known, self.clock.now())?;
            if !expected(&before) {
                return Err(Error::PreconditionFailed);
            }
            if self.replace(&before, &after, None).await? {
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    /// Deletes the agent: it becomes a tombstone that is in no list, and the work to notify its dependents is written.
    /// Its history is kept.
    pub async fn delete(&self, account: Account, owner: UserId, id: AgentId, work_id: WorkId) -> Result<()> {
        if owner != account.user {
            return self.delete_moved(account, Account { org: account.org, user: owner }, id, work_id).await;
        }
        let gone = DeletedEntity { account, reference: Reference::Agent(id) };
        let listed = [
            self.tombstone_write(account, id, Time::from_uuid(work_id.uuid())).require(AgentItem::BY_NAME.exists()),
            work::deletion_work(&self.entities, work_id, &gone),
            self.counters.update(keys::agent_count(account)).add(CountItem::TOTAL, -1),
        ];
        let WriteOutcome::Refused(refused) = self.entities.transact(work_id.uuid(), &listed).await? else {
            return Ok(());
        };
        // A private agent is not part of the total of its account.
        match refused.item.map(|item| agent(account, item)).transpose()?.flatten() {
            Some(Agent { scope: AgentScope::Workflow(workflow, kind), .. }) => {
                let outcome = self.delete_listed(PrivateList { account, workflow, kind }, id, work_id).await?;
                outcome.or_error(|_| Error::NotFound { kind: AgentId::KIND })
            }
            _ => Err(Error::NotFound { kind: AgentId::KIND }),
        }
    }

    /// Deletes an agent that another user has created.
    async fn delete_moved(&self, home: Account, owner: Account, id: AgentId, work_id: WorkId) -> Result<()> {
        let tombstone = self.tombstone_write(home, id, Time::from_uuid(work_id.uuid()));
        let writes = [
            tombstone.require_is(field!(AgentItem::HEAD, owner), owner.user),
            work::deletion_work(
                &self.entities,
                work_id,
                &DeletedEntity { account: home, reference: Reference::Agent(id) },
            ),
            self.counters.update(keys::agent_count(owner)).add(CountItem::TOTAL, -1),
            self.entities.delete(keys::agent(owner, id)),
        ];
        let outcome = self.entities.transact(work_id.uuid(), &writes).await?;
        outcome.or_error(|_| Error::NotFound { kind: AgentId::KIND })
    }

    /// The write that turns an agent into a tombstone. It is refused if the agent does not exist or is deleted.
    fn tombstone_write(&self, account: Account, id: AgentId, now: Time) -> Write {
        let update = self
            .entities
            .update(keys::agent(account, id))
            .set(AgentItem::DELETED_AT, now)
            .set(field!(AgentItem::HEAD, updated_at), now);
        let update = update.remove(AgentItem::BY_NAME).remove(AgentItem::BY_CREATED);
        let update = update.remove(AgentItem::BY_UPDATED).remove(AgentItem::BY_REQUESTS);
        update.require_exists().require(AgentItem::DELETED_AT.is_missing())
    }

    /// Counts executions, once for all calls with the same token. They are no change by the owner, so the revision and the
    /// time of change stay the same.
    pub async fn count_requests(&self, account: Account, id: AgentId, requests: u64, token: Uuid) -> Result<()> {
        let step = u128::from(requests) * keys::REQUESTS_STEP;
        let key = keys::agent(account, id);
        let counted = self
            .entities
            .update(key.clone())
            .increase(field!(AgentItem::HEAD, requests), requests)
            .add(AgentItem::BY_REQUESTS, step);
        let counted = counted.require(AgentItem::BY_REQUESTS.exists());
        if !self.entities.transact(token, &[counted]).await?.is_written() {
            let unlisted = self.entities.update(key).increase(field!(AgentItem::HEAD, requests), requests);
            let unlisted = unlisted.require_exists();
            // Another transaction needs another token. If the agent does not exist, there is nothing to count.
            let token = Uuid::from_u128(token.as_u128() ^ 1);
            let _ = self.entities.transact(token, &[unlisted]).await?;
        }
        Ok(())
    }

    /// Removes a deleted agent from the reverse index of references, and deletes the credentials of its tools.
    pub(super) async fn clean_up(&self, account: Account, id: AgentId) -> Result<()> {
        credentials::delete_all(&self.entities, account, id).await?;
        let Some(item) = self.entities.get(&keys::agent(account, id)).await? else { return Ok(()) };
        for reference in item::references(item)? {
            self.entities.remove(&keys::dependent_agent(account, &reference, id)).await?;
        }
        Ok(())
    }

    /// Marks or unmarks one of the agent's references as gone. It is idempotent.
    pub(super) async fn mark_reference(
        &self,
        account: Account,
        id: AgentId,
        reference: &Reference,
        is_gone: bool,
    ) -> Result<()> {
        let mut attempts = Attempts::to_change(AgentId::KIND);
        loop {
            let Some(item) = self.entities.get(&keys::agent(account, id)).await? else { return Ok(()) };
            let Some(before) = agent(account, item)? else { return Ok(()) };
            if before.gone.contains(reference) == is_gone || !before.config.references().contains_key(reference) {
                return Ok(());
            }
            let mut after = before.clone();
            if is_gone {
                after.gone.insert(reference.clone());
            } else {
                after.gone.remove(reference);
            }
            after.revision += 1;
            if self.replace(&before, &after, None).await? {
                return Ok(());
            }
            attempts.next().await?;
        }
    }

    /// Stores which pins of a tool its MCP server does not fulfil. If that is known already, nothing is written.
    pub async fn mark_broken_pins(
        &self,
        account: Account,
        id: AgentId,
        tool: &str,
        broken: &[BrokenPin],
    ) -> Result<()> {
        let mut attempts = Attempts::to_change(AgentId::KIND);
        loop {
            let before = self.get(account, id).await?;
            let Some(after) = before.with_broken_pins(tool, broken) else { return Ok(()) };
            if self.replace(&before, &after, None).await? {
                return Ok(());
            }
            attempts.next().await?;
        }
    }

    /// Writes the changes, on condition that `before` is still the stored revision. Returns false when it is not.
    async fn replace(&self, before: &Agent, after: &Agent, other: Option<Write>) -> Result<bool> {
        let write_id = Uuid::now_v7();
        let mut writes = vec![self.update_write(before, after, write_id)];
        writes.extend(other);
        writes.extend(self.reference_writes(Some(before), after));
        writes.extend(credentials::delete_dropped(&self.entities, before, after));
        let what = Shareable::Agent(after.id);
        writes = sharing::with_relist_work(&self.entities, writes, write_id, after.account, what, &after.sharing);
        if writes.len() > MAX_WRITES {
            let problem = "too many references and tools with credentials change at once; change some of them first";
            return Err(Error::invalid_body("config", problem));
        }

        let is_written = revision::was_written(&self.entities.write_all(write_id, writes).await?, write_id)?;
        if is_written {
            sharing::relist_now(&self.entities, write_id, after.account, what, &after.sharing).await;
        }
        Ok(is_written)
    }

    /// The update of all fields except the count of requests, which concurrent executions add to.
    fn update_write(&self, before: &Agent, after: &Agent, write_id: Uuid) -> Write {
        let Head { name, folded, description, r#type, intent, status, updated_at, tool, .. } = head(after);
        let mut update = self
            .entities
            .update(keys::agent(after.account, after.id))
            .set(REV, after.revision)
            .set(WRITE_ID, write_id)
            .set(AgentItem::CONFIG, config_text(&after.config))
            .set(AgentItem::CREDENTIALS, credentials_text(&after.credentials))
            .set(AgentItem::GONE, after.gone.iter().cloned().collect::<Vec<_>>())
            .set(AgentItem::BROKEN_PINS, broken_pins_text(&after.broken_pins))
            .set(field!(AgentItem::HEAD, name), name)
            .set(field!(AgentItem::HEAD, folded), folded)
            .set(field!(AgentItem::HEAD, description), description)
            .set(field!(AgentItem::HEAD, r#type), r#type)
            .set(field!(AgentItem::HEAD, intent), intent)
            .set(field!(AgentItem::HEAD, status), status)
            .set(field!(AgentItem::HEAD, updated_at), updated_at);
        update = match tool {
            Some(tool) => update.set(field!(AgentItem::HEAD, tool), Some(tool)),
            None => update.remove(field!(AgentItem::HEAD, tool)),
        };
        let is_listed = after.scope == AgentScope::Global && after.sharing.owner == after.account.user;
        if is_listed {
            update = update
                .set(AgentItem::ORGANIZATION, keys::agents_of_org(after.account.org))
                .set(AgentItem::BY_NAME, keys::by_name(&after.name, after.id))
                .set(AgentItem::BY_UPDATED, keys::by_updated(after.updated_at, after.id));
        }
        revision::require(update, before.revision)
    }
}
