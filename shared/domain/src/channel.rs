//! How a workflow is joined to the world: each node that begins or ends a run has a channel, and each channel must be
//! configured before the workflow can be published.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::credential::CredentialType;
use super::graph::Graph;
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
    /// Within the platform: by hand, by the clock, or by another workflow. There is nothing to configure.
    Internal,
}

/// What a channel is configured with; which fields it has depends on its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ChannelConfig {
    /// Of a webhook: one of the workflow's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_id: Option<Uuid>,
    /// Of messaging: whose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<MessagingProvider>,
    /// Of messaging: the outbound credential of the account that speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential_id: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessagingProvider {
    Slack,
    Telegram,
    Whatsapp,
    /// Signed HTTP, for whatever has no provider of its own.
    Http,
}

impl MessagingProvider {
    /// Whether it knows its accounts by credentials of that type.
    fn takes(self, r#type: CredentialType) -> bool {
        match self {
            Self::Slack | Self::Telegram | Self::Whatsapp => r#type == CredentialType::Bearer,
            Self::Http => true,
        }
    }
}

/// The configured channels, by the nodes they belong to.
pub type Channels = BTreeMap<String, ChannelConfig>;

/// How somebody wants a channel configured, and where they said so.
#[derive(Clone, Debug)]
pub struct Wish {
    pub direction: Direction,
    /// Among those of its direction.
    pub index: usize,
    pub node_id: String,
    pub config: ChannelConfig,
}

/// A place for a channel that a graph opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub node_id: String,
    pub direction: Direction,
    pub kind: ChannelKind,
}

/// What there is to configure channels with.
#[derive(Clone, Debug, Default)]
pub struct Equipment {
    pub webhooks: BTreeSet<Uuid>,
    pub credentials: BTreeMap<Uuid, CredentialType>,
}

/// The channel that a node of this type has.
pub fn of_type(node_type: &str) -> Option<(Direction, ChannelKind)> {
    Some(match node_type {
        "webhook" => (Direction::Input, ChannelKind::Webhook),
        "message" => (Direction::Input, ChannelKind::Messaging),
        "input" | "schedule" => (Direction::Input, ChannelKind::Internal),
        "send_message" => (Direction::Output, ChannelKind::Messaging),
        "send_result" => (Direction::Output, ChannelKind::Internal),
        _ => return None,
    })
}

/// The places for channels that a graph opens, in its order.
pub fn slots(graph: &Graph) -> Vec<Slot> {
    let slots = graph.nodes.iter().filter_map(|node| {
        let (direction, kind) = of_type(&node.r#type)?;
        Some(Slot { node_id: node.id.clone(), direction, kind })
    });
    slots.collect()
}

/// What a channel of this kind still lacks: fields that are not set, or that name what is not there or cannot serve.
pub fn missing(kind: ChannelKind, config: Option<&ChannelConfig>, equipment: &Equipment) -> Vec<&'static str> {
    let empty = ChannelConfig::default();
    let ChannelConfig { webhook_id, provider, credential_id } = config.unwrap_or(&empty);
    match kind {
        ChannelKind::Internal => Vec::new(),
        ChannelKind::Webhook => {
            if webhook_id.is_none_or(|id| !equipment.webhooks.contains(&id)) {
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
            let credential = credential_id.and_then(|id| equipment.credentials.get(&id));
            if credential.is_none_or(|r#type| provider.is_some_and(|provider| !provider.takes(*r#type))) {
                missing.push("credentialId");
            }
            missing
        }
    }
}

impl Wish {
    fn wrong(&self, field: &str, problem: impl fmt::Display) -> Error {
        let list = match self.direction {
            Direction::Input => "inputs",
            Direction::Output => "outputs",
        };
        Error::invalid_body(format!("{list}[{}].{field}", self.index), problem)
    }
}

/// The channels of a graph as they are wished for: each belongs to a node, and has the fields of its kind. A webhook
/// begins runs at one node, and a messaging provider is shown a credential of a type that it knows.
pub fn configured(wishes: &[Wish], graph: &Graph, equipment: &Equipment) -> Result<Channels> {
    let slots = slots(graph);
    let (mut channels, mut named, mut webhooks) = (Channels::new(), BTreeSet::new(), BTreeSet::new());
    for wish in wishes {
        let ChannelConfig { webhook_id, provider, credential_id } = &wish.config;
        if !named.insert(&wish.node_id) {
            return Err(wish.wrong("nodeId", "has a channel already"));
        }
        let Some(slot) = slots.iter().find(|slot| slot.node_id == wish.node_id) else {
            return Err(wish.wrong("nodeId", format!("the draft has no node `{}` with a channel", wish.node_id)));
        };
        if slot.direction != wish.direction {
            return Err(wish.wrong("nodeId", format!("the channel of node `{}` goes the other way", wish.node_id)));
        }
        // What is not configured is the same as what is left out.
        if wish.config == ChannelConfig::default() {
            continue;
        }
        let is_messaging = slot.kind == ChannelKind::Messaging;
        for (field, is_set, fits) in [
            ("webhookId", webhook_id.is_some(), slot.kind == ChannelKind::Webhook),
            ("provider", provider.is_some(), is_messaging),
            ("credentialId", credential_id.is_some(), is_messaging),
        ] {
            if is_set && !fits {
                let problem = format!("the channel of node `{}` has no such field", wish.node_id);
                return Err(wish.wrong(&format!("config.{field}"), problem));
            }
        }
        if webhook_id.is_some_and(|id| !webhooks.insert(id)) {
            return Err(wish.wrong("config.webhookId", "begins runs at another node already"));
        }
        let credential = credential_id.and_then(|id| equipment.credentials.get(&id));
        if let (Some(provider), Some(r#type)) = (provider, credential)
            && !provider.takes(*r#type)
        {
            return Err(wish.wrong("config.credentialId", "this provider takes a credential of type `bearer`"));
        }
        channels.insert(wish.node_id.clone(), wish.config.clone());
    }
    Ok(channels)
}
