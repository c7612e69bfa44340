//! The studio as a server of the SDK: its instructions, its tools, and their calls.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue};
use domain::language::Language;
use mcp::Server;
use mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorData, Implementation, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities,
};
use mcp::rmcp::service::RequestContext;
use mcp::rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use web::language;
use web::layers::{X_REQUEST_ID, request_id};

use crate::api::{Api, Session};
use crate::refusal::Refusal;
use crate::schema::check_arguments;
use crate::tools;

const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The server for one request of one caller.
#[derive(Clone)]
pub struct StudioServer {
    api: Arc<Api>,
    /// The headers of the request.
    headers: Arc<HeaderMap>,
    /// The SDK calls the tools outside of the request's task, where its language is not known.
    language: Language,
}

impl StudioServer {
    /// Builds the server in the task of its request.
    pub fn new(api: Arc<Api>, mut headers: HeaderMap) -> Self {
        if let Ok(id) = HeaderValue::try_from(request_id()) {
            headers.insert(X_REQUEST_ID, id);
        }
        Self { api, headers: Arc::new(headers), language: language::of_request() }
    }
}

impl Server for StudioServer {}

impl ServerHandler for StudioServer {
    fn get_info(&self) -> InitializeResult {
        let mut server = Implementation::new("atelier-studio", env!("CARGO_PKG_VERSION"));
        server.title = Some("Atelier Studio".to_owned());
        let info = InitializeResult::new(ServerCapabilities::builder().enable_tools().build());
        info.with_server_info(server).with_instructions(INSTRUCTIONS)
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
        Ok(ListToolsResult::with_all_items(tools::all().iter().map(tools::StudioTool::describe).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            return Err(ErrorData::invalid_params("the studio has no such tool; call tools/list", None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let session = Session::new(&self.api, &self.headers);
        let answered = match check_arguments(&tool.arguments, &arguments, self.language) {
            Ok(()) => (tool.call)(session, arguments).await,
            Err(refusal) => Err(refusal),
        };
        let result = answered.map_or_else(Refusal::into_result, |answer| answer.into_result());
        Ok(result.into())
    }
}
