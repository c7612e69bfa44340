//! Request and response bodies of the registry of MCP servers, and their validation (SSRF protection, forbidden headers).

use domain::body_problems::Problems;
use domain::id::{ApiKeyId, McpServerId, OrgId};
use domain::mcp_server::{AccessRule, McpAuth, McpServer, McpServerSlug, is_server_name};
use domain::time::Time;
use domain::{Error, Result};
use domain::{address, header, schema};
use outbound::Outbound;
use platform::config::OUTBOUND_ALLOWED_CIDRS;
use serde::{Deserialize, Serialize};
use store::mcp_servers::{StoredMcpServer, StoredSecret};
use utoipa::{IntoParams, ToSchema};

use super::meters::parse_id;

domain::text_schemas! {
    SecretText(1, 4_096, "^[!-~]*$", "visible ASCII characters");
    PlainText(1, 1_000, "^[!-~]*$", "visible ASCII characters");
    ScopeText(1, 1_000, "^[ -~]*$", "ASCII characters");
    ToolText(1, 200, schema::ONE_LINE, "one line");
}

/// Headers of the protocol, which the gateway sets.
const PROTOCOL_HEADERS: [&str; 6] = ["accept", "accept-encoding", "content-type", "cookie", "last-event-id", "origin"];

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
        checked(StoredMcpServer { server, secret })
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
        checked(StoredMcpServer { server, secret })
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

/// Whether a stored secret may be used for the changed server: it is for the same client at the same origin.
fn is_for_same_server(before: &McpServer, after: &McpServer) -> bool {
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
fn checked(stored: StoredMcpServer) -> Result<StoredMcpServer> {
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

fn check_auth(auth: &McpAuth, outbound: &Outbound) -> Result<()> {
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

fn check_url(field: &str, url: &str, outbound: &Outbound) -> Result<()> {
    address::check(field, url)?;
    if url.parse().is_ok_and(|url| outbound.refuses_host(&url)) {
        let problem = format_args!(
            "the address is private or reserved; use a public address or add this one to {OUTBOUND_ALLOWED_CIDRS}"
        );
        return Err(Error::invalid_body(field, problem));
    }
    Ok(())
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

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct McpServersQuery {
    /// The id of the organization.
    #[param(example = "org_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    pub org: String,
}

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
