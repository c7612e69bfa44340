//! The answers of the registry.

use domain::mcp_server::{McpAuth, McpServer};
use serde::Serialize;
use store::mcp_servers::StoredMcpServer;
use utoipa::ToSchema;

use super::AccessRuleIn;

/// An MCP server, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = McpServer)]
pub struct McpServerOut {
    #[schema(example = "mcp_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    org: String,
    name: String,
    url: String,
    auth: McpAuthOut,
    enabled: bool,
    access: Vec<AccessRuleIn>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

/// How the gateway authenticates at an MCP server. Fields of other types are null.
#[derive(Serialize, ToSchema)]
#[schema(as = McpAuth)]
struct McpAuthOut {
    r#type: McpAuthTypeWire,
    #[schema(required)]
    header: Option<String>,
    #[schema(required)]
    token_url: Option<String>,
    #[schema(required)]
    authorization_server: Option<String>,
    #[schema(required)]
    client_id: Option<String>,
    #[schema(required)]
    scope: Option<String>,
    #[schema(required)]
    scopes: Option<Vec<String>>,
    /// Whether a secret is stored.
    has_secret: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = McpAuthType)]
enum McpAuthTypeWire {
    None,
    Bearer,
    Header,
    Oauth2ClientCredentials,
    Oauth2User,
}

impl McpAuthOut {
    fn new(auth: McpAuth, has_secret: bool) -> Self {
        use McpAuthTypeWire as Type;
        let (mut header, mut token_url, mut authorization_server) = (None, None, None);
        let (mut client_id, mut scope, mut scopes) = (None, None, None);
        let r#type = match auth {
            McpAuth::None => Type::None,
            McpAuth::Bearer => Type::Bearer,
            McpAuth::Header { header: name } => {
                header = Some(name);
                Type::Header
            }
            McpAuth::Oauth2ClientCredentials { token_url: url, client_id: id, scope: asked } => {
                (token_url, client_id, scope) = (Some(url), Some(id), asked);
                Type::Oauth2ClientCredentials
            }
            McpAuth::Oauth2User { authorization_server: issuer, client_id: id, scopes: asked } => {
                (authorization_server, client_id, scopes) = (issuer, id, Some(asked));
                Type::Oauth2User
            }
        };
        Self { r#type, header, token_url, authorization_server, client_id, scope, scopes, has_secret }
    }
}

impl From<&StoredMcpServer> for McpServerOut {
    fn from(StoredMcpServer { server, secret }: &StoredMcpServer) -> Self {
        let McpServer { id, org, name, url, auth, enabled, access, created_at, updated_at } = server;
        Self {
            id: id.to_string(),
            org: org.to_string(),
            name: name.clone(),
            url: url.clone(),
            auth: McpAuthOut::new(auth.clone(), secret.is_some()),
            enabled: *enabled,
            access: access.iter().map(AccessRuleIn::from).collect(),
            created_at: created_at.to_string(),
            updated_at: updated_at.to_string(),
        }
    }
}
