//! The MCP servers of agents: their lists of tools, and whether they fulfil the pins of the owner.

use std::sync::Arc;
use std::time::Duration;

use domain::agent::{BrokenPin, PinChange, PinnedTool, Tool};
use domain::id::AgentId;
use domain::identity::Account;
use domain::run::OnUncertain;
use engine::agent::ToolCredentialKey;
use engine::drive::EffectError;
use mcp_client::{Endpoint, ListedTool, Listing};

use super::{McpEffects, errors};
use crate::credentials::OpenedCredential;

/// How long a server may take for its list. An agent is read within 30 seconds.
const LIMIT: Duration = Duration::from_secs(10);

/// A tool of an agent that is an MCP server.
#[derive(Clone, Copy)]
pub struct AgentServer<'a> {
    /// The account under which the agent is stored.
    pub account: Account,
    pub agent: AgentId,
    /// The name of the tool.
    pub name: &'a str,
    pub url: &'a str,
    /// Whether its calls need a credential.
    pub credential: bool,
    pub pins: &'a [PinnedTool],
    pub on_uncertain: OnUncertain,
}

/// The pinned tools of a server.
pub struct CheckedPins {
    pub tools: Vec<ListedTool>,
    pub broken: Vec<BrokenPin>,
}

impl<'a> AgentServer<'a> {
    /// `None` for tools of other types.
    pub fn new(account: Account, agent: AgentId, tool: &'a Tool) -> Option<Self> {
        let Tool::Mcp { name, url, tools, on_uncertain, .. } = tool else { return None };
        let on_uncertain = on_uncertain.unwrap_or(OnUncertain::Fail);
        let credential = tool.credential_type().is_some();
        Some(Self { account, agent, name, url, credential, pins: tools, on_uncertain })
    }

    pub fn key(&self) -> ToolCredentialKey {
        ToolCredentialKey { agent_id: self.agent, tool: self.name.to_owned() }
    }

    fn check(&self, listing: &Listing) -> CheckedPins {
        let mut checked = CheckedPins { tools: Vec::new(), broken: Vec::new() };
        for pin in self.pins {
            let is_refused = || listing.refused.iter().any(|refused| refused.name == pin.name);
            let change = match listing.find(&pin.name) {
                Some(tool) if tool.schema_hash == pin.schema_hash => {
                    checked.tools.push(tool.clone());
                    continue;
                }
                None if !is_refused() => PinChange::Gone,
                _ => PinChange::Changed,
            };
            checked.broken.push(BrokenPin { tool: self.name.to_owned(), pin: pin.clone(), change });
        }
        checked
    }
}

impl McpEffects {
    /// The pinned tools. A known list may be old, so a server is asked again before a pin counts as broken.
    pub async fn check_pins(&self, server: &AgentServer<'_>) -> Result<CheckedPins, EffectError> {
        if server.pins.is_empty() {
            return Ok(CheckedPins { tools: Vec::new(), broken: Vec::new() });
        }
        let opened = self.open_credential(server).await?;
        let endpoint = endpoint(server, opened.as_ref());
        let known = self.caller.client.known_tools(endpoint, LIMIT).await;
        let checked = server.check(&*known.map_err(|error| errors::failed_listing(&error))?);
        if checked.broken.is_empty() { Ok(checked) } else { Ok(server.check(&*self.list(endpoint).await?)) }
    }

    /// The tools of the server as it lists them now.
    pub async fn list_server(&self, server: &AgentServer<'_>) -> Result<Arc<Listing>, EffectError> {
        let opened = self.open_credential(server).await?;
        self.list(endpoint(server, opened.as_ref())).await
    }

    async fn list(&self, endpoint: Endpoint<'_>) -> Result<Arc<Listing>, EffectError> {
        self.caller.client.list_tools(endpoint, LIMIT).await.map_err(|error| errors::failed_listing(&error))
    }

    async fn open_credential(&self, server: &AgentServer<'_>) -> Result<Option<OpenedCredential>, EffectError> {
        match server.credential {
            true => self.credentials.open_tool(server.account, &server.key(), server.url).await.map(Some),
            false => Ok(None),
        }
    }
}

fn endpoint<'a>(server: &AgentServer<'a>, opened: Option<&'a OpenedCredential>) -> Endpoint<'a> {
    let credential = opened.map(|(id, credential)| (*id, credential));
    Endpoint { org: server.account.org, url: server.url, credential }
}
