//! Response bodies, and the errors of servers.

use domain::mcp_server::{AllowedTools, McpAuth};
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};
use web::gateway::ErrorBody;

use crate::access::OpenDoor;
use crate::oauth::callback::Beginning;

/// An MCP server that the key may use.
#[derive(Serialize, ToSchema)]
#[schema(as = OwnMcpServer)]
pub struct OwnMcpServerOut {
    name: String,
    /// The names of the tools that the key may call. Null if it may call all of them, and use the server's prompts and resources.
    #[schema(required)]
    tools: Option<Vec<String>>,
    /// Whether the user has connected an account. Null if users of this server connect none.
    #[schema(required)]
    connection: Option<ConnectionWire>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = McpConnection)]
enum ConnectionWire {
    Connected,
    Missing,
}

/// Where the browser of the user goes to connect an account.
#[derive(Serialize, ToSchema)]
#[schema(as = McpConnectionBeginning)]
pub struct BeginningOut {
    authorize_url: String,
    /// Until when the URL is valid.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl From<Beginning> for BeginningOut {
    fn from(Beginning { authorize_url, until }: Beginning) -> Self {
        Self { authorize_url, expires_at: until.to_string() }
    }
}

impl OwnMcpServerOut {
    pub fn new(door: &OpenDoor, is_connected: bool) -> Self {
        let tools = match &door.allowed {
            AllowedTools::All => None,
            AllowedTools::Only(tools) => Some(tools.iter().cloned().collect()),
        };
        let connection = match door.server().auth {
            McpAuth::Oauth2User { .. } if is_connected => Some(ConnectionWire::Connected),
            McpAuth::Oauth2User { .. } => Some(ConnectionWire::Missing),
            _ => None,
        };
        Self { name: door.server().name.clone(), tools, connection }
    }
}

/// The errors of `GET` and `DELETE` at the door, which pass on no message.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
pub enum ServerErrors {
    /// `mcp_connection_missing`: the user must connect an account first
    #[response(status = 403)]
    NotConnected(ErrorBody),
    /// The server does not support the method
    #[response(status = 405)]
    Unsupported(ErrorBody),
    /// `mcp_server_busy`: the server limits the rate of requests; retry after the time in `Retry-After`
    #[response(status = 429)]
    Busy(ErrorBody),
    /// The server failed, or refused the credentials of the gateway; the code and the message say which
    #[response(status = 502)]
    Failed(ErrorBody),
    /// The server did not respond in time
    #[response(status = 504)]
    Timeout(ErrorBody),
}
