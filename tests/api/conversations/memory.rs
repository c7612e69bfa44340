//! What agents and models know of a conversation: earlier messages, and the files of the message.

use tests::gateway::ModelBuilder;
use tests::messaging::Fault;
use tests::provider::{Behaviour, FakeProvider, RecordedRequest};

use super::replies::last_run;
use super::stage::*;
use super::*;

/// A model that always gives the same answer.
pub async fn model(app: &TestApp) -> FakeProvider {
    let fake = FakeProvider::start().await;
    ModelBuilder::new("echo").with_deployment(app, &fake).await.insert(app).await;
    let message = json!({"role": "assistant", "content": "Sure."});
    let answer = json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9},
    });
    fake.respond_with(Behaviour::json(200, answer));
    fake
}

/// A workflow whose node `think` answers each message.
pub async fn stage_with(ai: Value) -> (Stage, FakeProvider) {
    let fake = tests::messaging::FakeMessaging::start().await;
    let app = TestApp::start_with_options(|options| options.settings = fake.settings()).await;
    let model = model(&app).await;
    let reply = node("reply", "send_message", json!({"text": "{{ nodes.think.output }}"}));
    let nodes = [node("ask", "message", json!({})), ai, reply];
    let draft = graph(&nodes, &["ask.out think", "think.out reply"]);
    (Stage::on(app, fake, MessagingProvider::Http, draft).await, model)
}

/// The messages of the last request, as `role: content`.
pub fn prompt(model: &FakeProvider) -> Vec<String> {
    messages_of(&model.take_requests().pop().unwrap())
}

/// The messages of a request, as `role: content`.
fn messages_of(request: &RecordedRequest) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap().iter();
    messages
        .map(|message| format!("{}: {}", message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_model_with_memory_knows_the_conversation() {
    let config = json!({"model": "echo", "system": "Be kind.", "prompt": "{{ input.text }}", "memory": true});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    stage.say(1, "I am Grace").await;
    assert_eq!(prompt(&model), ["system: Be kind.", "user: I am Grace"]);
    let thread = stage.thread().await;
    stage.ada.post(&format!("{thread}/operator-state")).await;
    stage.say(2, "Is anybody there?").await;
    let hi = stage.ada.post_json(&format!("{thread}/messages"), json!({"content": "Yes, Bo is"})).await;
    assert_eq!(hi.status, "201 Created", "{}", hi.text);
    stage.ada.delete(&format!("{thread}/operator-state")).await;
    stage.say(3, "Who am I?").await;
    let expected = [
        "system: Be kind.",
        "user: I am Grace",
        "assistant: Sure.",
        "user: Is anybody there?",
        "assistant: [a human colleague answered] Yes, Bo is",
        "user: Who am I?",
    ];
    assert_eq!(prompt(&model), expected);
}

/// Runs have the order of the provider, so a message that arrived late is part of the memory of the next one.
#[tokio::test]
async fn the_memory_has_the_order_of_the_provider() {
    let config = json!({"model": "echo", "prompt": "now", "memory": true});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    for number in [2, 3, 1] {
        stage.deliver(1, number, &format!("Message {number}")).await;
    }
    stage.app.platform.drain().await;
    let prompts: Vec<Vec<String>> = model.take_requests().iter().map(messages_of).collect();
    let [first, second, third] = &prompts[..] else { panic!("three prompts: {prompts:?}") };
    assert_eq!(first, &["user: now"]);
    assert_eq!(second, &["user: Message 1", "assistant: Sure.", "user: now"]);
    let expected = ["user: Message 1", "user: Message 2", "assistant: Sure.", "assistant: Sure.", "user: now"];
    assert_eq!(third, &expected);
}

/// Many messages that wait do not hide the earlier ones.
#[tokio::test]
async fn messages_that_wait_take_no_place_in_the_memory() {
    let config = json!({"model": "echo", "prompt": "now", "memory": true});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    stage.say(1, "I am Grace").await;
    model.take_requests();
    for number in 2..=90 {
        stage.deliver(1, number, "And?").await;
    }
    stage.app.platform.drain().await;
    assert_eq!(messages_of(&model.take_requests()[0]), ["user: I am Grace", "assistant: Sure.", "user: now"]);
}

#[tokio::test]
async fn a_model_without_memory_knows_only_its_prompt() {
    let config = json!({"model": "echo", "prompt": "{{ input.text }}"});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    stage.say(1, "I am Grace").await;
    stage.say(2, "Who am I?").await;
    assert_eq!(prompt(&model), ["user: Who am I?"]);
}

#[tokio::test]
async fn an_agent_has_a_memory_unless_it_is_turned_off() {
    let config = |agent: &str| json!({"agentId": agent, "message": "{{ input.text }}"});
    let (stage, model) = stage_with(node("think", "model", json!({"model": "echo", "prompt": "hi"}))).await;
    let agent = stage.ada.post("/builder/v1/agents").await;
    let path = format!("/builder/v1/agents/{}", agent.id());
    assert_eq!(stage.ada.patch(&path, json!({"config": {"model": "echo"}})).await.status, "200 OK");
    for memory in [true, false] {
        let mut ai = node("think", "agent", config(agent.id()));
        ai["config"]["memory"] = json!(memory);
        let reply = node("reply", "send_message", json!({"text": "{{ nodes.think.output }}"}));
        let nodes = [node("ask", "message", json!({})), ai, reply];
        let draft = graph(&nodes, &["ask.out think", "think.out reply"]);
        assert_eq!(stage.ada.patch(&stage.workflow, json!({"graph": draft})).await.status, "200 OK");
        assert_eq!(stage.ada.post(&format!("{}/publish", stage.workflow)).await.status, "201 Created");
        stage.say(if memory { 1 } else { 3 }, "I am Grace").await;
        stage.say(if memory { 2 } else { 4 }, "Who am I?").await;
        let expected: &[&str] = match memory {
            true => &["user: I am Grace", "assistant: Sure.", "user: Who am I?"],
            false => &["user: Who am I?"],
        };
        assert_eq!(prompt(&model), expected);
    }
}

/// Old messages are left out, so that the prompt stays within its window.
#[tokio::test]
async fn the_memory_has_a_limit_of_tokens() {
    let config = json!({"model": "echo", "prompt": "now", "memory": true});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    for number in 1..=4 {
        stage.say(number, &format!("{number}{}", "x".repeat(15_000))).await;
    }
    let known: Vec<String> = prompt(&model).iter().map(|message| message.chars().take(9).collect()).collect();
    assert_eq!(
        known,
        ["assistant", "user: 2xx", "assistant", "user: 3xx", "assistant", "user: now"].map(str::to_owned)
    );
}

/// A message with a file that its provider does not deliver now.
async fn say_with_file(stage: &Stage, number: u32) {
    let file = stage.fake.add_file(MessagingProvider::Http, "notes.txt", "text/plain", b"Buy milk");
    let attachment = json!({"url": file.reference, "name": file.name, "mediaType": file.media_type});
    let body = json!({
        "conversation": stage.conversation(1), "participant": {"id": "u1"}, "text": "Look", "attachments": [attachment],
    });
    let now = domain::time::Time::now();
    let id = number.to_string();
    let delivery = tests::messaging::deliveries::signed_request(&stage.credential, &id, now, &body);
    assert_eq!(stage.send(delivery).await.status, "200 OK");
    stage.app.platform.drain().await;
}

#[tokio::test]
async fn a_file_that_is_not_available_is_tried_again() {
    let retry = json!({"maxAttempts": 2, "backoffMs": 0});
    let config = json!({"model": "echo", "prompt": "{{ input.text }}", "attachments": true, "retry": retry});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    // Three failures end the first attempt of the node.
    for failures in [1, 3] {
        for _ in 0..failures {
            stage.fake.fail_next(Fault::ServerError);
        }
        say_with_file(&stage, failures).await;
        later(&stage).await;
        let request = model.take_requests().pop().unwrap();
        assert_eq!(request.body["messages"][0]["content"][1]["text"], "[notes.txt]\nBuy milk", "{failures}");
    }
    // A long wait is left to the retry policy: each attempt is one request.
    stage.fake.fail_next(Fault::RateLimit { seconds: 40 }).fail_next(Fault::RateLimit { seconds: 40 });
    say_with_file(&stage, 9).await;
    assert_eq!(last_run(&stage).await["state"], "paused");
    later(&stage).await;
    let run = last_run(&stage).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("file_unavailable")), "{run}");
}

