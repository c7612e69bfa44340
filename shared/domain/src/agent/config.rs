//! The configuration of an agent: model, instructions, tools, sources and team. It is stored and returned as its owner
//! wrote it, so it is also the wire type.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::AgentType;
use crate::address;
use crate::credential::CredentialType;
use crate::header;
use crate::id::{AgentId, WorkflowId};
use crate::object;
use crate::reference::Reference;
use crate::run::OnUncertain;
use crate::schema::PatchOf;
use crate::tool_mark::ToolName;
use crate::{Error, Result, text_schemas};

/// Keeps the table item small, because every list and every write pays for its size.
const MAX_CONFIG_BYTES: usize = 24 * 1024;
/// The agent and all of its changed references fit into one transaction (100 items).
const MAX_REFERENCES: usize = 32;
/// The maximum number of characters of a name that an error repeats.
const MAX_SHOWN_CHARS: usize = 100;

text_schemas! {
    McpToolName(1, 128, "^[a-zA-Z0-9_.-]+$", "letters, digits, _, . and -");
    SchemaHash(64, 64, "^[0-9a-f]+$", "hexadecimal digits in lower case");
}

pub type AgentConfigPatch = PatchOf<AgentConfig>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "AgentConfig")]
pub struct AgentConfig {
    /// A model of `GET /builder/v1/models`; null means the default model of the plan.
    #[schema(min_length = 1, max_length = 200, example = "dev-chat")]
    pub model: Option<String>,
    /// The system prompt.
    #[schema(max_length = 20000)]
    pub instructions: String,
    #[schema(minimum = 0, maximum = 2)]
    pub temperature: Option<f64>,
    #[schema(minimum = 1, maximum = 2147483647)]
    pub max_tokens: Option<u32>,
    #[serde(deserialize_with = "object::list")]
    #[schema(max_items = 32)]
    pub tools: Vec<Tool>,
    #[serde(deserialize_with = "object::list")]
    #[schema(max_items = 16)]
    pub sources: Vec<AgentSource>,
    /// The agents of a team; only for type `multiple`.
    #[schema(max_items = 16, value_type = Vec<uuid::Uuid>)]
    pub members: Vec<AgentId>,
    /// How a team divides its work; only for type `multiple`.
    pub strategy: Option<Strategy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// One member after the other; each receives the answer of the previous one
    Sequential,
    /// The member that fits the request best answers it
    Router,
    /// All members at the same time
    Parallel,
}

/// A tool that the agent can call
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Tool {
    /// An HTTP call to another system
    Http {
        #[schema(value_type = ToolName)]
        name: String,
        #[serde(default)]
        description: String,
        method: HttpMethod,
        /// A placeholder in braces, as in `https://api.example.com/orders/{order}`, is replaced by the argument with its
        /// name. The other arguments are sent as the query of a `GET` or `DELETE`, and else as a JSON body.
        #[schema(pattern = "^[hH][tT][tT][pP][sS]?://[^/]", example = "https://api.example.com/orders/{order}")]
        url: String,
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// JSON Schema of the arguments. A placeholder of the URL that it does not describe is a required text.
        #[serde(default)]
        parameters: Map<String, Value>,
        #[serde(default)]
        auth: ToolAuth,
    },
    /// A workflow of the caller
    #[serde(rename_all = "camelCase")]
    Workflow {
        #[schema(value_type = uuid::Uuid)]
        workflow_id: WorkflowId,
        #[serde(default)]
        description: String,
    },
    /// Another agent of the caller
    #[serde(rename_all = "camelCase")]
    Agent {
        #[schema(value_type = uuid::Uuid)]
        agent_id: AgentId,
        #[serde(default)]
        description: String,
    },
    /// A function that the caller of the agent executes
    Function {
        #[schema(value_type = ToolName)]
        name: String,
        #[serde(default)]
        description: String,
        /// JSON Schema of the arguments.
        #[serde(default)]
        parameters: Map<String, Value>,
    },
    /// Tools of an MCP server
    #[serde(rename_all = "camelCase")]
    Mcp {
        /// The model sees each tool of the server as `<name>_<tool>`.
        #[schema(value_type = ToolName)]
        name: String,
        #[schema(pattern = "^[hH][tT][tT][pP][sS]?://[^/]", example = "https://mcp.example.com/mcp")]
        url: String,
        #[serde(default)]
        auth: ToolAuth,
        /// The tools that the agent may call, as its owner has seen them: see `GET …/tools/{tool}/server`. A tool that the
        /// server has changed since then is not offered to the model.
        #[serde(default)]
        #[schema(max_items = 64)]
        tools: Vec<PinnedTool>,
        /// What happens in a run when it is unknown whether a call took place. A server does not recognize a repeated call,
        /// so it is `fail` by default: the model reads that the call may have taken place.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_given")]
        #[schema(nullable = false)]
        on_uncertain: Option<OnUncertain>,
    },
}

