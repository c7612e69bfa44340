//! The issuer of `local` as the authorization server of MCP clients, in the steps of the official SDKs: metadata, registration,
//! consent, exchange, refresh.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::json;

use super::*;

const VERIFIER: &str = "a-verifier-of-43-characters-or-more-as-it-must-be";
const REDIRECT_URI: &str = "http://127.0.0.1:33418/callback?of=client";
const REGISTER: &str = "/local/register";
const TOKEN: &str = "/local/token";

/// A client that has read the metadata and registered itself.
struct McpClient {
    browser: Browser,
    metadata: Value,
    id: String,
}

impl McpClient {
    async fn register(app: &TestApp) -> Self {
        Self::register_as(app, "Coding <b>assistant").await
    }

    async fn register_as(app: &TestApp, name: &str) -> Self {
        let mut browser = Browser::new(app);
        let metadata = browser.get("/.well-known/oauth-authorization-server").await.json;
        let registered = register(app, json!({"client_name": name, "redirect_uris": [REDIRECT_URI]})).await;
        assert_eq!(registered.status, "201 Created", "{}", registered.text);
        Self { browser, metadata, id: registered.json["client_id"].as_str().unwrap().to_owned() }
    }

    fn authorize_url(&self) -> String {
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()));
        let mut url = Url::parse(self.metadata["authorization_endpoint"].as_str().unwrap()).unwrap();
        let resource = format!("{}/mcp/v1/studio", self.metadata["issuer"].as_str().unwrap());
        url.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.id),
            ("redirect_uri", REDIRECT_URI),
            ("state", "of this client"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("resource", &resource),
        ]);
        url.into()
    }

    async fn code(&mut self, person: &str) -> String {
        let url = self.authorize_url();
        query_of(&self.browser.choose(&url, person).await)["code"].clone()
    }

    fn code_form<'a>(&'a self, code: &'a str) -> BTreeMap<&'static str, &'a str> {
        BTreeMap::from([
            ("grant_type", "authorization_code"),
            ("code", code),
            ("client_id", &self.id),
            ("redirect_uri", REDIRECT_URI),
            ("code_verifier", VERIFIER),
        ])
    }

    async fn exchange(&self, form: &BTreeMap<&str, &str>) -> Answer {
        send(self.browser.request(Method::POST, TOKEN).form(form)).await
    }

    async fn refresh(&self, token: &str) -> Answer {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", &self.id)];
        self.exchange(&BTreeMap::from(form)).await
    }
}

async fn register(app: &TestApp, metadata: Value) -> Answer {
    app.anonymous().post_json(REGISTER, metadata).await
}

