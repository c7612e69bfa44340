//! The extractors of callers and the error envelopes of each area, tested behind small routers.

use std::sync::Arc;

use auth::Auth;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::routing::{get, post};
use domain::id::AgentId;
use domain::token::{SecretToken, TokenKind};
use insta::assert_snapshot;
use platform::Context;
use platform::aws::Aws;
use platform::config::Config;
use store::model_catalog::ModelCatalog;
use tests::TestApp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;
use web::finish;

#[derive(Clone)]
struct State(Arc<Auth>, Arc<ModelCatalog>);

impl AsRef<Auth> for State {
    fn as_ref(&self) -> &Auth {
        &self.0
    }
}

impl AsRef<ModelCatalog> for State {
    fn as_ref(&self) -> &ModelCatalog {
        &self.1
    }
}

/// The context of a function without settings.
fn context() -> Context {
    Context::new(Config::default(), Aws::from_env())
}

fn state(app: &TestApp, console: &str) -> State {
    let context = app.platform.context();
    let names = ["TABLE_ENTITIES", "AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"];
    let mut settings: Vec<(String, String)> = names
        .iter()
        .map(|name| ((*name).to_owned(), context.config.optional(name).unwrap_or_default().to_owned()))
        .collect();
    settings.push(("CONSOLE_ORIGIN".to_owned(), console.to_owned()));
    let context = Context::new(settings.into_iter().collect(), context.aws);
    State(Arc::new(Auth::new(&context).unwrap()), Arc::new(ModelCatalog::new(&context).unwrap()))
}

