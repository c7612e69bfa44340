//! Chats with `guard: true`: the conversation is evaluated after the answer, through a queue.

use domain::money::Money;
use tests::polling::eventually;
use tests::provider::{Behaviour, Gate};

use super::*;

const STREAM: &str = include_str!("../../../providers/fixtures/openai/stream.sse");

/// The text of that stream.
const STREAMED: &str = "Because a lease is taken first.";

#[tokio::test]
async fn a_chat_is_evaluated_with_its_answer_and_charged_once() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let harmful = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {
        "role": "assistant", "content": "te voy a matar"}}]});
    fake.then_respond(Behaviour::json(200, harmful));
    ModelBuilder::new("angry").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("chats", Money::from_usd(1)).await;
    let asked = with(question("angry"), json!({"guard": true, "messages": [message("hello")]}));
    let answer = chat(&customer.person, &asked).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let pending = &events(&customer.person, "").await[0];
    assert_eq!((&pending["status"], &pending["flagged"]), (&json!("pending"), &json!(false)), "the chat does not wait");

    assert_eq!(app.platform.drain().await, 1);
    let events = events(&customer.person, "").await;
    assert_eq!(events.len(), 1);
    let event = &events[0];
    assert_eq!(
        (&event["status"], &event["flagged"], &event["source"], &event["model"], &event["blocked"]),
        (&json!("completed"), &json!(true), &json!("chat"), &json!("dev-guard"), &json!(false))
    );
    assert_eq!(event["request_id"].as_str(), answer.header("x-request-id"));
    assert_eq!((&event["api_key"], &event["input"]), (&json!(customer.key.to_string()), &Value::Null));
    let results = event["results"].as_array().unwrap();
    assert_eq!((results.len(), flagged(&results[0]), flagged(&results[1])), (2, vec![], vec!["violence"]));
    // The chat and its evaluation.
    assert_eq!(app.sum_charges(customer.account.org).await.1, 2);
}

#[tokio::test]
async fn streams_are_evaluated_also_if_the_client_leaves() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    ModelBuilder::new("slow").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("streams", Money::from_usd(1)).await;
    let asked = with(question("slow"), json!({"guard": true, "stream": true}));
    fake.then_respond(Behaviour::events(STREAM));
    assert_eq!(chat(&customer.person, &asked).await.status, "200 OK");
    let tasks = take_tasks(&app).await;
    let text = serde_json::to_value(&tasks[0]).unwrap()["input"]["messages"][1]["content"].clone();
    assert_eq!(text, STREAMED);

    let gate = Gate::closed();
    fake.then_respond(Behaviour::events(STREAM).gated_by(&gate));
    gate.admit(3);
    let mut left =
        customer.person.request(reqwest::Method::POST, tests::gateway::CHAT).json(&asked).send().await.unwrap();
    for _ in 0..3 {
        left.chunk().await.unwrap();
    }
    drop(left);
    let task = eventually("the evaluation of the stream", async || take_tasks(&app).await.pop()).await;
    worker(&app).handle_guard_task(task).await.unwrap();
    let statuses: Vec<_> =
        events(&customer.person, "?flagged=false").await.iter().map(|event| event["status"].clone()).collect();
    assert_eq!(statuses, ["completed", "pending"], "the first task was taken out and lost");
}

#[tokio::test]
async fn repeated_messages_evaluate_and_charge_once() {
    let app = TestApp::start().await;
    let customer = app.customer("repeated", Money::from_usd(1)).await;
    chat(&customer.person, &guarded("hello")).await;
    let task = take_tasks(&app).await.pop().unwrap();
    let (one, two) = (worker(&app), worker(&app));
    let (first, second) = tokio::join!(one.handle_guard_task(task.clone()), two.handle_guard_task(task.clone()));
    first.and(second).unwrap();
    one.handle_guard_task(task).await.unwrap();
    assert_eq!(events(&customer.person, "").await.len(), 1);
    assert_eq!(app.sum_charges(customer.account.org).await.1, 2);
    let usage = app.usage(customer.account.org).await.total();
    assert_eq!(usage.requests, 2);
}

