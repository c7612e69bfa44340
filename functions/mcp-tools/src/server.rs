//! The MCP server of one request.

use std::collections::BTreeMap;
use std::sync::Arc;

use auth::Caller;
use domain::id::{AgentId, Id, RunId, WorkflowId};
use domain::sharing::{SharedId, TeamRole};
use domain::{Error, Result};
use futures::{StreamExt, TryStreamExt, stream};
use http::HeaderMap;
use mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, RequestId, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
use mcp::rmcp::service::{Peer, RequestContext, RoleServer};
use mcp::rmcp::transport::streamable_http_server::session::EventStore;
use mcp::{Assistant, Server, rmcp};
use serde_json::{Map, Value, json};
use store::sharing::StoredAccess;
use tokio::time::Instant;
use web::builder::Access;

use crate::Stores;
use crate::agent_call::{AgentCalls, AgentNews, Begun};
use crate::catalogue::{MarkedTool, ToolTarget};
use crate::events::{CallEvents, SessionEvents};
use crate::progress;
use crate::result::{self, GET_RUN, run_result_schema};
use crate::workflow_call::Followed;

const INSTRUCTIONS: &str = "The tools are workflows and agents of this organization. A call of a workflow is a run: its result has \
    the runId, with which people find it in the console. If a run waits for a person or takes long, call get_run later.";
/// The number of releases that a list reads at once.
const CONCURRENCY: usize = 16;

#[derive(Clone)]
pub struct ToolServer {
    pub stores: Stores,
    pub caller: Caller,
    /// The headers of the request, for calls that are made in its name.
    headers: Arc<HeaderMap>,
    pub assistant: Assistant,
}

impl ToolServer {
    pub fn new(stores: Stores, caller: Caller, headers: HeaderMap, assistant: Assistant) -> Self {
        Self { stores, caller, headers: Arc::new(headers), assistant }
    }

    /// When the stream of a call ends.
    pub fn until(&self) -> Instant {
        Instant::now() + self.stores.stream_time
    }

    /// An error of the platform that is not the assistant's to fix.
    pub fn protocol_error(error: &Error) -> ErrorData {
        ErrorData::internal_error(error.to_string(), Some(json!({"code": web::code(error)})))
    }

    async fn tools(&self) -> Result<Vec<Tool>> {
        let marked = self.stores.marked_tools(&self.caller).await?;
        let callable = marked.into_iter().filter(|tool| tool.target.is_callable());
        let callable: Vec<MarkedTool> = callable.collect();
        let workflows = callable.iter().filter_map(|tool| match &tool.target {
            ToolTarget::Workflow(workflow) => Some(workflow.id),
            ToolTarget::Agent(_) => None,
        });
        // The lists of what is shared lag behind changes.
        let entries = &self.stores.shares.find_all(self.caller.account(), workflows).await?;
        let described = stream::iter(callable.into_iter().map(|tool| self.describe(tool, entries)));
        let found: Vec<Option<Tool>> = described.buffered(CONCURRENCY).try_collect().await?;
        let mut tools: Vec<Tool> = found.into_iter().flatten().collect();
        if !tools.is_empty() {
            tools.push(get_run_tool());
        }
        Ok(tools)
    }

    /// The tool as assistants see it. None if its release cannot be called, or the caller may not call it any more.
    async fn describe(&self, tool: MarkedTool, entries: &BTreeMap<WorkflowId, StoredAccess>) -> Result<Option<Tool>> {
        let MarkedTool { name, title, description, target } = tool;
        let (input, output) = match &target {
            ToolTarget::Workflow(workflow) => {
                let Some(active) = &workflow.active else { return Ok(None) };
                let access = Access::new(self.caller.clone(), entries.get(&workflow.id).copied());
                if access.role < TeamRole::Operator {
                    return Ok(None);
                }
                let schema = match self.stores.schemas.find(access.account, workflow.id, active.release).await {
                    Err(Error::NotFound { .. }) | Ok(None) => return Ok(None),
                    Ok(Some(schema)) => schema,
                    Err(error) => return Err(error),
                };
                (schema.input.clone(), schema.output.clone())
            }
            ToolTarget::Agent(_) => (Arc::new(AgentCalls::input_schema()), Arc::new(AgentCalls::output_schema())),
        };
        let tool = Tool::new(name, description, input).with_title(title).with_raw_output_schema(output);
        Ok(Some(tool))
    }

    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<Option<CallToolResult>> {
        if name == GET_RUN {
            let id = arguments.get("runId").and_then(Value::as_str).and_then(|id| id.parse::<RunId>().ok());
            let id = id.ok_or_else(|| Error::invalid_body("runId", "must be the id of a run"))?;
            return self.stores.find_result(&self.caller, id).await.map(Some);
        }
        let marked = self.stores.marked_tools(&self.caller).await?;
        let Some(tool) = marked.into_iter().find(|tool| tool.name == name) else { return Ok(None) };
        let result = match tool.target {
            ToolTarget::Workflow(workflow) => {
                let run = self.stores.start_run(&self.caller, &self.assistant, workflow.id, arguments).await?;
                self.follow(run, &context).await?
            }
            ToolTarget::Agent(agent) => self.ask_agent(agent.id, arguments, &context).await?,
        };
        Ok(Some(result))
    }

