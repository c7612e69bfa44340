//! The clients of the issuer: the console, and programs of this machine that register themselves (RFC 7591). A registration is not
//! stored: the client id is the registration itself, signed. So it survives restarts, and registrations cannot fill anything.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::{IntoResponse, Response};
use domain::address;
use http::header::CACHE_CONTROL;
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{MAX_TEXT_BYTES, Shared, SignIn};
use crate::issuer::CONSOLE_CLIENT;

/// The audience of client ids. It differs from those of tokens, so neither can be used in place of the other.
const CLIENT_AUDIENCE: &str = "atelier-client";
const MAX_NAME_CHARS: usize = 80;
const MAX_REDIRECT_URIS: usize = 8;
const MAX_REDIRECT_URI_BYTES: usize = 300;

/// A program that asks for the access of a person.
pub enum Client {
    Console,
    Registered(Registration),
}

/// The parts of a registration that count.
#[derive(Deserialize, Serialize)]
pub struct Registration {
    #[serde(default)]
    client_name: String,
    #[serde(default)]
    redirect_uris: Vec<String>,
}

/// `POST /local/register`: registers a public client.
pub async fn register(State(shared): State<Arc<Shared>>, body: Result<Json<Registration>, JsonRejection>) -> Response {
    let Ok(Json(Registration { client_name, redirect_uris })) = body else {
        return refuse("invalid_client_metadata", "the body is not the metadata of a client; send JSON as in RFC 7591");
    };
    // A server may register less than what a client asks for (RFC 7591, 2). Editors also name pages of their vendors.
    let mut redirect_uris = redirect_uris;
    redirect_uris.retain(|uri| is_of_this_machine(uri));
    if redirect_uris.is_empty() || redirect_uris.len() > MAX_REDIRECT_URIS {
        let problem = "no redirect URI leads to a program of this machine, or too many do; \
                       send 1 to 8, such as http://127.0.0.1/callback, with at most 300 bytes each";
        return refuse("invalid_redirect_uri", problem);
    }
    let client_name = client_name.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect();
    let registration = Registration { client_name, redirect_uris };
    let sign_in = &shared.sign_in;
    let answer = json!({
        "client_id": registration.sign(sign_in),
        "client_id_issued_at": sign_in.clock.now().as_seconds(),
        "client_name": registration.client_name,
        "redirect_uris": registration.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    (StatusCode::CREATED, [(CACHE_CONTROL, "no-store")], Json(answer)).into_response()
}

fn refuse(error: &str, description: &str) -> Response {
    let body = json!({"error": error, "error_description": description});
    (StatusCode::BAD_REQUEST, [(CACHE_CONTROL, "no-store")], Json(body)).into_response()
}

impl Registration {
    fn sign(&self, sign_in: &SignIn) -> String {
        let mut claims = json!(self);
        claims["aud"] = CLIENT_AUDIENCE.into();
        sign_in.issuer.sign(&claims)
    }
}

impl Client {
    /// The client of an id; `None` if this issuer has not registered it.
    pub fn find(sign_in: &SignIn, id: &str) -> Option<Self> {
        if id == CONSOLE_CLIENT {
            return Some(Self::Console);
        }
        let claims = sign_in.issuer.verify(id).filter(|claims| claims["aud"] == CLIENT_AUDIENCE)?;
        serde_json::from_value::<Registration>(claims).ok().map(Self::Registered)
    }

    pub fn may_redirect_to(&self, sign_in: &SignIn, uri: &str) -> bool {
        match self {
            Self::Console => uri == sign_in.console_callback(),
            Self::Registered(registration) => {
                uri.len() <= MAX_TEXT_BYTES
                    && is_of_this_machine(uri)
                    && registration.redirect_uris.iter().any(|known| is_same_but_port(known, uri))
            }
        }
    }

    /// The name that a client gave itself; `None` for the console.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Console => None,
            Self::Registered(registration) if registration.client_name.is_empty() => Some("A program"),
            Self::Registered(registration) => Some(&registration.client_name),
        }
    }
}

/// Whether a redirect URI leads to a program of this machine, so that no other one gets a code.
fn is_of_this_machine(uri: &str) -> bool {
    let host = uri.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default();
    uri.len() <= MAX_REDIRECT_URI_BYTES
        && address::problem(uri).is_none()
        && matches!(host.as_str(), "127.0.0.1" | "[::1]" | "localhost")
}

/// A native program takes any free port when it asks (RFC 8252, 7.3).
fn is_same_but_port(known: &str, uri: &str) -> bool {
    let without_port = |uri: &str| {
        let uri: Uri = uri.parse().ok()?;
        Some((uri.scheme()?.clone(), uri.host()?.to_owned(), uri.path_and_query().cloned()))
    };
    without_port(known).is_some_and(|known| Some(known) == without_port(uri))
}
