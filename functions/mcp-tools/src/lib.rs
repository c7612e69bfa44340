//! `/mcp/v1`: the MCP server at which assistants find the workflows and agents that their owners have marked as tools. A call of a
//! workflow is a run, with the origin `mcp`; a call of an agent is an invocation.
//!
//! `catalogue` finds the tools of a caller, `schemas` reads their inputs and outputs from releases, `workflow_call` and
//! `agent_call` carry out calls, and `events` lets a client resume a stream that broke: the log of the run has all that the
//! stream had.

mod agent_call;
mod catalogue;
mod events;
mod handlers;
mod progress;
mod result;
mod routes;
mod schemas;
mod server;
mod workflow_call;

use std::sync::Arc;
use std::time::Duration;

use auth::Auth;
use domain::Result;
use mcp::Endpoint;
use platform::{Context, config};
use store::{Agents, Runs, Shares, Workflows};

use agent_call::AgentCalls;
pub use routes::router;
use schemas::ToolSchemas;

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    endpoint: Endpoint,
    workflows: Workflows,
    agents: Agents,
    shares: Shares,
    runs: Runs,
    schemas: Arc<ToolSchemas>,
    agent_calls: AgentCalls,
    /// How long a stream stays open.
    stream_time: Duration,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let workflows = Workflows::new(context)?;
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            endpoint: Endpoint::new(context, "tools")?,
            agents: Agents::new(context)?,
            shares: Shares::new(context)?,
            runs: Runs::with_keys(context)?,
            schemas: Arc::new(ToolSchemas::new(workflows.clone())),
            agent_calls: AgentCalls::new(context)?,
            stream_time: context.config.required_seconds(config::STREAM_SECONDS)?,
            workflows,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
