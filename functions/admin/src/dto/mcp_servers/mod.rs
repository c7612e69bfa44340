//! Request and response bodies of the registry of MCP servers.

mod checks;
mod out;

use domain::body_problems::Problems;
use domain::id::{ApiKeyId, McpServerId, OrgId};
use domain::mcp_server::{AccessRule, McpAuth, McpServer, McpServerSlug, is_server_name};
use domain::schema;
use domain::time::Time;
use domain::{Error, Result};
use outbound::Outbound;
use serde::{Deserialize, Serialize};
use store::mcp_servers::{StoredMcpServer, StoredSecret};
use utoipa::{IntoParams, ToSchema};

use super::meters::parse_id;
use checks::{check_auth, check_secret, check_url, is_for_same_server};
pub use out::McpServerOut;

domain::text_schemas! {
    SecretText(1, 4_096, "^[!-~]*$", "visible ASCII characters");
    PlainText(1, 1_000, "^[!-~]*$", "visible ASCII characters");
    ScopeText(1, 1_000, "^[ -~]*$", "ASCII characters");
    ToolText(1, 200, schema::ONE_LINE, "one line");
}

/// The settings of an MCP server. An update may contain any subset of the fields, but not `org` and `name`.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServerIn {
    /// The organization whose keys may use the server.
    #[schema(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    org: String,
    /// Unique in the organization. Clients use it in the path `/gateway/v1/mcp/{server}`.
    #[schema(value_type = McpServerSlug, example = "crm")]
    name: String,
    /// The URL of its Streamable HTTP transport. The address must be public or listed in `OUTBOUND_ALLOWED_CIDRS`.
    #[schema(example = "https://crm.example.com/mcp")]
    url: String,
    /// How the gateway authenticates at the server. Defaults to `none`. An update replaces it as a whole. Without its secret, the
    /// stored secret is kept, unless the secret would reach another server or belongs to another client.
    auth: Option<McpAuthIn>,
    /// Defaults to true. A disabled server does not exist for clients.
    enabled: Option<bool>,
    /// Who may use which tools. A caller may use the tools of all rules that apply. Without a rule, no caller may use the server.
    #[schema(max_items = 50)]
    access: Option<Vec<AccessRuleIn>>,
}

/// How the gateway authenticates at an MCP server. Secrets are stored encrypted and never returned.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = McpAuthIn)]
pub enum McpAuthIn {
    None {},
    /// `Authorization: Bearer <token>`
    Bearer {
        #[schema(write_only, value_type = Option<SecretText>)]
        token: Option<String>,
    },
    Header {
        #[schema(value_type = PlainText, example = "X-Api-Key")]
        header: String,
        #[schema(write_only, value_type = Option<SecretText>)]
        value: Option<String>,
    },
    Oauth2ClientCredentials {
        token_url: String,
        #[schema(value_type = PlainText)]
        client_id: String,
        #[schema(write_only, value_type = Option<SecretText>)]
        client_secret: Option<String>,
        #[schema(value_type = Option<ScopeText>)]
        scope: Option<String>,
    },
    /// Each user connects their own account, with `POST /gateway/v1/mcp/{server}/connect`.
    Oauth2User {
        /// The issuer. Without it, the metadata of the server names it (RFC 9728).
        authorization_server: Option<String>,
        /// Without it, the gateway registers itself as a client (RFC 7591).
        #[schema(value_type = Option<PlainText>)]
        client_id: Option<String>,
        /// Only with `client_id`, and only if the client is confidential.
        #[schema(write_only, value_type = Option<SecretText>)]
        client_secret: Option<String>,
        /// The scopes to ask for. Without them, those that the server asks for.
        #[serde(default)]
        #[schema(value_type = Vec<PlainText>, max_items = 50)]
        scopes: Vec<String>,
    },
}

/// Which tools these callers may use.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = McpAccessRule)]
pub struct AccessRuleIn {
    /// The plans of the callers. Without it, all plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1, max_items = 100)]
    plans: Option<Vec<String>>,
    /// The ids of the callers' API keys. Without it, all keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1, max_items = 200)]
    keys: Option<Vec<String>>,
    /// The names of tools. `*` allows all tools, also those that the server adds later, and its prompts and resources.
    #[schema(value_type = Vec<ToolText>, min_items = 1, max_items = 200)]
    tools: Vec<String>,
}

impl McpAuthIn {
    /// Moves the secret out of it.
    pub fn take_secret(&mut self) -> Option<String> {
        match self {
            Self::None {} => None,
            Self::Bearer { token: secret }
            | Self::Header { value: secret, .. }
            | Self::Oauth2ClientCredentials { client_secret: secret, .. }
            | Self::Oauth2User { client_secret: secret, .. } => secret.take(),
        }
    }
}

