//! Accounts that users connect to servers with OAuth.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use tests::authorization_server::AuthorizationServer;
use tests::provider::Gate;
use tower::ServiceExt;

use super::*;

struct Connected {
    app: TestApp,
    customer: Customer,
    server: ToolServer,
    issuer: AuthorizationServer,
}

/// A customer, and a server whose users connect their own accounts.
async fn start_with(auth: Value) -> Connected {
    let (app, issuer) = (TestApp::start().await, AuthorizationServer::start().await);
    let customer = app.customer("tools", domain::money::Money::ZERO).await;
    let server = ToolServer::start(&["t0"]).await;
    server.accept_tokens(&[]);
    let metadata = json!({
        "resource": server.url, "authorization_servers": [issuer.issuer], "scopes_supported": ["read", "write"],
    });
    server.serve_document("/.well-known/oauth-protected-resource/mcp", metadata);
    let mut auth = auth;
    auth["type"] = json!("oauth2_user");
    register(&app, &customer, "crm", json!({"url": server.url, "auth": auth, "access": [{"tools": ["t0"]}]})).await;
    Connected { app, customer, server, issuer }
}

impl Connected {
    /// Begins a connection, and returns the URL for the browser.
    async fn begin(&self) -> String {
        let begun = self.customer.person.post(&format!("{MCP}/crm/connect")).await;
        assert_eq!(begun.status, "200 OK", "{}", begun.text);
        begun.json["authorize_url"].as_str().unwrap().to_owned()
    }

    /// The browser comes back with this query, and the person confirms.
    async fn call_back(&self, query: &str) -> Answer {
        let (path, browser) = (format!("{MCP}/callback?{query}"), self.app.anonymous());
        let page = browser.get(&path).await;
        if page.text.contains("<form") { browser.post(&path).await } else { page }
    }

    async fn connect(&self) {
        let finished = self.call_back(&self.issuer.approve(&self.begin().await)).await;
        assert_eq!(finished.status, "200 OK", "{}", finished.text);
        self.accept_issued();
    }

    /// The server accepts the tokens that were issued so far.
    fn accept_issued(&self) {
        let tokens = self.issuer.access_tokens();
        self.server.accept_tokens(&tokens.iter().map(String::as_str).collect::<Vec<_>>());
    }

    async fn call(&self) -> Answer {
        post(&self.customer.person, "crm", &call("t0")).await
    }

    async fn connection(&self) -> Value {
        self.customer.person.get(MCP).await.json["data"][0]["connection"].clone()
    }
}

fn text(answer: &Answer) -> &Value {
    &answer.json["result"]["content"][0]["text"]
}

