//! Effects of previews: they are real, and nothing else is.

use domain::id::RunId;
use domain::token::{SecretToken, TokenKind};
use tests::provider::{Behaviour, FakeProvider};

use super::*;

#[tokio::test]
async fn a_model_is_called_and_charged_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = preview(&ada, ask(), json!({"input": {"name": "Ada"}})).await;
    assert_eq!(shown["state"], "completed", "{shown}");
    assert!(shown["output"]["text"].as_str().unwrap().ends_with("Greet Ada"), "{shown}");
    let ask = step(&shown, "ask");
    assert_eq!((&ask["attempts"], &ask["pinned"]), (&json!(1), &json!(false)));
    assert!(ask["durationMs"].is_u64(), "{ask}");
    assert_eq!(charged_calls(&app).await, 1);
    let charges = app.key_client("ada").get("/gateway/v1/billing/transactions").await;
    let request = charges.json["data"][0]["request_id"].as_str().unwrap();
    let id = request.strip_prefix("preview/").and_then(|rest| rest.strip_suffix("/ask")).unwrap_or_default();
    assert!(id.parse::<RunId>().is_ok(), "{request}");
}

#[tokio::test]
async fn a_call_uses_the_credential_of_the_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    let workflow = create(&ada, double()).await;
    let path = format!("{WORKFLOWS}/{workflow}");
    let secret = SecretToken::generate(TokenKind::ApiKey).reveal().to_owned();
    let bearer = json!({"name": "Orders", "type": "bearer", "token": secret});
    let credential = ada.post_json(&format!("{path}/webhook-credentials/outbound"), bearer).await;
    let config = json!({"url": format!("{}/orders", fake.base_url), "credentialId": credential.id()});
    let draft =
        graph(&[start(), node("call", "http", config), end("input.body.total")], &["start.out call", "call.out end"]);
    assert_eq!(ada.patch(&path, json!({"graph": draft})).await.status, "200 OK");
    fake.respond_with(Behaviour::json(200, json!({"total": 7})));
    let shown = ada.post(&preview_path(&workflow)).await;
    assert_eq!(
        (&shown.json["data"]["state"], &shown.json["data"]["output"]),
        (&json!("completed"), &json!(7)),
        "{}",
        shown.text
    );
    assert!(!shown.text.contains(&secret), "{}", shown.text);
    let calls = fake.take_requests();
    assert_eq!((calls.len(), &calls[0].headers["authorization"]), (1, &format!("Bearer {secret}").parse().unwrap()));
}

#[tokio::test]
async fn a_failed_call_is_retried_in_the_preview() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(503, "{}")).then_respond(Behaviour::json(200, "\"ok\""));
    let config = json!({"url": fake.base_url, "retry": {"maxAttempts": 2, "backoffMs": 0}});
    let draft = graph(&[start(), node("call", "http", config), end("input.body")], &["start.out call", "call.out end"]);
    let shown = preview(&ada, draft, json!({})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!("ok")), "{shown}");
    let call = step(&shown, "call");
    assert_eq!((&call["attempts"], &call["error"]), (&json!(2), &Value::Null));
    assert_eq!(fake.take_requests().len(), 2);
}

#[tokio::test]
async fn an_address_that_is_refused_in_a_run_is_refused_here() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let call = node("call", "http", json!({"url": "http://169.254.169.254/latest/meta-data/"}));
    let shown =
        preview(&ada, graph(&[start(), call, end("input")], &["start.out call", "call.out end"]), json!({})).await;
    assert_eq!(
        (&shown["state"], &shown["error"]["code"]),
        (&json!("failed"), &json!("destination_forbidden")),
        "{shown}"
    );
}

#[tokio::test]
async fn a_node_that_cannot_run_fails_by_name_unless_it_is_pinned() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let tell = node("tell", "send_message", json!({"text": "It arrived."}));
    let draft = graph(&[start(), tell, end("input")], &["start.out tell", "tell.out end"]);
    let shown = preview(&ada, draft.clone(), json!({})).await;
    assert_eq!((&shown["error"]["code"], &shown["error"]["nodeId"]), (&json!("not_in_preview"), &json!("tell")));
    assert!(shown["error"]["message"].as_str().unwrap().contains("pin the output"), "{shown}");
    let pinned = json!({"tell": {"output": {"sent": true}}});
    let shown = preview(&ada, draft, json!({"pinned": pinned})).await;
    assert_eq!((&shown["state"], &shown["output"]["sent"]), (&json!("completed"), &json!(true)), "{shown}");
}

#[tokio::test]
async fn a_missing_model_fails_only_its_node() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut draft = ask();
    draft["nodes"][1]["config"]["model"] = json!("gone");
    let shown = preview(&ada, draft.clone(), json!({"input": {"name": "Ada"}})).await;
    assert_eq!((&shown["state"], &shown["error"]["code"]), (&json!("failed"), &json!("model_not_found")), "{shown}");
    let shown = preview(&ada, draft, json!({"until": "start"})).await;
    assert_eq!(shown["state"], "completed");
}

#[tokio::test]
async fn nothing_is_recorded() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let before = ada.get(&format!("{WORKFLOWS}/{flow}")).await;
    ada.post(&preview_path(&flow)).await;
    app.recorder.take();
    let shown = ada.post_json(&preview_path(&flow), json!({"input": {"n": 4}})).await;
    assert_eq!(shown.json["data"]["output"], json!({"doubled": 8}));
    let writes =
        ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem", "PutObject", "SendMessage"];
    let calls = app.recorder.take();
    assert!(!calls.is_empty() && calls.iter().all(|call| !writes.contains(&call.operation.as_str())), "{calls:?}");
    assert_eq!(ada.get(&format!("{WORKFLOWS}/{flow}")).await.text, before.text);
    assert_eq!(app.platform.drain().await, 0);
    assert_eq!(app.objects("runs"), 0);
}

#[tokio::test]
async fn a_retrieval_finds_passages() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let sources = json!([{"type": "text", "name": "Returns", "text": "Goods can be returned within 30 days."}]);
    let config = json!({"model": "dev-embed", "query": "May I return it?", "sources": sources});
    let nodes = [start(), node("find", "retrieval", config), end("nodes.find.output[0].source")];
    let shown = preview(&ada, graph(&nodes, &["start.out find", "find.out end"]), json!({})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!("Returns")), "{shown}");
}
