//! What runs send: retries, long messages, recipients, memory and files.

use tests::messaging::Fault;
use tests::messaging::deliveries::{Delivery, whatsapp_failure};

use super::stage::*;
use super::*;

pub async fn last_run(stage: &Stage) -> Value {
    let records = list(&stage.ada, &format!("{}/records", stage.workflow)).await;
    read(&stage.ada, &format!("{}/runs/{}", stage.workflow, records[0]["runId"].as_str().unwrap())).await
}

#[tokio::test]
async fn a_reply_waits_as_long_as_the_provider_asks() {
    let stage = Stage::start(MessagingProvider::Telegram, echo()).await;
    stage.fake.fail_next(Fault::RateLimit { seconds: 40 });
    stage.say(1, "Hello").await;
    assert_eq!((last_run(&stage).await["state"].clone(), stage.sent().len()), (json!("paused"), 0));
    let run = last_run(&stage).await["id"].as_str().unwrap().to_owned();
    let path = format!("{}/runs/{run}", stage.workflow);
    crate::runs::work_at(&stage.app, &path, domain::time::Time::now().plus(crate::runs::minutes(1))).await;
    assert_eq!(last_run(&stage).await["state"], "completed");
    assert_eq!(stage.sent(), ["You said: Hello"]);
}

#[tokio::test]
async fn a_refused_reply_fails_the_node_with_what_to_do() {
    let stage = Stage::start(MessagingProvider::Telegram, echo()).await;
    stage.fake.fail_next(Fault::Refusal("403 Forbidden: bot was blocked by the user"));
    stage.say(1, "Hello").await;
    let run = last_run(&stage).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("delivery_refused")), "{run}");
    let thread = stage.thread().await;
    let messages = list(&stage.ada, &format!("{thread}/messages?order=asc")).await;
    assert_eq!(messages[1]["status"], "failed");
    // The next message is answered.
    stage.say(2, "Again").await;
    assert_eq!(stage.sent(), ["You said: Again"]);
}

/// WhatsApp refuses a message to a person who has not written for 24 hours, so it is not sent.
#[tokio::test]
async fn a_reply_outside_the_window_is_not_sent() {
    const DAY_S: i64 = 24 * 60 * 60;
    let stage = Stage::start(MessagingProvider::Whatsapp, echo()).await;
    stage.say(1, "Hello").await;
    assert_eq!(stage.sent(), ["You said: Hello"]);
    let old = json!([{
        "from": stage.conversation(2), "id": "wamid.old", "type": "text", "text": {"body": "Hello"},
        "timestamp": (domain::time::Time::now().as_seconds() - DAY_S).to_string(),
    }]);
    let old = tests::messaging::deliveries::whatsapp_messages(&stage.credential, old);
    assert_eq!(stage.send(old).await.status, "200 OK");
    stage.fake.take_requests();
    stage.app.platform.drain().await;
    assert_eq!(stage.fake.take_requests().len(), 0);
    let run = last_run(&stage).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("delivery_refused")), "{run}");
    assert!(run["error"]["message"].as_str().unwrap().contains("24 hours"), "{run}");
    // A new message begins another window.
    stage.deliver(2, 1, "Again").await;
    stage.app.platform.drain().await;
    assert_eq!(stage.fake.texts(&stage.conversation(2)), ["You said: Again"]);
}

/// WhatsApp accepts a message, and reports later that it could not deliver it.
#[tokio::test]
async fn a_failure_that_is_reported_later_is_shown() {
    let stage = Stage::start(MessagingProvider::Whatsapp, echo()).await;
    stage.say(1, "Hello").await;
    stage.say(2, "Again").await;
    let report = |person: u32, id: &str| whatsapp_failure(&stage.credential, &stage.conversation(person), id, 131_026);
    let thread = stage.thread().await;
    let statuses = async || -> Vec<(String, Value)> {
        let messages = list(&stage.ada, &format!("{thread}/messages?order=asc")).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        messages.iter().map(|message| (text(&message["status"]), message["error"].clone())).collect()
    };
    let before = statuses().await;
    // Ids of other conversations, unknown ones, and those of messages of the participant.
    for ignored in [report(2, "wamid.sent.1"), report(1, "wamid.sent.9"), report(1, "wamid.1.1")] {
        assert_eq!(stage.send(ignored).await.status, "200 OK");
        assert_eq!(statuses().await, before);
    }
    for _ in 0..2 {
        assert_eq!(stage.send(report(1, "wamid.sent.1")).await.status, "200 OK");
        let after = statuses().await;
        let states: Vec<&str> = after.iter().map(|(state, _)| state.as_str()).collect();
        assert_eq!(states, ["received", "failed", "received", "sent"]);
        let error = after[1].1.as_str().unwrap();
        assert!(error.contains("131026") && error.contains("cannot receive"), "{error}");
    }
}

