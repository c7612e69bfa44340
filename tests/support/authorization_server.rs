//! A small OAuth 2.1 authorization server: metadata, dynamic registration, codes with PKCE, refresh tokens that are valid once, and
//! revocation. It records the requests that it receives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::provider::Gate;

type Form = BTreeMap<String, String>;

/// The server runs as long as the runtime it was started in.
pub struct AuthorizationServer {
    pub issuer: String,
    server: Arc<Issuer>,
}

#[derive(Default)]
struct Issuer {
    origin: String,
    /// Values of grants beside or instead of its own.
    granted: Mutex<BTreeMap<String, Value>>,
    /// Values of the metadata instead of its own.
    metadata: Mutex<BTreeMap<String, Value>>,
    next: AtomicU32,
    clients: Mutex<BTreeSet<String>>,
    /// The parameters of the authorization requests, by code.
    codes: Mutex<BTreeMap<String, Form>>,
    /// The valid refresh tokens, with the resource that they are for.
    refresh_tokens: Mutex<BTreeMap<String, String>>,
    access_tokens: Mutex<BTreeSet<String>>,
    /// The requests to the token endpoint and to that of revocations.
    requests: Mutex<Vec<Form>>,
    /// Holds back the answers to renewals.
    gate: Mutex<Option<Gate>>,
    /// The lifetime of access tokens, in seconds.
    lifetime: AtomicU32,
    /// The error with which grants are refused.
    refusal: Mutex<Option<(StatusCode, &'static str)>>,
}

impl AuthorizationServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(Issuer { origin: origin.clone(), lifetime: 3_600.into(), ..Issuer::default() });
        let router = Router::new()
            .route("/.well-known/oauth-authorization-server", get(show_metadata))
            .route("/register", post(register))
            .route("/token", post(grant))
            .route("/revoke", post(revoke))
            .with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { issuer: origin, server }
    }

    /// Answers the metadata with this value.
    pub fn claim(&self, name: &str, value: Value) {
        self.server.metadata.lock().unwrap().insert(name.to_owned(), value);
    }

    /// Grants have this value from now on.
    pub fn grant(&self, name: &str, value: Value) {
        self.server.granted.lock().unwrap().insert(name.to_owned(), value);
    }

    /// Access tokens that are issued from now on are valid this long.
    pub fn issue_for(&self, seconds: u32) {
        self.server.lifetime.store(seconds, Ordering::SeqCst);
    }

    /// Refuses all grants from now on.
    pub fn refuse(&self) {
        *self.server.refusal.lock().unwrap() = Some((StatusCode::BAD_REQUEST, "invalid_grant"));
    }

    /// Refuses all grants from now on in this way.
    pub fn refuse_with(&self, status: u16, error: &'static str) {
        *self.server.refusal.lock().unwrap() = Some((StatusCode::from_u16(status).unwrap(), error));
    }

    /// Refuses no grants any more.
    pub fn accept(&self) {
        *self.server.refusal.lock().unwrap() = None;
    }

    /// Refuses all clients from now on, or none.
    pub fn refuse_clients(&self, refuse: bool) {
        *self.server.refusal.lock().unwrap() = refuse.then_some((StatusCode::UNAUTHORIZED, "invalid_client"));
    }

    pub fn hold_renewals(&self, gate: &Gate) {
        *self.server.gate.lock().unwrap() = Some(gate.clone());
    }

    /// The number of clients that have registered.
    pub fn registrations(&self) -> usize {
        self.server.clients.lock().unwrap().len()
    }

    pub fn access_tokens(&self) -> Vec<String> {
        self.server.access_tokens.lock().unwrap().iter().cloned().collect()
    }

    /// The number of requests for grants that `take_requests` has not taken.
    pub fn grants(&self) -> usize {
        self.server.requests.lock().unwrap().len()
    }

    /// Takes the requests for grants and revocations since the last call.
    pub fn take_requests(&self) -> Vec<Form> {
        std::mem::take(&mut self.server.requests.lock().unwrap())
    }

    /// The user permits what an authorization URL asks for. Returns the query of the callback.
    pub fn approve(&self, authorize_url: &str) -> String {
        let (asked, code) = self.server.read_authorization(authorize_url);
        let state = asked["state"].clone();
        self.server.codes.lock().unwrap().insert(code.clone(), asked);
        let query = [("code", &*code), ("state", &*state), ("iss", &*self.issuer)];
        form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish()
    }
}

