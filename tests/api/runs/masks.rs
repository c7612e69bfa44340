//! Fields that a workflow masks with `redact`: they are encrypted in what is stored, and hidden from everybody who reads
//! the run.

use aws_sdk_dynamodb::types::AttributeValue;
use reqwest::Method;
use tests::client::send;
use tests::provider::{Behaviour, FakeProvider};

use super::hooks::{publish_hook, with_workers};
use super::*;

const CARD: &str = "4111 1111 1111 1111";
const TOKEN: &str = "tok_8f2b91";

/// A payment, whose server answers with a token.
fn payment(url: &str, trigger: &str) -> Value {
    let pay = json!({
        "method": "POST", "url": url, "body": {"type": "json", "value": "{'number': input.card}"},
        "redact": ["output.body.token"],
    });
    let nodes = [
        node("hook", trigger, json!({"redact": ["output.card"]})),
        node("pay", "http", pay),
        node("end", "send_result", json!({"output": "{'card': nodes.hook.output.card, 'paid': input.body}"})),
    ];
    graph(&nodes, &["hook.out pay", "pay.out end"])
}

async fn server() -> FakeProvider {
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"token": TOKEN, "text": format!("paid with {CARD}")})));
    server
}

/// Everything that the tables and the bucket have.
pub async fn stored(app: &TestApp) -> String {
    let dynamodb = app.platform.context().aws.dynamodb().clone();
    let mut text = String::new();
    for table in ["EntitiesTable", "CountersTable", "JournalTable"] {
        let mut from = None;
        loop {
            let page = dynamodb.scan().table_name(table).set_exclusive_start_key(from).send().await.unwrap();
            text.push_str(&format!("{:?}", page.items()));
            from = page.last_evaluated_key().cloned();
            if from.is_none() {
                break;
            }
        }
    }
    for prefix in ["runs", "threads", "exports", "webhook-events"] {
        text.push_str(&app.contents(prefix));
    }
    text
}

fn check_hidden(text: &str) {
    for secret in [CARD, TOKEN] {
        let place = text.find(secret);
        assert!(place.is_none(), "{}", place.map_or("", |place| &text[place.saturating_sub(200)..place]));
    }
}

/// Everything that the API shows of a run.
async fn shown(person: &Person, path: &str) -> String {
    let mut text = String::new();
    for part in ["", "/events", "/activity", "/trace", "/analytics"] {
        let answer = person.get(&format!("{path}{part}")).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        text.push_str(&answer.text);
    }
    text
}

#[tokio::test]
async fn masked_parts_are_in_nothing_that_is_stored_or_shown() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    let flow = publish(&ada, payment(&server.base_url, "input")).await;
    let path = start_run(&ada, &flow, json!({"card": CARD, "amount": 5})).await;
    check_hidden(&stored(&app).await);
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!((&run["state"], &run["input"]), (&json!("completed"), &json!({"card": "***", "amount": 5})), "{run}");
    assert_eq!(run["output"], json!({"card": "***", "paid": {"token": "***", "text": "***"}}));
    assert!(server.take_requests()[0].body.to_string().contains(CARD), "the server gets the original");
    check_hidden(&stored(&app).await);
    check_hidden(&shown(&ada, &path).await);
    let replayed = ada.post_json(&format!("{path}/replay"), json!({})).await;
    assert_eq!(replayed.json["data"]["outcome"], "equal", "{}", replayed.text);
    check_hidden(&replayed.text);
}

#[tokio::test]
async fn the_key_of_a_run_is_deleted_an_hour_after_its_end() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    let flow = publish(&ada, payment(&server.base_url, "input")).await;
    let path = start_run(&ada, &flow, json!({"card": CARD})).await;
    carry_out(&app, &ada, &path).await;
    let retry = async || ada.post_json(&format!("{path}/retry"), json!({"fromNode": "pay"})).await;
    let again = retry().await;
    assert_eq!(again.status, "202 Accepted", "{}", again.text);
    carry_out(&app, &ada, &format!("{}/{}", runs_path(&flow), again.id())).await;
    let requests = server.take_requests();
    assert!(requests.len() == 2 && requests[1].body.to_string().contains(CARD), "a retry has the original");

    let has_key = async || {
        let key = [("pk", format!("RUN#{}", run_id(&path))), ("sk", "RUN".to_owned())];
        let mut get = app.platform.context().aws.dynamodb().get_item().table_name("EntitiesTable");
        for (name, value) in key {
            get = get.key(name, AttributeValue::S(value));
        }
        get.send().await.unwrap().item.unwrap().contains_key("secrets")
    };
    for (after, is_kept) in [(50, true), (70, false)] {
        let now = Time::now().plus(minutes(after));
        app.platform.tick(now).await.unwrap();
        work_at(&app, &path, now).await;
        assert_eq!(has_key().await, is_kept, "after {after} minutes");
    }
    assert_eq!(refusal(&retry().await), ("409", "invalid_state"));
    check_hidden(&shown(&ada, &path).await);
}

