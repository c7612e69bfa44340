//! Deployments that are called through the provider's Responses API, whichever dialect the client speaks.

use domain::catalog::OptionalParameter;
use domain::money::Money;
use domain::provider::DeploymentDialect;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Person;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{chat, post, question, with};

const CHAT_ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");
const CHAT_STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");
const ANSWER: &str = include_str!("../../providers/fixtures/openai_responses/answer.json");
const STREAM: &str = include_str!("../../providers/fixtures/openai_responses/stream.sse");
const RESPONSES: &str = "/gateway/v1/responses";
const MESSAGES: &str = "/gateway/v1/messages";

/// A model that reasons, takes no temperature, and has one deployment in this dialect.
async fn reasoner(app: &TestApp, fake: &FakeProvider) {
    let builder = ModelBuilder::new("reasoner").with_deployment(app, fake).await.with(|model| {
        model.capabilities.push("reasoning".to_owned());
        model.unsupported_parameters = vec![OptionalParameter::Temperature];
        model.deployments[0].dialect = DeploymentDialect::Responses;
    });
    builder.insert(app).await;
}

async fn stage(name: &str) -> (TestApp, FakeProvider, Person) {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    reasoner(&app, &fake).await;
    let person = app.customer(name, Money::from_usd(1)).await.person;
    (app, fake, person)
}

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}])
}

#[tokio::test]
async fn a_chat_completion_is_answered_by_a_response() {
    let (_app, fake, person) = stage("chat").await;
    fake.respond_with(Behaviour::json(200, ANSWER));
    let more = json!({"temperature": 0.2, "seed": 7, "reasoning_effort": "low", "max_tokens": 99, "tools": tools()});
    let answer = chat(&person, &with(question("reasoner"), more)).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(answer.header("x-svc-dropped"), Some("temperature, seed"));
    let choice = &answer.json["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["tool_calls"][1]["id"]),
        (&json!("tool_calls"), &json!("call_2"))
    );
    assert_eq!(choice["message"]["reasoning_details"][0]["signature"], "gAAAAAB-one");
    assert_eq!(answer.json["usage"]["completion_tokens_details"]["reasoning_tokens"], 64);
    let sent = fake.take_requests().remove(0);
    assert_eq!((sent.path.as_str(), &sent.body["reasoning"]), ("/responses", &json!({"effort": "low"})));
    assert_eq!((sent.body.get("temperature"), &sent.body["max_output_tokens"]), (None, &json!(99)));

    let refused = chat(&person, &with(question("reasoner"), json!({"stop": ["END"]}))).await;
    assert_eq!((refused.code(), &refused.json["error"]["param"]), ("parameter_not_supported", &json!("stop")));
    assert!(fake.take_requests().is_empty());
}

#[tokio::test]
async fn a_stream_reaches_clients_of_every_dialect() {
    let (_app, fake, person) = stage("streams").await;
    fake.respond_with(Behaviour::events(STREAM));
    let streamed = json!({"stream": true});
    let chunks = chat(&person, &with(question("reasoner"), streamed.clone())).await;
    for piece in ["\"I look at\"", "\"call_2\"", "gAAAAAB-one", "\"finish_reason\":\"tool_calls\"", "[DONE]"] {
        assert!(chunks.text.contains(piece), "{piece}: {}", chunks.text);
    }
    let body = json!({"model": "reasoner", "max_tokens": 99, "stream": true, "messages": [{"role": "user", "content": "Why?"}]});
    let events = post(&person, MESSAGES, &body).await;
    for piece in
        ["I ask for both.", "openai/rs_1/gAAAAAB-one", "\"call_2\"", "\"stop_reason\":\"tool_use\"", "message_stop"]
    {
        assert!(events.text.contains(piece), "{piece}: {}", events.text);
    }
    let body =
        json!({"model": "reasoner", "input": "Why?", "stream": true, "include": ["reasoning.encrypted_content"]});
    let events = post(&person, RESPONSES, &body).await;
    for piece in ["openai/rs_1/gAAAAAB-one", "\"call_2\"", "response.completed"] {
        assert!(events.text.contains(piece), "{piece}: {}", events.text);
    }
    assert!(fake.take_requests().iter().all(|sent| sent.path == "/responses" && sent.body["stream"] == true));
}