impl Issuer {
    fn number(&self) -> u32 {
        self.next.fetch_add(1, Ordering::SeqCst)
    }

    fn read_authorization(&self, url: &str) -> (Form, String) {
        let url = Url::parse(url).unwrap();
        assert_eq!(
            format!("{}{}", url.origin().ascii_serialization(), url.path()),
            format!("{}/authorize", self.origin)
        );
        let asked: Form = url.query_pairs().into_owned().collect();
        assert_eq!((&*asked["response_type"], &*asked["code_challenge_method"]), ("code", "S256"));
        (asked, format!("code-{}", self.number()))
    }

    fn issue(&self, resource: &str) -> Response {
        let number = self.number();
        let (access, refresh) = (format!("access-secret-{number}"), format!("refresh-secret-{number}"));
        self.access_tokens.lock().unwrap().insert(access.clone());
        self.refresh_tokens.lock().unwrap().insert(refresh.clone(), resource.to_owned());
        let lifetime = self.lifetime.load(Ordering::SeqCst);
        let mut granted =
            json!({"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": lifetime});
        for (name, value) in &*self.granted.lock().unwrap() {
            granted[name] = value.clone();
        }
        Json(granted).into_response()
    }

    fn exchange(&self, form: &Form) -> Option<Response> {
        let asked = self.codes.lock().unwrap().remove(form.get("code")?)?;
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, form.get("code_verifier")?.as_bytes()));
        let is_same = |field: &str| form.get(field) == asked.get(field);
        let is_right = challenge == asked["code_challenge"]
            && is_same("redirect_uri")
            && is_same("client_id")
            && is_same("resource");
        is_right.then(|| self.issue(asked.get("resource").map_or("", String::as_str)))
    }

    fn renew(&self, form: &Form) -> Option<Response> {
        let resource = self.refresh_tokens.lock().unwrap().remove(form.get("refresh_token")?)?;
        (form.get("resource").map_or("", String::as_str) == resource).then(|| self.issue(&resource))
    }
}

async fn show_metadata(State(server): State<Arc<Issuer>>) -> Json<Value> {
    let origin = &server.origin;
    let mut metadata = json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"),
        "revocation_endpoint": format!("{origin}/revoke"),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        "authorization_response_iss_parameter_supported": true,
    });
    for (name, value) in &*server.metadata.lock().unwrap() {
        metadata[name] = value.clone();
    }
    Json(metadata)
}

async fn register(State(server): State<Arc<Issuer>>, Json(wish): Json<Value>) -> Response {
    assert!(wish["redirect_uris"][0].as_str().unwrap().ends_with("/gateway/v1/mcp/callback"), "{wish}");
    let id = format!("client-{}", server.number());
    server.clients.lock().unwrap().insert(id.clone());
    (StatusCode::CREATED, Json(json!({"client_id": id, "token_endpoint_auth_method": "none"}))).into_response()
}

async fn grant(State(server): State<Arc<Issuer>>, headers: HeaderMap, body: Bytes) -> Response {
    let mut form: Form = form_urlencoded::parse(&body).into_owned().collect();
    if let Some(basic) = headers.get("authorization") {
        form.insert("authorization".to_owned(), basic.to_str().unwrap().to_owned());
    }
    server.requests.lock().unwrap().push(form.clone());
    let is_renewal = form.get("grant_type").is_some_and(|kind| kind == "refresh_token");
    let gate = server.gate.lock().unwrap().clone();
    if let Some(gate) = gate.filter(|_| is_renewal) {
        gate.pass().await;
    }
    let refused = |(status, error)| (status, Json(json!({"error": error}))).into_response();
    if let Some(refusal) = *server.refusal.lock().unwrap() {
        return refused(refusal);
    }
    let granted = if is_renewal { server.renew(&form) } else { server.exchange(&form) };
    granted.unwrap_or_else(|| refused((StatusCode::BAD_REQUEST, "invalid_grant")))
}

async fn revoke(State(server): State<Arc<Issuer>>, body: Bytes) -> StatusCode {
    let form: Form = form_urlencoded::parse(&body).into_owned().collect();
    server.refresh_tokens.lock().unwrap().remove(&form["token"]);
    server.requests.lock().unwrap().push(form);
    StatusCode::OK
}
