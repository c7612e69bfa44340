//! Log redaction: prompts, answers and the keys of callers and providers are never logged.

use std::io;
use std::sync::{Arc, Mutex};

use domain::money::Money;
use reqwest::Method;
use serde_json::{Value, json};
use shared::secrets::Secrets;
use shared::store::catalog::StoredProvider;
use tests::TestApp;
use tests::client::{Person, send};
use tests::gateway::{CHAT, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const PROMPT: &str = "the-prompt-nobody-may-read";
const ANSWER: &str = "the-answer-nobody-may-read";
const PROVIDER_KEY: &str = "sk-of-the-provider-0123456789abcdef";

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
async fn prompts_answers_and_keys_are_never_logged() {
    let captured = Captured::default();
    let writer = captured.clone();
    let layer = tracing_subscriber::fmt::layer().json().with_writer(move || writer.clone());
    let levels: tracing_subscriber::filter::Targets = "info,shared=trace,inference=trace,local=trace".parse().unwrap();
    // The other tests of this binary log here too, so more lines are searched.
    tracing_subscriber::registry().with(layer).with(levels).init();

    let app = TestApp::start().await;
    let context = app.platform.context();
    let fake = FakeProvider::start().await;
    let (secrets, place) = (Secrets::new(&context).unwrap(), StoredProvider::sealed_for("fake-0"));
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

    let log = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("request served") && log.contains("a provider failed"), "the log was captured");
    for secret_text in [PROMPT, ANSWER, PROVIDER_KEY, &secret, &mistyped] {
        let line = log.lines().find(|line| line.contains(secret_text));
        assert_eq!(line, None, "{secret_text}");
    }
}