#[tokio::test]
async fn reasoning_comes_back_to_the_provider_as_it_was() {
    let (_app, fake, person) = stage("turns").await;
    fake.respond_with(Behaviour::json(200, ANSWER));
    let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "22 °C"});
    let first = post(&person, RESPONSES, &json!({"model": "reasoner", "input": "Why?"})).await;
    assert!(!first.text.contains("gAAAAAB"), "the client did not ask for it: {}", first.text);
    let input = json!([result("call_1"), result("call_2")]);
    let next = json!({"model": "reasoner", "previous_response_id": first.json["id"], "input": input});
    let second = post(&person, RESPONSES, &next).await;
    assert_eq!(second.status, "200 OK", "{}", second.text);

    let messages = chat(&person, &question("reasoner")).await.json["choices"][0]["message"].clone();
    let tool = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "22 °C"});
    let user = json!({"role": "user", "content": "Why?"});
    let body = json!({"model": "reasoner", "messages": [user, messages, tool("call_1"), tool("call_2")]});
    assert_eq!(chat(&person, &body).await.status, "200 OK");

    let requests = fake.take_requests();
    for sent in [&requests[1], &requests[3]] {
        let item = &sent.body["input"][1];
        assert_eq!((&item["id"], &item["encrypted_content"]), (&json!("rs_1"), &json!("gAAAAAB-one")), "{}", sent.body);
        let kinds: Vec<_> =
            sent.body["input"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
        let (call, output) = ("function_call", "function_call_output");
        assert_eq!(kinds, ["message", "reasoning", "message", call, call, output, output]);
    }
}

#[tokio::test]
async fn a_stream_that_fails_ends_with_an_error() {
    let (_app, fake, person) = stage("failures").await;
    let body = with(question("reasoner"), json!({"stream": true}));
    fake.respond_with(Behaviour::events(STREAM).cut_after(14));
    let cut = chat(&person, &body).await;
    assert!(cut.text.contains("both cities.") && cut.text.contains("provider_stream_cut"), "{}", cut.text);
    assert!(!cut.text.contains("[DONE]"), "{}", cut.text);
}

/// Both deployments are at one provider, which is connected once for each dialect.
#[tokio::test]
async fn deployments_of_both_dialects_are_fallbacks_of_each_other() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let builder = ModelBuilder::new("both").with_deployment(&app, &fake).await.with_deployment(&app, &fake).await;
    let builder = builder.with(|model| {
        model.deployments[0].dialect = DeploymentDialect::Responses;
        model.deployments[1].provider = model.deployments[0].provider.clone();
    });
    builder.insert(&app).await;
    fake.respond_at("/responses", Behaviour::json(500, json!({"error": {"message": "gone", "code": "server_error"}})));
    fake.respond_at("/chat/completions", Behaviour::json(200, CHAT_ANSWER));
    let person = app.customer("both", Money::from_usd(1)).await.person;
    let answer = chat(&person, &with(question("both"), json!({"seed": 7}))).await;
    assert_eq!((answer.status.as_str(), answer.header("x-svc-dropped")), ("200 OK", None), "{}", answer.text);
    let paths: Vec<_> = fake.take_requests().into_iter().map(|sent| sent.path).collect();
    assert_eq!(paths.first().map(String::as_str), Some("/responses"));
    assert_eq!(paths.last().map(String::as_str), Some("/chat/completions"));

    // A stream that fails before its first item is answered by the other deployment, too.
    let start: String = STREAM.split_inclusive("\n\n").take(2).collect();
    let error = json!({"type": "error", "code": "server_error", "message": "the engine is gone"});
    let failing = Behaviour::events(&format!("{start}event: error\ndata: {error}\n\n"));
    fake.respond_at("/responses", failing);
    fake.respond_at("/chat/completions", Behaviour::events(CHAT_STREAM));
    let streamed = chat(&person, &with(question("both"), json!({"stream": true}))).await;
    assert!(streamed.text.contains("lease") && streamed.text.contains("[DONE]"), "{}", streamed.text);
}
