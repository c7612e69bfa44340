//! Channels, as they are shown and configured.

use domain::channel::{self, ChannelConfig, ChannelKind, Direction, Equipment, Slot, Wish};
use domain::object;
use domain::workflow::Workflow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// All channels of a workflow's draft: one for each node that begins or ends a run.
#[derive(Serialize, ToSchema)]
#[schema(title = "Connections")]
pub struct ConnectionsOut {
    inputs: Vec<ChannelOut>,
    outputs: Vec<ChannelOut>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Channel")]
pub struct ChannelOut {
    /// That of its node.
    id: String,
    direction: Direction,
    kind: ChannelKind,
    node_id: String,
    config: ChannelConfig,
    /// Whether the workflow can be published with it.
    complete: bool,
    /// The fields of `config` that are not set, or name what is not there any more.
    missing: Vec<&'static str>,
}

impl ConnectionsOut {
    pub fn new(workflow: &Workflow, equipment: &Equipment) -> Self {
        let channel = |Slot { node_id, direction, kind }: Slot| {
            let config = workflow.channels.get(&node_id);
            let missing = channel::missing(kind, config, equipment);
            let (config, complete) = (config.cloned().unwrap_or_default(), missing.is_empty());
            ChannelOut { id: node_id.clone(), direction, kind, node_id, config, complete, missing }
        };
        let channels = channel::slots(&workflow.graph).into_iter().map(channel);
        let (inputs, outputs) = channels.partition(|channel: &ChannelOut| channel.direction == Direction::Input);
        Self { inputs, outputs }
    }
}

/// How the channels are to be configured, all of them: those that are left out are not configured any more.
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

/// What is read can be sent back: of what is told about a channel, only the node and the configuration count.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "ChannelUpdate")]
#[expect(dead_code, reason = "told when channels are read, and not asked when they are configured")]
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
    pub fn wishes(self) -> Vec<Wish> {
        let wish =
            |direction| move |(index, ChannelIn { node_id, config, .. })| Wish { direction, index, node_id, config };
        let inputs = self.inputs.into_iter().enumerate().map(wish(Direction::Input));
        inputs.chain(self.outputs.into_iter().enumerate().map(wish(Direction::Output))).collect()
    }
}
