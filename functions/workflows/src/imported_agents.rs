//! The agents of an imported workflow. They are agents like any other, of the person who imports the file.

use auth::Caller;
use domain::agent::{Agent, AgentPatch};
use domain::graph::Graph;
use domain::id::WorkId;
use domain::{Error, Result};
use importers::{ImportedAgent, Reconnect};
use serde_json::Value;

use crate::Stores;

/// The agents that an import makes at most. Other nodes stay without one.
const MAX_AGENTS: usize = 50;

/// Agents that are ready to be stored, and what a person must check or add.
#[derive(Default)]
pub struct NewAgents {
    agents: Vec<Agent>,
    pub reconnect: Vec<Reconnect>,
}

impl NewAgents {
    /// Builds the agents, and selects them in their nodes. Nothing is stored yet.
    pub async fn build(stores: &Stores, caller: &Caller, given: Vec<ImportedAgent>, graph: &mut Graph) -> Result<Self> {
        let mut new = Self::default();
        for (place, ImportedAgent { node_id, fields }) in given.into_iter().enumerate() {
            let mut report = |what: String| new.reconnect.push(Reconnect { node_id: node_id.clone(), what });
            let Some(agent) = build_agent(stores, caller, fields, &mut report).await?.filter(|_| place < MAX_AGENTS)
            else {
                report("an agent".to_owned());
                continue;
            };
            for tool in agent.tools_without_credential() {
                report(format!("the credential of the tool `{tool}` of its agent"));
            }
            if let Some(node) = graph.nodes.iter_mut().find(|node| node.id == node_id) {
                node.config.insert("agentId".to_owned(), agent.id.to_string().into());
            }
            new.agents.push(agent);
        }
        Ok(new)
    }

    pub async fn store(&self, stores: &Stores) -> Result<()> {
        for agent in &self.agents {
            stores.agents.create(agent, None, "").await?;
        }
        Ok(())
    }

    /// Deletes the agents of a workflow that was not created. What fails is left to the person, who sees the agents in the list.
    pub async fn discard(&self, stores: &Stores) {
        for Agent { id, account, .. } in &self.agents {
            let work = WorkId::new();
            match stores.agents.delete(*account, account.user, *id, work).await {
                Ok(()) => stores.hints.send_all([work]).await,
                Err(error) => tracing::warn!(%error, agent = %id, "an agent of a repeated import is left"),
            }
        }
    }
}

/// An agent with as much of the original as can be: first without its model, which the organization may not have, then without
/// its tools. None if even the rest is refused.
async fn build_agent(
    stores: &Stores,
    caller: &Caller,
    mut fields: Value,
    report: &mut impl FnMut(String),
) -> Result<Option<Agent>> {
    for part in ["model", "tools"] {
        match build(stores, caller, &fields).await {
            Err(Error::InvalidBody { .. }) => {}
            built => return built.map(Some),
        }
        let config = fields.get_mut("config").and_then(Value::as_object_mut);
        if let Some(removed) = config.and_then(|config| config.shift_remove(part)) {
            report(match removed.as_str() {
                Some(model) => format!("the model `{model}`: the agent uses the default model until you choose one"),
                None => format!("the {part} of its agent, which are refused here"),
            });
        }
    }
    match build(stores, caller, &fields).await {
        Err(Error::InvalidBody { .. }) => Ok(None),
        built => built.map(Some),
    }
}

async fn build(stores: &Stores, caller: &Caller, fields: &Value) -> Result<Agent> {
    let fields: AgentPatch = serde_json::from_value(fields.clone()).map_err(Error::internal)?;
    stores.agents.build(caller.account(), &fields, &caller.plan).await
}
