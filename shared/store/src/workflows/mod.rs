//! The repository of workflows. A change is written with an optimistic lock, together with the total and the work that
//! notifies dependents.

mod changes;
mod impact;
mod import_reports;
mod item;
mod list;
mod releases;

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::attribute::field;
use super::dependents::{By, Dependent, Referrer};
use super::idempotency::{self, CreateOutcome, IdempotencyKey};
use super::item::{Item, parse};
use super::listing::CountItem;
use super::query::TableQuery;
use super::revision::{self, Attempts, REV, WRITE_ID};
use super::stored_text::StoredText;
use super::table::{RefusedWrite, Table, WriteOutcome};
use super::work::{self, DeletedEntity};
use super::write::Write;
use super::{catalog, credentials, data_tables, keys, schedules, sharing, webhooks};
use domain::catalog::Model;
use domain::channel::{AvailableResources, Channels};
use domain::graph::Graph;
use domain::id::{Id, UserId, WorkId, WorkflowId};
use domain::identity::{Account, Plan};
use domain::reference::Reference;
use domain::run::StartableRelease;
use domain::sharing::Shareable;
use domain::time::{Clock, Time};
use domain::tool_mark::ToolMark;
use domain::workflow::{Active, Workflow, WorkflowChange, WorkflowState};
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::{Context, config};

use changes::{put_change, with_change};
pub use impact::{Impact, Named};
use item::{ReleaseLinks, WorkflowItem, item, stored};
pub use list::{WorkflowFilter, WorkflowSort, WorkflowSummary};
pub use releases::{Deployed, MAX_REFERENCES, Published, ReleaseNeeds};

const GONE: Error = Error::NotFound { kind: WorkflowId::KIND };

#[derive(Clone)]
pub struct Workflows {
    entities: Table,
    counters: Table,
    bucket: Bucket,
    clock: Clock,
}

/// Which of the requested references exist.
#[derive(Clone, Debug, Default)]
pub struct ExistingReferences {
    pub references: BTreeSet<Reference>,
    /// The models among them, by name.
    pub models: BTreeMap<String, Model>,
    /// The workflows among them that do not run when they are called.
    pub not_runnable: BTreeSet<Reference>,
}

/// A workflow without its draft.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowHeader {
    /// The account under which it is stored.
    pub account: Account,
    pub id: WorkflowId,
    pub owner: UserId,
    pub name: String,
    pub description: Option<String>,
    pub state: WorkflowState,
    pub active: Option<Active>,
    /// The number of releases so far.
    pub releases: u64,
    /// Set if assistants can call it as a tool.
    pub tool: Option<ToolMark>,
}

impl WorkflowHeader {
    /// Who pays for its runs, if that is not the user of its account.
    pub fn payer(&self) -> Option<UserId> {
        Some(self.owner).filter(|owner| *owner != self.account.user)
    }

    /// The release with which a run starts. Fails if the workflow may not start runs.
    pub fn startable_release(&self) -> Result<StartableRelease> {
        self.state.check_startable()?;
        let active = self.active.as_ref();
        let active = active.ok_or_else(|| Error::internal("a workflow that may start has no release"))?;
        let (release, number) = (active.release, active.number);
        Ok(StartableRelease { account: self.account, payer: self.payer(), workflow: self.id, release, number })
    }
}

/// Reads the header of a workflow from its item; none if it was deleted.
pub(super) fn header(account: Account, id: WorkflowId, item: Item) -> Result<Option<WorkflowHeader>> {
    let Some(found) = stored(item)? else { return Ok(None) };
    let workflow = found.without_graph(account, Graph::default());
    let (state, Workflow { name, description, active, releases, sharing, tool, .. }) = (workflow.state(), workflow);
    Ok(Some(WorkflowHeader { account, id, owner: sharing.owner, name, description, state, active, releases, tool }))
}

/// A workflow, and the stored parts that a change keeps.
pub struct Loaded {
    pub workflow: Workflow,
    graph: StoredText,
    links: ReleaseLinks,
}

