//! The agents that are private to a workflow. Each has an entry in a list of its workflow, and counts in the quota of its
//! kind. Everything else about them is stored as for all agents.

use uuid::Uuid;

use super::item::AgentItem;
use super::references::REFERENCE;
use super::{Agents, agent};
use crate::attribute::field;
use crate::dependents::Referrer;
use crate::item::Item;
use crate::keys::{self, Key};
use crate::query::{Range, TableQuery};
use crate::quota;
use crate::revision::{Attempts, DELETED_AT};
use crate::sharing::closed_entry;
use crate::table::{RefusedWrite, WriteOutcome};
use crate::work::{self, DeletedEntity};
use crate::workflow_parts::WorkflowPart;
use crate::write::Write;
use domain::agent::{Agent, AgentPatch, AgentScope, PrivateAgentKind};
use domain::id::{AgentId, Id, UserId, WorkId, WorkflowId};
use domain::identity::{Account, Plan};
use domain::reference::Reference;
use domain::sharing::{Shareable, Sharing};
use domain::time::Time;
use domain::{Error, Result};

/// The maximum number of teams of a workflow. One `BatchGetItem` can read all of them.
pub const MAX_TEAMS: usize = 20;

/// The code of the error when a workflow has a test agent already.
const TEST_AGENT_EXISTS: &str = "test_agent_exists";

/// The private agents of one kind in a workflow.
#[derive(Clone, Copy, Debug)]
pub struct PrivateList {
    pub account: Account,
    pub workflow: WorkflowId,
    pub kind: PrivateAgentKind,
}

impl PrivateList {
    pub fn teams(account: Account, workflow: WorkflowId) -> Self {
        Self { account, workflow, kind: PrivateAgentKind::Team }
    }

    pub fn test_agent(account: Account, workflow: WorkflowId) -> Self {
        Self { account, workflow, kind: PrivateAgentKind::TestAgent }
    }

    pub fn scope(self) -> AgentScope {
        AgentScope::Workflow(self.workflow, self.kind)
    }

    fn not_found(self) -> Error {
        Error::NotFound { kind: self.kind.noun() }
    }
}

fn part(kind: PrivateAgentKind) -> WorkflowPart {
    match kind {
        PrivateAgentKind::Team => WorkflowPart { kind: kind.noun(), max: MAX_TEAMS, too_many: "too_many_teams" },
        PrivateAgentKind::TestAgent => WorkflowPart { kind: kind.noun(), max: 1, too_many: TEST_AGENT_EXISTS },
    }
}

/// The route that creates agents of this scope, for idempotency keys.
pub(super) fn creation_route(scope: AgentScope) -> String {
    match scope {
        AgentScope::Global => "agents".to_owned(),
        AgentScope::Workflow(workflow, kind) => format!("workflows/{workflow}/{}", kind.noun()),
    }
}

/// Why an agent of this scope was not created.
pub(super) fn creation_refusal(scope: AgentScope, refused: &RefusedWrite) -> Error {
    match scope {
        _ if refused.label == REFERENCE => {
            let problem = "refers to an agent, a workflow or a model that was just deleted; remove the reference";
            Error::invalid_body("config", problem)
        }
        AgentScope::Global => Error::internal("a new agent's id is in use"),
        AgentScope::Workflow(_, kind) => part(kind).refusal(refused),
    }
}

impl Agents {
    /// Builds a new agent for the list from the fields of a patch. It is not stored yet. Fails if the workflow does not
    /// exist.
    pub async fn build_private(&self, list: PrivateList, fields: &AgentPatch, plan: &Plan) -> Result<Agent> {
        let PrivateList { account, workflow, kind } = list;
        let references = fields.references();
        let loaded = self.load_with_references(account, &keys::workflow(account, workflow), &references).await?;
        require_workflow(loaded.own.as_ref())?;
        let referrer = Referrer { plan, workflow: Some(workflow), now: self.clock.now() };
        let agent = Agent::new_private(account, workflow, kind, fields, &loaded.find_known(&references, &referrer))?;
        let owner = loaded.own.as_ref().and_then(owner_of).unwrap_or(account.user);
        Ok(Agent { sharing: Sharing::of(owner), ..agent })
    }

    /// Lists private agents, oldest first. Fails if the workflow does not exist.
    pub async fn list_private(&self, list: PrivateList) -> Result<Vec<Agent>> {
        let PrivateList { account, workflow, kind } = list;
        let range = Some(Range::beginning(&keys::private_agents_of(kind)));
        let query = TableQuery { range, ..TableQuery::partition(keys::private_agents(account, workflow)) };
        let ids = listed_ids(&self.entities.query_all(query).await?);
        let mut agents = self.load_listed(list, &ids).await?;
        agents.sort_by_key(|agent| agent.id);
        Ok(agents)
    }