#[tokio::test]
async fn a_user_connects_an_account_and_disconnects_it() {
    let connected = start_with(json!({})).await;
    let missing = connected.call().await;
    assert_eq!(
        (missing.status.as_str(), &missing.json["error"]["code"]),
        ("200 OK", &json!(-32042)),
        "{}",
        missing.text
    );
    let url = missing.json["error"]["data"]["elicitations"][0]["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("{}/authorize?", connected.issuer.issuer)), "{url}");
    assert!(missing.json["error"]["message"].as_str().unwrap().contains(url));
    assert_eq!(connected.connection().await, "missing");
    assert!(connected.server.take_requests().is_empty());

    let url = connected.begin().await;
    assert!(url.contains("scope=read+write") && url.contains("resource=http%3A%2F%2F127.0.0.1"), "{url}");
    let page = connected.call_back(&connected.issuer.approve(&url)).await;
    assert_eq!((page.status.as_str(), page.header("content-type")), ("200 OK", Some("text/html; charset=utf-8")));
    assert!(page.text.contains("Tools of crm now use your account"), "{}", page.text);
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"), "the code is in the URL");
    connected.accept_issued();
    let answer = connected.call().await;
    assert_eq!(text(&answer), "t0: \"hello\"", "{}", answer.text);
    assert_eq!(connected.connection().await, "connected");
    assert_eq!(connected.issuer.registrations(), 1, "the gateway registers once for a server");

    // Another user of the organization has their own connection.
    let colleague = connected.app.customer("other", domain::money::Money::ZERO).await;
    assert_eq!(post(&colleague.person, "crm", &call("t0")).await.status, "404 Not Found");

    connected.issuer.take_requests();
    let path = format!("{MCP}/crm/connection");
    assert_eq!(connected.customer.person.delete(&path).await.status, "204 No Content");
    let revoked = connected.issuer.take_requests();
    assert_eq!(revoked.len(), 1);
    assert!(revoked[0]["token"].starts_with("refresh-secret-") && revoked[0]["token_type_hint"] == "refresh_token");
    assert_eq!(connected.call().await.json["error"]["code"], -32042);
    assert_eq!(connected.customer.person.delete(&path).await.status, "204 No Content");
}

#[tokio::test]
async fn the_browser_confirms_whose_keys_will_use_the_account() {
    let connected = start_with(json!({})).await;
    let query = connected.issuer.approve(&connected.begin().await);
    let page = connected.app.anonymous().get(&format!("{MCP}/callback?{query}")).await;
    assert_eq!(page.status, "200 OK", "{}", page.text);
    assert!(page.text.contains("The API keys of ") && page.text.contains("<form method=\"post\""), "{}", page.text);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(connected.issuer.take_requests().is_empty(), "no code is exchanged before");
    assert_eq!(connected.call_back(&query).await.status, "200 OK");
}

#[tokio::test]
async fn a_state_counts_once_and_only_as_it_was_sealed() {
    let connected = start_with(json!({})).await;
    let query = connected.issuer.approve(&connected.begin().await);
    let (code, rest) = query.split_once('&').unwrap();
    let forged = query.replace("state=", "state=AAAA");
    for wrong in ["", "code=x", &forged, &format!("{code}&state=e30")] {
        let page = connected.call_back(wrong).await;
        assert_eq!(page.status, "400 Bad Request", "{wrong}");
        assert!(page.text.contains("Begin again"), "{}", page.text);
    }
    assert!(connected.issuer.take_requests().is_empty(), "no code is exchanged");
    assert_eq!(connected.call_back(&query).await.status, "200 OK");
    let replayed = connected.call_back(&format!("code=other&{rest}")).await;
    assert_eq!(replayed.status, "400 Bad Request");
    assert_eq!(connected.issuer.take_requests().len(), 1);
    let spanish = connected.app.anonymous().request(Method::POST, &format!("{MCP}/callback?{query}"));
    let spanish = send(spanish.header("accept-language", "es")).await;
    assert!(spanish.text.contains("La cuenta no está conectada"), "{}", spanish.text);
}

#[tokio::test]
async fn an_answer_of_another_issuer_is_refused() {
    let connected = start_with(json!({})).await;
    let stranger = AuthorizationServer::start().await;
    for change in [
        |query: String, stranger: &str| {
            let (kept, _) = query.rsplit_once("&iss=").unwrap();
            let iss = form_urlencoded::Serializer::new(String::new()).append_pair("iss", stranger).finish();
            format!("{kept}&{iss}")
        },
        // The metadata says that answers name the issuer.
        |query: String, _: &str| query.rsplit_once("&iss=").unwrap().0.to_owned(),
    ] {
        let query = change(connected.issuer.approve(&connected.begin().await), &stranger.issuer);
        let page = connected.call_back(&query).await;
        assert_eq!(page.status, "400 Bad Request");
        assert!(page.text.contains("another authorization server"), "{}", page.text);
    }
    assert!(connected.issuer.take_requests().is_empty(), "the code is not exchanged");
    let query = connected.issuer.approve(&connected.begin().await);
    let denied = query.replacen("code=", "error=access_denied&x=", 1);
    let page = connected.call_back(&denied).await;
    assert!(page.text.contains("access_denied"), "{}", page.text);
    let script = query.replacen("code=", "error=%3Cscript%3E&x=", 1);
    assert!(!connected.call_back(&script).await.text.contains("<script>"));
    assert_eq!(connected.connection().await, "missing");
}

#[tokio::test]
async fn metadata_is_data_that_is_checked() {
    let connected = start_with(json!({})).await;
    let refused = async |problem: &str| {
        let begun = connected.customer.person.post(&format!("{MCP}/crm/connect")).await;
        assert_eq!(
            (begun.status.as_str(), begun.code()),
            ("502 Bad Gateway", "mcp_authorization_failed"),
            "{problem}: {}",
            begun.text
        );
        assert!(begun.text.contains(problem), "{}", begun.text);
    };
    connected.issuer.claim("issuer", json!("https://other.example"));
    refused("another issuer").await;
    connected.issuer.claim("issuer", json!(connected.issuer.issuer));
    connected.issuer.claim("authorization_endpoint", json!("javascript:alert(1)"));
    refused("not a URL").await;
    connected.issuer.claim("authorization_endpoint", json!(format!("{}/authorize", connected.issuer.issuer)));
    connected.issuer.claim("code_challenge_methods_supported", json!(["plain"]));
    refused("PKCE").await;
    let document = |resource: &str, issuer: &str| json!({"resource": resource, "authorization_servers": [issuer]});
    let place = "/.well-known/oauth-protected-resource/mcp";
    connected.server.serve_document(place, document("https://other.example/mcp", &connected.issuer.issuer));
    refused("another resource").await;
    connected.server.serve_document(place, document(&connected.server.url, "http://169.254.169.254"));
    refused("not allowed").await;
    connected.server.serve_document(place, document(&connected.server.url, "file:///etc/passwd"));
    refused("not named by a URL").await;
}

#[tokio::test]
async fn the_operator_may_name_the_authorization_server_and_the_client() {
    let connected = start_with(json!({})).await;
    let listed = connected.app.operator().get(&format!("{SERVERS}?org={}", connected.customer.account.org)).await;
    let path = format!("{SERVERS}/{}", listed.json["data"][0]["id"].as_str().unwrap());
    let auth = json!({
        "type": "oauth2_user", "authorization_server": connected.issuer.issuer, "client_id": "ours", "client_secret": "client-secret",
        "scopes": ["crm"],
    });
    let patched = connected.app.operator().patch(&path, json!({"auth": auth})).await;
    assert_eq!(patched.status, "200 OK", "{}", patched.text);
    connected.issuer.claim("token_endpoint_auth_methods_supported", json!(["client_secret_post"]));
    let url = connected.begin().await;
    assert!(url.contains("client_id=ours") && url.contains("scope=crm"), "{url}");
    assert_eq!(connected.call_back(&connected.issuer.approve(&url)).await.status, "200 OK");
    assert_eq!(connected.issuer.take_requests()[0]["client_secret"], "client-secret");
    assert_eq!(connected.issuer.registrations(), 0);
}

/// Another environment of the function: its own memory, the same tables.
fn environment(app: &TestApp) -> Router {
    mcp_gateway::router(&app.platform.new_environment_context()).unwrap()
}

async fn call_in(environment: Router, customer: &Customer) -> Value {
    let request = Request::post(format!("{MCP}/crm"))
        .header("authorization", format!("Bearer {}", customer.person.token.as_deref().unwrap()))
        .header("content-type", "application/json")
        .body(Body::from(call("t0").to_string()));
    let response = environment.oneshot(request.unwrap()).await.unwrap();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

#[tokio::test]
async fn two_processes_renew_a_token_once() {
    let connected = start_with(json!({})).await;
    // This token is renewed before its first use.
    connected.issuer.issue_for(0);
    connected.connect().await;
    connected.issuer.take_requests();
    connected.issuer.issue_for(3_600);
    let gate = Gate::closed();
    connected.issuer.hold_renewals(&gate);
    let customer = &connected.customer;
    let calls = (0..4).map(|_| call_in(environment(&connected.app), customer));
    let calls = futures::future::join_all(calls);
    // The server accepts any token of the issuer, and the answers below show that it got the same one each time.
    let tokens: Vec<String> = (0..20).map(|number| format!("access-secret-{number}")).collect();
    connected.server.accept_tokens(&tokens.iter().map(String::as_str).collect::<Vec<_>>());
    let release = async {
        tests::polling::eventually("a renewal", async || (connected.issuer.grants() > 0).then_some(())).await;
        gate.open();
    };
    let (answers, ()) = futures::join!(calls, release);
    for answer in answers {
        assert_eq!(answer["result"]["content"][0]["text"], "t0: \"hello\"", "{answer}");
    }
    let renewals = connected.issuer.take_requests();
    assert_eq!(renewals.len(), 1, "{renewals:?}");
    let used: Vec<_> =
        connected.server.take_requests().iter().map(|request| request.headers["authorization"].clone()).collect();
    assert!(used.iter().all(|token| *token == used[0]), "{used:?}");
}

#[tokio::test]
async fn a_refused_token_is_renewed_and_a_refused_renewal_asks_to_connect_again() {
    let connected = start_with(json!({})).await;
    connected.connect().await;
    connected.issuer.take_requests();
    connected.server.accept_tokens(&["access-secret-3", "access-secret-4", "access-secret-5"]);
    assert_eq!(text(&connected.call().await), "t0: \"hello\"", "the token is renewed, and the call is repeated");
    assert_eq!(connected.issuer.take_requests().len(), 1);
    connected.issuer.refuse();
    connected.server.accept_tokens(&[]);
    connected.server.take_requests();
    let refused = connected.call().await;
    assert_eq!(refused.json["error"]["code"], -32042, "{}", refused.text);
    assert_eq!(connected.server.take_requests().len(), 1);
    assert_eq!(connected.connection().await, "missing");
    let calls = connected.customer.person.get("/gateway/v1/billing/calls").await;
    assert_eq!(calls.column("status"), ["failed", "completed"], "{}", calls.text);
}

#[tokio::test]
async fn a_client_that_the_issuer_forgot_is_registered_again() {
    let connected = start_with(json!({})).await;
    connected.connect().await;
    assert_eq!(connected.issuer.registrations(), 1);
    connected.issuer.refuse_clients(true);
    connected.server.accept_tokens(&[]);
    assert_eq!(connected.call().await.json["error"]["code"], -32042, "no client can renew the tokens");
    assert_eq!(connected.connection().await, "missing");
    // The client is forgotten during a sign-in, too.
    let query = connected.issuer.approve(&connected.begin().await);
    assert_eq!(connected.issuer.registrations(), 2);
    assert_eq!(connected.call_back(&query).await.status, "502 Bad Gateway");
    connected.issuer.refuse_clients(false);
    connected.connect().await;
    assert_eq!(connected.issuer.registrations(), 3);
    assert_eq!(text(&connected.call().await), "t0: \"hello\"");
}

#[tokio::test]
async fn a_refused_client_of_the_operator_ends_no_connection() {
    let issuer = AuthorizationServer::start().await;
    let auth = json!({"authorization_server": issuer.issuer, "client_id": "atelier", "client_secret": "s3cret"});
    let connected = Connected { issuer, ..start_with(auth).await };
    connected.connect().await;
    connected.issuer.refuse_clients(true);
    connected.server.accept_tokens(&[]);
    let refused = connected.call().await;
    assert_eq!(refused.code(), "mcp_authorization_failed", "{}", refused.text);
    assert!(refused.text.contains("ask the operator"), "{}", refused.text);
    assert_eq!(connected.connection().await, "connected");
    connected.issuer.refuse_clients(false);
    // The server accepts the token that the renewal brings.
    let tokens: Vec<String> = (0..20).map(|number| format!("access-secret-{number}")).collect();
    let first = connected.issuer.access_tokens();
    let later: Vec<&str> = tokens.iter().filter(|token| !first.contains(token)).map(String::as_str).collect();
    connected.server.accept_tokens(&later);
    assert_eq!(text(&connected.call().await), "t0: \"hello\"");
}

#[tokio::test]
async fn tokens_stay_with_their_server_and_in_no_text() {
    let connected = start_with(json!({})).await;
    connected.connect().await;
    let operator = connected.app.operator();
    let listed = operator.get(&format!("{SERVERS}?org={}", connected.customer.account.org)).await;
    let path = format!("{SERVERS}/{}", listed.json["data"][0]["id"].as_str().unwrap());
    let moved = ToolServer::start(&["t0"]).await;
    let metadata = json!({"resource": moved.url, "authorization_servers": [connected.issuer.issuer]});
    moved.serve_document("/.well-known/oauth-protected-resource/mcp", metadata);
    let answer = operator.patch(&path, json!({"url": moved.url})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(connected.call().await.json["error"]["code"], -32042, "the tokens are for the former URL");
    assert!(moved.take_requests().iter().all(|request| !request.headers.contains_key("authorization")));
    assert_eq!(operator.delete(&path).await.status, "204 No Content");
    let texts = [
        operator.get("/gateway/v1/admin/audit?limit=100").await.text,
        connected.customer.person.get("/gateway/v1/billing/calls").await.text,
        connected.customer.person.get(MCP).await.text,
    ];
    assert!(texts.iter().all(|text| !text.contains("-secret-")), "{texts:?}");
    let context = connected.app.platform.context();
    let table = context.config.required("TABLE_ENTITIES").unwrap().to_owned();
    let stored = context.aws.dynamodb().scan().table_name(table).send().await.unwrap();
    let stored = format!("{stored:?}");
    assert!(
        !stored.contains("-secret-") && !stored.contains("MCPCONNECTIONS"),
        "the connections of a deleted server are deleted"
    );
}
