//! Reads an agent for an execution: its configuration, and the names and inputs of what it refers to.

use std::sync::Arc;

use auth::Caller;
use domain::agent::{Agent, AgentType, BrokenPin, Strategy, Tool};
use domain::catalog::Purpose;
use domain::chat::Message;
use domain::id::{AgentId, Id, WorkflowId};
use domain::identity::Account;
use domain::language::Language;
use domain::tool_mark::function_name;
use domain::{Error, Result};
use engine::agent::{
    AgentMember, AgentSnapshot, AgentTool, LeftOutTool, LoadedAgent, ToolCredentialKey, ToolTarget,
    describe_placeholders,
};
use engine::drive::{Effect, EffectError, EffectResult};
use engine::nodes::OUT;
use engine::run::{StepError, StepOutcome};
use futures::future::{join_all, try_join, try_join_all};
use mcp_client::ListedTool;
use platform::Context;
use runner::Triggers;
use serde_json::{Map, Value, json};
use store::{Agents, Workflows};
use uuid::Uuid;

use crate::EffectOwner;
use crate::errors::to_effect_error;
use crate::mcp::{AgentServer, CheckedPins, McpEffects};
use crate::model::ModelEffects;
use crate::retry::retry_while_unavailable;

pub struct AgentEffects {
    agents: Agents,
    workflows: Workflows,
    triggers: Arc<Triggers>,
    models: Arc<ModelEffects>,
    mcp: Arc<McpEffects>,
}

/// The tools of an agent, and those of its MCP servers that are not offered to the model.
#[derive(Default)]
struct OfferedTools {
    tools: Vec<AgentTool>,
    left_out: Vec<LeftOutTool>,
}

impl AgentEffects {
    pub fn new(
        context: &Context,
        triggers: Arc<Triggers>,
        models: Arc<ModelEffects>,
        mcp: Arc<McpEffects>,
    ) -> Result<Self> {
        Ok(Self { agents: Agents::new(context)?, workflows: Workflows::new(context)?, triggers, models, mcp })
    }

    /// Reads an agent, and counts its execution. The value is the snapshot of the agent, with the earlier messages of the
    /// conversation.
    pub async fn load(&self, owner: &EffectOwner, effect: &Effect, id: AgentId, history: Vec<Message>) -> EffectResult {
        let token = count_token(&effect.idempotency_key);
        let agent = retry_while_unavailable(|| async move {
            let agent = self.read(owner, id).await?;
            self.agents.count_requests(owner.account, id, 1, token).await?;
            Ok(agent)
        });
        let agent = agent.await.map_err(to_effect_error)?;
        let loaded = serde_json::to_value(LoadedAgent { agent, history }).map_err(Error::internal);
        Ok(StepOutcome::new(OUT, loaded.map_err(to_effect_error)?))
    }