fn assert_oauth_error(answer: &Answer, error: &str) {
    assert_eq!(
        (answer.status.as_str(), answer.json["error"].as_str()),
        ("400 Bad Request", Some(error)),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn a_client_needs_only_the_url_of_the_issuer() {
    let app = TestApp::start().await;
    let base_url = app.platform.base_url.clone();
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        let metadata = app.anonymous().get(path).await.json;
        assert_eq!(metadata["issuer"], base_url, "{path}");
        for (name, expected) in [
            ("response_types_supported", json!(["code"])),
            ("grant_types_supported", json!(["authorization_code", "refresh_token"])),
            ("token_endpoint_auth_methods_supported", json!(["none"])),
            ("code_challenge_methods_supported", json!(["S256"])),
            ("registration_endpoint", json!(format!("{base_url}{REGISTER}"))),
            ("token_endpoint", json!(format!("{base_url}{TOKEN}"))),
        ] {
            assert_eq!(metadata[name], expected, "{path} {name}");
        }
    }
    let mut client = McpClient::register(&app).await;
    let url = client.authorize_url();
    let page = client.browser.get(&url).await;
    assert!(page.text.contains("<b>Coding &lt;b&gt;assistant</b> asks"), "{}", page.text);
    assert!(page.text.contains("<b>http://127.0.0.1:33418</b>"), "{}", page.text);

    let callback = client.browser.choose(&url, "ada").await;
    assert!(callback.starts_with(&format!("{REDIRECT_URI}&")), "{callback}");
    let answered = query_of(&callback);
    assert_eq!((answered["state"].as_str(), &answered["iss"]), ("of this client", &base_url));
    let tokens = client.exchange(&client.code_form(&answered["code"])).await;
    assert_eq!(
        (tokens.status.as_str(), tokens.header("cache-control")),
        ("200 OK", Some("no-store")),
        "{}",
        tokens.text
    );
    assert_eq!((&tokens.json["token_type"], &tokens.json["expires_in"]), (&json!("Bearer"), &json!(3600)));
    let me = app.anonymous().with_token(tokens.json["access_token"].as_str().unwrap()).get("/gateway/v1/me").await;
    assert_eq!(me.json["user"]["name"], "ada", "{}", me.text);
}

#[tokio::test]
async fn a_registration_leads_only_to_programs_of_this_machine() {
    let app = TestApp::start().await;
    for wrong in [
        json!([]),
        json!(["https://evil.example/callback"]),
        json!(["http://127.0.0.1.evil.example/callback"]),
        json!(["http://127.0.0.1@evil.example/callback"]),
        json!(["http://evil.example/?of=http://127.0.0.1/"]),
        json!(["http://127.0.0.1/callback#part"]),
        json!(["javascript:alert(1)//127.0.0.1"]),
        json!([format!("http://127.0.0.1/{}", "x".repeat(300))]),
        json!(vec!["http://127.0.0.1/callback"; 9]),
    ] {
        assert_oauth_error(&register(&app, json!({"redirect_uris": wrong})).await, "invalid_redirect_uri");
    }
    assert_oauth_error(&register(&app, json!({"redirect_uris": "http://127.0.0.1/"})).await, "invalid_client_metadata");

    let own = ["http://127.0.0.1/", "http://localhost:1234/callback", "https://[::1]/callback"];
    let all = [own.as_slice(), &["https://editor.example/redirect"]].concat();
    let registered = register(&app, json!({"client_name": "x".repeat(500), "redirect_uris": all})).await;
    assert_eq!(registered.json["redirect_uris"], json!(own), "{}", registered.text);
    assert_eq!(registered.json["token_endpoint_auth_method"], "none");
    assert_eq!(registered.json["client_name"].as_str().unwrap().len(), 80);
    assert_eq!(registered.json.get("client_secret"), None);
}

#[tokio::test]
async fn a_registration_outlives_a_restart_and_is_no_token() {
    let app = TestApp::start().await;
    let client = McpClient::register(&app).await;
    let as_token = app.anonymous().with_token(&client.id).get(AGENTS).await;
    assert_eq!(as_token.status, "401 Unauthorized");
    let claims = json!({"aud": "atelier-client", "redirect_uris": ["http://127.0.0.1/callback"]});
    let other_key = local::issuer::Issuer::open_or_create(local::DataDir::temporary().unwrap().folder()).unwrap();
    let token_of_ada = app.person("ada").token.unwrap();
    for id in ["another", &other_key.sign(&claims), &token_of_ada] {
        let mut browser = Browser::new(&app);
        let answer = browser.get(&with_parameter(&client.authorize_url(), "client_id", id)).await;
        assert_eq!((answer.status.as_str(), answer.header("location")), ("400 Bad Request", None), "{id}");
    }
    let mut browser = Browser::new(&app);
    let signed_again = app.platform.issuer.sign(&claims);
    let url = with_parameter(&client.authorize_url(), "client_id", &signed_again);
    let url = with_parameter(&url, "redirect_uri", "http://127.0.0.1:5000/callback");
    assert_eq!(browser.get(&url).await.status, "200 OK", "the id holds the registration, and the port may change");
}

#[tokio::test]
async fn a_code_never_leaves_the_addresses_of_its_client() {
    let app = TestApp::start().await;
    let mut client = McpClient::register(&app).await;
    for wrong in [
        "http://127.0.0.1:33418/other",
        "https://127.0.0.1:33418/callback?of=client",
        "http://localhost:33418/callback?of=client",
        "https://evil.example/callback?of=client",
        "",
    ] {
        let url = with_parameter(&client.authorize_url(), "redirect_uri", wrong);
        let chosen = send(client.browser.request(Method::POST, &url).body("person=0")).await;
        for answer in [client.browser.get(&url).await, chosen] {
            assert_eq!((answer.status.as_str(), answer.header("location")), ("400 Bad Request", None), "{wrong}");
        }
    }
    let cases = [
        ("resource", "https://evil.example/mcp/v1", "invalid_target"),
        ("resource", "http://127.0.0.1.evil.example/mcp/v1", "invalid_target"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
    ];
    for (name, value, error) in cases {
        let url = with_parameter(&client.authorize_url(), name, value);
        let answer = client.browser.get(&url).await;
        let callback = answer.header("location").unwrap();
        assert!(callback.starts_with(REDIRECT_URI), "{name}: {callback}");
        let answered = query_of(callback);
        assert_eq!((answered["error"].as_str(), answered["state"].as_str()), (error, "of this client"), "{name}");
    }
    let cancelled = send(client.browser.request(Method::POST, &client.authorize_url()).body("cancel=yes")).await;
    assert_eq!(query_of(cancelled.header("location").unwrap())["error"], "access_denied");
}

#[tokio::test]
async fn a_code_is_exchanged_once_by_the_client_that_began() {
    let app = TestApp::start().await;
    let mut client = McpClient::register(&app).await;
    let other = McpClient::register_as(&app, "Another").await;
    for (name, value) in [
        ("code_verifier", "another-verifier-of-43-characters-or-more-again"),
        ("code_verifier", ""),
        ("client_id", other.id.as_str()),
        ("client_id", "atelier-console"),
        ("redirect_uri", "http://127.0.0.1:1/callback"),
    ] {
        let code = client.code("ada").await;
        let mut form = client.code_form(&code);
        form.insert(name, value);
        assert_oauth_error(&client.exchange(&form).await, "invalid_grant");
        assert_oauth_error(&client.exchange(&client.code_form(&code)).await, "invalid_grant");
    }
    let code = client.code("ada").await;
    let mut form = client.code_form(&code);
    form.insert("resource", "https://evil.example/");
    assert_oauth_error(&client.exchange(&form).await, "invalid_target");
    form.remove("resource");
    form.insert("grant_type", "password");
    assert_oauth_error(&client.exchange(&form).await, "unsupported_grant_type");

    let tokens = client.exchange(&client.code_form(&code)).await;
    assert_eq!(tokens.status, "200 OK", "{}", tokens.text);
    assert_oauth_error(&client.exchange(&client.code_form(&code)).await, "invalid_grant");
    let refreshed = client.refresh(tokens.json["refresh_token"].as_str().unwrap()).await;
    assert_oauth_error(&refreshed, "invalid_grant");
}

#[tokio::test]
async fn a_refresh_token_is_replaced_and_an_old_one_ends_the_grant() {
    let app = TestApp::start().await;
    let mut client = McpClient::register(&app).await;
    let code = client.code("bob").await;
    let first = client.exchange(&client.code_form(&code)).await;
    let first = first.json["refresh_token"].as_str().unwrap();
    let second = client.refresh(first).await;
    assert_eq!(second.status, "200 OK", "{}", second.text);
    let me = app.anonymous().with_token(second.json["access_token"].as_str().unwrap()).get("/gateway/v1/me").await;
    assert_eq!(me.json["user"]["name"], "bob");
    let third = client.refresh(second.json["refresh_token"].as_str().unwrap()).await;
    let third = third.json["refresh_token"].as_str().unwrap();

    assert_oauth_error(&client.refresh(first).await, "invalid_grant");
    assert_oauth_error(&client.refresh(third).await, "invalid_grant");

    let code = client.code("bob").await;
    let tokens = client.exchange(&client.code_form(&code)).await;
    let other = McpClient::register_as(&app, "Another").await;
    assert_oauth_error(&other.refresh(tokens.json["refresh_token"].as_str().unwrap()).await, "invalid_grant");
}

#[tokio::test]
async fn only_this_machine_registers_clients() {
    let app = TestApp::start().await;
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        let request = app.anonymous().request(Method::GET, path).header("x-forwarded-for", "203.0.113.7");
        assert_eq!(send(request).await.status, "404 Not Found");
    }
    let request = app.anonymous().request(Method::POST, REGISTER).header("host", "atelier.example");
    assert_eq!(send(request.json(&json!({"redirect_uris": [REDIRECT_URI]}))).await.status, "404 Not Found");
}
