//! The stored form of an agent. The local indexes project its `head`, which is all that lists show.

use std::collections::BTreeMap;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::attribute::Attribute;
use crate::item::{Item, parse, to_item};
use crate::keys;
use crate::sharing::StoredSharing;
use domain::agent::{
    Agent, AgentConfig, AgentScope, AgentStatus, AgentType, BrokenPin, PrivateAgentKind, RequestedStatus,
    ToolCredential,
};
use domain::credential::CredentialType;
use domain::id::{UserId, WorkflowId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::sharing::TeamRole;
use domain::text;
use domain::time::Time;
use domain::tool_mark::ToolMark;
use domain::{Error, Result};

#[derive(Serialize, Deserialize, Attributes)]
pub struct AgentItem {
    pk: String,
    sk: String,
    rev: u64,
    /// The id of the write that made this revision, so that a retried write recognises its own result.
    write_id: Uuid,
    head: Head,
    /// The configuration as JSON text, in one string attribute.
    config: String,
    /// The credentials of the tools as text. A map would make `agents` 11 KB larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credentials: Option<String>,
    #[serde(default)]
    gone: Vec<Reference>,
    /// As JSON text, which few agents have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    broken_pins: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    members: Option<BTreeMap<UserId, TeamRole>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    organization: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_updated: Option<String>,
}

impl AgentItem {
    /// The sort key of the index `by_requests`, see [`keys::requests_rank`]. It is no field, because nobody reads it.
    pub const BY_REQUESTS: Attribute<u128> = Attribute::new("by_requests");
}

/// The fields that the local indexes project.
#[derive(Serialize, Deserialize)]
pub struct Head {
    pub name: String,
    pub folded: String,
    pub description: Option<String>,
    pub r#type: AgentType,
    pub intent: RequestedStatus,
    pub status: AgentStatus,
    /// The workflow of a private agent.
    pub workflow: Option<WorkflowId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_kind: Option<PrivateAgentKind>,
    pub requests: u64,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolMark>,
    /// The owner, if that is not the user who created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserId>,
    /// Only in the entries of other users: what the user may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<TeamRole>,
}

/// The item of a new agent.
pub fn new_item(agent: &Agent) -> Item {
    let key = keys::agent(agent.account, agent.id);
    let listed = agent.scope == AgentScope::Global;
    let mut item: Item = to_item(&AgentItem {
        pk: key.pk,
        sk: key.sk,
        rev: agent.revision,
        write_id: agent.id.uuid(),
        config: config_text(&agent.config),
        credentials: None,
        gone: agent.gone.iter().cloned().collect(),
        broken_pins: None,
        members: None,
        deleted_at: None,
        organization: listed.then(|| keys::agents_of_org(agent.account.org)),
        by_name: listed.then(|| keys::by_name(&agent.name, agent.id)),
        by_created: listed.then(|| agent.id.to_string()),
        by_updated: listed.then(|| keys::by_updated(agent.updated_at, agent.id)),
        head: head(agent),
    });
    if listed {
        item.insert(AgentItem::BY_REQUESTS.name().to_owned(), keys::requests_rank(agent.requests, agent.id));
    }
    item
}

pub fn config_text(config: &AgentConfig) -> String {
    serde_json::to_string(config).expect("a configuration is JSON")
}

/// One line for each tool: its name, and the id, the type and the origin of its credential. None of them has a space.
pub fn credentials_text(credentials: &[ToolCredential]) -> String {
    let line = |credential: &ToolCredential| {
        let ToolCredential { tool, id, r#type, origin } = credential;
        format!("{tool} {id} {type} {origin}\n")
    };
    credentials.iter().map(line).collect()
}

fn read_credentials(text: &str) -> Result<Vec<ToolCredential>> {
    let read = |line: &str| {
        let mut parts = line.split(' ');
        let (tool, id) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let (r#type, origin) = (CredentialType::parse(parts.next()?)?, parts.next()?.to_owned());
        Some(ToolCredential { tool, id, r#type, origin })
    };
    let all: Option<_> = text.lines().map(read).collect();
    all.ok_or_else(|| Error::internal("the credentials of an agent cannot be read"))
}

pub fn broken_pins_text(broken: &[BrokenPin]) -> String {
    serde_json::to_string(broken).expect("pins are JSON")
}

pub fn head(agent: &Agent) -> Head {
    Head {
        name: agent.name.clone(),
        folded: text::folded(&agent.name),
        description: agent.description.clone(),
        r#type: agent.r#type,
        intent: agent.intent,
        status: agent.status(),
        workflow: agent.scope.workflow(),
        private_kind: match agent.scope {
            AgentScope::Global => None,
            AgentScope::Workflow(_, kind) => Some(kind),
        },
        requests: agent.requests,
        created_at: agent.created_at,
        updated_at: agent.updated_at,
        tool: agent.tool.clone(),
        owner: StoredSharing::new(agent.account, &agent.sharing).owner,
        role: None,
    }
}

impl Head {
    pub fn scope(&self) -> AgentScope {
        let kind = self.private_kind.unwrap_or_default();
        self.workflow.map_or(AgentScope::Global, |workflow| AgentScope::Workflow(workflow, kind))
    }
}

/// The references of an agent, which may be deleted.
pub fn references(item: Item) -> Result<Vec<Reference>> {
    let config: AgentConfig = serde_json::from_str(&parse::<AgentItem>(item)?.config).map_err(Error::internal)?;
    Ok(config.references().into_keys().collect())
}

/// The agent of an item, `None` when it was deleted.
pub fn agent(account: Account, item: Item) -> Result<Option<Agent>> {
    let item: AgentItem = parse(item)?;
    if item.deleted_at.is_some() {
        return Ok(None);
    }
    let scope = item.head.scope();
    let Head { name, description, r#type, intent, requests, created_at, updated_at, tool, owner, .. } = item.head;
    Ok(Some(Agent {
        id: item.sk.parse().map_err(Error::internal)?,
        account,
        sharing: StoredSharing { owner, members: item.members }.read(account),
        name,
        description,
        r#type,
        intent,
        scope,
        config: serde_json::from_str(&item.config).map_err(Error::internal)?,
        tool,
        credentials: item.credentials.as_deref().map(read_credentials).transpose()?.unwrap_or_default(),
        gone: item.gone.into_iter().collect(),
        broken_pins: item
            .broken_pins
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(Error::internal)?
            .unwrap_or_default(),
        requests,
        created_at,
        updated_at,
        revision: item.rev,
    }))
}
