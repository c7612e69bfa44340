//! Webhooks whose runs get the whole call: its body, query and headers.

use reqwest::Method;
use tests::client::send;

use super::hooks::{doubled, publish_hook};
use super::*;

#[tokio::test]
async fn a_run_gets_the_whole_call_if_its_webhook_says_so() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node(
            "hook",
            "webhook",
            json!({"input": "call", "redact": ["input.body.card", "input.query.pin", "input.headers.x-trace"]}),
        ),
        node("end", "send_result", json!({"output": "input"})),
    ];
    let hook = publish_hook(&app, &ada, graph(&nodes, &["hook.out end"]), "sync").await;
    let url = format!("{}?page=2&tag=a&tag=b%20c&tag=d&empty&pin=77", hook.url);
    let call = async |trace: &str, body: Value| {
        let request = hook.caller.request(Method::POST, &url).header("idempotency-key", "one");
        let request = request.header("x-shop", "one").header("x-trace", trace).header("x-api-key", "k");
        send(request.json(&body)).await
    };
    let called = call("1", json!({"card": "4242", "n": 1})).await;
    assert_eq!(called.status, "200 OK", "{}", called.text);
    let output = &called.json["output"];
    assert_eq!(output["body"], json!({"card": "4242", "n": 1}));
    assert_eq!(output["query"], json!({"page": "2", "tag": ["a", "b c", "d"], "empty": "", "pin": "77"}));
    assert_eq!(output["method"], "POST");
    let headers = &output["headers"];
    assert_eq!((&headers["x-trace"], &headers["content-type"]), (&json!("1"), &json!("application/json")));
    for secret in ["authorization", "x-api-key", "idempotency-key"] {
        assert!(headers[secret].is_null(), "{headers}");
    }

    // The key is about the body: a repeated call may have other headers.
    let again = call("2", json!({"card": "4242", "n": 1})).await;
    assert_eq!((&again.json["runId"], &again.json["output"]), (&called.json["runId"], output));
    assert_eq!(refusal(&call("1", json!({"n": 2})).await), ("409", "idempotency_conflict"));
    let other_query =
        hook.caller.request(Method::POST, &format!("{}?page=3", hook.url)).header("idempotency-key", "one");
    let other_query = send(other_query.json(&json!({"card": "4242", "n": 1}))).await;
    assert_eq!(refusal(&other_query), ("409", "idempotency_conflict"));

    // Of the call, the event and the run show the body without what is masked.
    let events = ada.get(&format!("{}/events", hook.webhook_path())).await;
    let event = ada.get(&format!("{}/events/{}", hook.webhook_path(), events.column("id")[3])).await;
    assert_eq!(event.json["data"]["body"], r#"{"card":"***","n":1}"#, "{}", event.text);
    assert_eq!(
        (&event.json["data"]["headers"]["x-trace"], &event.json["data"]["headers"]["x-shop"]),
        (&json!("***"), &json!("one"))
    );
    let run = ada.get(&format!("{}/{}", runs_path(&hook.workflow), called.json["runId"].as_str().unwrap())).await;
    let input = &run.json["data"]["input"];
    assert_eq!((&input["body"]["card"], &input["query"]["pin"]), (&json!("***"), &json!("***")), "{}", run.text);

    // Also the whole call can be masked.
    for redact in ["input", "output"] {
        let nodes = [
            node("hook", "webhook", json!({"input": "call", "redact": [redact]})),
            node("end", "send_result", json!({"output": "input.body.n"})),
        ];
        let hidden = publish_hook(&app, &ada, graph(&nodes, &["hook.out end"]), "sync").await;
        assert_eq!(hidden.call(json!({"n": 5})).await.json["output"], 5);
        let events = ada.get(&format!("{}/events", hidden.webhook_path())).await;
        let event = ada.get(&format!("{}/events/{}", hidden.webhook_path(), events.column("id")[0])).await;
        assert_eq!(event.json["data"]["body"], r#""***""#, "{}", event.text);
    }

    // A query that the run would not get is refused.
    let plain = publish_hook(&app, &ada, doubled(), "sync").await;
    let with_query = plain.caller.request(Method::POST, &format!("{}?page=2", plain.url)).json(&json!({"n": 1}));
    let refused = send(with_query).await;
    assert_eq!(refusal(&refused), ("400", "invalid_query"), "{}", refused.text);
    assert!(refused.text.contains("page: the run would not get"), "{}", refused.text);

    // An empty body is null.
    let empty = send(hook.caller.request(Method::POST, &hook.url)).await;
    assert_eq!((&empty.json["output"]["body"], &empty.json["output"]["query"]), (&Value::Null, &json!({})));
}