async fn send(router: &Router, request: axum::http::request::Builder) -> (StatusCode, String) {
    let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_session_needs_an_allowed_origin_for_a_change() {
    let app = TestApp::start().await;
    let who = async |web::workbenches::Caller(caller): web::workbenches::Caller| caller.user.to_string();
    let state = state(&app, "https://console.example");
    let caller = state.0.caller(&app.person("ada").token.unwrap_or_default()).await.unwrap();
    let session = state.0.start_session(&caller).await.unwrap();
    let router = Router::new().route("/", get(who).post(who)).with_state(state);
    let router = finish(router, &[], web::workbenches::AREA, &context());
    let cookie = format!("theme=dark; svc_session={}", *session.reveal());
    let from = |origin: &str| Request::post("/").header(header::COOKIE, &cookie).header(header::ORIGIN, origin);

    assert_eq!(send(&router, Request::get("/").header(header::COOKIE, &cookie)).await.0, StatusCode::OK);
    assert_eq!(send(&router, from("https://console.example")).await.0, StatusCode::OK);
    let (status, body) = send(&router, from("https://evil.example")).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert_snapshot!(body, @r#"{"error":{"code":"origin_not_allowed","message":"a change by session cookie must come from the console; send an access token instead","details":null}}"#);
    let (status, body) = send(
        &router,
        Request::post("/").header(header::COOKIE, "svc_session=x").header(header::ORIGIN, "https://console.example"),
    )
    .await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_snapshot!(body, @r#"{"error":{"code":"LAB_UNAUTHENTICATED","message":"the session has ended: sign in again at /console/login","details":null}}"#);
}

#[tokio::test]
async fn an_api_key_identifies_the_caller() {
    let app = TestApp::start().await;
    let who =
        async |person: web::gateway::Person| format!("{} {:?}", person.key.as_ref().unwrap().last4, person.caller.role);
    let router = Router::new().route("/", get(who)).with_state(state(&app, ""));
    let router = finish(router, &[], web::gateway::AREA, &context());
    let bearer = |key: &str| {
        Request::get("/").header(header::AUTHORIZATION, format!("Bearer {key}")).header("x-request-id", "r1")
    };

    let key = app.platform.credentials.users["ada"].api_key.clone();
    let expected = format!("{} Admin", &key[key.len() - 4..]);
    assert_eq!(send(&router, bearer(&key)).await, (StatusCode::OK, expected));
    let unknown = SecretToken::generate(TokenKind::ApiKey);
    let (status, body) = send(&router, bearer(unknown.reveal())).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_snapshot!(body, @r#"{"error":{"type":"authentication_error","code":"identity.unauthorized","message":"the token is invalid, expired or revoked: get a new one","param":null,"request_id":"r1","details":null}}"#);
    let (_, body) = send(&router, Request::get("/").header("x-request-id", "r2")).await;
    assert_snapshot!(body, @r#"{"error":{"type":"authentication_error","code":"identity.invalid_token","message":"send a token in the header Authorization: Bearer <token>","param":null,"request_id":"r2","details":null}}"#);
}

#[tokio::test]
async fn a_channel_token_is_checked_by_form_and_passed_as_its_hash() {
    let app = TestApp::start().await;
    let who = async |web::builder::ChannelCaller(caller): web::builder::ChannelCaller| caller.token.as_str().to_owned();
    let router = Router::new().route("/", post(who)).with_state(state(&app, ""));
    let token = SecretToken::generate(TokenKind::Channel);
    let bearer = |token: &str| Request::post("/").header(header::AUTHORIZATION, format!("Bearer {token}"));
    assert_eq!(send(&router, bearer(token.reveal())).await, (StatusCode::OK, token.hash().as_str().to_owned()));
    assert_eq!(send(&router, bearer("whk_short")).await.0, StatusCode::UNAUTHORIZED);
    let api_key = SecretToken::generate(TokenKind::ApiKey);
    assert_eq!(send(&router, bearer(api_key.reveal())).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn each_area_has_its_own_not_found_envelope() {
    let router =
        |area| finish(Router::new().route("/{id}", get(async |_: web::Path<AgentId>| "")), &[], area, &context());
    let request = || Request::get("/a/b").header("x-request-id", "r1");
    assert_snapshot!(send(&router(web::builder::AREA), request()).await.1, @r#"{"error":{"code":"not_found","message":"no such route; the API reference is at /docs"}}"#);
    assert_snapshot!(send(&router(web::workbenches::AREA), request()).await.1, @r#"{"error":{"code":"not_found","message":"no such route; the API reference is at /docs","details":null}}"#);
    assert_snapshot!(send(&router(web::gateway::AREA), request()).await.1, @r#"{"error":{"type":"not_found_error","code":"not_found","message":"no such route; the API reference is at /docs","param":null,"request_id":"r1","details":null}}"#);
}

#[tokio::test]
async fn a_panicking_handler_is_a_500_in_the_areas_envelope() {
    let panics = get(async || -> String { panic!("a bug") });
    let router = finish(Router::new().route("/", panics), &[], web::gateway::AREA, &context());
    let (status, body) = send(&router, Request::get("/").header("x-request-id", "r1")).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_snapshot!(body, @r#"{"error":{"type":"internal_error","code":"internal_error","message":"something failed on our side; quote the header X-Request-Id when you report it","param":null,"request_id":"r1","details":null}}"#);
}

#[tokio::test]
async fn cross_origin_requests_are_allowed_only_for_configured_origins() {
    let config = Config::default().with("CORS_ORIGINS", "https://app.example, https://two.example");
    let context = Context { config, ..context() };
    let router = finish(Router::new().route("/", get(async || "")), &[], web::builder::AREA, &context);
    let preflight = |origin: &str| {
        Request::options("/")
            .header(header::ORIGIN, origin)
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "PATCH")
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "x-api-key, last-event-id, x-stainless-lang")
            .body(Body::empty())
            .unwrap()
    };
    let allowed = router.clone().oneshot(preflight("https://two.example")).await.unwrap();
    assert_eq!(allowed.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "https://two.example");
    assert_eq!(allowed.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS], "x-api-key, last-event-id, x-stainless-lang");
    let request = Request::get("/").header(header::ORIGIN, "https://two.example").body(Body::empty()).unwrap();
    let answer = router.clone().oneshot(request).await.unwrap();
    let exposed = answer.headers()[header::ACCESS_CONTROL_EXPOSE_HEADERS].to_str().unwrap();
    for name in ["x-request-id", "x-svc-adjusted", "x-svc-max-tokens", "x-request-cost"] {
        assert!(exposed.contains(name), "{name}: {exposed}");
    }
    let refused = router.oneshot(preflight("https://evil.example")).await.unwrap();
    assert!(!refused.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
}

#[tokio::test]
async fn a_malformed_or_encoded_body_is_not_reported_as_too_large() {
    let app = TestApp::start().await;
    let token = app.person("ada").token.unwrap_or_default();
    let request = |headers: &str, body: &str| {
        format!(
            "PATCH /builder/v1/agents/019cb8e2-3f4a-7c21-9b6d-000000000000 HTTP/1.1\r\nhost: 127.0.0.1\r\n\
             authorization: Bearer {token}\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}\r\n{body}"
        )
    };
    let chunked = "transfer-encoding: chunked\r\n";
    for (request, status, code) in [
        (request(chunked, "zz\r\n{}\r\n0\r\n\r\n"), "400", "invalid_body"),
        (request(chunked, "2\r\n{}--\r\n0\r\n\r\n"), "400", "invalid_body"),
        (request("content-length: 2\r\ncontent-encoding: gzip\r\n", "{}"), "415", "unsupported_media_type"),
        (request("content-length: 2\r\ncontent-encoding: identity\r\n", "{}"), "404", "agent_not_found"),
    ] {
        let mut socket = TcpStream::connect(app.platform.base_url.trim_start_matches("http://")).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        let is_expected = answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(code);
        assert!(is_expected, "{request}\n\n{answer}");
    }
}
