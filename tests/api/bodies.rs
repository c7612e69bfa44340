//! JSON bodies on every route: whole numbers may be written as floats, and bodies with too many values are refused.

use domain::money::Money;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person};
use tests::gateway::CHAT;

async fn post_text(person: &Person, path: &str, body: String) -> Answer {
    let request = person.request(reqwest::Method::POST, path).header("Content-Type", "application/json");
    tests::client::send(request.body(body)).await
}

#[tokio::test]
async fn a_whole_number_may_be_written_as_a_float() {
    let app = TestApp::start().await;
    let (ada, operator) = (app.person("ada"), app.operator());
    let workflow = ada.post_json("/builder/v1/workflows", json!({"name": "x"})).await.id().to_owned();
    let webhook = json!({"name": "x", "timeoutMs": 24604.0});
    let made = ada.post_json(&format!("/builder/v1/workflows/{workflow}/webhooks"), webhook).await;
    assert_eq!(made.json["data"]["timeoutMs"], json!(24604), "{}", made.text);

    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let patched = ada.patch(&format!("/builder/v1/agents/{agent}"), json!({"config": {"maxTokens": 512.0}})).await;
    assert_eq!(patched.json["data"]["config"]["maxTokens"], json!(512), "{}", patched.text);

    let limits = json!({"org": {"rpm": 60.0}, "user": {}, "key": {"tpd": 1e6}});
    let plan = json!({"name": "Whole", "limits": limits});
    let put = operator.put("/gateway/v1/admin/plans/whole", plan).await;
    assert!(put.status.starts_with('2'), "{}", put.text);
    assert!(put.text.contains("\"rpm\":60,") && put.text.contains("\"tpd\":1000000,"), "{}", put.text);

    let customer = app.customer("whole", Money::from_usd(1)).await;
    let question = json!({"model": "dev-chat", "max_tokens": 8.0, "n": 2.0, "seed": -1.0, "messages": [{"role": "user", "content": "x"}]});
    let answer = customer.person.post_json(CHAT, question).await;
    assert_eq!(answer.json["choices"].as_array().map(Vec::len), Some(2), "{}", answer.text);
    let texts = json!({"model": "dev-embed", "input": "x", "dimensions": 16.0});
    let answer = customer.person.post_json("/gateway/v1/embeddings", texts).await;
    assert_eq!(answer.json["data"][0]["embedding"].as_array().map(Vec::len), Some(16), "{}", answer.text);

    let refused = ada.patch(&format!("/builder/v1/agents/{agent}"), json!({"config": {"maxTokens": 512.5}})).await;
    let message = refused.json["error"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("config.maxTokens: invalid type: floating point `512.5`"), "{message}");
}

#[tokio::test]
async fn a_body_with_too_many_values_is_refused_by_every_area() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let customer = app.customer("trees", Money::from_usd(1)).await;
    let list = vec!["[[0]]"; 600_000].join(",");
    let as_field = |name: &str| format!("{{\"{name}\":[{list}]}}");
    let preview = "/builder/v1/workflows/expression/preview";
    for (person, path, body) in [
        (&ada, "/builder/v1/workflows", as_field("graph")),
        (&ada, preview, as_field("data")),
        (&ada, "/builder/v1/workflows/import", as_field("nodes")),
        (&app.operator(), "/gateway/v1/admin/models", as_field("name")),
        (&customer.person, CHAT, as_field("messages")),
        (&customer.person, "/gateway/v1/embeddings", as_field("input")),
        (&ada, "/gateway/v1/me/api-keys", as_field("name")),
    ] {
        let refused = post_text(person, path, body).await;
        assert_eq!(refused.status, "400 Bad Request", "{path}");
        let message = refused.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("body: holds too many values for one request"), "{path}: {message}");
    }
    // Valid requests of the same size are accepted.
    let tokens: Vec<u32> = (0..8_000).map(|n| 40_000 + n).collect();
    let texts = json!({"model": "dev-embed", "input": vec![tokens; 30], "dimensions": 4});
    let answer = customer.person.post_json("/gateway/v1/embeddings", texts).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text.chars().take(300).collect::<String>());
    let picture = format!("data:image/png;base64,{}", "iVBORw0K".repeat(480_000));
    let data: Value = json!({"expression": "size(picture)", "data": {"picture": picture}});
    assert_eq!(ada.post_json(preview, data).await.json["data"]["result"], json!(picture.len()));
}