    /// Reads the test agent of a workflow, or creates it with the defaults. Of concurrent calls, one creates it. Fails if the
    /// workflow does not exist.
    pub async fn get_or_create_test_agent(&self, account: Account, workflow: WorkflowId, plan: &Plan) -> Result<Agent> {
        let list = PrivateList::test_agent(account, workflow);
        let defaults = AgentPatch::default();
        let mut attempts = Attempts::to_change(list.kind.noun());
        loop {
            if let Some(agent) = self.list_private(list).await?.into_iter().next() {
                return Ok(agent);
            }
            let agent = self.build_private(list, &defaults, plan).await?;
            match self.create(&agent, None, "").await {
                Ok(_) => return Ok(agent),
                // Another call has created it meanwhile.
                Err(Error::Conflict { code: TEST_AGENT_EXISTS, .. }) => attempts.next().await?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a private agent. An agent of another workflow or kind is not found.
    pub async fn get_private(&self, list: PrivateList, id: AgentId) -> Result<Agent> {
        self.load_listed(list, &[id]).await?.into_iter().next().ok_or(list.not_found())
    }

    /// Reads those agents that belong to the list and are not deleted. Fails if the workflow does not exist.
    async fn load_listed(&self, list: PrivateList, ids: &[AgentId]) -> Result<Vec<Agent>> {
        let workflow = keys::workflow(list.account, list.workflow);
        let mut wanted: Vec<Key> = ids.iter().map(|id| keys::agent(list.account, *id)).collect();
        wanted.push(workflow.clone());
        let found = self.entities.batch_get(&wanted).await?;
        let is_workflow = |item: &Item| Key::from_item(item).as_ref() == Some(&workflow);
        let (workflow, agents): (Vec<_>, Vec<_>) = found.into_iter().partition(is_workflow);
        require_workflow(workflow.first())?;
        let agents = agents.into_iter().filter_map(|item| agent(list.account, item).transpose());
        let agents = agents.collect::<Result<Vec<_>>>()?.into_iter();
        Ok(agents.filter(|agent| agent.scope == list.scope()).collect())
    }

    /// Merges a patch into a private agent, as [`Agents::patch`] does.
    pub async fn patch_private(
        &self,
        list: PrivateList,
        id: AgentId,
        patch: &AgentPatch,
        plan: &Plan,
        expected: impl Fn(&Agent) -> bool,
    ) -> Result<Agent> {
        self.get_private(list, id).await?;
        let patched = self.patch(list.account, id, patch, plan, expected).await;
        patched.map_err(|error| match error {
            Error::NotFound { kind: AgentId::KIND } => list.not_found(),
            error => error,
        })
    }

    /// Deletes a private agent, and writes the work that notifies its dependents.
    pub async fn delete_private(&self, list: PrivateList, id: AgentId, work_id: WorkId) -> Result<()> {
        self.get_private(list, id).await?;
        self.delete_listed(list, id, work_id).await?.or_error(|_| list.not_found())
    }

    /// Deletes an agent that is known to belong to the list.
    pub(super) async fn delete_listed(&self, list: PrivateList, id: AgentId, work_id: WorkId) -> Result<WriteOutcome> {
        let PrivateList { account, workflow, kind } = list;
        let gone = DeletedEntity { account, reference: Reference::Agent(id) };
        let writes = [
            self.tombstone_write(account, id, Time::from_uuid(work_id.uuid())),
            self.entities.delete(keys::listed_private_agent(account, workflow, kind, id)),
            quota::decrement(&self.entities, keys::private_agent_count(account, workflow, kind)),
            work::deletion_work(&self.entities, work_id, &gone),
        ];
        // `work_id` may be the token of a transaction that was refused.
        self.entities.transact(Uuid::now_v7(), &writes).await
    }

    /// Deletes all private agents of a deleted workflow. Only parts of the same workflow can refer to them, so there is
    /// nobody to notify. A retry finds the agents by their entries, so the entries are deleted last.
    pub(crate) async fn delete_all_private(&self, account: Account, workflow: WorkflowId) -> Result<()> {
        let read = async |partition| self.entities.query_all(TableQuery::partition(partition)).await;
        let entries = read(keys::private_agents(account, workflow)).await?;
        for id in listed_ids(&entries) {
            // A refused write means that the agent is a tombstone already.
            let _ = self.entities.write(self.tombstone_write(account, id, self.clock.now())).await?;
            self.clean_up(account, id).await?;
        }
        let counts = read(keys::private_agent_counts(account, workflow)).await?;
        for key in entries.iter().chain(&counts).filter_map(Key::from_item) {
            self.entities.remove(&key).await?;
        }
        Ok(())
    }

    /// The writes that add a private agent to its list, on condition that the workflow exists and has fewer than the maximum.
    pub(super) fn list_private_writes(&self, list: PrivateList, agent: &Agent) -> Vec<Write> {
        let Agent { id, created_at: now, sharing: Sharing { owner, .. }, .. } = *agent;
        let PrivateList { account, workflow, kind } = list;
        let count = keys::private_agent_count(account, workflow, kind);
        let [exists, room] = part(kind).require_room(&self.entities, account, workflow, count, now);
        // A transfer meanwhile would not know this agent.
        let moved_to = Some(owner).filter(|owner| *owner != account.user);
        let exists = exists.require_same(field!(AgentItem::HEAD, owner), moved_to);
        let entry = keys::listed_private_agent(account, workflow, kind, id).attributes();
        let closed = moved_to.map(|_| closed_entry(account, Shareable::Agent(id)));
        let entries = [entry].into_iter().chain(closed).map(|entry| self.entities.put_item(entry));
        [exists, room].into_iter().chain(entries).collect()
    }
}

fn listed_ids(entries: &[Item]) -> Vec<AgentId> {
    entries.iter().filter_map(Key::from_item).filter_map(|entry| keys::listed_agent_id(&entry)).collect()
}

/// The owner of a workflow, if that is not the user who created it.
fn owner_of(workflow: &Item) -> Option<UserId> {
    let owner = workflow.get(AgentItem::HEAD.name())?.as_m().ok()?.get("owner")?;
    owner.as_s().ok()?.parse().ok()
}

fn require_workflow(item: Option<&Item>) -> Result<()> {
    let exists = item.is_some_and(|item| DELETED_AT.find(item).is_none());
    if exists { Ok(()) } else { Err(Error::NotFound { kind: WorkflowId::KIND }) }
}
