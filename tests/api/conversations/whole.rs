//! A whole conversation with each provider: a message is answered by a run, an operator takes over and gives back.

use super::stage::*;
use super::*;

#[tokio::test]
async fn slack() {
    converse(MessagingProvider::Slack).await;
}

#[tokio::test]
async fn telegram() {
    converse(MessagingProvider::Telegram).await;
}

#[tokio::test]
async fn whatsapp() {
    converse(MessagingProvider::Whatsapp).await;
}

#[tokio::test]
async fn signed_http() {
    converse(MessagingProvider::Http).await;
}

async fn converse(provider: MessagingProvider) {
    let stage = Stage::start(provider, echo()).await;
    stage.say(1, "Hello").await;
    assert_eq!(stage.sent(), ["You said: Hello"]);
    let thread = stage.thread().await;
    let state = format!("{thread}/operator-state");
    assert_eq!(stage.ada.get(&state).await.json["data"], Value::Null);

    let taken = stage.ada.post_json(&state, json!({"operator": "Bo"})).await;
    assert_eq!((&*taken.status, &taken.json["data"]["state"]), ("200 OK", &json!("operator")), "{}", taken.text);
    let ada = stage.ada.get("/gateway/v1/me").await.json["user"]["id"].clone();
    assert_eq!(stage.ada.get(&state).await.json["data"]["operator"], json!({"userId": ada, "name": "Bo"}));
    stage.say(2, "A person, please").await;
    assert_eq!(stage.sent().len(), 1, "no run answers while an operator holds the thread");
    let reply = json!({"content": "Here I am", "operator": "Bo"});
    let written = stage.ada.post_json(&format!("{thread}/messages"), reply).await;
    assert_eq!(
        (&*written.status, &written.json["data"]["status"]),
        ("201 Created", &json!("sent")),
        "{}",
        written.text
    );
    let released = stage.ada.post_json(&format!("{state}/release"), json!({"operator": "Bo"})).await;
    assert_eq!(released.json["data"]["operatorState"], Value::Null, "{}", released.text);
    stage.say(3, "Thanks").await;
    assert_eq!(stage.sent(), ["You said: Hello", "Here I am", "You said: Thanks"]);

    let expected = [
        ("user", "Hello"),
        ("assistant", "You said: Hello"),
        ("user", "A person, please"),
        ("operator", "Here I am"),
        ("user", "Thanks"),
        ("assistant", "You said: Thanks"),
    ];
    let expected = expected.map(|(role, text)| (role.to_owned(), text.to_owned()));
    assert_eq!(stage.messages(&thread).await, expected);
    read_everything(&stage, &thread).await;
}

/// Reads the conversation through every other route.
async fn read_everything(stage: &Stage, thread: &str) {
    let Stage { ada, workflow, provider, .. } = stage;
    let shown = ada.get(thread).await.json["data"].clone();
    let id = shown["id"].as_str().unwrap();
    assert_eq!((&shown["channel"], &shown["state"]), (&json!(provider.as_str()), &json!("idle")));
    assert_eq!((&shown["messageCount"], &shown["operatorState"]), (&json!(6), &Value::Null));
    let batch = ada.post_json(&format!("{WORKFLOWS}/threads/batch"), json!({"ids": [NOWHERE, id]})).await;
    assert_eq!(batch.json["data"], json!([shown]), "{}", batch.text);

    let records = list(ada, &format!("{workflow}/records?channel={}", provider.as_str())).await;
    assert_eq!(records.len(), 2, "a run for each message that no operator answered");
    for record in &records {
        assert_eq!((&record["threadId"], &record["origin"]), (&shown["id"], &json!("channel")));
        assert_eq!((&record["state"], &record["participant"]), (&json!("completed"), &shown["participant"]));
        let path = format!("{workflow}/records/{}", record["id"].as_str().unwrap());
        assert_eq!(ada.get(&path).await.json["data"], *record);
        let exchanges = list(ada, &format!("{path}/exchanges")).await;
        let [exchange] = &exchanges[..] else { panic!("one exchange: {exchanges:?}") };
        assert_eq!((&exchange["nodeId"], &exchange["response"]["status"]), (&json!("reply"), &json!("sent")));
    }
    let participants = list(ada, &format!("{workflow}/records/participants")).await;
    let [participant] = &participants[..] else { panic!("one participant: {participants:?}") };
    assert_eq!(participant["id"], shown["participant"]["id"]);
    let of_participant = format!("{workflow}/records?participant={}", participant["id"].as_str().unwrap());
    assert_eq!(list(ada, &of_participant).await, records);
    let filters = stage.read("/records/filters").await;
    assert!(filters["channels"].as_array().unwrap().contains(&json!(provider.as_str())), "{filters}");

    let nudged = ada.post(&format!("{workflow}/records/threads/{id}/nudge")).await;
    assert_eq!((&*nudged.status, &nudged.json["data"]["role"]), ("201 Created", &json!("system")), "{}", nudged.text);
    assert_eq!(stage.sent().last().unwrap(), "We are still waiting for your answer.");
    let again = ada.post(&format!("{workflow}/records/threads/{id}/nudge")).await;
    assert_eq!(refusal(&again), ("429", "rate_limit_exceeded"));
    assert!(again.header("retry-after").is_some());
}
