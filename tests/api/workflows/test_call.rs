//! Test calls with an outbound credential, and their SSRF protection.

use domain::messaging::MessagingProvider;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Person;
use tests::messaging::FakeMessaging;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

struct Trial<'a> {
    ada: &'a Person,
    outbound: String,
}

impl Trial<'_> {
    async fn test_credential(&self, credential: Value, call: Value) -> Answer {
        let mut named = credential;
        named["name"] = json!("Tried");
        let made = self.ada.post_json(&self.outbound, named).await;
        assert_eq!(made.status, "201 Created", "{}", made.text);
        self.ada.post_json(&format!("{}/{}/test", self.outbound, made.id()), call).await
    }
}

#[tokio::test]
async fn a_credential_can_be_tested() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let trial = Trial { ada: &ada, outbound: format!("{WORKFLOWS}/{id}/webhook-credentials/outbound") };
    let fake = FakeProvider::start().await;
    let bearer = || json!({"type": "bearer", "token": "s3cr3t-value"});
    let call = || json!({"url": format!("{}/me", fake.base_url)});

    fake.respond_with(Behaviour::json(200, json!({"private": "to the caller"})));
    let tried = trial.test_credential(bearer(), call()).await;
    assert_eq!((&tried.json["data"]["ok"], &tried.json["data"]["status"]), (&json!(true), &json!(200)));
    assert_eq!(tried.json["data"]["error"], Value::Null);
    assert!(!tried.text.contains("private") && !tried.text.contains("s3cr3t"), "{}", tried.text);
    let received = fake.take_requests().remove(0);
    assert_eq!(
        (received.path.as_str(), &received.headers["authorization"]),
        ("/me", &"Bearer s3cr3t-value".parse().unwrap())
    );

    fake.respond_with(Behaviour::json(403, "{}"));
    let refused = trial.test_credential(bearer(), call()).await;
    assert_eq!((&refused.json["data"]["ok"], &refused.json["data"]["status"]), (&json!(false), &json!(403)));

    // OAuth2 client credentials are tested by fetching a token, with or without a call.
    let client = || json!({"type": "oauth2_client_credentials", "tokenUrl": format!("{}/token", fake.base_url), "clientId": "c", "clientSecret": "s"});
    fake.respond_with(Behaviour::json(200, json!({"access_token": "t0ken", "expires_in": 60})));
    let token = trial.test_credential(client(), json!({})).await;
    assert_eq!(
        (&token.json["data"]["ok"], &token.json["data"]["status"]),
        (&json!(true), &Value::Null),
        "{}",
        token.text
    );
    assert!(!token.text.contains("t0ken"));
    fake.take_requests();
    trial.test_credential(client(), call()).await;
    let paths: Vec<_> = fake.take_requests().into_iter().map(|received| received.path).collect();
    assert_eq!(paths, ["/token", "/me"]);
    fake.respond_with(Behaviour::json(401, json!({"error": "invalid_client"})));
    let denied = trial.test_credential(client(), json!({})).await;
    assert_eq!(
        denied.json["data"]["error"],
        json!({"code": "token_refused", "message": "the token endpoint answered 401: invalid_client"})
    );
}

