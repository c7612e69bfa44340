//! `/gateway/v1/mcp…`: the door to the registered MCP servers. It passes on the messages of the Model Context Protocol over
//! Streamable HTTP, in every version from 2025-03-26, and lets each caller see and call only the tools that the operator allows.
//!
//! It implements no version itself: it reads the envelope of JSON-RPC, the names of methods and tools, and nothing else.

mod access;
mod answer;
mod caller;
mod dto;
mod events;
mod handlers;
mod headers;
mod message;
mod oauth;
mod passage;
mod policy;
mod relay;
mod routes;
mod rpc_error;
mod sessions;
mod upstream;

use std::sync::Arc;

use auth::RecentCallers;
use domain::Result;
use domain::time::Clock;
use gateway::tools::ToolCalls;
use outbound::{Calls, Outbound};
use platform::Context;
use store::McpServers;
use store::model_catalog::ModelCatalog;
use web::origin::AllowedOrigins;

use oauth::OauthUsers;
use sessions::Sessions;

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    callers: Arc<RecentCallers>,
    /// Knows whether the platform is under maintenance.
    models: Arc<ModelCatalog>,
    servers: McpServers,
    tools: ToolCalls,
    calls: Calls,
    sessions: Arc<Sessions>,
    oauth: Arc<OauthUsers>,
    clock: Clock,
    /// The origins of pages that may use the door.
    origins: AllowedOrigins,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let outbound = Outbound::from_config(&context.config)?;
        Ok(Self {
            callers: Arc::new(RecentCallers::new(context)?),
            models: Arc::new(ModelCatalog::new(context)?),
            servers: McpServers::new(context)?,
            tools: ToolCalls::new(context)?,
            calls: Calls::new(outbound.clone()),
            sessions: Arc::new(Sessions::new(context)?),
            oauth: Arc::new(OauthUsers::new(context, outbound)?),
            clock: context.clock.clone(),
            origins: AllowedOrigins::from_config(&context.config),
        })
    }
}

impl AsRef<RecentCallers> for Stores {
    fn as_ref(&self) -> &RecentCallers {
        &self.callers
    }
}

impl AsRef<ModelCatalog> for Stores {
    fn as_ref(&self) -> &ModelCatalog {
        &self.models
    }
}