    async fn read(&self, owner: &EffectOwner, id: AgentId) -> Result<AgentSnapshot> {
        let payer = self.models.payer(owner).await?;
        let agent = self.usable_agent(owner, id).await?;
        agent.check_callable()?;
        let model = self.chat_model(&payer, &agent).await?;
        let OfferedTools { tools, left_out } = self.tools(owner, &agent).await?;
        let has_servers = agent.config.tools.iter().any(|tool| matches!(tool, Tool::Mcp { .. }));
        let sees_images = has_servers && self.models.find_model(&payer, &model).await?.can("vision");
        let members = self.members(owner, &agent).await?;
        let embeddings_model = match agent.config.sources.is_empty() {
            true => None,
            false => Some(self.models.default_model(&payer, Purpose::Embeddings).await?),
        };
        let Agent { id, name, r#type, config, .. } = agent;
        Ok(AgentSnapshot {
            id,
            name,
            r#type,
            model,
            instructions: config.instructions,
            temperature: config.temperature,
            max_tokens: config.max_tokens,
            tools,
            sources: config.sources,
            embeddings_model,
            strategy: config.strategy.unwrap_or(Strategy::Sequential),
            members,
            sees_images,
            left_out,
        })
    }

    /// Reads an agent. An agent that is private to another workflow is not found.
    async fn usable_agent(&self, owner: &EffectOwner, id: AgentId) -> Result<Agent> {
        let agent = self.agents.get(owner.account, id).await?;
        let is_usable = agent.scope.is_usable_in(owner.workflow);
        if is_usable { Ok(agent) } else { Err(Error::NotFound { kind: AgentId::KIND }) }
    }

    async fn chat_model(&self, payer: &Caller, agent: &Agent) -> Result<String> {
        match &agent.config.model {
            Some(model) => Ok(model.clone()),
            None => self.models.default_model(payer, Purpose::Chat).await,
        }
    }

    /// The tools, each with a name for the model. Workflows and agents are named by their own names.
    /// So are the tools of MCP servers, after the name of their server.
    async fn tools(&self, owner: &EffectOwner, agent: &Agent) -> Result<OfferedTools> {
        let mut names: Vec<String> = agent.config.tools.iter().filter_map(Tool::name).map(str::to_owned).collect();
        let tools = agent.config.tools.iter().map(|tool| self.tool(owner, agent.id, tool));
        let (tools, of_servers) = try_join(try_join_all(tools), self.server_tools(owner, agent)).await?;
        let named = tools.into_iter().flatten().chain(of_servers.tools).map(|tool| match tool.target {
            ToolTarget::Http { .. } | ToolTarget::Function => tool,
            ToolTarget::Workflow { .. } | ToolTarget::Agent { .. } | ToolTarget::Mcp { .. } => {
                let name = function_name(&tool.name, "tool", &names);
                names.push(name.clone());
                AgentTool { name, ..tool }
            }
        });
        Ok(OfferedTools { tools: named.collect(), left_out: of_servers.left_out })
    }

    /// The tools of the MCP servers of an agent. A server that is not reached does not fail the agent, which works without
    /// its tools.
    async fn server_tools(&self, owner: &EffectOwner, agent: &Agent) -> Result<OfferedTools> {
        let servers = agent.config.tools.iter().filter_map(|tool| AgentServer::new(owner.account, agent.id, tool));
        let checked = servers.map(async |server| (server, self.mcp.check_pins(&server).await));
        let mut offered = OfferedTools::default();
        let mut bytes = 0;
        for (server, pins) in join_all(checked).await {
            let CheckedPins { tools, broken } = match pins {
                Ok(checked) => checked,
                Err(EffectError { error, .. }) => {
                    let tool = server.name.to_owned();
                    offered.left_out.push(LeftOutTool { tool, name: None, error });
                    continue;
                }
            };
            self.mark_broken_pins(agent, &server, &broken).await;
            offered.left_out.extend(broken.iter().map(describe_broken_pin));
            for tool in tools {
                bytes +=
                    tool.input_schema.iter().map(|(name, value)| name.len() + value.to_string().len()).sum::<usize>();
                match bytes > MAX_SCHEMAS_BYTES {
                    true => offered.left_out.push(too_large(&server, &tool.name)),
                    false => offered.tools.push(describe_server_tool(&server, tool)),
                }
            }
        }
        Ok(offered)
    }

    /// Asks the owner about changed tools, by a problem of the agent. The agent works also if this cannot be stored now.
    async fn mark_broken_pins(&self, agent: &Agent, server: &AgentServer<'_>, broken: &[BrokenPin]) {
        if agent.with_broken_pins(server.name, broken).is_none() {
            return;
        }
        let marked = self.agents.mark_broken_pins(agent.account, agent.id, server.name, broken).await;
        if let Err(error) = marked {
            tracing::warn!(?error, agent_id = %agent.id, "the changed tools of an agent were not marked");
        }
    }

    /// A tool whose server does not have to be asked.
    async fn tool(&self, owner: &EffectOwner, agent_id: AgentId, tool: &Tool) -> Result<Option<AgentTool>> {
        let tool = match tool {
            Tool::Mcp { .. } => return Ok(None),
            Tool::Http { name, description, method, url, headers, parameters, auth: _ } => {
                let credential = tool.credential_type().map(|_| ToolCredentialKey { agent_id, tool: name.clone() });
                let parameters = describe_placeholders(url, parameters.clone());
                let (method, url, headers) = (*method, url.clone(), headers.clone());
                let target = ToolTarget::Http { method, url, headers, credential };
                describe(name, description, parameters, target)
            }
            Tool::Function { name, description, parameters } => {
                describe(name, description, parameters.clone(), ToolTarget::Function)
            }
            Tool::Agent { agent_id, description } => {
                let other = self.usable_agent(owner, *agent_id).await?;
                let message = json!({"type": "string", "description": "The message to the agent."});
                let parameters = object_schema("message", message);
                let description = or_own(description, other.description.as_deref());
                describe(&other.name, description, parameters, ToolTarget::Agent { agent_id: *agent_id })
            }
            Tool::Workflow { workflow_id, description } => {
                self.workflow_tool(owner.account, *workflow_id, description).await?
            }
        };
        Ok(Some(tool))
    }

    /// The arguments are the input of the active release. A call of a workflow that cannot start fails.
    async fn workflow_tool(&self, account: Account, id: WorkflowId, description: &str) -> Result<AgentTool> {
        let workflow = self.workflows.get_header(account, id).await?;
        let schema = match &workflow.active {
            Some(active) => self.triggers.find(account, id, active.release).await?.schema().cloned(),
            None => None,
        };
        let (parameters, is_wrapped) = match schema {
            None => {
                (object_schema("input", json!({"description": "The input of the workflow: any JSON value."})), true)
            }
            Some(Value::Object(schema)) if schema.get("type").is_some_and(|kind| kind == "object") => (schema, false),
            Some(schema) => (object_schema("input", schema), true),
        };
        let target = ToolTarget::Workflow { workflow_id: id, is_wrapped };
        let description = or_own(description, workflow.description.as_deref());
        Ok(describe(&workflow.name, description, parameters, target))
    }

    async fn members(&self, owner: &EffectOwner, agent: &Agent) -> Result<Vec<AgentMember>> {
        if agent.r#type == AgentType::Single {
            return Ok(Vec::new());
        }
        let members = agent.config.members.iter().map(|member| self.usable_agent(owner, *member));
        let mut names = Vec::new();
        let members = try_join_all(members).await?.into_iter().map(|member| {
            let name = function_name(&member.name, "member", &names);
            names.push(name.clone());
            // The instructions say what the member does, if its owner gave no description.
            let description = member.description.unwrap_or(member.config.instructions);
            AgentMember { id: member.id, name, description: description.chars().take(MAX_DESCRIPTION_CHARS).collect() }
        });
        Ok(members.collect())
    }
}

