//! The sign-in of the own issuer, with one click and no password: an OpenID provider for the console, and an OAuth 2.1
//! authorization server for MCP clients, which register themselves (RFC 7591). It knows the persons of the seed, answers only this
//! machine, and only while the platform trusts its own issuer.

mod authorize;
mod clients;
mod codes;
mod grants;
mod token;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{get, post};
use domain::Error;
use domain::time::Clock;
use serde_json::{Value, json};

use crate::issuer::{ISSUER, Issuer, JWKS, Subject};
use crate::metrics::is_of_this_machine;
use codes::Codes;
use grants::Grants;

/// The discovery document for the console.
const DISCOVERY: &str = "/local/openid-configuration";
/// The metadata for MCP clients, which look for it at the root of the issuer's URL (RFC 8414, OpenID Connect Discovery).
const METADATA: [&str; 2] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
const AUTHORIZE: &str = "/local/authorize";
const TOKEN: &str = "/local/token";
const REGISTER: &str = "/local/register";
const MAX_TEXT_BYTES: usize = 1_000;

/// The sign-in at the origin of the issuer.
pub struct SignIn {
    /// The URL under which the browser and the functions reach these routes. It is the name of the authorization server, too.
    pub issuer_url: String,
    /// The URL of the platform, to which the browser returns.
    pub base_url: String,
    pub persons: Vec<Subject>,
    pub issuer: Issuer,
    pub clock: Clock,
}

struct Shared {
    sign_in: SignIn,
    codes: Codes,
    grants: Grants,
}

/// The URL of the discovery document.
pub fn discovery_url(issuer_url: &str) -> String {
    format!("{issuer_url}{DISCOVERY}")
}

impl SignIn {
    pub fn router(self) -> Router {
        let document = describe_for_console(&self.issuer_url);
        let metadata = describe_for_clients(&self.issuer_url);
        let shared = Arc::new(Shared { sign_in: self, codes: Codes::default(), grants: Grants::default() });
        let mut router = Router::new()
            .route(DISCOVERY, get(async move || axum::Json(document.clone())))
            .route(AUTHORIZE, get(authorize::show_persons).post(authorize::choose_person))
            .route(TOKEN, post(token::exchange))
            .route(REGISTER, post(clients::register))
            .with_state(shared);
        for path in METADATA {
            let metadata = metadata.clone();
            router = router.route(path, get(async move || axum::Json(metadata.clone())));
        }
        router.layer(from_fn(require_this_machine))
    }

    fn console_callback(&self) -> String {
        format!("{}/console/callback", self.base_url)
    }

    /// Whether a client asks for access to a URL of this platform (RFC 8707). An access token is valid for all of them.
    fn is_own_resource(&self, url: &str) -> bool {
        let localhost = self.issuer_url.replacen("//127.0.0.1", "//localhost", 1);
        [&self.base_url, &self.issuer_url, &localhost].into_iter().any(|own| {
            let path = url.strip_prefix(own.as_str());
            path.is_some_and(|path| (path.is_empty() || path.starts_with('/')) && !path.contains('#'))
        })
    }
}

fn describe_for_console(url: &str) -> Value {
    json!({
        "issuer": ISSUER,
        "authorization_endpoint": format!("{url}{AUTHORIZE}"),
        "token_endpoint": format!("{url}{TOKEN}"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"],
        "id_token_signing_alg_values_supported": ["EdDSA"],
        "subject_types_supported": ["public"],
    })
}

/// The metadata must name the URL from which it was read, which the `iss` of tokens does not.
fn describe_for_clients(url: &str) -> Value {
    json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}{AUTHORIZE}"),
        "token_endpoint": format!("{url}{TOKEN}"),
        "registration_endpoint": format!("{url}{REGISTER}"),
        "jwks_uri": format!("{url}{JWKS}"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "id_token_signing_alg_values_supported": ["EdDSA"],
        "subject_types_supported": ["public"],
    })
}

/// Anybody who reaches these routes can sign in as any person, so a proxy or a tunnel must not lead others here.
async fn require_this_machine(request: Request, next: Next) -> Response {
    match is_of_this_machine(request.headers()) {
        true => next.run(request).await,
        false => web::builder::AREA.respond_at(request.uri().path(), &Error::NoRoute),
    }
}
