//! `POST /gateway/v1/embeddings`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::money::Money;
use serde_json::{Value, json};
use tests::TestApp;

use super::post;

const EMBEDDINGS: &str = "/gateway/v1/embeddings";

#[tokio::test]
async fn texts_lists_and_tokens_are_embedded_in_order() {
    let app = TestApp::start().await;
    let customer = app.customer("embeddings", Money::from_usd(1)).await;
    let embed = async |input: Value| {
        let body = json!({"model": "dev-embed", "input": input, "dimensions": 8});
        post(&customer.person, EMBEDDINGS, &body).await
    };
    let one = embed(json!("a lease")).await;
    assert_eq!(one.status, "200 OK");
    assert_eq!((&one.json["object"], &one.json["model"]), (&json!("list"), &json!("dev-embed")));
    assert_eq!(one.json["data"][0]["embedding"].as_array().unwrap().len(), 8);
    let several = embed(json!(["other words", "a lease"])).await;
    assert_eq!(several.json["data"][1]["embedding"], one.json["data"][0]["embedding"]);
    assert_eq!(several.json["data"][1]["index"], 1);
    let tokens = embed(json!([[1, 2, 3], [4]])).await;
    assert_eq!(tokens.json["data"].as_array().unwrap().len(), 2);
    assert_eq!(tokens.json["usage"]["prompt_tokens"], 4);
    let cost: Money = tokens.header("x-request-cost").unwrap().parse().unwrap();
    // 0.02 USD per million tokens.
    assert_eq!(cost, Money::from_pico_usd(4 * 20_000));
}

#[tokio::test]
async fn base64_encodes_the_same_numbers() {
    let app = TestApp::start().await;
    let customer = app.customer("embeddings", Money::from_usd(1)).await;
    let body = json!({"model": "dev-embed", "input": "a lease", "dimensions": 8});
    let floats = post(&customer.person, EMBEDDINGS, &body).await;
    let mut body = body;
    body["encoding_format"] = "base64".into();
    let encoded = post(&customer.person, EMBEDDINGS, &body).await;
    let bytes = STANDARD.decode(encoded.json["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let numbers: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let expected: Vec<f32> = serde_json::from_value(floats.json["data"][0]["embedding"].clone()).unwrap();
    assert_eq!(numbers, expected);
}

#[tokio::test]
async fn invalid_inputs_of_embeddings_are_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("embeddings", Money::from_usd(1)).await;
    for input in [json!(""), json!([]), json!([""]), json!([1.5]), json!({"a": 1}), json!(["a", 1])] {
        let answer = post(&customer.person, EMBEDDINGS, &json!({"model": "dev-embed", "input": input})).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_body"), "{input}");
        assert_eq!(answer.json["error"]["param"], "input");
    }
    let answer = post(&customer.person, EMBEDDINGS, &json!({"model": "dev-chat", "input": "x"})).await;
    assert_eq!(answer.json["error"]["param"], "model");
    assert_eq!(
        post(&app.anonymous(), EMBEDDINGS, &json!({"model": "dev-embed", "input": "x"})).await.status,
        "401 Unauthorized"
    );
}
