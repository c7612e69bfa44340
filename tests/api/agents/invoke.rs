//! Direct calls of agents. The model is `dev-chat`, which calls the tools that a message names.

use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person};
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::create_agent;

async fn invoke(person: &Person, agent: &str, body: Value) -> Answer {
    person.post_json(&format!("{agent}/invoke"), body).await
}

fn open_door() -> Value {
    let parameters = json!({"type": "object", "properties": {"door": {"type": "integer"}}, "required": ["door"]});
    json!({"type": "function", "name": "open_door", "parameters": parameters})
}

/// The name and the data of each event.
fn events(answer: &Answer) -> Vec<(String, Value)> {
    let events = answer.text.split("\n\n").filter(|event| event.starts_with("event: "));
    let event = |event: &str| {
        let (name, data) = event.split_once('\n').unwrap();
        let data = data.strip_prefix("data: ").unwrap();
        (name.strip_prefix("event: ").unwrap().to_owned(), serde_json::from_str(data).unwrap())
    };
    events.map(event).collect()
}

#[tokio::test]
async fn an_agent_answers_and_its_organization_pays() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({"instructions": "Be kind."})).await;
    let answer = invoke(&ada, &agent, json!({"input": "Hello"})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let data = &answer.json["data"];
    assert!(data["output"].as_str().unwrap().ends_with("You said: Hello"), "{data}");
    assert_eq!((&data["functionCalls"], &data["usage"]["requests"]), (&json!([]), &json!(1)));
    assert_eq!(data["messages"].as_array().unwrap().len(), 2);
    let charges = app.key_client("ada").get("/gateway/v1/billing/transactions").await;
    let charge = &charges.json["data"][0];
    assert_eq!(charge["request_id"], format!("agent/{}/1", data["id"].as_str().unwrap()), "{charge}");
    assert_eq!(ada.get(&agent).await.json["data"]["requests"], 1);
}

#[tokio::test]
async fn a_conversation_goes_on_with_its_messages() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    let first = invoke(&ada, &agent, json!({"input": "Hello"})).await;
    let mut messages = first.json["data"]["messages"].as_array().unwrap().clone();
    messages.push(json!({"role": "user", "content": "And again"}));
    let second = invoke(&ada, &agent, json!({"messages": messages})).await;
    assert!(second.json["data"]["output"].as_str().unwrap().ends_with("You said: And again"), "{}", second.text);
    assert_eq!(second.json["data"]["messages"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn the_caller_executes_functions() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({"tools": [open_door()]})).await;
    let first = invoke(&ada, &agent, json!({"input": "Please open_door"})).await;
    let data = &first.json["data"];
    assert_eq!(data["output"], Value::Null, "{}", first.text);
    let call = &data["functionCalls"][0];
    assert_eq!(call["name"], "open_door");
    assert!(call["arguments"]["door"].is_i64(), "{call}");
    let mut messages = data["messages"].as_array().unwrap().clone();
    messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "It is open."}));
    let second = invoke(&ada, &agent, json!({"messages": messages})).await;
    let output = second.json["data"]["output"].as_str().unwrap();
    assert!(output.ends_with("The tool answered: It is open."), "{}", second.text);
}

#[tokio::test]
async fn a_stream_shows_steps_text_and_results_as_they_happen() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let tool = json!({"type": "http", "name": "lookup", "method": "POST", "url": format!("{}/orders", fake.base_url)});
    let agent = create_agent(&ada, json!({"tools": [tool]})).await;
    let answer = invoke(&ada, &agent, json!({"input": "Please lookup it", "stream": true})).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"), "{}", answer.text);
    let events = events(&answer);
    let mut shown: Vec<String> = events
        .iter()
        .map(|(name, data)| match name.as_str() {
            "step" => format!("step {} {}", data["step"], data["action"]["kind"]),
            "result" => format!("result {}", data["step"]),
            name => name.to_owned(),
        })
        .collect();
    shown.dedup();
    let expected = [
        r#"step "0" "load""#,
        r#"result "0""#,
        r#"step "1" "model""#,
        r#"result "1""#,
        r#"step "2" "http""#,
        r#"result "2""#,
        r#"step "3" "model""#,
        "text",
        r#"result "3""#,
        "done",
    ];
    assert_eq!(shown, expected, "{}", answer.text);
    let text: String =
        events.iter().filter(|(name, _)| name == "text").filter_map(|(_, data)| data["text"].as_str()).collect();
    let done = &events.last().unwrap().1;
    assert_eq!(done["output"], text);
    assert!(text.contains("lost"), "{text}");
    assert_eq!((&done["usage"]["requests"], fake.take_requests().len()), (&json!(2), 1));
}

#[tokio::test]
async fn a_failed_agent_is_an_error_in_both_forms() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    ModelBuilder::new("broken").with_deployment(&app, &fake).await.insert(&app).await;
    fake.respond_with(Behaviour::json(400, json!({"error": {"message": "no"}})));
    let agent = create_agent(&ada, json!({"model": "broken"})).await;
    let answer = invoke(&ada, &agent, json!({"input": "Hello"})).await;
    assert_eq!(
        (answer.status.as_str(), answer.code()),
        ("422 Unprocessable Entity", "agent_failed"),
        "{}",
        answer.text
    );
    assert!(answer.json["error"]["details"]["code"].is_string(), "{}", answer.text);
    fake.respond_with(Behaviour::json(400, json!({"error": {"message": "no"}})));
    let answer = invoke(&ada, &agent, json!({"input": "Hello", "stream": true})).await;
    let (name, data) = events(&answer).pop().unwrap();
    assert_eq!((&*name, &data["error"]["code"]), ("error", &json!("agent_failed")), "{}", answer.text);
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = create_agent(&ada, json!({})).await;
    for (body, field) in [
        (json!({}), "input"),
        (json!({"input": "a", "messages": []}), "messages"),
        (json!({"input": "a", "messages": [{"role": "user", "content": "a"}]}), "input"),
        (json!({"input": " "}), "input"),
        (json!({"messages": []}), "messages"),
        (json!({"messages": [{"role": "system", "content": "Obey."}]}), "messages[0].role"),
    ] {
        let answer = invoke(&ada, &agent, body.clone()).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_body"), "{body}");
        assert!(answer.json["error"]["message"].as_str().unwrap().starts_with(field), "{}", answer.text);
    }
    ada.patch(&agent, json!({"status": "archived"})).await;
    let answer = invoke(&ada, &agent, json!({"input": "Hello"})).await;
    assert_eq!((answer.status.as_str(), answer.code()), ("409 Conflict", "invalid_state"));
    let bob = app.person_of("bob", "initech", domain::identity::Role::Admin);
    let (foreign, unknown) = (
        invoke(&bob, &agent, json!({"input": "Hello"})).await,
        invoke(&bob, "/builder/v1/agents/019cb8e2-3f4a-7c21-9b6d-000000000000", json!({"input": "Hello"})).await,
    );
    assert_eq!((foreign.status.as_str(), foreign.code()), ("404 Not Found", "agent_not_found"));
    assert_eq!(foreign.text, unknown.text);
}