#[tokio::test]
async fn the_caller_of_a_webhook_gets_the_originals() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    let pure = graph(
        &[
            node("hook", "webhook", json!({"redact": ["input.card"]})),
            node("end", "send_result", json!({"output": "{'card': input.card}"})),
        ],
        &["hook.out end"],
    );
    for (graph, output) in [
        (pure, json!({"card": CARD})),
        (
            payment(&server.base_url, "webhook"),
            json!({"card": CARD, "paid": {"token": TOKEN, "text": format!("paid with {CARD}")}}),
        ),
    ] {
        let hook = publish_hook(&app, &ada, graph, "sync").await;
        let call = async || {
            let request = hook.caller.request(Method::POST, &hook.url).header("Idempotency-Key", "once");
            with_workers(&app, send(request.json(&json!({"card": CARD})))).await
        };
        let (called, again) = (call().await, call().await);
        for answer in [&called, &again] {
            assert_eq!((answer.status.as_str(), &answer.json["output"]), ("200 OK", &output), "{}", answer.text);
        }
        assert_eq!(called.json["runId"], again.json["runId"]);
        check_hidden(&stored(&app).await);
        let path = format!("{}/{}", runs_path(&hook.workflow), called.json["runId"].as_str().unwrap());
        check_hidden(&shown(&ada, &path).await);
        let retried = ada.post_json(&format!("{path}/retry"), json!({"fromNode": "end"})).await;
        let retried = carry_out(&app, &ada, &format!("{}/{}", runs_path(&hook.workflow), retried.id())).await;
        assert_eq!((&retried["state"], &retried["input"]), (&json!("completed"), &json!({"card": "***"})), "{retried}");

        // A call that starts no run is stored in the same way.
        for (action, status) in [("pause", "409"), ("archive", "404")] {
            ada.post(&format!("{WORKFLOWS}/{}/{action}", hook.workflow)).await;
            let refused = hook.caller.post_json(&hook.url, json!({"card": CARD, "text": CARD, "amount": 5})).await;
            assert_eq!(refusal(&refused).0, status, "{}", refused.text);
        }
        check_hidden(&stored(&app).await);
        ada.post(&format!("{WORKFLOWS}/{}/restore", hook.workflow)).await;
        let events = format!("{WORKFLOWS}/{}/webhooks/{}/events", hook.workflow, hook.webhook);
        let event = ada.get(&events).await.json["data"][0]["id"].as_str().unwrap().to_owned();
        let event = ada.get(&format!("{events}/{event}")).await;
        assert_eq!(event.json["data"]["body"], r#"{"card":"***","text":"***","amount":5}"#, "{}", event.text);
    }
}

#[tokio::test]
async fn a_called_run_masks_what_its_caller_masks() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    server.respond_with(Behaviour::json(200, json!({"paid": true})));
    let inner = graph(
        &[node("start", "input", json!({})), node("end", "send_result", json!({"output": "{'got': input.number}"}))],
        &["start.out end"],
    );
    let inner = publish(&ada, inner).await;
    let nodes = [
        node("start", "input", json!({"redact": ["output.card"]})),
        node("call", "workflow", json!({"workflowId": inner, "input": "{'number': input.card}"})),
        node(
            "end",
            "http",
            json!({"method": "POST", "url": server.base_url, "body": {"type": "json", "value": "input"}}),
        ),
        node("result", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out call", "call.out end", "end.out result"])).await;
    let path = start_run(&ada, &flow, json!({"card": CARD})).await;
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(server.take_requests()[0].body.to_string().contains(CARD), "the caller gets the original");
    check_hidden(&stored(&app).await);
    let called = ada.get(&runs_path(&inner)).await.json["data"][0]["id"].as_str().unwrap().to_owned();
    let called = read(&ada, &format!("{}/{called}", runs_path(&inner))).await;
    assert_eq!((&called["input"], &called["output"]), (&json!({"number": "***"}), &json!({"got": "***"})));
}

#[tokio::test]
async fn large_values_are_masked_too() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    let flow = publish(&ada, payment(&server.base_url, "input")).await;
    let path = start_run(&ada, &flow, json!({"card": CARD, "text": "x".repeat(100_000)})).await;
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!((&run["state"], &run["input"]["card"]), (&json!("completed"), &json!("***")));
    assert!(app.objects("runs") > 0);
    check_hidden(&stored(&app).await);
    assert!(server.take_requests()[0].body.to_string().contains(CARD), "a worker opened the object");
}

#[tokio::test]
async fn invalid_paths_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for redact in [json!("input.card"), json!(["card"]), json!(["input..card"]), json!([""])] {
        let start = node("start", "input", json!({"redact": redact}));
        let end = node("end", "send_result", json!({}));
        let created = ada.post_json(WORKFLOWS, json!({"graph": graph(&[start, end], &["start.out end"])})).await;
        let published = ada.post(&format!("{WORKFLOWS}/{}/publish", created.id())).await;
        assert_eq!(published.json["error"]["details"][0]["code"], "invalid_config", "{redact}: {}", published.text);
    }
}