/// Models accept about this much as the description of a tool.
const MAX_DESCRIPTION_CHARS: usize = 1_000;

fn describe(name: &str, description: &str, parameters: Map<String, Value>, target: ToolTarget) -> AgentTool {
    let description = description.chars().take(MAX_DESCRIPTION_CHARS).collect();
    AgentTool { name: name.to_owned(), description, parameters, target }
}

/// The schemas of all tools of MCP servers. More would not fit into the context of most models.
const MAX_SCHEMAS_BYTES: usize = 256 * 1024;

fn describe_server_tool(server: &AgentServer<'_>, tool: ListedTool) -> AgentTool {
    let ListedTool { name, description, input_schema, schema_hash, .. } = tool;
    let target = ToolTarget::Mcp {
        url: server.url.to_owned(),
        tool: name.clone(),
        schema_hash,
        credential: server.credential.then(|| server.key()),
        on_uncertain: server.on_uncertain,
    };
    describe(&format!("{}_{name}", server.name), description.as_deref().unwrap_or_default(), input_schema, target)
}

fn describe_broken_pin(broken: &BrokenPin) -> LeftOutTool {
    let error = StepError::new(broken.code(), broken.problem(Language::English).message);
    LeftOutTool { tool: broken.tool.clone(), name: Some(broken.pin.name.clone()), error }
}

fn too_large(server: &AgentServer<'_>, name: &str) -> LeftOutTool {
    let message =
        format!("the schemas of the tools are larger than {MAX_SCHEMAS_BYTES} bytes in all; allow fewer tools");
    let error = StepError::new("mcp_tools_too_large", message);
    LeftOutTool { tool: server.name.to_owned(), name: Some(name.to_owned()), error }
}

fn or_own<'a>(given: &'a str, own: Option<&'a str>) -> &'a str {
    if given.is_empty() { own.unwrap_or_default() } else { given }
}

/// The schema of an object with one required field.
fn object_schema(field: &str, schema: Value) -> Map<String, Value> {
    let schema = json!({"type": "object", "properties": {field: schema}, "required": [field]});
    schema.as_object().cloned().unwrap_or_default()
}

/// The token of the transaction that counts an execution, so that a repeated attempt does not count twice.
fn count_token(idempotency_key: &str) -> Uuid {
    let digits = idempotency_key.get(..32).and_then(|digits| u128::from_str_radix(digits, 16).ok());
    digits.map_or_else(Uuid::now_v7, Uuid::from_u128)
}
