//! Operators take conversations over. A bot never answers over a human.

use futures::future::join_all;
use tests::messaging::Fault;

use super::stage::*;
use super::*;

/// 40 at once; 200 with `FULL_TESTS=1`.
fn takers() -> usize {
    if std::env::var_os("FULL_TESTS").is_some() { 200 } else { 40 }
}

#[tokio::test]
async fn one_of_many_simultaneous_takes_wins() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, "Hello").await;
    let path = format!("{}/operator-state", stage.thread().await);
    let take = |number: usize| stage.ada.post_json(&path, json!({"operator": format!("operator {number}")}));
    let answers = join_all((0..takers()).map(take)).await;
    let winners: Vec<&Answer> = answers.iter().filter(|answer| answer.status == "200 OK").collect();
    let [winner] = &winners[..] else { panic!("{} operators hold the thread", winners.len()) };
    let losers = answers.iter().filter(|answer| refusal(answer) == ("409", "thread_taken")).count();
    assert_eq!(losers, takers() - 1);
    let holder = winner.json["data"]["operatorState"].clone();
    assert_eq!(stage.ada.get(&path).await.json["data"], holder);
    let again = stage.ada.post_json(&path, json!({"operator": holder["operator"]["name"]})).await;
    assert_eq!(again.json["data"]["operatorState"], holder, "a repeated take changes nothing");
}

/// The operator takes the thread while the provider receives the reply: the take is answered after the reply was sent.
#[tokio::test]
async fn a_take_waits_for_the_reply_that_is_being_sent() {
    let stage = Stage::start(MessagingProvider::Telegram, echo()).await;
    stage.say(1, "Hello").await;
    let path = format!("{}/operator-state", stage.thread().await);
    let held = stage.fake.hold_next();
    stage.deliver(1, 2, "Again").await;
    let work = stage.app.platform.drain();
    let take = async {
        let release = held.arrived().await;
        let take = stage.ada.post_json(&path, json!({"operator": "Bo"}));
        let finish = async {
            // The take is stored, and waits.
            while stage.ada.get(&path).await.json["data"].is_null() {}
            let sent_before = stage.sent().len();
            release.send(()).unwrap();
            sent_before
        };
        let (taken, sent_before) = futures::future::join(take, finish).await;
        assert_eq!((&*taken.status, sent_before), ("200 OK", 1), "{}", taken.text);
        stage.sent().len()
    };
    let (_, sent_at_the_answer) = futures::future::join(work, take).await;
    assert_eq!((sent_at_the_answer, stage.sent().len()), (2, 2), "nothing is sent after the take was answered");
}

/// The operator takes the thread before the run sends its reply: the reply is not sent.
#[tokio::test]
async fn a_reply_after_a_take_is_suppressed() {
    let check = node("check", "review", json!({"title": "Send?"}));
    let reply = node("reply", "send_message", json!({"text": "You said: {{ nodes.ask.output.text }}"}));
    let end = node("end", "send_result", json!({"output": "nodes.reply.output.status"}));
    let nodes = [node("ask", "message", json!({})), check, reply, end];
    let draft = graph(&nodes, &["ask.out check", "check.approved reply", "reply.out end"]);
    let stage = Stage::start(MessagingProvider::Whatsapp, draft).await;
    stage.say(1, "Hello").await;
    let thread = stage.thread().await;
    let taken = stage.ada.post(&format!("{thread}/operator-state")).await;
    assert_eq!(taken.status, "200 OK", "{}", taken.text);
    let records = list(&stage.ada, &format!("{}/records", stage.workflow)).await;
    let run = format!("{}/runs/{}", stage.workflow, records[0]["runId"].as_str().unwrap());
    let approved = stage.ada.post_json(&format!("{run}/resolve-wait"), json!({"decision": "approve"})).await;
    assert_eq!(approved.status, "200 OK", "{}", approved.text);
    stage.app.platform.drain().await;
    assert_eq!(read(&stage.ada, &run).await["output"], "suppressed");
    assert_eq!(stage.sent(), Vec::<String>::new());
}

#[tokio::test]
async fn only_the_holder_writes_and_releases() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    stage.say(1, "Hello").await;
    let thread = stage.thread().await;
    let (state, messages) = (format!("{thread}/operator-state"), format!("{thread}/messages"));
    let write = |operator: &'static str| stage.ada.post_json(&messages, json!({"content": "Hi", "operator": operator}));
    assert_eq!(refusal(&write("Bo").await), ("409", "invalid_state"), "nobody holds the thread");
    assert_eq!(refusal(&stage.ada.post(&format!("{state}/release")).await), ("409", "invalid_state"));
    stage.ada.post_json(&state, json!({"operator": "Bo"})).await;
    assert_eq!(refusal(&write("Cy").await), ("409", "thread_taken"));
    let by_another = stage.ada.post_json(&format!("{state}/release"), json!({"operator": "Cy"})).await;
    assert_eq!(refusal(&by_another), ("409", "thread_taken"));
    let nudge = thread.replace("/threads/", "/records/threads/") + "/nudge";
    assert_eq!(refusal(&stage.ada.post(&nudge).await), ("409", "thread_taken"));
    let cleared = stage.ada.delete(&state).await;
    assert_eq!(cleared.json["data"]["state"], "idle", "{}", cleared.text);
    assert_eq!(stage.sent(), ["You said: Hello"]);
}