/// Continues the last run after the wait for its next attempt.
async fn later(stage: &Stage) {
    let run = last_run(stage).await["id"].as_str().unwrap().to_owned();
    let path = format!("{}/runs/{run}", stage.workflow);
    crate::runs::work_at(&stage.app, &path, domain::time::Time::now().plus(crate::runs::minutes(1))).await;
}

#[tokio::test]
async fn the_files_of_a_message_are_in_the_prompt() {
    let config = json!({"model": "echo", "prompt": "{{ input.text }}", "attachments": true});
    let (stage, model) = stage_with(node("think", "model", config)).await;
    let files = [
        stage.fake.add_file(MessagingProvider::Http, "cat.png", "image/png", b"\x89PNG"),
        stage.fake.add_file(MessagingProvider::Http, "notes.txt", "text/plain", b"Buy milk"),
        stage.fake.add_file(MessagingProvider::Http, "film.mp4", "video/mp4", b"..."),
    ];
    let attachments =
        files.iter().map(|file| json!({"url": file.reference, "name": file.name, "mediaType": file.media_type}));
    let missing = json!({"url": format!("{}/files/gone.txt", stage.fake.base_url), "name": "gone.txt", "mediaType": "text/plain"});
    let attachments: Vec<Value> = attachments.chain([missing]).collect();
    let body = json!({
        "conversation": stage.conversation(1), "participant": {"id": "u1"}, "text": "Look", "attachments": attachments,
    });
    let now = domain::time::Time::now();
    let delivery = tests::messaging::deliveries::signed_request(&stage.credential, "1", now, &body);
    assert_eq!(stage.send(delivery).await.status, "200 OK");
    stage.app.platform.drain().await;
    let request = model.take_requests().pop().unwrap();
    let expected = json!([
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        {"type": "text", "text": "[notes.txt]\nBuy milk"},
        {"type": "text", "text": "[film.mp4: a file of the type video/mp4, which cannot be shown]"},
        {"type": "text", "text": "[gone.txt: the file could not be fetched]"},
    ]);
    assert_eq!(request.body["messages"][0]["content"], expected);
    let thread = stage.thread().await;
    let listed = list(&stage.ada, &format!("{thread}/messages?order=asc")).await;
    assert_eq!(listed[0]["attachments"].as_array().unwrap().len(), 4);
    assert!(!listed[0].to_string().contains("http://"), "the URL of a file is not shown: {}", listed[0]);
    assert_eq!(stage.app.objects("threads"), 3, "the files are stored");
}
