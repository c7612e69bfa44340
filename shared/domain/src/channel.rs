//! The input and output channels of a workflow. Each node that starts a run or sends output has a channel, and each
//! channel must be configured before the workflow can be published.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::credential::CredentialType;
use super::graph::Graph;
use super::messaging::MessagingProvider;
use crate::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Input,
    Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    Webhook,
    Messaging,
    /// Within the platform: a manual run, a schedule or another workflow. It needs no configuration
    Internal,
}

/// The configuration of a channel. Its fields depend on the kind of the channel
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ChannelConfig {
    /// For webhooks: the id of a webhook of the workflow
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_id: Option<Uuid>,
    /// For messaging: the messaging provider
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<MessagingProvider>,
    /// For messaging: the outbound credential of the account at the provider
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential_id: Option<Uuid>,
}

/// The configured channels by node id
pub type Channels = BTreeMap<String, ChannelConfig>;

/// The requested configuration of a channel and its position in the request.
#[derive(Clone, Debug)]
pub struct ChannelRequest {
    pub direction: Direction,
    /// The index in the list of its direction.
    pub index: usize,
    pub node_id: String,
    pub config: ChannelConfig,
}

/// A channel that a node of a graph requires, configured or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSlot {
    pub node_id: String,
    pub direction: Direction,
    pub kind: ChannelKind,
}

/// The webhooks and credentials that channels of the workflow can use.
#[derive(Clone, Debug, Default)]
pub struct AvailableResources {
    pub webhooks: BTreeSet<Uuid>,
    pub credentials: BTreeMap<Uuid, CredentialType>,
}

/// The direction and the kind of the channel of this node type, if it has one.
pub fn channel_of_node_type(node_type: &str) -> Option<(Direction, ChannelKind)> {
    Some(match node_type {
        "webhook" | "form" => (Direction::Input, ChannelKind::Webhook),
        "message" => (Direction::Input, ChannelKind::Messaging),
        "input" | "schedule" => (Direction::Input, ChannelKind::Internal),
        "send_message" => (Direction::Output, ChannelKind::Messaging),
        "send_result" => (Direction::Output, ChannelKind::Internal),
        _ => return None,
    })
}

/// The channels that the nodes of a graph require, in the order of the nodes.
pub fn slots(graph: &Graph) -> Vec<ChannelSlot> {
    let slots = graph.nodes.iter().filter_map(|node| {
        let (direction, kind) = channel_of_node_type(&node.r#type)?;
        Some(ChannelSlot { node_id: node.id.clone(), direction, kind })
    });
    slots.collect()
}

/// The fields that keep a channel of this kind incomplete: they are not set, or their value does not exist or does not
/// fit.
pub fn missing(kind: ChannelKind, config: Option<&ChannelConfig>, resources: &AvailableResources) -> Vec<&'static str> {
    let empty = ChannelConfig::default();
    let ChannelConfig { webhook_id, provider, credential_id } = config.unwrap_or(&empty);
    match kind {
        ChannelKind::Internal => Vec::new(),
        ChannelKind::Webhook => {
            if webhook_id.is_none_or(|id| !resources.webhooks.contains(&id)) {
                vec!["webhookId"]
            } else {
                Vec::new()
            }
        }
        ChannelKind::Messaging => {
            let mut missing = Vec::new();
            if provider.is_none() {
                missing.push("provider");
            }
            let credential = credential_id.and_then(|id| resources.credentials.get(&id));
            if credential.is_none_or(|r#type| provider.is_some_and(|provider| !provider.takes(*r#type))) {
                missing.push("credentialId");
            }
            missing
        }
    }
}

impl ChannelRequest {
    fn wrong(&self, field: &str, problem: impl fmt::Display) -> Error {
        let list = match self.direction {
            Direction::Input => "inputs",
            Direction::Output => "outputs",
        };
        Error::invalid_body(format!("{list}[{}].{field}", self.index), problem)
    }
}

/// Validates the requested configuration of channels. Each belongs to a node and has only the fields of its kind. A
/// webhook or the account of a messaging provider starts runs at only one node, and a messaging provider needs a credential
/// of its own type.
pub fn configured(requests: &[ChannelRequest], graph: &Graph, resources: &AvailableResources) -> Result<Channels> {
    let slots = slots(graph);
    let (mut channels, mut named) = (Channels::new(), BTreeSet::new());
    let (mut webhooks, mut inboxes) = (BTreeSet::new(), BTreeSet::new());
    for request in requests {
        let ChannelConfig { webhook_id, provider, credential_id } = &request.config;
        if !named.insert(&request.node_id) {
            return Err(request.wrong("nodeId", "is listed twice; list each node once"));
        }
        let Some(slot) = slots.iter().find(|slot| slot.node_id == request.node_id) else {
            return Err(request.wrong("nodeId", format!("the draft has no node `{}` with a channel", request.node_id)));
        };
        if slot.direction != request.direction {
            return Err(request.wrong(
                "nodeId",
                format!("the channel of node `{}` has the other direction; move it to the other list", request.node_id),
            ));
        }
        // An empty configuration is the same as none.
        if request.config == ChannelConfig::default() {
            continue;
        }
        let is_messaging = slot.kind == ChannelKind::Messaging;
        for (field, is_set, fits) in [
            ("webhookId", webhook_id.is_some(), slot.kind == ChannelKind::Webhook),
            ("provider", provider.is_some(), is_messaging),
            ("credentialId", credential_id.is_some(), is_messaging),
        ] {
            if is_set && !fits {
                let problem = format!("the channel of node `{}` has no such field", request.node_id);
                return Err(request.wrong(&format!("config.{field}"), problem));
            }
        }
        if webhook_id.is_some_and(|id| !webhooks.insert(id)) {
            return Err(request.wrong("config.webhookId", "already starts runs at another node; use another webhook"));
        }
        // Any number of nodes may send with one account.
        let inbox = credential_id.filter(|_| slot.direction == Direction::Input);
        if inbox.is_some_and(|id| !inboxes.insert(id)) {
            let problem = "the messages to this account already start runs at another node; use another credential";
            return Err(request.wrong("config.credentialId", problem));
        }
        let credential = credential_id.and_then(|id| resources.credentials.get(&id));
        if let (Some(provider), Some(r#type)) = (provider, credential)
            && !provider.takes(*r#type)
        {
            let r#type = provider.credential_type();
            let problem = format!("this provider takes a credential of the type `{type}`; choose or create one");
            return Err(request.wrong("config.credentialId", problem));
        }
        channels.insert(request.node_id.clone(), request.config.clone());
    }
    Ok(channels)
}