impl From<McpAuthIn> for McpAuth {
    fn from(auth: McpAuthIn) -> Self {
        match auth {
            McpAuthIn::None {} => Self::None,
            McpAuthIn::Bearer { token: _ } => Self::Bearer,
            McpAuthIn::Header { header, value: _ } => Self::Header { header },
            McpAuthIn::Oauth2ClientCredentials { token_url, client_id, client_secret: _, scope } => {
                Self::Oauth2ClientCredentials { token_url, client_id, scope }
            }
            McpAuthIn::Oauth2User { authorization_server, client_id, client_secret: _, scopes } => {
                Self::Oauth2User { authorization_server, client_id, scopes }
            }
        }
    }
}

impl From<McpAuth> for McpAuthIn {
    fn from(auth: McpAuth) -> Self {
        match auth {
            McpAuth::None => Self::None {},
            McpAuth::Bearer => Self::Bearer { token: None },
            McpAuth::Header { header } => Self::Header { header, value: None },
            McpAuth::Oauth2ClientCredentials { token_url, client_id, scope } => {
                Self::Oauth2ClientCredentials { token_url, client_id, client_secret: None, scope }
            }
            McpAuth::Oauth2User { authorization_server, client_id, scopes } => {
                Self::Oauth2User { authorization_server, client_id, client_secret: None, scopes }
            }
        }
    }
}

impl From<&StoredMcpServer> for McpServerIn {
    fn from(StoredMcpServer { server, .. }: &StoredMcpServer) -> Self {
        Self {
            org: server.org.to_string(),
            name: server.name.clone(),
            url: server.url.clone(),
            auth: Some(server.auth.clone().into()),
            enabled: Some(server.enabled),
            access: Some(server.access.iter().map(AccessRuleIn::from).collect()),
        }
    }
}

impl From<&AccessRule> for AccessRuleIn {
    fn from(AccessRule { plans, keys, tools }: &AccessRule) -> Self {
        let keys = keys.as_ref().map(|keys| keys.iter().map(ToString::to_string).collect());
        Self { plans: plans.clone(), keys, tools: tools.clone() }
    }
}

impl AccessRuleIn {
    fn read(self, field: &str) -> Result<AccessRule> {
        let Self { plans, keys, tools } = self;
        let mut problems = Problems::default();
        let read = |(i, key): (usize, String)| {
            let key = key.parse::<ApiKeyId>();
            problems.take(
                key.map_err(|_| Error::invalid_body(format!("{field}.keys[{i}]"), "must be the id of an API key")),
            )
        };
        let keys = keys.map(|keys| keys.into_iter().enumerate().filter_map(read).collect());
        problems.finish_with(Some(AccessRule { plans, keys, tools }))
    }
}

impl McpServerIn {
    pub fn take_secret(&mut self) -> Option<String> {
        self.auth.as_mut().and_then(McpAuthIn::take_secret)
    }

    /// The stored auth is not merged with that of a patch, which replaces it.
    #[must_use]
    pub fn without_auth(self) -> Self {
        Self { auth: None, ..self }
    }

    pub fn read_new(
        self,
        id: McpServerId,
        secret: Option<StoredSecret>,
        outbound: &Outbound,
        now: Time,
    ) -> Result<StoredMcpServer> {
        let org = parse_id::<OrgId>(&self.org)?;
        let server = self.read(id, org, now, now, outbound)?;
        check_secret(StoredMcpServer { server, secret })
    }

    /// `secret` is the new one, if there is one.
    pub fn read_changed(
        self,
        before: &StoredMcpServer,
        secret: Option<StoredSecret>,
        outbound: &Outbound,
        now: Time,
    ) -> Result<StoredMcpServer> {
        let McpServer { id, org, created_at, .. } = before.server;
        if self.org != org.to_string() || self.name != before.server.name {
            return Err(Error::invalid_body("name", "a server keeps its name and organization; create another server"));
        }
        let server = self.read(id, org, created_at, now, outbound)?;
        let kept = || before.secret.clone().filter(|_| is_for_same_server(&before.server, &server));
        let secret = secret.or_else(kept);
        check_secret(StoredMcpServer { server, secret })
    }

    fn read(
        self,
        id: McpServerId,
        org: OrgId,
        created_at: Time,
        updated_at: Time,
        outbound: &Outbound,
    ) -> Result<McpServer> {
        let mut problems = Problems::default();
        problems.take(schema::check(&self));
        let Self { org: _, name, url, auth, enabled, access } = self;
        if !is_server_name(&name) {
            problems
                .add("name", "lower-case letters, digits and hyphens, without a hyphen in front, and not `callback`");
        }
        problems.take(check_url("url", &url, outbound));
        let auth = auth.map_or(McpAuth::None, McpAuth::from);
        problems.take(check_auth(&auth, outbound));
        let rules = access.unwrap_or_default().into_iter().enumerate();
        let rules = rules.filter_map(|(i, rule)| problems.take(rule.read(&format!("access[{i}]")))).collect();
        problems.finish()?;
        Ok(McpServer {
            id,
            org,
            name,
            url,
            auth,
            enabled: enabled.unwrap_or(true),
            access: rules,
            created_at,
            updated_at,
        })
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct McpServersQuery {
    /// The id of the organization.
    #[param(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
}
