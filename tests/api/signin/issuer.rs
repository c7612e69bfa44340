//! Signing in at another issuer, as in a deployment: discovery at its usual place, and a client with a secret.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domain::time::Time;
use local::DataDir;
use local::issuer::Issuer;
use ring::digest::{SHA256, digest};
use serde_json::json;
use tokio::net::TcpListener;

use super::*;

const CLIENT: &str = "client of atelier";
const SECRET: &str = "s3cret:+/ä";
/// The usual path of a discovery document.
const USUAL: &str = "/.well-known/openid-configuration";
/// The code that the issuer gives for its user.
const CODE: &str = "code of ada";

/// An issuer whose ID tokens the test can change.
#[derive(Clone)]
struct FakeIssuer {
    url: String,
    keys: Arc<Issuer>,
    stranger: Arc<Issuer>,
    asked: Arc<Mutex<BTreeMap<String, String>>>,
    change: Arc<Mutex<Value>>,
    is_forged: Arc<Mutex<bool>>,
    has_id_token: Arc<Mutex<bool>>,
}

impl FakeIssuer {
    async fn start() -> (Self, TestApp) {
        Self::start_with_document_at(USUAL).await
    }

    /// An issuer with its discovery document at this path, and a platform that trusts it.
    async fn start_with_document_at(path: &str) -> (Self, TestApp) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let new_keys = || Arc::new(Issuer::open_or_create(DataDir::temporary().unwrap().folder()).unwrap());
        let issuer = Self {
            url: url.clone(),
            keys: new_keys(),
            stranger: new_keys(),
            asked: Arc::default(),
            change: Arc::default(),
            is_forged: Arc::default(),
            has_id_token: Arc::new(Mutex::new(true)),
        };
        let discovery = json!({
            "issuer": url, "jwks_uri": format!("{url}/keys"),
            "authorization_endpoint": format!("{url}/authorize?tenant=1"), "token_endpoint": format!("{url}/token"),
        });
        let jwks = issuer.keys.jwks();
        let router = Router::new()
            .route(path, get(async move || axum::Json(discovery.clone())))
            .route("/keys", get(async move || axum::Json(jwks.clone())))
            .route("/token", post(exchange))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let elsewhere = |place: &str| if path == USUAL { String::new() } else { format!("{url}{place}") };
        let (document, keys) = (elsewhere(path), elsewhere("/keys"));
        let settings = [
            ("AUTH_ISSUER", url.as_str()),
            ("AUTH_AUDIENCE", "atelier"),
            ("AUTH_JWKS_URL", keys.as_str()),
            ("AUTH_DISCOVERY_URL", document.as_str()),
            ("AUTH_ORG_CLAIM", "custom:org_id"),
            ("AUTH_ROLES_CLAIM", "cognito:groups"),
            ("CONSOLE_CLIENT_ID", CLIENT),
            ("CONSOLE_CLIENT_SECRET", SECRET),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let app = TestApp::start_with_options(|options| options.settings = settings).await;
        (issuer, app)
    }

    /// Begins a sign-in, and answers it with a code.
    async fn sign_in(&self, app: &TestApp) -> (Browser, Answer) {
        let mut browser = Browser::new(app);
        let begun = browser.get("/console/login").await;
        let asked = query_of(begun.header("location").unwrap());
        let state = asked["state"].clone();
        *self.asked.lock().unwrap() = asked;
        let callback = format!("/console/callback?code={}&state={state}", CODE.replace(' ', "+"));
        let answer = browser.get(&callback).await;
        (browser, answer)
    }
}

async fn exchange(State(issuer): State<FakeIssuer>, headers: HeaderMap, form: String) -> Response {
    let form = query_of(&format!("http://x?{form}"));
    let asked = issuer.asked.lock().unwrap().clone();
    // RFC 6749 encodes both parts before they are joined.
    let expected = STANDARD.encode("client+of+atelier:s3cret%3A%2B%2F%C3%A4");
    assert_eq!(headers["authorization"], format!("Basic {expected}"));
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, form["code_verifier"].as_bytes()));
    assert_eq!((form["code"].as_str(), &challenge), (CODE, &asked["code_challenge"]));
    assert_eq!((&form["redirect_uri"], form["grant_type"].as_str()), (&asked["redirect_uri"], "authorization_code"));
    let now = Time::now().as_seconds();
    let mut claims = json!({
        "iss": issuer.url, "aud": CLIENT, "sub": "1234", "name": "Ada", "nonce": asked["nonce"], "iat": now, "exp": now + 300,
        "custom:org_id": "acme", "cognito:groups": ["admin"],
    });
    for (name, value) in issuer.change.lock().unwrap().as_object().into_iter().flatten() {
        claims[name] = value.clone();
    }
    let signer = if *issuer.is_forged.lock().unwrap() { &issuer.stranger } else { &issuer.keys };
    let mut answer = json!({"access_token": "opaque", "token_type": "Bearer"});
    if *issuer.has_id_token.lock().unwrap() {
        answer["id_token"] = signer.sign(&claims).into();
    }
    (StatusCode::OK, axum::Json(answer)).into_response()
}

