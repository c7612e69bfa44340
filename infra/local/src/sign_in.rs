//! The sign-in of the own issuer: an OpenID provider for the persons of the seed, with one click and no password. It answers only
//! this machine, and only while the platform trusts its own issuer.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Error;
use domain::session::random_text;
use domain::time::{Clock, Time};
use http::header::{CACHE_CONTROL, LOCATION, ORIGIN};
use http::{HeaderMap, StatusCode, Uri};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::issuer::{CONSOLE_CLIENT, ISSUER, Issuer, Subject};
use crate::labs::{escape, field, message_page, page};
use crate::metrics::is_of_this_machine;

const DISCOVERY: &str = "/local/openid-configuration";
const AUTHORIZE: &str = "/local/authorize";
const TOKEN: &str = "/local/token";
const CODE_VALID: Duration = Duration::from_secs(60);
const TOKEN_VALID: Duration = Duration::from_secs(600);
/// Older codes are forgotten beyond this number.
const MAX_CODES: usize = 100;
const MAX_TEXT_BYTES: usize = 1_000;

/// The sign-in at the origin of the issuer.
pub struct SignIn {
    /// The URL under which the browser and the functions reach these routes.
    pub issuer_url: String,
    /// The URL of the platform, to which the browser returns.
    pub base_url: String,
    pub persons: Vec<Subject>,
    pub issuer: Issuer,
    pub clock: Clock,
}

struct Shared {
    sign_in: SignIn,
    codes: Mutex<HashMap<String, Code>>,
}

/// A code that the console has not exchanged yet.
struct Code {
    subject: Subject,
    nonce: String,
    challenge: String,
    valid_until: Time,
}

/// What the console asks for.
struct Ask {
    state: String,
    nonce: String,
    challenge: String,
}

/// The URL of the discovery document.
pub fn discovery_url(issuer_url: &str) -> String {
    format!("{issuer_url}{DISCOVERY}")
}

impl SignIn {
    pub fn router(self) -> Router {
        let document = discovery(&self.issuer_url);
        let shared = Arc::new(Shared { sign_in: self, codes: Mutex::default() });
        let router = Router::new()
            .route(DISCOVERY, get(async move || axum::Json(document.clone())))
            .route(AUTHORIZE, get(show_persons).post(choose_person))
            .route(TOKEN, post(exchange))
            .with_state(shared);
        router.layer(from_fn(require_this_machine))
    }

    fn redirect_uri(&self) -> String {
        format!("{}/console/callback", self.base_url)
    }

    fn read(&self, query: &str) -> Option<Ask> {
        let text = |name| field(query.as_bytes(), name).filter(|text| text.len() <= MAX_TEXT_BYTES);
        let is = |name, expected: &str| text(name).is_some_and(|value| value == expected);
        let is_ours = is("response_type", "code")
            && is("client_id", CONSOLE_CLIENT)
            && is("redirect_uri", &self.redirect_uri())
            && is("code_challenge_method", "S256");
        is_ours.then_some(())?;
        Some(Ask { state: text("state")?, nonce: text("nonce")?, challenge: text("code_challenge")? })
    }
}

fn discovery(url: &str) -> Value {
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

/// Anybody who reaches these routes can sign in as any person, so a proxy or a tunnel must not lead others here.
async fn require_this_machine(request: Request, next: Next) -> Response {
    match is_of_this_machine(request.headers()) {
        true => next.run(request).await,
        false => web::builder::AREA.respond_at(request.uri().path(), &Error::NoRoute),
    }
}

async fn show_persons(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    if shared.sign_in.read(uri.query().unwrap_or_default()).is_none() {
        return wrong_request();
    }
    let mut buttons = String::new();
    for (number, Subject { user, org, role }) in shared.sign_in.persons.iter().enumerate() {
        let (user, org, role) = (escape(user), escape(org), format!("{role:?}").to_lowercase());
        let _ = write!(
            buttons,
            "<p><button name=\"person\" value=\"{number}\">{user}</button> <span class=\"note\">{role} of {org}</span></p>"
        );
    }
    page(StatusCode::OK, "Sign in as", &format!("<form method=\"post\">{buttons}</form>"))
}

/// Answers with a code, as the person whose button was clicked.
async fn choose_person(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, form: String) -> Response {
    // Another site must not sign its visitors in as somebody of its choice.
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    if origin.is_some_and(|origin| origin != domain::address::origin(&shared.sign_in.issuer_url)) {
        return message_page(StatusCode::FORBIDDEN, "Not allowed", "Another site sent this form.");
    }
    let person = field(form.as_bytes(), "person").and_then(|number| number.parse::<usize>().ok());
    let subject = person.and_then(|number| shared.sign_in.persons.get(number)).cloned();
    let ask = shared.sign_in.read(uri.query().unwrap_or_default());
    let Some((Ask { state, nonce, challenge }, subject)) = ask.zip(subject) else { return wrong_request() };
    let code =
        shared.keep(Code { subject, nonce, challenge, valid_until: shared.sign_in.clock.now().plus(CODE_VALID) });
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("code", &code).append_pair("state", &state).append_pair("iss", ISSUER);
    let url = format!("{}?{}", shared.sign_in.redirect_uri(), query.finish());
    (StatusCode::SEE_OTHER, [(LOCATION, url)]).into_response()
}

/// Exchanges a code, once, for an ID token and an access token.
async fn exchange(State(shared): State<Arc<Shared>>, form: String) -> Response {
    let text = |name| field(form.as_bytes(), name).unwrap_or_default();
    let code = shared.take(&text("code"));
    let verifier = URL_SAFE_NO_PAD.encode(digest(&SHA256, text("code_verifier").as_bytes()));
    let is_ours = text("grant_type") == "authorization_code"
        && text("client_id") == CONSOLE_CLIENT
        && text("redirect_uri") == shared.sign_in.redirect_uri();
    let Some(Code { subject, nonce, .. }) = code.filter(|code| is_ours && code.challenge == verifier) else {
        return (StatusCode::BAD_REQUEST, axum::Json(json!({"error": "invalid_grant"}))).into_response();
    };
    let issuer = &shared.sign_in.issuer;
    let answer = json!({
        "access_token": issuer.token(&subject, TOKEN_VALID),
        "id_token": issuer.id_token(&subject, &nonce, TOKEN_VALID),
        "token_type": "Bearer",
        "expires_in": TOKEN_VALID.as_secs(),
    });
    ([(CACHE_CONTROL, "no-store")], axum::Json(answer)).into_response()
}

fn wrong_request() -> Response {
    let message = "This is not a sign-in of the console. Open /console/login.";
    message_page(StatusCode::BAD_REQUEST, "Not a sign-in", message)
}

impl Shared {
    fn codes(&self) -> std::sync::MutexGuard<'_, HashMap<String, Code>> {
        self.codes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn keep(&self, code: Code) -> String {
        let (name, now, mut codes) = (random_text().to_string(), self.sign_in.clock.now(), self.codes());
        codes.retain(|_, code| now < code.valid_until);
        if codes.len() >= MAX_CODES {
            codes.clear();
        }
        codes.insert(name.clone(), code);
        name
    }

    fn take(&self, name: &str) -> Option<Code> {
        let code = self.codes().remove(name)?;
        (self.sign_in.clock.now() < code.valid_until).then_some(code)
    }
}
