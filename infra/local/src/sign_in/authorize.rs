//! The page on which a person signs in with one click. Its answer leads the browser back to the client, with a code.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{LOCATION, ORIGIN};
use http::{HeaderMap, StatusCode, Uri};

use super::clients::Client;
use super::codes::Code;
use super::{MAX_TEXT_BYTES, Shared, SignIn};
use crate::issuer::{ISSUER, Subject};
use crate::labs::{escape, field, message_page, page};

const CODE_VALID: Duration = Duration::from_secs(60);
/// The client id of a registered client is signed, and contains its redirect URIs.
const MAX_CLIENT_ID_BYTES: usize = 8_000;
/// SHA-256 in Base64, without padding.
const CHALLENGE_BYTES: usize = 43;

/// A client that may be answered, whatever it asks for.
struct Asker {
    client: Client,
    client_id: String,
    redirect_uri: String,
    state: Option<String>,
}

/// What the client asks for.
struct Ask {
    nonce: Option<String>,
    challenge: String,
}

/// `GET /local/authorize`
pub async fn show_persons(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    let query = uri.query().unwrap_or_default();
    let Some(asker) = Asker::read(&shared.sign_in, query) else { return wrong_request() };
    if let Err(error) = Ask::read(&shared.sign_in, &asker, query) {
        return asker.refuse(&shared.sign_in, error);
    }
    let mut form = String::new();
    if let Some(name) = asker.client.name() {
        let (name, place) = (escape(name), escape(domain::address::origin(&asker.redirect_uri)));
        let _ = write!(
            form,
            "<p><b>{name}</b> asks to act as one of these users. Continue only if you have just started it: it gets \
             the access at <b>{place}</b> on this machine.</p>"
        );
    }
    for (number, Subject { user, org, role }) in shared.sign_in.persons.iter().enumerate() {
        let (user, org, role) = (escape(user), escape(org), format!("{role:?}").to_lowercase());
        let _ = write!(
            form,
            "<p><button name=\"person\" value=\"{number}\">{user}</button> <span class=\"note\">{role} of {org}</span></p>"
        );
    }
    if asker.client.name().is_some() {
        form.push_str("<p><button class=\"quiet\" name=\"cancel\" value=\"yes\">Cancel</button></p>");
    }
    page(StatusCode::OK, "Sign in as", &format!("<form method=\"post\">{form}</form>"))
}

/// `POST /local/authorize`: answers with a code, as the person whose button was clicked.
pub async fn choose_person(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, form: String) -> Response {
    let sign_in = &shared.sign_in;
    // Another site must not sign its visitors in as somebody of its choice.
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    if origin.is_some_and(|origin| origin != domain::address::origin(&sign_in.issuer_url)) {
        return message_page(StatusCode::FORBIDDEN, "Not allowed", "Another site sent this form.");
    }
    let query = uri.query().unwrap_or_default();
    let Some(asker) = Asker::read(sign_in, query) else { return wrong_request() };
    let Ask { nonce, challenge } = match Ask::read(sign_in, &asker, query) {
        Ok(ask) => ask,
        Err(error) => return asker.refuse(sign_in, error),
    };
    if field(form.as_bytes(), "cancel").is_some() {
        return asker.refuse(sign_in, "access_denied");
    }
    let person = field(form.as_bytes(), "person").and_then(|number| number.parse::<usize>().ok());
    let Some(subject) = person.and_then(|number| sign_in.persons.get(number)).cloned() else { return wrong_request() };
    let (client_id, redirect_uri) = (asker.client_id.clone(), asker.redirect_uri.clone());
    let now = sign_in.clock.now();
    let code = Code { subject, client_id, redirect_uri, nonce, challenge, valid_until: now.plus(CODE_VALID) };
    let code = shared.codes.keep(code, now);
    asker.answer(sign_in, &[("code", &code)])
}

impl Asker {
    /// `None` if the client is unknown or the redirect URI is not one of its own: then the browser must not be led there.
    fn read(sign_in: &SignIn, query: &str) -> Option<Self> {
        let client_id = field(query.as_bytes(), "client_id").filter(|id| id.len() <= MAX_CLIENT_ID_BYTES)?;
        let client = Client::find(sign_in, &client_id)?;
        let redirect_uri = text(query, "redirect_uri").filter(|uri| client.may_redirect_to(sign_in, uri))?;
        Some(Self { client, client_id, redirect_uri, state: text(query, "state") })
    }

    /// Leads the browser back to the client with an error (RFC 6749, 4.1.2.1). The console shows no page for its own mistakes.
    fn refuse(&self, sign_in: &SignIn, error: &str) -> Response {
        match self.client {
            Client::Console => wrong_request(),
            Client::Registered(_) => self.answer(sign_in, &[("error", error)]),
        }
    }

    fn answer(&self, sign_in: &SignIn, parameters: &[(&str, &str)]) -> Response {
        let issuer = match self.client {
            Client::Console => ISSUER,
            Client::Registered(_) => &sign_in.issuer_url,
        };
        let state = self.state.as_deref().map(|state| ("state", state));
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(parameters).extend_pairs(state).append_pair("iss", issuer);
        let separator = if self.redirect_uri.contains('?') { '&' } else { '?' };
        let url = format!("{}{separator}{}", self.redirect_uri, query.finish());
        (StatusCode::SEE_OTHER, [(LOCATION, url)]).into_response()
    }
}

impl Ask {
    /// Returns the code of an error of RFC 6749 or RFC 8707 if the request is wrong.
    fn read(sign_in: &SignIn, asker: &Asker, query: &str) -> Result<Self, &'static str> {
        let is = |name, expected: &str| text(query, name).is_some_and(|value| value == expected);
        if !is("response_type", "code") {
            return Err("unsupported_response_type");
        }
        let challenge = text(query, "code_challenge").filter(|challenge| challenge.len() == CHALLENGE_BYTES);
        let challenge = challenge.filter(|_| is("code_challenge_method", "S256")).ok_or("invalid_request")?;
        let nonce = text(query, "nonce");
        // The console checks both.
        if matches!(asker.client, Client::Console) && (nonce.is_none() || asker.state.is_none()) {
            return Err("invalid_request");
        }
        let mut resources = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "resource");
        if !resources.all(|(_, url)| sign_in.is_own_resource(&url)) {
            return Err("invalid_target");
        }
        Ok(Self { nonce, challenge })
    }
}

fn text(query: &str, name: &str) -> Option<String> {
    field(query.as_bytes(), name).filter(|text| text.len() <= MAX_TEXT_BYTES)
}

fn wrong_request() -> Response {
    let message = "This is not a sign-in of the console or of a program that has registered here with this address. Open \
                   /console/login, or let the program register again.";
    message_page(StatusCode::BAD_REQUEST, "Not a sign-in", message)
}
