//! What an effect does.

use std::time::Duration;

use crate::nodes::policy::OnUncertain;
use crate::nodes::{NodeType, SLOW};

#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// The work of a node of this type. The tools of agents do such work, too.
    Node(&'static NodeType),
    /// Reads an agent and what its configuration names.
    LoadAgent,
    /// Asks the model of an agent.
    AskModel,
}

impl Operation {
    pub const LOAD_AGENT: &'static str = "load_agent";
    pub const ASK_MODEL: &'static str = "ask_model";

    pub fn name(self) -> &'static str {
        match self {
            Self::Node(node_type) => node_type.name,
            Self::LoadAgent => Self::LOAD_AGENT,
            Self::AskModel => Self::ASK_MODEL,
        }
    }

    /// The timeout of an attempt, if the node sets none.
    pub fn timeout(self) -> Duration {
        match self {
            Self::Node(node_type) => node_type.timeout,
            Self::LoadAgent => Duration::from_secs(30),
            Self::AskModel => SLOW,
        }
    }

    /// What happens to an attempt that may have taken place, if the node does not say.
    pub fn on_uncertain(self) -> OnUncertain {
        match self {
            Self::Node(node_type) => node_type.on_uncertain,
            Self::LoadAgent | Self::AskModel => OnUncertain::Retry,
        }
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}
