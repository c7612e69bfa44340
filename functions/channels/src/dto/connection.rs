//! Request and response bodies of the channels of a workflow.

use domain::channel::{self, AvailableResources, ChannelConfig, ChannelKind, ChannelRequest, ChannelSlot, Direction};
use domain::object;
use domain::workflow::Workflow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The channels of a workflow's draft: one for each trigger node and each output node.
#[derive(Serialize, ToSchema)]
#[schema(title = "Connections")]
pub struct ConnectionsOut {
    /// The channels that start runs.
    inputs: Vec<ChannelOut>,
    /// The channels to which runs send messages and results.
    outputs: Vec<ChannelOut>,
}

/// A channel: the input or output of one node.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Channel")]
pub struct ChannelOut {
    /// The id of the channel, which equals `nodeId`.
    id: String,
    direction: Direction,
    kind: ChannelKind,
    /// The id of the node.
    node_id: String,
    /// The configuration. Its fields depend on the kind of the channel.
    config: ChannelConfig,
    /// Whether the configuration is complete. A workflow cannot be published with an incomplete channel.
    complete: bool,
    /// The fields of `config` that are not set, or that reference a missing or unsuitable webhook or credential.
    missing: Vec<&'static str>,
}

impl ConnectionsOut {
    pub fn new(workflow: &Workflow, resources: &AvailableResources) -> Self {
        let channel = |ChannelSlot { node_id, direction, kind }: ChannelSlot| {
            let config = workflow.channels.get(&node_id);
            let missing = channel::missing(kind, config, resources);
            let (config, complete) = (config.cloned().unwrap_or_default(), missing.is_empty());
            ChannelOut { id: node_id.clone(), direction, kind, node_id, config, complete, missing }
        };
        let channels = channel::slots(&workflow.graph).into_iter().map(channel);
        let (inputs, outputs) = channels.partition(|channel: &ChannelOut| channel.direction == Direction::Input);
        Self { inputs, outputs }
    }
}

/// The new configuration of all channels. The configuration of a channel that is omitted is removed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "ConnectionsUpdate")]
pub struct ConnectionsIn {
    #[serde(default, deserialize_with = "object::list")]
    #[schema(max_items = 500)]
    inputs: Vec<ChannelIn>,
    #[serde(default, deserialize_with = "object::list")]
    #[schema(max_items = 500)]
    outputs: Vec<ChannelIn>,
}

/// The configuration of a channel. A channel from a response is accepted; only `nodeId` and `config` are used.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "ChannelUpdate")]
#[expect(dead_code, reason = "read-only fields of a response are accepted and ignored")]
struct ChannelIn {
    node_id: String,
    #[serde(default, deserialize_with = "object::one")]
    config: ChannelConfig,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    direction: Option<Direction>,
    #[serde(default)]
    kind: Option<ChannelKind>,
    #[serde(default)]
    complete: Option<bool>,
    #[serde(default)]
    missing: Option<Vec<String>>,
}

impl ConnectionsIn {
    pub fn into_requests(self) -> Vec<ChannelRequest> {
        let to_request = |direction| {
            move |(index, ChannelIn { node_id, config, .. })| ChannelRequest { direction, index, node_id, config }
        };
        let inputs = self.inputs.into_iter().enumerate().map(to_request(Direction::Input));
        inputs.chain(self.outputs.into_iter().enumerate().map(to_request(Direction::Output))).collect()
    }
}