#[tokio::test]
async fn a_guard_model_that_fails_never_fails_the_chat_and_is_tried_again() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(400, json!({"error": {"code": "bad", "message": "quoted: te voy a matar"}})));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    let operator = app.operator();
    operator.put("/gateway/v1/admin/aliases/guard", json!({"model": "watch"})).await;
    let customer = app.customer("failures", Money::from_usd(1)).await;
    assert_eq!(chat(&customer.person, &guarded("te voy a matar")).await.status, "200 OK");
    let task = take_tasks(&app).await.pop().unwrap();
    app.recorder.take();
    worker(&app).handle_guard_task(task.clone()).await.unwrap();
    assert!(app.recorder.take_costs().to_string().contains("1 sqs:SendMessage"), "it is sent again");
    let failed = &events(&customer.person, "").await[0];
    assert_eq!(
        (&failed["status"], &failed["error"]["code"], &failed["flagged"], &failed["results"]),
        (&json!("failed"), &json!("bad"), &json!(false), &json!([]))
    );
    assert!(!failed.to_string().contains("matar"), "the organization keeps no texts: {failed}");

    fake.respond_with(Behaviour::json(
        200,
        json!({"results": [
            {"category_scores": {"violence": 0.99}}, {"category_scores": {"violence": 0.01}},
        ]}),
    ));
    worker(&app).handle_guard_task(task).await.unwrap();
    let events = events(&customer.person, "").await;
    assert_eq!((events.len(), &events[0]["id"], &events[0]["status"]), (1, &failed["id"], &json!("completed")));
    assert_eq!((&events[0]["flagged"], &events[0]["error"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn an_evaluation_is_given_up_after_six_failures() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(400, json!({"error": {"code": "bad", "message": "no"}})));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    app.operator().put("/gateway/v1/admin/aliases/guard", json!({"model": "watch"})).await;
    let customer = app.customer("given up", Money::from_usd(1)).await;
    chat(&customer.person, &guarded("hello")).await;
    let task = take_tasks(&app).await.pop().unwrap();
    let mut sent = Vec::new();
    for _ in 0..6 {
        app.recorder.take();
        worker(&app).handle_guard_task(task.clone()).await.unwrap();
        sent.push(app.recorder.take_costs().to_string().contains("sqs:SendMessage"));
    }
    assert_eq!(sent, [true, true, true, true, true, false]);
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1, "failed evaluations are not charged");
}

#[tokio::test]
async fn a_long_conversation_waits_in_an_object() {
    let app = TestApp::start().await;
    let customer = app.customer("long", Money::from_usd(5)).await;
    let long = format!("{} I will kill you", "Please read this. ".repeat(10_000));
    let mut body = guarded(&long);
    let fake = FakeProvider::start().await;
    let reply =
        json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "."}}]});
    fake.then_respond(Behaviour::json(200, reply));
    let model = ModelBuilder::new("wide").with(|model| model.context_window = None);
    model.with_deployment(&app, &fake).await.insert(&app).await;
    body["model"] = json!("wide");
    let answer = chat(&customer.person, &body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let task = take_tasks(&app).await.pop().unwrap();
    assert!(serde_json::to_value(&task).unwrap()["input"]["object"].as_str().unwrap().starts_with("tmp/guard/grd_"));
    worker(&app).handle_guard_task(task.clone()).await.unwrap();
    assert_eq!(events(&customer.person, "?category=violence").await.len(), 1);
    assert_eq!(app.objects("tmp/guard"), 0);
    // A late duplicate finds nothing to do.
    worker(&app).handle_guard_task(task).await.unwrap();
    assert_eq!(app.sum_charges(customer.account.org).await.1, 2);
}

#[tokio::test]
async fn a_plan_without_a_guard_model_does_not_support_the_parameter() {
    let app = TestApp::start().await;
    let customer = app.customer("no guard", Money::from_usd(1)).await;
    let operator = app.operator();
    let plan = json!({"name": "No guard", "models": ["dev-chat"]});
    operator.put("/gateway/v1/admin/plans/no-guard", plan).await;
    operator.patch(&format!("/gateway/v1/admin/orgs/{}", customer.account.org), json!({"plan": "no-guard"})).await;
    let answer = chat(&customer.person, &guarded("hello")).await;
    assert_eq!(refusal(&answer), ("400", "parameter_not_supported"));
    assert_eq!(answer.json["error"]["param"], "guard");
    let answer = post(&customer.person, GUARD, &json!({"input": [message("hello")]})).await;
    assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!("model")));
}

#[tokio::test]
async fn the_guard_adds_one_write_and_one_message_beside_the_charge() {
    let app = TestApp::start().await;
    let customer = app.customer("costs", Money::from_usd(1)).await;
    let mut plain = guarded("hello");
    plain["guard"] = json!(false);
    // The first calls fill the caches and get a lease of many calls.
    for _ in 0..4 {
        chat(&customer.person, &plain).await;
    }
    let expected = ["1 dynamodb:PutItem (2 units)", "2 dynamodb:PutItem (4 units), 1 sqs:SendMessage"];
    let mut calls = Vec::new();
    // A lease may end between two calls, with and without the guard. Then they are counted again.
    for _ in 0..20 {
        calls.clear();
        for body in [plain.clone(), guarded("hello")] {
            app.recorder.take();
            assert_eq!(chat(&customer.person, &body).await.status, "200 OK");
            calls.push(app.recorder.take_costs().to_string());
        }
        if calls == expected {
            return;
        }
    }
    assert_eq!(calls, expected);
}
