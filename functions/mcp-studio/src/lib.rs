//! `/mcp/v1/studio`: the MCP server with which coding assistants build workflows. Each of its tools makes one request, or a few, to
//! the routes of the builder in this process, with the token of the caller: it can do nothing that its caller cannot.

mod answer;
mod api;
mod cut;
mod edits;
mod handlers;
mod refusal;
mod routes;
mod schema;
mod server;
mod tools;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use mcp::Endpoint;
use platform::Context;

use api::Api;

pub use routes::router;

/// The clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    endpoint: Endpoint,
    api: Arc<Api>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            endpoint: Endpoint::new(context, "studio")?,
            api: Arc::new(Api::new(context)?),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