#[tokio::test]
async fn an_operator_message_is_sent_once_for_each_idempotency_key() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    stage.say(1, "Hello").await;
    let thread = stage.thread().await;
    stage.ada.post(&format!("{thread}/operator-state")).await;
    let send_with_key = |content: &'static str| {
        let request = stage.ada.request(reqwest::Method::POST, &format!("{thread}/messages"));
        let request = request.header("idempotency-key", NOWHERE).json(&json!({"content": content}));
        tests::client::send(request)
    };
    stage.fake.fail_next(Fault::RateLimit { seconds: 7 });
    let limited = send_with_key("**Hi**").await;
    assert_eq!((refusal(&limited), limited.header("retry-after")), (("429", "rate_limit_exceeded"), Some("7")));
    let first = send_with_key("**Hi**").await;
    let second = send_with_key("**Hi**").await;
    assert_eq!(
        (&*first.status, &first.json["data"]["id"]),
        ("201 Created", &second.json["data"]["id"]),
        "{}",
        first.text
    );
    assert_eq!(refusal(&send_with_key("Another").await), ("409", "idempotency_conflict"));
    assert_eq!(stage.sent(), ["You said: Hello", "*Hi*"]);

    stage.fake.fail_next(Fault::Refusal("channel_not_found"));
    let refused = stage.ada.post_json(&format!("{thread}/messages"), json!({"content": "Lost"})).await;
    assert_eq!(refusal(&refused), ("422", "delivery_refused"));
    stage.fake.fail_next(Fault::CutAfterAccept);
    let uncertain = stage.ada.post_json(&format!("{thread}/messages"), json!({"content": "Perhaps"})).await;
    assert_eq!((&*uncertain.status, &uncertain.json["data"]["status"]), ("201 Created", &json!("uncertain")));
}

#[tokio::test]
async fn bad_requests_name_the_field() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    stage.say(1, "Hello").await;
    let thread = stage.thread().await;
    let (state, messages) = (format!("{thread}/operator-state"), format!("{thread}/messages"));
    let bodies = [
        (&state, json!({"operator": ""}), "operator"),
        (&state, json!({"operator": "a\nb"}), "operator"),
        (&state, json!({"operator": "a".repeat(201)}), "operator"),
        (&state, json!({"name": "Bo"}), "name"),
        (&messages, json!({"content": " "}), "content"),
        (&messages, json!({"content": "a".repeat(16_001)}), "content"),
        (&messages, json!({}), "content"),
    ];
    for (path, body, field) in bodies {
        let refused = stage.ada.post_json(path, body).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{field}");
        assert!(message(&refused).contains(field), "{}", refused.text);
    }
    for ids in [json!([]), json!(vec![NOWHERE; 101])] {
        let refused = stage.ada.post_json(&format!("{WORKFLOWS}/threads/batch"), json!({"ids": ids})).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"));
    }
}

#[tokio::test]
async fn threads_of_other_accounts_do_not_exist() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    stage.say(1, "Hello").await;
    let bob = stage.app.person("bob");
    let thread = stage.thread().await;
    let id = thread.rsplit('/').next().unwrap();
    let nudge = thread.replace("/threads/", "/records/threads/") + "/nudge";
    let participants = list(&stage.ada, &format!("{}/records/participants", stage.workflow)).await;
    let participant = format!("{}/records/participants/{}", stage.workflow, participants[0]["id"].as_str().unwrap());
    let own = publish(&bob, double()).await;
    for path in [thread.clone(), format!("{thread}/messages"), format!("{thread}/operator-state"), participant.clone()]
    {
        assert_eq!(refusal(&bob.get(&path).await), ("404", "workflow_not_found"), "{path}");
    }
    for path in [format!("{thread}/operator-state"), format!("{thread}/operator-state/release"), nudge] {
        assert_eq!(refusal(&bob.post(&path).await), ("404", "workflow_not_found"), "{path}");
    }
    assert_eq!(refusal(&bob.delete(&participant).await), ("404", "workflow_not_found"));
    // Under a workflow of his own, too.
    let under_own = format!("{WORKFLOWS}/{own}/threads/{id}");
    let nowhere = format!("{WORKFLOWS}/{own}/threads/{NOWHERE}");
    let (foreign, missing) = (bob.get(&under_own).await, bob.get(&nowhere).await);
    assert_eq!((refusal(&foreign), &foreign.json), (("404", "thread_not_found"), &missing.json));
    let batch = bob.post_json(&format!("{WORKFLOWS}/threads/batch"), json!({"ids": [id]})).await;
    assert_eq!(batch.json["data"], json!([]));
    assert_eq!(stage.sent(), ["You said: Hello"]);
}