/// Each part of a long message has an id of its own.
#[tokio::test]
async fn the_failure_of_any_part_fails_the_message() {
    let reply = node("reply", "send_message", json!({"text": "word ".repeat(1_500)}));
    let draft = graph(&[node("ask", "message", json!({})), reply], &["ask.out reply"]);
    for part in ["wamid.sent.1", "wamid.sent.2"] {
        let stage = Stage::start(MessagingProvider::Whatsapp, draft.clone()).await;
        stage.say(1, "Hello").await;
        assert_eq!(stage.sent().len(), 2);
        let report = whatsapp_failure(&stage.credential, &stage.conversation(1), part, 131_026);
        assert_eq!(stage.send(report).await.status, "200 OK");
        let messages = list(&stage.ada, &format!("{}/messages", stage.thread().await)).await;
        assert_eq!(messages[0]["status"], "failed", "{part}");
    }
}

/// The id of the message is stored at the end of its delivery. A report that arrives earlier is repeated.
#[tokio::test]
async fn a_failure_that_is_reported_during_the_delivery_is_repeated() {
    let stage = Stage::start(MessagingProvider::Whatsapp, echo()).await;
    let report: Delivery = whatsapp_failure(&stage.credential, &stage.conversation(1), "wamid.sent.1", 131_026);
    stage.deliver(1, 1, "Hello").await;
    let held = stage.fake.hold_next();
    let reporting = async {
        let release = held.arrived().await;
        let early = stage.send(report.clone()).await;
        let _ = release.send(());
        early
    };
    let (_, early) = tokio::join!(stage.app.platform.drain(), reporting);
    assert_eq!(early.status, "503 Service Unavailable", "{}", early.text);
    assert_eq!(stage.sent(), ["You said: Hello"]);
    assert_eq!(stage.send(report).await.status, "200 OK");
    let messages = list(&stage.ada, &format!("{}/messages", stage.thread().await)).await;
    assert_eq!(messages[0]["status"], "failed");
}