impl Workflows {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            bucket: Bucket::new(context, config::BUCKET_FILES)?,
            clock: context.clock.clone(),
        })
    }

    /// Creates the workflow, once for all requests of a route with the same idempotency key. `answer` is stored and
    /// replayed to later requests.
    pub async fn create(
        &self,
        workflow: &Workflow,
        route: &str,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
    ) -> Result<CreateOutcome> {
        let account = workflow.account;
        let graph = self.store_graph(workflow).await?;
        let mut writes = Vec::new();
        if let Some(idempotency_key) = idempotency_key {
            // The answer contains the whole graph, which may be larger than an item can be.
            let answer = StoredText::store_answer(&self.bucket, "application/json", answer.as_bytes()).await?;
            writes.push(idempotency::claim(
                &self.entities,
                account,
                route,
                idempotency_key,
                answer,
                workflow.created_at,
            ));
        }
        let stored = graph.clone();
        let item = item(workflow, graph, ReleaseLinks::default(), workflow.id.uuid());
        writes.push(self.entities.put_item(item).require_new());
        writes.push(put_change(&self.entities, workflow, WorkflowChange::Created, workflow.id.uuid()));
        writes.push(self.counters.update(keys::workflow_count(account)).add(CountItem::TOTAL, 1));
        let WriteOutcome::Refused(refused) = self.entities.transact(workflow.id.uuid(), &writes).await? else {
            return Ok(CreateOutcome::Now);
        };
        self.discard(&stored).await;
        match idempotency::replay(idempotency_key, &refused)? {
            Some(first) => self.read_answer(&first).await.map(CreateOutcome::Before),
            None => Err(Error::internal("a new workflow's id is in use")),
        }
    }

    /// Finds the answer to the first request of a route with this idempotency key, if there was one.
    pub async fn first_answer(
        &self,
        account: Account,
        route: &str,
        idempotency_key: &IdempotencyKey,
    ) -> Result<Option<String>> {
        match idempotency::find(&self.entities, account, route, idempotency_key, self.clock.now()).await? {
            Some(answer) => self.read_answer(&answer).await.map(Some),
            None => Ok(None),
        }
    }

    async fn read_answer(&self, answer: &StoredText) -> Result<String> {
        String::from_utf8(answer.read_answer(&self.bucket).await?.into()).map_err(Error::internal)
    }

    pub async fn get(&self, account: Account, id: WorkflowId) -> Result<Workflow> {
        self.load(account, id).await.map(|loaded| loaded.workflow)
    }

    /// Reads the workflow without its draft, which saves a read from the bucket.
    pub async fn get_header(&self, account: Account, id: WorkflowId) -> Result<WorkflowHeader> {
        let item = self.entities.get(&keys::workflow(account, id)).await?;
        item.map(|item| header(account, id, item)).transpose()?.flatten().ok_or(GONE)
    }

    /// Reads the configuration of the workflow's channels, without its draft.
    pub async fn get_channels(&self, account: Account, id: WorkflowId) -> Result<Channels> {
        let found = self.entities.get(&keys::workflow(account, id)).await?;
        let found: WorkflowItem = found.map(stored).transpose()?.flatten().ok_or(GONE)?;
        found.channels()
    }

    /// Changes the workflow as `change` returns, with an optimistic lock. If another request changed the workflow
    /// meanwhile, it calls `change` again with the new revision.
    pub async fn change(
        &self,
        account: Account,
        id: WorkflowId,
        change: impl Fn(&Workflow) -> Result<Workflow>,
    ) -> Result<Workflow> {
        let mut attempts = Attempts::to_change(WorkflowId::KIND);
        loop {
            let before = self.load(account, id).await?;
            let after = change(&before.workflow)?;
            if self.replace(before, &after).await? {
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    /// Deletes the workflow: it becomes a tombstone that is in no list, and the work to notify its dependents is
    /// written. Its history is kept.
    pub async fn delete(&self, account: Account, owner: UserId, id: WorkflowId, work_id: WorkId) -> Result<()> {
        let now = Time::from_uuid(work_id.uuid());
        let owner = Account { org: account.org, user: owner };
        let deleted = self.entities.update(keys::workflow(account, id)).set(WorkflowItem::DELETED_AT, now);
        let deleted =
            deleted.remove(WorkflowItem::BY_NAME).remove(WorkflowItem::BY_CREATED).remove(WorkflowItem::BY_UPDATED);
        let moved_to = Some(owner.user).filter(|user| *user != account.user);
        let deleted = deleted.require_exists().require(WorkflowItem::DELETED_AT.is_missing());
        let deleted = deleted.require_same(field!(WorkflowItem::HEAD, owner), moved_to);
        let gone = DeletedEntity { account, reference: Reference::Workflow(id) };
        let mut writes = vec![
            deleted,
            work::deletion_work(&self.entities, work_id, &gone),
            self.counters.update(keys::workflow_count(owner)).add(CountItem::TOTAL, -1),
        ];
        writes.extend(moved_to.map(|_| self.entities.delete(keys::workflow(owner, id))));
        self.entities.transact(work_id.uuid(), &writes).await?.or_error(|_| GONE)
    }

    /// Reads which of the references exist for a workflow, in one call.
    pub async fn find_references(
        &self,
        account: Account,
        id: WorkflowId,
        references: &BTreeSet<Reference>,
        plan: &Plan,
    ) -> Result<ExistingReferences> {
        let references_by_key: Vec<_> =
            references.iter().map(|reference| (keys::reference_key(account, reference), reference)).collect();
        let keys: Vec<_> = references_by_key.iter().map(|(key, _)| key.clone()).collect();
        let found = self.entities.batch_get(&keys).await?;
        let referrer = Referrer { plan, workflow: Some(id), now: self.clock.now() };
        let mut existing = ExistingReferences::default();
        for (key, reference) in references_by_key {
            let item = found.iter().find(|item| keys::Key::from_item(item).as_ref() == Some(&key));
            let Some(item) = item.filter(|item| referrer.can_use(item, reference)) else { continue };
            existing.references.insert(reference.clone());
            match reference {
                Reference::Model(name) => {
                    existing.models.insert(name.clone(), catalog::model(item.clone())?);
                }
                Reference::Workflow(_) if !item::is_runnable(item.clone())? => {
                    existing.not_runnable.insert(reference.clone());
                }
                _ => {}
            }
        }
        Ok(existing)
    }

    /// Reads what the workflow's channels and nodes may reference: its webhooks and credentials.
    pub async fn available_resources(&self, account: Account, id: WorkflowId) -> Result<AvailableResources> {
        let webhooks = webhooks::ids(&self.entities, account, id);
        let credentials = credentials::summaries(&self.entities, account, id);
        let (webhooks, credentials) = futures::try_join!(webhooks, credentials)?;
        let webhooks = webhooks.into_iter().map(|webhook| webhook.uuid()).collect();
        let credentials = credentials.into_iter().map(|found| (found.id.uuid(), found.r#type)).collect();
        Ok(AvailableResources { webhooks, credentials })
    }

    /// Reads a workflow with its graph, as a change begins.
    pub async fn load(&self, account: Account, id: WorkflowId) -> Result<Loaded> {
        let mut attempts = Attempts::to_change(WorkflowId::KIND);
        loop {
            let found = self.entities.get(&keys::workflow(account, id)).await?;
            let mut found: WorkflowItem = found.map(stored).transpose()?.flatten().ok_or(GONE)?;
            let (references, schedules) = (std::mem::take(&mut found.references), std::mem::take(&mut found.schedules));
            let (graph, links) = (found.graph.clone(), ReleaseLinks { references, schedules });
            // A concurrent change of the graph deleted the object after the item was read.
            if let Some(text) = graph.read(&self.bucket).await? {
                return Ok(Loaded { workflow: found.workflow(account, &text)?, graph, links });
            }
            attempts.next().await?;
        }
    }

    /// Writes the changes, on condition that `before` is still the stored revision. Returns false when it is not.
    async fn replace(&self, before: Loaded, after: &Workflow) -> Result<bool> {
        let graph =
            if after.graph == before.workflow.graph { before.graph.clone() } else { self.store_graph(after).await? };
        let write_id = Uuid::now_v7();
        let schedules = self.reschedule(&before, after);
        let mut writes = self.put(after, graph.clone(), before.links, &before.workflow, write_id);
        writes.extend(schedules);
        let outcome = self.entities.write_all(write_id, writes).await?;
        let is_new = graph != before.graph;
        // A write that was retried may have succeeded at first, and another request may have changed other fields
        // since. If the item refers to the object that was created for this write, the write has succeeded.
        let is_named = match &outcome {
            WriteOutcome::Refused(RefusedWrite { item: Some(item), .. }) if is_new && graph.object().is_some() => {
                stored(item.clone())?.is_some_and(|item| item.graph == graph)
            }
            _ => false,
        };
        let is_written = revision::was_written(&outcome, write_id)? || is_named;
        if is_written {
            self.relist(after, write_id).await;
        }
        if is_new {
            self.discard(if is_written { &before.graph } else { &graph }).await;
        }
        Ok(is_written)
    }

    /// The writes that stop the schedules when the workflow may no longer start runs, and let the ticker handle them when
    /// it may again.
    fn reschedule(&self, before: &Loaded, after: &Workflow) -> Vec<Write> {
        let may_start = |workflow: &Workflow| workflow.state().may_start();
        if may_start(&before.workflow) == may_start(after) {
            return Vec::new();
        }
        let due_at = may_start(after).then(|| self.clock.now());
        schedules::reschedule(&self.entities, after.id, &before.links.schedules, due_at).collect()
    }

    async fn discard(&self, graph: &StoredText) {
        if let Some(object) = graph.object() {
            self.bucket.discard(object).await;
        }
    }

    fn put(
        &self,
        after: &Workflow,
        graph: StoredText,
        links: ReleaseLinks,
        before: &Workflow,
        write_id: Uuid,
    ) -> Vec<Write> {
        let write = self.entities.put_item(item(after, graph, links, write_id));
        let writes = with_change(&self.entities, revision::require(write, before.revision), before, after, write_id);
        let (what, sharing) = (Shareable::Workflow(after.id), &after.sharing);
        sharing::with_relist_work(&self.entities, writes, write_id, after.account, what, sharing)
    }

    /// Brings the lists of the other users up to date after a write.
    async fn relist(&self, after: &Workflow, write_id: Uuid) {
        let what = Shareable::Workflow(after.id);
        sharing::relist_now(&self.entities, write_id, after.account, what, &after.sharing).await;
    }

    async fn store_graph(&self, workflow: &Workflow) -> Result<StoredText> {
        let text = serde_json::to_vec(&workflow.graph).map_err(Error::internal)?;
        let prefix = format!("graphs/{}/{}", workflow.account.org, workflow.id);
        StoredText::store(&self.bucket, &prefix, "application/json", &text).await
    }
}

/// Marks or unmarks a reference of the workflow's active release as gone. It is idempotent.
pub(super) async fn mark_reference(
    entities: &Table,
    account: Account,
    id: WorkflowId,
    reference: &Reference,
    is_gone: bool,
) -> Result<()> {
    let mut attempts = Attempts::to_change(WorkflowId::KIND);
    loop {
        let item: Option<Item> = entities.get(&keys::workflow(account, id)).await?;
        let Some(found) = item.map(stored).transpose()?.flatten() else { return Ok(()) };
        if is_gone && !found.references.contains(reference) {
            return Ok(());
        }
        let before = found.without_graph(account, Graph::default());
        if before.gone.contains(reference) == is_gone {
            return Ok(());
        }
        let mut after = Workflow { revision: before.revision + 1, ..before.clone() };
        if is_gone {
            after.gone.insert(reference.clone());
        } else {
            after.gone.remove(reference);
        }
        // The graph does not change, so it is neither read nor written.
        let write_id = Uuid::now_v7();
        let write = entities
            .update(keys::workflow(account, id))
            .set(REV, after.revision)
            .set(WRITE_ID, write_id)
            .set(WorkflowItem::GONE, after.gone.iter().cloned().collect::<Vec<_>>())
            .set(field!(WorkflowItem::HEAD, state), after.state())
            .set(field!(WorkflowItem::HEAD, revision), after.revision);
        let write = revision::require(write, before.revision);
        let writes = with_change(entities, write, &before, &after, write_id);
        let (what, sharing) = (Shareable::Workflow(id), &after.sharing);
        let writes = sharing::with_relist_work(entities, writes, write_id, account, what, sharing);
        if entities.write_all(write_id, writes).await?.is_written() {
            sharing::relist_now(entities, write_id, account, what, sharing).await;
            return Ok(());
        }
        attempts.next().await?;
    }
}

/// Removes a deleted workflow from the reverse index of references, and deletes its schedules, tables, credentials and webhooks.
/// Its private agents are deleted by `Agents::delete_all_private`.
pub(super) async fn delete_dependencies(entities: &Table, account: Account, id: WorkflowId) -> Result<()> {
    let Some(item) = entities.get(&keys::workflow(account, id)).await? else { return Ok(()) };
    let found: WorkflowItem = parse(item)?;
    let dependent = Dependent { account, by: By::Workflow(id) };
    for reference in &found.references {
        entities.remove(&dependent.key(reference)).await?;
    }
    schedules::remove_all(entities, id, &found.schedules).await?;
    data_tables::delete_all(entities, account, id).await?;
    let own = async |partition| entities.query_all(TableQuery::partition(partition)).await;
    let (credentials, webhooks) = (own(keys::credentials(account, id)).await?, own(keys::webhooks(account, id)).await?);
    // The entries of the list are deleted last, because a retry finds the webhooks by them.
    for webhook in webhooks.iter().filter_map(keys::Key::from_item).filter_map(|listed| listed.sk.parse().ok()) {
        entities.remove(&keys::webhook(webhook)).await?;
    }
    for credential in credentials.iter().filter_map(keys::Key::from_item).filter_map(|listed| listed.sk.parse().ok()) {
        entities.remove(&keys::inbox(credential)).await?;
        entities.remove(&keys::consent(credential)).await?;
    }
    let counts = [keys::credential_count(account, id), keys::webhook_count(account, id)];
    for listed in credentials.iter().chain(&webhooks).filter_map(keys::Key::from_item).chain(counts) {
        entities.remove(&listed).await?;
    }
    Ok(())
}