/// A tool of an MCP server, pinned to the description and the schemas that the owner of the agent has seen
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinnedTool {
    #[schema(value_type = McpToolName, example = "search_orders")]
    pub name: String,
    /// The SHA-256 of the tool's name, description and schemas, from `GET …/tools/{tool}/server`.
    #[schema(value_type = SchemaHash)]
    pub schema_hash: String,
}

/// Reads a policy that may be absent, but not null.
fn read_given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OnUncertain>, D::Error> {
    OnUncertain::deserialize(deserializer).map(Some)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// The type of credential that the other system requires. Until one is stored for the tool, a published agent has the
/// status `permissions_required`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolAuth {
    #[default]
    None,
    Bearer,
    Basic,
    Header,
    Query,
    Oauth2ClientCredentials,
}

/// A source of knowledge of the agent
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum AgentSource {
    Text {
        #[schema(min_length = 1)]
        name: String,
        text: String,
    },
    Url {
        #[schema(min_length = 1)]
        name: String,
        #[schema(pattern = "^[hH][tT][tT][pP][sS]?://[^/]")]
        url: String,
    },
    /// A small file, embedded in this document
    #[serde(rename_all = "camelCase")]
    File {
        #[schema(min_length = 1)]
        name: String,
        media_type: String,
        #[schema(format = Byte)]
        base64: String,
    },
}

impl Tool {
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Http { name, .. } | Self::Function { name, .. } | Self::Mcp { name, .. } => Some(name),
            Self::Workflow { .. } | Self::Agent { .. } => None,
        }
    }

    /// The type of credential that its calls need.
    pub fn credential_type(&self) -> Option<CredentialType> {
        match self {
            Self::Http { auth, .. } | Self::Mcp { auth, .. } => auth.credential_type(),
            Self::Workflow { .. } | Self::Agent { .. } | Self::Function { .. } => None,
        }
    }

    fn reference(&self) -> Option<Reference> {
        match self {
            Self::Workflow { workflow_id, .. } => Some(Reference::Workflow(*workflow_id)),
            Self::Agent { agent_id, .. } => Some(Reference::Agent(*agent_id)),
            Self::Http { .. } | Self::Function { .. } | Self::Mcp { .. } => None,
        }
    }
}

impl Tool {
    /// The scheme, host and port that its calls reach.
    pub fn origin(&self) -> Option<&str> {
        match self {
            Self::Http { url, .. } | Self::Mcp { url, .. } => Some(address::origin(url)),
            Self::Workflow { .. } | Self::Agent { .. } | Self::Function { .. } => None,
        }
    }
}

impl ToolAuth {
    fn credential_type(self) -> Option<CredentialType> {
        match self {
            Self::None => None,
            Self::Bearer => Some(CredentialType::Bearer),
            Self::Basic => Some(CredentialType::Basic),
            Self::Header => Some(CredentialType::Header),
            Self::Query => Some(CredentialType::Query),
            Self::Oauth2ClientCredentials => Some(CredentialType::Oauth2ClientCredentials),
        }
    }
}

