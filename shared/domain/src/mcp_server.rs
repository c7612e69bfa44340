//! The registry of MCP servers: where the gateway passes calls of tools to, and which callers may use which tools.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::id::{ApiKeyId, McpServerId, OrgId};
use super::time::Time;
use crate::{Error, text_schemas};

/// The maximum number of servers of an organization.
pub const MAX_MCP_SERVERS: usize = 100;
/// The provider of calls of tools in the log of calls. No provider of models has this name.
pub const TOOL_PROVIDER: &str = "mcp";
/// The name of a server in the log of calls, where those of models are, begins with it. No name of a model does.
pub const SERVER_PREFIX: &str = "mcp/";
/// The last segment of a route of its own beside those of servers.
const RESERVED_NAME: &str = "callback";
/// In an access rule, it allows all tools and all other methods of a server.
pub const ALL_TOOLS: &str = "*";

text_schemas! {
    McpServerSlug(1, 63, "^[a-z0-9][a-z0-9-]{0,62}$", "lower-case letters, digits and hyphens, without a hyphen in front");
}

/// Whether a text can be the name of a server.
pub fn is_server_name(text: &str) -> bool {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(is_plain) && !text.starts_with('-') && text != RESERVED_NAME
}

/// A registered server, without its secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct McpServer {
    pub id: McpServerId,
    pub org: OrgId,
    /// Unique in the organization. Clients name the server by it, so it never changes.
    pub name: String,
    /// The URL of its Streamable HTTP transport.
    pub url: String,
    pub auth: McpAuth,
    pub enabled: bool,
    /// Without a rule, no caller may use the server.
    pub access: Vec<AccessRule>,
    pub created_at: Time,
    pub updated_at: Time,
}

/// How the gateway authenticates at a server. The secrets are stored apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum McpAuth {
    None,
    /// `Authorization: Bearer <secret>`
    Bearer,
    Header {
        header: String,
    },
    Oauth2ClientCredentials {
        token_url: String,
        client_id: String,
        scope: Option<String>,
    },
    /// Each user connects their own account.
    Oauth2User {
        /// The issuer. `None` if the server's metadata names it.
        authorization_server: Option<String>,
        /// `None` if the gateway registers itself as a client.
        client_id: Option<String>,
        scopes: Vec<String>,
    },
}

impl McpAuth {
    /// Whether the gateway cannot authenticate without a secret.
    pub fn needs_secret(&self) -> bool {
        matches!(self, Self::Bearer | Self::Header { .. } | Self::Oauth2ClientCredentials { .. })
    }
}

/// Callers, and the tools that they may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessRule {
    /// The plans of the callers. `None` means all plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<Vec<String>>,
    /// The API keys of the callers. `None` means all keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<ApiKeyId>>,
    pub tools: Vec<String>,
}

impl AccessRule {
    fn applies_to(&self, plan: &str, key: Option<ApiKeyId>) -> bool {
        self.plans.as_ref().is_none_or(|plans| plans.iter().any(|name| name == plan))
            && self.keys.as_ref().is_none_or(|keys| key.is_some_and(|key| keys.contains(&key)))
    }
}

/// What a caller may use of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedTools {
    /// All tools, also those that the server adds later, and all other methods.
    All,
    Only(BTreeSet<String>),
}

impl AllowedTools {
    pub fn allows(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(tools) => tools.contains(tool),
        }
    }

    /// Whether the caller may use nothing of the server, which then does not exist for them.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(tools) if tools.is_empty())
    }
}

impl McpServer {
    pub const KIND: &'static str = "MCP server";

    /// The tools of all rules that apply to a caller.
    pub fn allowed_tools(&self, plan: &str, key: Option<ApiKeyId>) -> AllowedTools {
        let rules = self.access.iter().filter(|rule| rule.applies_to(plan, key));
        let tools: BTreeSet<String> = rules.flat_map(|rule| rule.tools.iter().cloned()).collect();
        if tools.contains(ALL_TOOLS) { AllowedTools::All } else { AllowedTools::Only(tools) }
    }
}

pub fn name_is_taken() -> Error {
    let message = "the organization has an MCP server with this name; choose another name".to_owned();
    Error::Conflict { code: "mcp_server_exists", message }
}

pub fn too_many() -> Error {
    let message = format!("the organization has {MAX_MCP_SERVERS} MCP servers, the maximum; delete one");
    Error::Conflict { code: "too_many_mcp_servers", message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(access: Vec<AccessRule>) -> McpServer {
        let now = Time::from_millis(0);
        McpServer {
            id: McpServerId::new(),
            org: OrgId::new(),
            name: "crm".to_owned(),
            url: "https://crm.example/mcp".to_owned(),
            auth: McpAuth::None,
            enabled: true,
            access,
            created_at: now,
            updated_at: now,
        }
    }

    fn rule(plans: Option<&[&str]>, keys: Option<&[ApiKeyId]>, tools: &[&str]) -> AccessRule {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        AccessRule { plans: plans.map(texts), keys: keys.map(<[_]>::to_vec), tools: texts(tools) }
    }

    #[test]
    fn a_caller_may_use_the_tools_of_all_rules_that_apply() {
        let (own, other) = (ApiKeyId::new(), ApiKeyId::new());
        let server = server(vec![
            rule(None, None, &["ping"]),
            rule(Some(&["pro"]), None, &["search"]),
            rule(None, Some(&[own]), &["delete"]),
            rule(Some(&["pro"]), Some(&[other]), &["*"]),
        ]);
        let only = |tools: &[&str]| AllowedTools::Only(tools.iter().map(ToString::to_string).collect());
        assert_eq!(server.allowed_tools("free", None), only(&["ping"]));
        assert_eq!(server.allowed_tools("pro", Some(own)), only(&["ping", "search", "delete"]));
        assert_eq!(server.allowed_tools("free", Some(other)), only(&["ping"]));
        assert_eq!(server.allowed_tools("pro", Some(other)), AllowedTools::All);
    }

    #[test]
    fn without_a_rule_nothing_is_allowed() {
        assert!(server(vec![]).allowed_tools("pro", Some(ApiKeyId::new())).is_empty());
    }

    #[test]
    fn names_are_slugs() {
        for name in ["a", "crm-2", "0", &"x".repeat(63)] {
            assert!(is_server_name(name), "{name}");
        }
        for name in ["", "-a", "A", "callback", "a_b", "a.b", "a/b", "ñ", &"x".repeat(64)] {
            assert!(!is_server_name(name), "{name}");
        }
    }
}
