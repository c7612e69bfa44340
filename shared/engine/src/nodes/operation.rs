//! What an effect does. [`Operation`] has a variant for each node type with an effect, from the table of the node types, and
//! those of agents.

use std::time::Duration;

use domain::id::AgentId;
use domain::run::OnUncertain;
use serde::Serialize;
use serde_json::{Map, Value};

use super::mcp::McpCall;
use super::{NodeKind, Operation, SLOW};

/// Reads an agent and what its configuration names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadAgent {
    pub agent_id: AgentId,
    /// Whether the agent knows the earlier messages of the conversation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub memory: bool,
}

/// What holds for the attempts of an operation, if its node sets nothing else.
#[derive(Clone, Copy, Debug)]
pub struct AttemptDefaults {
    pub name: &'static str,
    pub timeout: Duration,
    /// What happens to an attempt that may have taken place.
    pub on_uncertain: OnUncertain,
}

impl AttemptDefaults {
    pub const LOAD_AGENT: Self =
        Self { name: "load_agent", timeout: Duration::from_secs(30), on_uncertain: OnUncertain::Retry };
    pub const ASK_MODEL: Self = Self { name: "ask_model", timeout: SLOW, on_uncertain: OnUncertain::Retry };

    pub const fn of_type<K: NodeKind>() -> Self {
        Self { name: K::NAME, timeout: K::TIMEOUT, on_uncertain: K::ON_UNCERTAIN }
    }
}

impl Operation {
    pub fn name(&self) -> &'static str {
        self.defaults().name
    }

    /// What follows if it is unknown whether an attempt took place. `set` is the policy of the node.
    pub fn on_uncertain(&self, set: Option<OnUncertain>) -> OnUncertain {
        match self {
            // The run that it starts is in the log, or was not started.
            Self::Workflow(_) => OnUncertain::Retry,
            // Nothing took place.
            Self::Database(node) if node.is_read_only() => OnUncertain::Retry,
            // An agent has several tools, so each has its own policy.
            Self::Mcp(McpCall { on_uncertain: Some(of_tool), .. }) => *of_tool,
            operation => set.unwrap_or(operation.defaults().on_uncertain),
        }
    }

    /// The operation as JSON.
    pub fn to_fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}
