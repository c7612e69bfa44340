//! Goals: the test agent writes the messages, and judges the conversation.

use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

/// An answer of a model.
fn chat(text: impl ToString) -> Behaviour {
    let message = json!({"role": "assistant", "content": text.to_string()});
    let answer = json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9},
    });
    Behaviour::json(200, answer)
}

/// A workflow that repeats messages, and a test agent with a model that gives these answers.
async fn start(answers: Vec<Behaviour>) -> (TestApp, Person, String, FakeProvider) {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    ModelBuilder::new("guest").with_deployment(&app, &fake).await.insert(&app).await;
    for answer in answers {
        fake.then_respond(answer);
    }
    let workflow = create(&ada, echo()).await;
    let agent = ada.get(&test_path(&workflow)).await.json["data"]["agent"]["id"].as_str().unwrap().to_owned();
    let config = json!({"model": "guest", "instructions": "You are Grace.", "temperature": 0.5});
    let changed = ada.patch(&format!("/builder/v1/agents/{agent}"), json!({"config": config})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    (app, ada, workflow, fake)
}

fn content(request: &Value, message: usize) -> &str {
    request["messages"][message]["content"].as_str().unwrap()
}

#[tokio::test]
async fn the_test_agent_writes_until_the_goal_is_reached() {
    let verdict = json!({"reached": true, "reason": "The company repeated it."});
    let (app, ada, workflow, fake) =
        start(vec![chat(" Repeat: blue [DONE]"), chat("\"[DONE].\""), chat(verdict.clone())]).await;
    let report = run_test(&ada, &workflow, json!({"goal": "Hear the word blue."})).await;
    let turn = json!({
        "message": "Repeat: blue", "replies": ["You said: Repeat: blue"], "state": "completed", "error": null,
        "passed": null, "reason": null,
    });
    assert_eq!(report, json!({"passed": true, "turns": [turn], "goal": verdict}));

    let requests = fake.take_requests();
    let [first, second, judge] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert_eq!(content(&first.body, 0), "You are Grace.\n\nYour goal in this conversation: Hear the word blue.");
    assert!(content(&first.body, 1).contains("(nobody has written yet)"));
    assert_eq!(first.body["temperature"], 0.5);
    let transcript = "Customer: Repeat: blue\nCompany: You said: Repeat: blue\n";
    assert!(content(&second.body, 1).contains(transcript), "{}", second.body);
    assert!(content(&judge.body, 1).contains(transcript.trim_end()), "{}", judge.body);
    assert_eq!(judge.body["response_format"]["type"], "json_schema");

    let usage = app.key_client("ada").get("/gateway/v1/billing/usage").await;
    assert_eq!(usage.json["total_requests"], 3, "the caller pays for the calls: {}", usage.text);
    let agent = ada.get(&test_path(&workflow)).await;
    assert_eq!(agent.json["data"]["agent"]["requests"], 1);
}

#[tokio::test]
async fn a_goal_that_is_not_reached_in_time_fails_the_test() {
    let verdict = json!({"reached": false, "reason": "It was never said."});
    let (_app, ada, workflow, fake) = start(vec![chat("a"), chat("b"), chat(verdict.clone())]).await;
    let report = run_test(&ada, &workflow, json!({"goal": "Hear the word blue.", "turns": 2})).await;
    assert_eq!(column(&report, "message"), ["a", "b"]);
    assert_eq!((&report["passed"], &report["goal"]), (&json!(false), &verdict));
    assert_eq!(fake.take_requests().len(), 3);
}

#[tokio::test]
async fn a_failure_of_its_model_is_part_of_the_report() {
    let refused = Behaviour::json(400, json!({"error": {"message": "no", "code": "bad"}}));
    let (_app, ada, workflow, _fake) = start(vec![chat("a"), refused.clone(), chat("It went well")]).await;
    let report = run_test(&ada, &workflow, json!({"goal": "Hear the word blue."})).await;
    assert_eq!(column(&report, "state"), ["completed", "failed"], "{report}");
    assert_eq!(report["turns"][1]["message"], "");
    let problem = report["turns"][1]["error"]["message"].as_str().unwrap();
    assert!(problem.starts_with("the test agent wrote no message: "), "{problem}");
    assert_eq!((&report["passed"], &report["goal"]["reached"]), (&json!(false), &json!(false)));
    let reason = report["goal"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("the model of the test agent gave no verdict: the answer is not JSON"), "{reason}");
}

#[tokio::test]
async fn a_new_test_agent_has_a_model() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let workflow = create(&ada, echo()).await;
    let report = run_test(&ada, &workflow, json!({"goal": "Hear the word blue.", "turns": 1})).await;
    assert_eq!(column(&report, "state"), ["completed"], "{report}");
    assert!(report["goal"]["reason"].is_string(), "{report}");
}

#[tokio::test]
async fn a_paused_test_agent_writes_nothing() {
    let (_app, ada, workflow, fake) = start(vec![chat("a")]).await;
    let agent = ada.get(&test_path(&workflow)).await.json["data"]["agent"]["id"].as_str().unwrap().to_owned();
    ada.patch(&format!("/builder/v1/agents/{agent}"), json!({"status": "paused"})).await;
    let refused = ada.post_json(&test_path(&workflow), json!({"goal": "Hear the word blue."})).await;
    assert_eq!(refusal(&refused), ("409", "invalid_state"));
    assert!(fake.take_requests().is_empty());
    // A script needs no test agent.
    assert_eq!(run_test(&ada, &workflow, json!({"script": [{"say": "Hi"}]})).await["passed"], true);
}
