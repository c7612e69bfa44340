//! The validation of MCP servers: SSRF protection, forbidden headers, and secrets that belong to what they are stored for.

use domain::mcp_server::{McpAuth, McpServer};
use domain::{Error, Result};
use domain::{address, header};
use outbound::Outbound;
use store::mcp_servers::StoredMcpServer;

use crate::dto::check_public;

/// Headers of the protocol, which the gateway sets.
const PROTOCOL_HEADERS: [&str; 6] = ["accept", "accept-encoding", "content-type", "cookie", "last-event-id", "origin"];

/// Whether a stored secret may be used for the changed server: it is for the same client at the same origin.
pub fn is_for_same_server(before: &McpServer, after: &McpServer) -> bool {
    let is_same_auth = match (&before.auth, &after.auth) {
        (
            McpAuth::Oauth2ClientCredentials { token_url, client_id, .. },
            McpAuth::Oauth2ClientCredentials { token_url: other_url, client_id: other_id, .. },
        ) => (token_url, client_id) == (other_url, other_id),
        (
            McpAuth::Oauth2User { authorization_server, client_id, .. },
            McpAuth::Oauth2User { authorization_server: other_server, client_id: other_id, .. },
        ) => client_id.is_some() && (authorization_server, client_id) == (other_server, other_id),
        (before, after) => before == after,
    };
    is_same_auth && address::origin(&before.url) == address::origin(&after.url)
}

/// Refuses an auth without its secret, and drops a secret that has no use.
pub fn check_secret(stored: StoredMcpServer) -> Result<StoredMcpServer> {
    let StoredMcpServer { server, secret } = stored;
    let is_useful = match &server.auth {
        McpAuth::Oauth2User { client_id: None, .. } if secret.is_some() => {
            return Err(Error::invalid_body("auth.client_id", "is missing; a client secret belongs to a client"));
        }
        McpAuth::Oauth2User { authorization_server: None, .. } if secret.is_some() => {
            let problem = "is missing; a client secret is sent only to an authorization server that you name";
            return Err(Error::invalid_body("auth.authorization_server", problem));
        }
        McpAuth::None => false,
        McpAuth::Oauth2User { .. } => true,
        auth if auth.needs_secret() && secret.is_none() => {
            let field = match auth {
                McpAuth::Bearer => "auth.token",
                McpAuth::Header { .. } => "auth.value",
                _ => "auth.client_secret",
            };
            return Err(Error::invalid_body(
                field,
                "is missing; send it, also after a change of the server or the client",
            ));
        }
        _ => true,
    };
    Ok(StoredMcpServer { server, secret: secret.filter(|_| is_useful) })
}

pub fn check_auth(auth: &McpAuth, outbound: &Outbound) -> Result<()> {
    match auth {
        McpAuth::None | McpAuth::Bearer => Ok(()),
        McpAuth::Header { header } => check_header("auth.header", header),
        McpAuth::Oauth2ClientCredentials { token_url, .. } => check_url("auth.token_url", token_url, outbound),
        McpAuth::Oauth2User { authorization_server, .. } => match authorization_server {
            Some(url) => check_url("auth.authorization_server", url, outbound),
            None => Ok(()),
        },
    }
}

pub fn check_url(field: &str, url: &str, outbound: &Outbound) -> Result<()> {
    address::check(field, url)?;
    check_public(field, url, outbound)
}

fn check_header(field: &str, name: &str) -> Result<()> {
    let lower = name.to_ascii_lowercase();
    let is_of_protocol = PROTOCOL_HEADERS.contains(&lower.as_str()) || lower.starts_with("mcp-");
    let problem = header::problem(name).or_else(|| is_of_protocol.then_some(header::SET_BY_PLATFORM));
    match problem {
        Some(problem) => Err(Error::invalid_body(field, format_args!("{}; use another header", problem.en))),
        None => Ok(()),
    }
}