impl AgentConfig {
    pub fn find_tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name() == Some(name))
    }

    /// All references of the agent, each with the path of its field.
    pub fn references(&self) -> BTreeMap<Reference, String> {
        let model = self.model.iter().map(|name| (Reference::Model(name.clone()), "config.model".to_owned()));
        let members = self.members.iter().enumerate();
        let members = members.map(|(i, id)| (Reference::Agent(*id), format!("config.members[{i}]")));
        let tools = self.tools.iter().enumerate();
        let tools = tools.filter_map(|(i, tool)| Some((tool.reference()?, format!("config.tools[{i}]"))));
        model.chain(members).chain(tools).collect()
    }

    /// Checks what the schema cannot express.
    pub(super) fn check(&self, own: AgentId, r#type: AgentType) -> Result<()> {
        let count = self.references().len();
        if count > MAX_REFERENCES {
            let problem = format!("names {count} agents, workflows and models; at most {MAX_REFERENCES}");
            return Err(Error::invalid_body("config", problem));
        }
        self.check_team(own, r#type)?;
        self.check_tools(own)?;
        self.check_sources()?;
        if serde_json::to_vec(self).map_or(0, |json| json.len()) > MAX_CONFIG_BYTES {
            return Err(Error::invalid_body("config", format!("at most {MAX_CONFIG_BYTES} bytes of JSON in all")));
        }
        Ok(())
    }

    fn check_team(&self, own: AgentId, r#type: AgentType) -> Result<()> {
        const ONLY_TEAMS: &str = "only agents of type multiple have this field; send null to remove it";
        if r#type == AgentType::Single && !self.members.is_empty() {
            return Err(Error::invalid_body("config.members", ONLY_TEAMS));
        }
        if r#type == AgentType::Single && self.strategy.is_some() {
            return Err(Error::invalid_body("config.strategy", ONLY_TEAMS));
        }
        let mut seen = BTreeSet::from([own]);
        for (i, member) in self.members.iter().enumerate() {
            if !seen.insert(*member) {
                let problem = "an agent can be a member only once, and not of itself";
                return Err(Error::invalid_body(format!("config.members[{i}]"), problem));
            }
        }
        Ok(())
    }

    fn check_tools(&self, own: AgentId) -> Result<()> {
        let mut names = BTreeSet::new();
        for (i, tool) in self.tools.iter().enumerate() {
            let field = |name: &str| format!("config.tools[{i}].{name}");
            if tool.name().is_some_and(|name| !names.insert(name)) {
                return Err(Error::invalid_body(field("name"), "another tool has this name"));
            }
            match tool {
                Tool::Http { url, headers, .. } => {
                    if url.contains("{{") {
                        let problem =
                            "write a placeholder with single braces, as in `https://api.example.com/orders/{order}`";
                        return Err(Error::invalid_body(field("url"), problem));
                    }
                    address::check(&field("url"), url)?;
                    check_headers(&field("headers"), headers)?;
                }
                Tool::Mcp { url, tools, .. } => {
                    address::check(&field("url"), url)?;
                    let mut pinned = BTreeSet::new();
                    if let Some(twice) = tools.iter().position(|tool| !pinned.insert(&tool.name)) {
                        let field = field(&format!("tools[{twice}].name"));
                        return Err(Error::invalid_body(field, "the list has this tool already; remove one"));
                    }
                }
                Tool::Agent { agent_id, .. } if *agent_id == own => {
                    return Err(Error::invalid_body(field("agentId"), "an agent cannot be its own tool"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_sources(&self) -> Result<()> {
        for (i, source) in self.sources.iter().enumerate() {
            let field = |name: &str| format!("config.sources[{i}].{name}");
            match source {
                AgentSource::Text { .. } => {}
                AgentSource::Url { url, .. } => address::check(&field("url"), url)?,
                AgentSource::File { base64, .. } => {
                    use base64::Engine;
                    if base64::engine::general_purpose::STANDARD.decode(base64).is_err() {
                        return Err(Error::invalid_body(field("base64"), "not base64"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Refuses invalid headers and headers that hold a secret, because every reader of the agent sees the configuration.
fn check_headers(field: &str, headers: &BTreeMap<String, String>) -> Result<()> {
    for (name, value) in headers {
        let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
        let field = format!("{field}.{shown}");
        if let Some(problem) = header::problem(name) {
            return Err(Error::invalid_body(field, problem.en));
        }
        if header::is_secret(name, value) {
            let problem = "is a secret that every reader of the agent would see. Remove it, set `auth`, and store the \
                           secret as the credential of the tool";
            return Err(Error::invalid_body(field, problem));
        }
        if value.contains(|c: char| c.is_control() && c != '\t') {
            return Err(Error::invalid_body(field, "has a line break or another control character. Remove it"));
        }
    }
    Ok(())
}