    /// Follows the run of a call, and stops it if the client leaves: since 2026-07-28, that cancels a call.
    async fn follow(&self, run: RunId, context: &RequestContext<RoleServer>) -> Result<CallToolResult> {
        let mut follower = self.stores.follow_run(run, 0, self.until()).await?;
        loop {
            let followed = tokio::select! {
                followed = follower.next() => followed?,
                () = context.ct.cancelled() => {
                    self.stores.stop_run(run).await?;
                    return Ok(result::failed("cancelled", "the client has left"));
                }
            };
            let event = match followed {
                Followed::Event(event) => event,
                Followed::Result(result) => return Ok(result),
            };
            let token = self.assistant.progress_token.as_ref();
            if let Some(progress) = token.and_then(|token| progress::notification(token, &event)) {
                notify(&context.peer, progress).await;
            }
        }
    }

    /// Calls an agent, until the client cancels the call or leaves.
    async fn ask_agent(
        &self,
        id: AgentId,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult> {
        let access = self.stores.operator_access(&self.caller, id.shareable()).await?;
        // The lists of what is shared lag behind changes.
        if self.stores.agents.get(access.account, id).await?.tool.is_none() {
            return Err(Error::NotFound { kind: AgentId::KIND });
        }
        let calls = &self.stores.agent_calls;
        let open = calls.open(self.assistant.session, &context.id);
        let mut call = match calls.begin(&self.headers, id, arguments).await? {
            Begun::Call(call) => call,
            Begun::Refused(result) => return Ok(result),
        };
        let mut steps = 0.0;
        loop {
            let next = tokio::select! {
                next = call.next() => next?,
                () = open.token.cancelled() => return Ok(result::failed("cancelled", "the call was cancelled")),
                () = context.ct.cancelled() => return Ok(result::failed("cancelled", "the client has left")),
            };
            let step = match next {
                AgentNews::Began(step) => step,
                AgentNews::Result(result) => return Ok(result),
            };
            steps += 1.0;
            if let Some(token) = &self.assistant.progress_token {
                let progress = ProgressNotificationParam::new(token.clone(), steps);
                notify(&context.peer, progress.with_message(format!("{step} began"))).await;
            }
        }
    }
}

/// Reports progress. A client that does not listen any more is no reason to end the call.
async fn notify(peer: &Peer<RoleServer>, progress: ProgressNotificationParam) {
    let _ = peer.notify_progress(progress).await;
}

fn get_run_tool() -> Tool {
    let run_id = json!({"type": "string", "format": "uuid", "description": "The runId of an earlier call."});
    let input = json!({"type": "object", "properties": {"runId": run_id}, "required": ["runId"]});
    let input = input.as_object().cloned().unwrap_or_default();
    let description = "Returns the result of a run that an earlier call has started, or how far it is.";
    Tool::new(GET_RUN, description, input)
        .with_title("Get the result of a run")
        .with_raw_output_schema(Arc::new(run_result_schema(json!({}))))
        .with_annotations(ToolAnnotations::new().read_only(true).idempotent(true).open_world(false))
}

impl rmcp::ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("atelier", env!("CARGO_PKG_VERSION")).with_title("Atelier");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(mcp::unknown_request(request))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools().await.map_err(|error| Self::protocol_error(&error))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        match self.call(&request.name, arguments, context).await {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) => Err(ErrorData::invalid_params(format!("there is no tool {}", request.name), None)),
            Err(error @ (Error::Internal(_) | Error::Unavailable { .. })) => Err(Self::protocol_error(&error)),
            Err(error) => Ok(result::refused(&error).into()),
        }
    }
}

impl Server for ToolServer {
    async fn cancel(&self, request: &RequestId) -> Result<()> {
        let Some(session) = self.assistant.session else { return Ok(()) };
        self.stores.agent_calls.cancel(session, request);
        match self.stores.find_call(session, request).await? {
            Some(run) => self.stores.stop_run(run).await,
            None => Ok(()),
        }
    }

    fn events(&self) -> Option<Arc<dyn EventStore>> {
        let session = self.assistant.session?;
        Some(Arc::new(SessionEvents(Arc::new(CallEvents { server: self.clone(), session }))))
    }
}