#[tokio::test]
async fn a_failed_test_call_reports_its_reason() {
    let app = TestApp::start_with_ports().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let trial = Trial { ada: &ada, outbound: format!("{WORKFLOWS}/{id}/webhook-credentials/outbound") };
    let bearer = || json!({"type": "bearer", "token": "x"});
    let fake = FakeProvider::start().await;
    let at = |path: &str| json!({"url": format!("{}{path}", fake.base_url)});

    fake.respond_with(Behaviour::json(302, "").header("location", "/round"));
    for (call, code) in [
        (at("/"), "too_many_redirects"),
        // `local` may call this machine, but never a metadata address.
        (json!({"url": "http://169.254.169.254/latest/meta-data/"}), "destination_forbidden"),
        (json!({"url": "http://127.0.0.1:1/"}), "destination_unreachable"),
    ] {
        let failed = trial.test_credential(bearer(), call).await;
        assert_eq!((&failed.json["data"]["ok"], &failed.json["data"]["error"]["code"]), (&json!(false), &json!(code)));
    }
    fake.respond_with(Behaviour::json(302, "").header("location", "http://169.254.169.254/"));
    let led_inside = trial.test_credential(bearer(), at("/")).await;
    assert_eq!(led_inside.json["data"]["error"]["code"], "destination_forbidden");
    fake.respond_with(Behaviour::hang_up());
    assert_eq!(trial.test_credential(bearer(), at("/")).await.json["data"]["error"]["code"], "connection_cut");

    // The platform's own ports are forbidden although this machine is allowed: they give access to all data.
    let environment = app.platform.environment_of("channels");
    let services = environment.into_iter().filter(|(name, _)| name.starts_with("AWS_ENDPOINT_URL_"));
    let own: Vec<_> = services.map(|(_, url)| url).chain([format!("{}/health", app.platform.base_url)]).collect();
    assert_eq!(own.len(), 5);
    for url in own {
        let refused = trial.test_credential(bearer(), json!({"url": url})).await;
        assert_eq!(refused.json["data"]["error"]["code"], "destination_forbidden", "{url}");
        fake.respond_with(Behaviour::json(307, "").header("location", &url));
        let led_there = trial.test_credential(bearer(), at("/")).await;
        assert_eq!(led_there.json["data"]["error"]["code"], "destination_forbidden", "{url}");
    }

    for wrong in [
        json!({}),
        json!({"url": "http://example.com:99999/"}),
        json!({"url": "file:///etc/passwd"}),
        json!({"url": "http://exa mple/"}),
        json!({"url": format!("http://example.com/{}", "x".repeat(2_000))}),
        json!({"url": "http://example.com/", "method": "DELETE"}),
        json!({"uri": "http://example.com/"}),
    ] {
        assert_eq!(trial.test_credential(bearer(), wrong.clone()).await.code(), "invalid_body", "{wrong}");
    }
    let nobodys = format!("{}/019cb8e2-3f4a-7c21-9b6d-000000000000/test", trial.outbound);
    assert_eq!(ada.post_json(&nobodys, at("/")).await.code(), "credential_not_found");
    let made = ada.post_json(&trial.outbound, json!({"name": "x", "type": "bearer", "token": "x"})).await;
    let bob = app.person("bob");
    let theirs = bob.post_json(&format!("{}/{}/test", trial.outbound, made.id()), at("/")).await;
    assert_eq!(theirs.code(), "workflow_not_found");
}

#[tokio::test]
async fn an_account_of_a_messaging_provider_can_be_tested() {
    let fake = FakeMessaging::start().await;
    let app = TestApp::start_with_options(|options| options.settings = fake.settings()).await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let trial = Trial { ada: &ada, outbound: format!("{WORKFLOWS}/{id}/webhook-credentials/outbound") };
    for provider in
        [MessagingProvider::Slack, MessagingProvider::Telegram, MessagingProvider::Whatsapp, MessagingProvider::Http]
    {
        let credential = || serde_json::to_value(fake.credential(provider)).unwrap();
        let tested = trial.test_credential(credential(), json!({})).await;
        assert_eq!(
            (&tested.json["data"]["ok"], &tested.json["data"]["status"], &tested.json["data"]["error"]),
            (&json!(true), &Value::Null, &Value::Null),
            "{}",
            tested.text
        );
        let with_url = trial.test_credential(credential(), json!({"url": "https://example.com"})).await;
        assert_eq!(with_url.code(), "invalid_body");
    }
    let tested = trial.test_credential(slack_app("Bot"), json!({})).await;
    assert_eq!(
        (&tested.json["data"]["ok"], &tested.json["data"]["error"]["code"]),
        (&json!(false), &json!("invalid_auth")),
        "{}",
        tested.text
    );
    assert!(fake.sent().is_empty());
}
