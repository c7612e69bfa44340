//! An agent as an execution uses it: its configuration, and what the configuration names. It is read once in each
//! execution and recorded, so that a change of the agent does not change an execution that has begun.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::nodes::http::ToolCredentialKey;
use domain::agent::{AgentSource, AgentType, HttpMethod, Strategy};
use domain::chat::Message;
use domain::id::{AgentId, WorkflowId};
use domain::run::{OnUncertain, StepError};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSnapshot {
    pub id: AgentId,
    pub name: String,
    pub r#type: AgentType,
    pub model: String,
    pub instructions: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    pub tools: Vec<AgentTool>,
    pub sources: Vec<AgentSource>,
    /// The model that embeds the sources; none if there are no sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embeddings_model: Option<String>,
    pub strategy: Strategy,
    pub members: Vec<AgentMember>,
    /// Whether the model sees images in the results of tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sees_images: bool,
    /// The tools of MCP servers that the model does not see, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutTool>,
}

/// A tool that is not offered to the model: it was changed by its server, or its server was not reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOutTool {
    /// The tool of the agent.
    pub tool: String,
    /// The tool of its server; none if it has no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub error: StepError,
}

/// The value of the step that reads an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadedAgent {
    #[serde(flatten)]
    pub agent: AgentSnapshot,
    /// The earlier messages of the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
}

/// A tool, as its model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentTool {
    /// Unique in its agent: at most 64 letters, digits, `_` and `-`.
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments, which are an object.
    pub parameters: Map<String, Value>,
    pub target: ToolTarget,
}

/// What a tool calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToolTarget {
    Http {
        method: HttpMethod,
        url: String,
        headers: BTreeMap<String, String>,
        /// The credential that the calls send.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<ToolCredentialKey>,
    },
    #[serde(rename_all = "camelCase")]
    Workflow {
        workflow_id: WorkflowId,
        /// The arguments have the input in the field `input`, because the input of the workflow is no object.
        is_wrapped: bool,
    },
    #[serde(rename_all = "camelCase")]
    Agent { agent_id: AgentId },
    #[serde(rename_all = "camelCase")]
    Mcp {
        url: String,
        /// The tool of the server.
        tool: String,
        /// The server must still list the tool with this hash.
        schema_hash: String,
        /// The credential that the calls send.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<ToolCredentialKey>,
        on_uncertain: OnUncertain,
    },
    /// The caller of the agent executes it; in a run, this is a person.
    Function,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentMember {
    pub id: AgentId,
    /// Unique in its team, with the characters of the name of a tool.
    pub name: String,
    pub description: String,
}

impl AgentSnapshot {
    /// A single agent that has only a model: no instructions, tools and sources.
    pub fn new(id: AgentId, name: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            r#type: AgentType::Single,
            model: model.into(),
            instructions: String::new(),
            temperature: None,
            max_tokens: None,
            tools: Vec::new(),
            sources: Vec::new(),
            embeddings_model: None,
            strategy: Strategy::Sequential,
            members: Vec::new(),
            sees_images: false,
            left_out: Vec::new(),
        }
    }

    pub fn find_tool(&self, name: &str) -> Option<&AgentTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