#[tokio::test]
async fn a_user_of_another_issuer_signs_in() {
    let (issuer, app) = FakeIssuer::start().await;
    let begun = Browser::new(&app).get("/console/login").await;
    let url = begun.header("location").unwrap();
    assert!(url.starts_with(&format!("{}/authorize?tenant=1&response_type=code&", issuer.url)), "{url}");
    assert_eq!(
        (query_of(url)["client_id"].as_str(), query_of(url)["scope"].as_str()),
        (CLIENT, "openid profile email")
    );
    let (mut browser, answer) = issuer.sign_in(&app).await;
    assert_eq!(answer.status, "303 See Other", "{}", answer.text);
    let me = browser.get("/gateway/v1/me").await.json;
    assert_eq!((me["user"]["name"].as_str(), me["membership"]["role"].as_str()), (Some("Ada"), Some("admin")));
    assert_eq!(me["org"]["name"], "acme");
}

#[tokio::test]
async fn an_issuer_has_its_document_where_the_settings_say() {
    let (issuer, app) = FakeIssuer::start_with_document_at("/tenants/1/configuration").await;
    let (mut browser, answer) = issuer.sign_in(&app).await;
    assert_eq!(answer.status, "303 See Other", "{}", answer.text);
    assert_eq!(browser.get("/gateway/v1/me").await.json["user"]["name"], "Ada");
}

#[tokio::test]
async fn a_token_that_is_not_for_this_sign_in_is_refused() {
    let (issuer, app) = FakeIssuer::start().await;
    for change in [
        json!({"nonce": "of another sign-in"}),
        json!({"nonce": null}),
        json!({"aud": "another client"}),
        json!({"aud": "atelier"}),
        json!({"aud": [CLIENT, "another client"], "azp": "another client"}),
        json!({"iss": "https://other.example"}),
        json!({"exp": 1}),
        json!({"custom:org_id": null}),
        json!({"sub": null}),
    ] {
        *issuer.change.lock().unwrap() = change.clone();
        let (_, answer) = issuer.sign_in(&app).await;
        assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("403 Forbidden", None), "{change}");
    }
    *issuer.change.lock().unwrap() = Value::Null;
    *issuer.is_forged.lock().unwrap() = true;
    let (_, answer) = issuer.sign_in(&app).await;
    assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("403 Forbidden", None));
    *issuer.has_id_token.lock().unwrap() = false;
    let (_, answer) = issuer.sign_in(&app).await;
    assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("502 Bad Gateway", None));
}

#[tokio::test]
async fn an_issuer_that_does_not_answer_is_named_as_the_problem() {
    let settings = [("AUTH_ISSUER", "http://127.0.0.1:1"), ("AUTH_DISCOVERY_URL", "")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let app = TestApp::start_with_options(|options| options.settings = settings).await;
    let answer = app.anonymous().get("/console/login").await;
    assert_eq!((answer.status.as_str(), set_cookie(&answer, PENDING)), ("503 Service Unavailable", None));
    assert!(answer.text.contains("The issuer of the sign-in does not answer"), "{}", answer.text);
}

#[tokio::test]
async fn a_platform_without_a_client_says_what_to_set() {
    let settings = vec![("CONSOLE_CLIENT_ID".to_owned(), String::new())];
    let app = TestApp::start_with_options(|options| options.settings = settings).await;
    let answer = app.anonymous().get("/console/login").await;
    assert_eq!(answer.status, "404 Not Found");
    assert!(answer.text.contains("set CONSOLE_CLIENT_ID"), "{}", answer.text);
}
