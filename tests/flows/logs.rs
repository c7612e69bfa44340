//! Secrets in logs: prompts, answers, masked values, credentials and the keys of callers and providers are never logged.

use std::io;
use std::sync::{Arc, Mutex};

use domain::money::Money;
use platform::secrets::Secrets;
use reqwest::Method;
use serde_json::{Value, json};
use store::catalog::StoredProvider;
use tests::TestApp;
use tests::client::{Person, send};
use tests::gateway::{CHAT, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const PROMPT: &str = "the-prompt-nobody-may-read";
const ANSWER: &str = "the-answer-nobody-may-read";
const PROVIDER_KEY: &str = "sk-of-the-provider-0123456789abcdef";

const CARD: &str = "4111-1111-1111-1111";
const CREDENTIAL: &str = "the-credential-nobody-may-read";

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test panics with the lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn completion() -> Value {
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}})
}

#[tokio::test]
async fn secrets_are_never_logged() {
    let captured = Captured::default();
    let writer = captured.clone();
    let layer = tracing_subscriber::fmt::layer().json().with_writer(move || writer.clone());
    let levels: tracing_subscriber::filter::Targets =
        "info,auth=trace,effects=trace,engine=trace,gateway=trace,hooks=trace,inference=trace,local=trace,messaging=trace,\
         outbound=trace,platform=trace,runner=trace,store=trace,web=trace"
            .parse()
            .unwrap();
    // The other tests of this binary log here too, so more lines are searched.
    tracing_subscriber::registry().with(layer).with(levels).init();

    let app = TestApp::start().await;
    let context = app.platform.context();
    let fake = FakeProvider::start().await;
    let (secrets, place) = (Secrets::of_credentials(&context).unwrap(), StoredProvider::sealed_for("fake-0"));
    let api_key = Some(secrets.seal(&place, PROVIDER_KEY.as_bytes()).await.unwrap());
    ModelBuilder::new("fake")
        .with_changed_deployment(&app, &fake, |provider| provider.api_key = api_key)
        .await
        .insert(&app)
        .await;
    let customer = app.customer("logs", Money::from_usd(1)).await;

    let words =
        json!({"error": {"message": format!("cannot read {PROMPT} with {PROVIDER_KEY}"), "code": "unreadable"}});
    let event = format!("data: {}\n\n", json!({"id": "c", "choices": [{"index": 0, "delta": {"content": ANSWER}}]}));
    let behaviours = [
        (false, Behaviour::json(200, completion())),
        (false, Behaviour::json(400, &words)),
        (false, Behaviour::json(401, &words)),
        (false, Behaviour::json(500, &words)),
        (false, Behaviour::json(200, format!("{{{ANSWER}"))),
        (true, Behaviour::events(&event)),
        (true, Behaviour::events(&format!("{event}data: {words}\n\n"))),
        (true, Behaviour::events(&format!("{event}data: {{{ANSWER}\n\n"))),
        (true, Behaviour::events(&event).cut_after(1)),
        (true, Behaviour::hang_up()),
    ];
    let secret = customer.person.token.clone().unwrap();
    for (i, (stream, behaviour)) in behaviours.into_iter().enumerate() {
        fake.respond_with(behaviour);
        let body = json!({"model": "fake", "stream": stream, "messages": [{"role": "user", "content": PROMPT}]});
        let request = customer.person.request(Method::POST, CHAT).json(&body);
        send(request.header("idempotency-key", format!("{secret}{i}"))).await;
        send(customer.person.request(Method::POST, CHAT).json(&json!({"model": PROMPT, "messages": [PROMPT]}))).await;
    }
    assert_eq!(fake.take_requests()[0].headers["authorization"], format!("Bearer {PROVIDER_KEY}"));
    let mistyped = format!("{}x", &secret[..secret.len() - 1]);
    Person::new(&app.platform.base_url, Some(mistyped.clone())).get("/gateway/v1/models").await;

    let (token, path) = run_a_payment(&app, &fake).await;
    let ada = app.person("ada");
    for part in ["", "/events", "/activity", "/trace", "/analytics"] {
        let shown = ada.get(&format!("{path}{part}")).await;
        assert_eq!(shown.status, "200 OK", "{}", shown.text);
        for secret_text in [CARD, CREDENTIAL, &token] {
            assert!(!shown.text.contains(secret_text), "{part} shows {secret_text}");
        }
    }

    let log = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    for message in ["request served", "a provider failed", "a run was left"] {
        assert!(log.contains(message), "the log was captured");
    }
    for secret_text in [PROMPT, ANSWER, PROVIDER_KEY, &secret, &mistyped, CARD, CREDENTIAL, &token] {
        let line = log.lines().find(|line| line.contains(secret_text));
        assert_eq!(line, None, "{secret_text}");
    }
}

/// Calls a webhook that pays with a masked card and a credential. Returns the token of the webhook, and the path of the run.
async fn run_a_payment(app: &TestApp, server: &FakeProvider) -> (String, String) {
    server.respond_with(Behaviour::json(200, json!({"paid": CARD})));
    server.take_requests();
    let ada = app.person("ada");
    let flow = format!("/builder/v1/workflows/{}", ada.post_json("/builder/v1/workflows", json!({})).await.id());
    let credential = json!({"name": "Bank", "type": "bearer", "token": CREDENTIAL});
    let credential = ada.post_json(&format!("{flow}/webhook-credentials/outbound"), credential).await;
    let pay = json!({
        "method": "POST", "url": server.base_url, "credentialId": credential.id(),
        "body": {"type": "json", "value": "input"}, "redact": ["input.card"],
    });
    let nodes = json!([
        {"id": "hook", "type": "webhook", "config": {"redact": ["output.card"]}},
        {"id": "pay", "type": "http", "config": pay},
        {"id": "end", "type": "send_result", "config": {}},
    ]);
    let connect =
        |from: &str, to: &str| json!({"from": {"node": from, "port": "out"}, "to": {"node": to, "port": "in"}});
    let graph = json!({"nodes": nodes, "connections": [connect("hook", "pay"), connect("pay", "end")]});
    assert_eq!(ada.patch(&flow, json!({"graph": graph})).await.status, "200 OK");
    let webhook = ada.post_json(&format!("{flow}/webhooks"), json!({"name": "Shop", "mode": "async"})).await;
    let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook.id()}}]});
    assert_eq!(ada.put(&format!("{flow}/connections"), channel).await.status, "200 OK");
    let published = ada.post(&format!("{flow}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);

    let token = webhook.json["data"]["token"].as_str().unwrap().to_owned();
    let url = format!("/hooks/v1/{}", webhook.id());
    let called = app.client_with_key(&token).post_json(&url, json!({"card": CARD, "amount": 5})).await;
    assert_eq!(called.status, "202 Accepted", "{}", called.text);
    app.platform.drain().await;
    let request = &server.take_requests()[0];
    assert_eq!(request.headers["authorization"], format!("Bearer {CREDENTIAL}"));
    assert_eq!(request.body["card"], CARD);
    (token, format!("{flow}/runs/{}", called.json["runId"].as_str().unwrap()))
}
