//! Keys of `entities`: the agents that are private to a workflow. The agents themselves are stored with all agents of their
//! account.

use domain::agent::PrivateAgentKind;
use domain::id::{AgentId, WorkflowId};
use domain::identity::Account;

use super::Key;

/// The private agents of a workflow, of all kinds.
pub fn private_agents(account: Account, workflow: WorkflowId) -> String {
    format!("PRIVATEAGENTS#{}#{}#{workflow}", account.org, account.user)
}

/// The beginning of the sort keys of one kind.
pub fn private_agents_of(kind: PrivateAgentKind) -> String {
    format!("{}#", name(kind))
}

pub fn listed_private_agent(account: Account, workflow: WorkflowId, kind: PrivateAgentKind, id: AgentId) -> Key {
    Key::new(private_agents(account, workflow), format!("{}{id}", private_agents_of(kind)))
}

/// The agent of an entry of the list, of any kind.
pub fn listed_agent_id(entry: &Key) -> Option<AgentId> {
    entry.sk.split_once('#').and_then(|(_, id)| id.parse().ok())
}

/// The partition of the numbers of a workflow's private agents, by kind.
pub fn private_agent_counts(account: Account, workflow: WorkflowId) -> String {
    format!("PRIVATEAGENTCOUNT#{}#{}#{workflow}", account.org, account.user)
}

pub fn private_agent_count(account: Account, workflow: WorkflowId, kind: PrivateAgentKind) -> Key {
    Key::new(private_agent_counts(account, workflow), name(kind))
}

fn name(kind: PrivateAgentKind) -> &'static str {
    match kind {
        PrivateAgentKind::Team => "TEAM",
        PrivateAgentKind::TestAgent => "TESTAGENT",
    }
}
