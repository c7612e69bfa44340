//! Finds the authorization server of an MCP server: by the metadata of the protected resource (RFC 9728), and then by its own
//! (RFC 8414, or OpenID Connect).

use std::sync::Arc;
use std::time::Duration;

use axum::http::header::WWW_AUTHENTICATE;
use domain::address;
use domain::id::McpServerId;
use domain::mcp_server::McpServer;
use outbound::OutboundError;
use serde::Deserialize;

use super::OauthUsers;
use super::requests::{challenge, fetch, fetch_first};

pub const DISCOVERED_FOR: Duration = Duration::from_secs(5 * 60);
/// The most scopes that are asked for because the metadata names them.
const MAX_SCOPES: usize = 50;
const MAX_TEXT_BYTES: usize = 2_000;

/// What a discovery depends on: a change of the server discovers anew.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ServerKey(McpServerId, String, Option<String>);

/// The authorization server of an MCP server.
#[derive(Debug)]
pub struct Discovered {
    pub metadata: IssuerMetadata,
    /// The resource that tokens are for (RFC 8707).
    pub resource: String,
    /// The scopes that the server asks for.
    pub scopes: Vec<String>,
}

/// The part of an issuer's metadata that is used.
#[derive(Clone, Debug, Deserialize)]
pub struct IssuerMetadata {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    #[serde(default)]
    pub registration_endpoint: Option<String>,
    #[serde(default)]
    pub revocation_endpoint: Option<String>,
    #[serde(default)]
    pub code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether answers name the issuer (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

#[derive(Default, Deserialize)]
struct ResourceMetadata {
    #[serde(default)]
    resource: Option<String>,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

/// Why no authorization server was found. The text is for operators and users.
#[derive(Debug)]
pub struct NotDiscovered(pub String);

impl From<OutboundError> for NotDiscovered {
    fn from(error: OutboundError) -> Self {
        Self(format!("the metadata for OAuth cannot be read: {error}"))
    }
}

impl OauthUsers {
    pub async fn discover(&self, server: &McpServer, named: Option<&str>) -> Result<Arc<Discovered>, NotDiscovered> {
        let key = ServerKey(server.id, server.url.clone(), named.map(str::to_owned));
        let load = async || Ok(Arc::new(self.discover_now(server, named).await?));
        self.discovered.get_or_load(&key, load).await
    }

    async fn discover_now(&self, server: &McpServer, named: Option<&str>) -> Result<Discovered, NotDiscovered> {
        let (issuer, resource) = match named {
            Some(named) => (named.to_owned(), ResourceMetadata::default()),
            None => {
                let resource = self.find_resource(server).await?;
                let first = resource.authorization_servers.first().cloned();
                let first =
                    first.ok_or_else(|| NotDiscovered("the MCP server names no authorization server".to_owned()))?;
                (first, resource)
            }
        };
        let metadata = self.find_issuer(&issuer).await?;
        let is_scope =
            |scope: &String| !scope.is_empty() && scope.len() <= 200 && scope.bytes().all(|c| c.is_ascii_graphic());
        let scopes = resource.scopes_supported.into_iter().filter(is_scope).take(MAX_SCOPES).collect();
        let resource = resource.resource.unwrap_or_else(|| server.url.clone());
        Ok(Discovered { metadata, resource, scopes })
    }

    /// The metadata of the server as a protected resource. It must be that of this server: a resource at its origin, whose path its
    /// URL begins with.
    async fn find_resource(&self, server: &McpServer) -> Result<ResourceMetadata, NotDiscovered> {
        let (origin, path) = split(&server.url);
        let well_known = "/.well-known/oauth-protected-resource";
        let places = vec![format!("{origin}{well_known}{path}"), format!("{origin}{well_known}")];
        let mut found: Option<ResourceMetadata> = fetch_first(&self.outbound, places).await?;
        if found.is_none()
            && let Some(place) = self.find_challenged(server).await?
        {
            found = fetch(&self.outbound, &place).await?;
        }
        let found = found.ok_or_else(|| {
            NotDiscovered(
                "the MCP server has no metadata for OAuth; the operator names its authorization server".to_owned(),
            )
        })?;
        let is_own = found.resource.as_deref().is_none_or(|resource| {
            let (own_origin, own_path) = split(resource);
            own_origin.eq_ignore_ascii_case(origin) && path.starts_with(own_path.trim_end_matches('/'))
        });
        match is_own {
            true => Ok(found),
            false => Err(NotDiscovered("the metadata for OAuth is that of another resource".to_owned())),
        }
    }

    /// The place of the metadata that the server names when it refuses a request. It must be at the origin of the server.
    async fn find_challenged(&self, server: &McpServer) -> Result<Option<String>, NotDiscovered> {
        let answer = challenge(&self.outbound, &server.url).await?;
        let challenges = answer.headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        let named = challenges.filter_map(|text| text.split_once("resource_metadata=\"")?.1.split_once('"')).next();
        let place = named.map(|(place, _)| place.to_owned());
        Ok(place.filter(|place| address::origin(place) == address::origin(&server.url)))
    }

    async fn find_issuer(&self, issuer: &str) -> Result<IssuerMetadata, NotDiscovered> {
        if issuer.len() > MAX_TEXT_BYTES || address::problem(issuer).is_some() {
            return Err(NotDiscovered("the authorization server is not named by a URL".to_owned()));
        }
        let (origin, path) = split(issuer);
        let path = path.trim_end_matches('/');
        let places = vec![
            format!("{origin}/.well-known/oauth-authorization-server{path}"),
            format!("{origin}/.well-known/openid-configuration{path}"),
            format!("{origin}{path}/.well-known/openid-configuration"),
        ];
        let found: Option<IssuerMetadata> = fetch_first(&self.outbound, places).await?;
        let metadata = found.ok_or_else(|| NotDiscovered("the authorization server has no metadata".to_owned()))?;
        if metadata.issuer.trim_end_matches('/') != issuer.trim_end_matches('/') {
            return Err(NotDiscovered("the metadata of the authorization server is that of another issuer".to_owned()));
        }
        check(metadata)
    }
}

/// Refuses metadata with URLs that cannot be called, and servers without PKCE.
fn check(metadata: IssuerMetadata) -> Result<IssuerMetadata, NotDiscovered> {
    let required = [&metadata.authorization_endpoint, &metadata.token_endpoint];
    let optional = [&metadata.registration_endpoint, &metadata.revocation_endpoint];
    let is_wrong = |url: &String| address::problem(url).is_some();
    if required.into_iter().any(is_wrong) || optional.into_iter().flatten().any(is_wrong) {
        return Err(NotDiscovered(
            "an endpoint of the authorization server is not a URL that can be called".to_owned(),
        ));
    }
    let is_plain = |url: &String| !url.starts_with("https://");
    let is_secure = metadata.issuer.starts_with("https://");
    if is_secure && (required.into_iter().any(is_plain) || optional.into_iter().flatten().any(is_plain)) {
        return Err(NotDiscovered("an endpoint of the authorization server is not protected by HTTPS".to_owned()));
    }
    if !metadata.code_challenge_methods_supported.iter().any(|method| method == "S256") {
        return Err(NotDiscovered("the authorization server does not support PKCE with S256".to_owned()));
    }
    Ok(metadata)
}

/// The origin of a URL, and its path without a query.
fn split(url: &str) -> (&str, &str) {
    let origin = address::origin(url);
    let rest = &url[origin.len()..];
    (origin, rest.split(['?', '#']).next().unwrap_or_default())
}
