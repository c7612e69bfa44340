//! The conversation of a test: its memory, its isolation, and its time limit.

use std::time::Duration;

use tests::clock::pass_time;
use tests::provider::{Behaviour, FakeProvider, Gate};

use super::super::memory::{model, prompt};
use super::*;

#[tokio::test]
async fn nothing_is_stored_and_nothing_is_sent() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    let body = json!({"target": "release", "script": [{"say": "Hi"}, {"say": "Bye"}]});
    run_test(&stage.ada, &stage.workflow, body.clone()).await;
    stage.app.recorder.take();
    let report = run_test(&stage.ada, &stage.workflow, body).await;
    assert_eq!(report["turns"][1]["replies"], json!(["You said: Bye"]));
    let writes =
        ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem", "PutObject", "SendMessage"];
    let calls = stage.app.recorder.take();
    assert!(!calls.is_empty() && calls.iter().all(|call| !writes.contains(&call.operation.as_str())), "{calls:?}");
    assert_eq!(stage.app.platform.drain().await, 0);
    for list in ["/threads", "/runs", "/records"] {
        assert_eq!(stage.read(list).await, json!([]), "{list}");
    }
    assert!(stage.fake.sent().is_empty() && stage.fake.take_requests().is_empty());
}

#[tokio::test]
async fn models_and_agents_know_the_earlier_messages() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = model(&app).await;
    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let changed = ada.patch(&format!("/builder/v1/agents/{agent}"), json!({"config": {"model": "echo"}})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    let thinkers = [
        ("model", json!({"model": "echo", "prompt": "{{ input.text }}", "memory": true})),
        ("agent", json!({"agentId": agent, "message": "{{ input.text }}", "memory": true})),
    ];
    for (kind, config) in thinkers {
        let think = node("think", kind, config);
        let workflow = create(&ada, chain(&[think, reply("reply", "{{ nodes.think.output }}")])).await;
        let script = json!([{"say": "I am Grace"}, {"say": "Who am I?"}]);
        let report = run_test(&ada, &workflow, json!({"script": script})).await;
        assert_eq!(column(&report, "replies"), [&json!(["Sure."]); 2], "{report}");
        assert_eq!(prompt(&fake), ["user: I am Grace", "assistant: Sure.", "user: Who am I?"], "{kind}");
        // Another test is another conversation.
        run_test(&ada, &workflow, json!({"script": [{"say": "Who am I?"}]})).await;
        assert_eq!(prompt(&fake), ["user: Who am I?"]);
    }
}

#[tokio::test]
async fn the_input_is_that_of_a_stored_message() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let text = "{{ input.text }} {{ input.participant.id }} {{ input.participant.name }} {{ input.attachments }} \
                {{ input.threadId }} {{ input.messageId }}";
    let workflow = create(&ada, chain(&[reply("reply", text)])).await;
    let report = run_test(&ada, &workflow, json!({"script": [{"say": "Hi"}, {"say": "Hi"}]})).await;
    let words = |turn: usize| -> Vec<String> {
        report["turns"][turn]["replies"][0].as_str().unwrap().split(' ').map(str::to_owned).collect()
    };
    let (one, two) = (words(0), words(1));
    assert_eq!(one.len(), 6, "{report}");
    assert_eq!(one[..5], two[..5], "the participant and the thread stay the same");
    assert_ne!(one[5], two[5], "each message has an id");
}

/// A recipient is read as the provider of the channel names conversations.
#[tokio::test]
async fn a_recipient_must_be_one_of_the_provider() {
    let aside = node("aside", "send_message", json!({"text": "News", "to": "input.text"}));
    let stage = Stage::start(MessagingProvider::Whatsapp, chain(&[aside])).await;
    for target in ["draft", "release"] {
        let body = json!({"target": target, "script": [{"say": "+34 600 123"}, {"say": "Grace"}]});
        let report = run_test(&stage.ada, &stage.workflow, body).await;
        assert_eq!(column(&report, "state"), ["completed", "failed"], "{report}");
        assert_eq!(report["turns"][1]["error"]["code"], "invalid_recipient");
    }
}

#[tokio::test]
async fn turns_without_time_are_reported() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (fake, gate) = (FakeProvider::start().await, Gate::closed());
    fake.respond_with(Behaviour::json(200, json!({})).gated_by(&gate));
    let call = node("call", "http", json!({"url": fake.base_url, "timeoutMs": 60_000}));
    let workflow = create(&ada, chain(&[reply("first", "One moment"), call])).await;
    let script = json!([{"say": "a", "expect": {"contains": "One"}}, {"say": "b", "expect": {"contains": "One"}}]);
    let time_passes = async {
        while fake.take_requests().is_empty() {
            tokio::task::yield_now().await;
        }
        pass_time(Duration::from_secs(25)).await;
    };
    let (report, ()) = tokio::join!(run_test(&ada, &workflow, json!({"script": script})), time_passes);
    assert_eq!(column(&report, "state"), ["failed", "failed"]);
    assert_eq!(column(&report, "replies"), [&json!(["One moment"]), &json!([])]);
    assert!(column(&report, "error").iter().all(|error| error["code"] == "timeout"), "{report}");
    assert_eq!((&report["passed"], column(&report, "message")), (&json!(false), vec![&json!("a"), &json!("b")]));
    gate.open();
}