/// The receiver of signed requests recognizes a repeated message, so nobody must decide what follows a lost answer.
#[tokio::test]
async fn a_signed_reply_is_repeated_with_its_id() {
    let reply = json!({"text": "You said: {{ input.text }}", "retry": {"maxAttempts": 3, "backoffMs": 0}});
    let nodes = [node("ask", "message", json!({})), node("reply", "send_message", reply)];
    let stage = Stage::start(MessagingProvider::Http, graph(&nodes, &["ask.out reply"])).await;
    stage.fake.fail_next(Fault::CutAfterAccept).fail_next(Fault::ServerError);
    stage.say(1, "Hello").await;
    stage.say(2, "Again").await;
    assert_eq!(last_run(&stage).await["state"], "completed");
    assert_eq!(stage.sent(), ["You said: Hello", "You said: Again"]);
    let requests = stage.fake.take_requests();
    let ids: Vec<&str> = requests.iter().map(|request| request.headers["webhook-id"].to_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
    assert!(ids[..3].iter().all(|id| *id == ids[0]) && ids[3] != ids[0], "{ids:?}");
    assert!(!ids.iter().any(|id| id.contains(['.', '/'])), "the id is a part of what is signed: {ids:?}");
}

#[tokio::test]
async fn a_long_reply_continues_after_its_last_accepted_part() {
    let text = "word ".repeat(1_500);
    let reply = node("reply", "send_message", json!({"text": text, "retry": {"maxAttempts": 3, "backoffMs": 0}}));
    let draft = graph(&[node("ask", "message", json!({})), reply], &["ask.out reply"]);
    let stage = Stage::start(MessagingProvider::Telegram, draft).await;
    stage.fake.fail_next(Fault::None).fail_next(Fault::RateLimit { seconds: 0 });
    stage.say(1, "Hello").await;
    let sent = stage.sent();
    assert_eq!(sent.len(), 2, "each part is sent once");
    assert!(sent.iter().all(|part| part.len() <= 4_096));
    let words = sent.join(" ");
    assert_eq!(words.split_whitespace().count(), 1_500);
}

#[tokio::test]
async fn a_run_can_begin_a_conversation() {
    let notify = node("notify", "send_message", json!({"text": "Order {{ input.n }} is ready", "to": "input.chat"}));
    let answer = node("answer", "send_message", json!({"text": "Thanks"}));
    let nodes = [node("start", "input", json!({})), notify, node("ask", "message", json!({})), answer];
    let stage = Stage::start(MessagingProvider::Slack, graph(&nodes, &["start.out notify", "ask.out answer"])).await;
    let workflow = stage.workflow.rsplit('/').next().unwrap().to_owned();
    crate::runs::start_run(&stage.ada, &workflow, json!({"n": 7, "chat": "D1"})).await;
    stage.app.platform.drain().await;
    assert_eq!(stage.sent(), ["Order 7 is ready"]);
    let thread = stage.thread().await;
    assert_eq!(stage.ada.get(&thread).await.json["data"]["participant"], Value::Null);
    // The answer of the participant belongs to the same conversation.
    stage.say(1, "Great").await;
    assert_eq!(stage.sent(), ["Order 7 is ready", "Thanks"]);
    assert_eq!(stage.messages(&thread).await.len(), 3);
    for (to, code) in
        [(json!(null), "no_recipient"), (json!("a:"), "invalid_recipient"), (json!([]), "invalid_recipient")]
    {
        let path = crate::runs::start_run(&stage.ada, &workflow, json!({"n": 1, "chat": to})).await;
        stage.app.platform.drain().await;
        assert_eq!(read(&stage.ada, &path).await["error"]["code"], code);
    }
}

/// However the recipient is written, the message belongs to the conversation that the participant began.
#[tokio::test]
async fn a_recipient_is_found_in_the_form_of_the_provider() {
    for (provider, recipients) in [
        (MessagingProvider::Whatsapp, [json!("+34 600-1"), json!(346_001), json!(346_001.0)]),
        (MessagingProvider::Http, [json!("room-1"), json!(" room-1"), json!("room-1 ")]),
        (MessagingProvider::Telegram, [json!("1"), json!(1), json!(1.0)]),
    ] {
        let notify = node("notify", "send_message", json!({"text": "News", "to": "input.chat"}));
        let answer = node("answer", "send_message", json!({"text": "Thanks"}));
        let nodes = [node("start", "input", json!({})), notify, node("ask", "message", json!({})), answer];
        let stage = Stage::start(provider, graph(&nodes, &["start.out notify", "ask.out answer"])).await;
        let workflow = stage.workflow.rsplit('/').next().unwrap().to_owned();
        stage.say(1, "Hello").await;
        for recipient in &recipients {
            crate::runs::start_run(&stage.ada, &workflow, json!({"chat": recipient})).await;
            stage.app.platform.drain().await;
        }
        assert_eq!(stage.messages(&stage.thread().await).await.len(), 2 + recipients.len(), "{provider:?}");
        assert_eq!(stage.sent(), ["Thanks", "News", "News", "News"]);
    }
}

/// A message that arrives during a run: it waits, interrupts the run, or starts none.
#[tokio::test]
async fn the_busy_policy_decides_about_messages_during_a_run() {
    let expected = [("enqueue", "paused", 2), ("interrupt", "cancelled", 2), ("reject", "paused", 1)];
    for (busy, first_state, runs) in expected {
        let check = node("check", "review", json!({"title": "Answer?"}));
        let nodes = [node("ask", "message", json!({"busy": busy})), check, node("end", "send_result", json!({}))];
        let ports = ["ask.out check", "check.approved end", "check.rejected end", "check.expired end"];
        let stage = Stage::start(MessagingProvider::Http, graph(&nodes, &ports)).await;
        stage.say(1, "One").await;
        let first = last_run(&stage).await["id"].as_str().unwrap().to_owned();
        let first = format!("{}/runs/{first}", stage.workflow);
        stage.say(2, "Two").await;
        assert_eq!(read(&stage.ada, &first).await["state"], first_state, "{busy}");
        carry_out(&stage.app, &stage.ada, &first).await;
        stage.app.platform.drain().await;
        assert_eq!(list(&stage.ada, &format!("{}/records", stage.workflow)).await.len(), runs, "{busy}");
        let texts: Vec<String> =
            stage.messages(&stage.thread().await).await.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["One", "Two"]);
    }
}
