//! What a receipt says, and that its signature covers all of it.

use domain::ledger::Charge;
use reqwest::Method;
use serde_json::{Value, json};
use tests::client::{Person, send};
use tests::scale::full_or;

use super::super::chat;
use super::*;

/// Makes a call of a random kind.
async fn call_at_random(person: &Person) {
    let words = "größer \"quoted\" \\ \u{2028} 😀 ".repeat(fastrand::usize(1..20));
    let messages = json!([{"role": "user", "content": words}]);
    let (path, body) = match fastrand::u8(0..5) {
        0 => ("embeddings", json!({"model": "dev-embed", "input": [words]})),
        1 => ("moderations", json!({"input": words})),
        2 => ("images/generations", json!({"preset": "dev-image", "prompt": "A fox", "size": "64x64"})),
        3 => ("chat/completions", json!({"model": "dev-chat", "messages": messages, "stream": true})),
        _ => ("chat/completions", json!({"model": "dev-chat", "messages": messages, "max_tokens": 9})),
    };
    let call = person.request(Method::POST, &format!("/gateway/v1/{path}")).header("prefer", "respond-async");
    let answer = send(call.json(&body)).await;
    assert!(answer.status.starts_with('2'), "{path}: {}", answer.text);
}

/// The receipt of a charge, written from its ledger row.
fn expected_receipt(charge: &Charge, kid: &Value) -> Value {
    json!({
        "version": 1, "transaction_id": charge.id, "request_id": charge.request_id, "org": charge.org, "user": charge.user,
        "api_key": charge.key, "request_hash": charge.body_hash, "model": charge.model, "provider": charge.provider,
        "usage": {
            "tokens_in": charge.tokens.input, "tokens_in_cached": charge.tokens.cached,
            "tokens_in_cache_write": charge.tokens.written, "tokens_in_cache_write_1h": charge.tokens.written_1h,
            "tokens_out": charge.tokens.output, "tokens_out_reasoning": charge.tokens.reasoning,
            "images": charge.images, "source": charge.source,
        },
        "price_version": charge.price_version, "cost": charge.cost.to_string(), "created_at": charge.created_at, "kid": kid,
    })
}

#[tokio::test]
async fn receipts_of_all_kinds_of_calls_agree_with_the_ledger_and_verify() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    for _ in 0..full_or(1_000, 40) {
        call_at_random(&ada).await;
        app.platform.drain().await;
    }
    let charges = app.charges(app.account("ada").org).await;
    assert!(charges.len() >= 20, "{}", charges.len());
    for charge in charges {
        let answer = receipt(&ada, &charge.id.to_string()).await;
        let kid = &answer.json["kid"];
        assert_eq!(answer.json["receipt"], expected_receipt(&charge, kid), "{}", answer.text);
        assert_eq!(signed_text(&answer), canonical(&answer.json["receipt"]), "the answer has the canonical form");
        assert!(is_valid(&answer, &key_set(&app).await));
        assert_eq!((&answer.json["object"], &answer.json["alg"]), (&json!("receipt"), &json!("EdDSA")));
        assert_eq!(receipt(&ada, &charge.id.to_string()).await.text, answer.text, "the same bytes each time");
    }
}

#[tokio::test]
async fn no_byte_of_a_receipt_or_its_signature_can_be_changed() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let called = chat(&ada, "dev-chat").await;
    let answer = receipt(&ada, called.json["id"].as_str().unwrap()).await;
    let signed = signed_text(&answer).as_bytes().to_vec();
    let signature = decode(answer.json["signature"].as_str().unwrap());
    let key = public_key(&key_set(&app).await, &answer.json["kid"]);
    assert!(key.verify(&signed, &signature).is_ok());
    for index in 0..signed.len() {
        let mut changed = signed.clone();
        changed[index] ^= 1 << fastrand::u8(0..8);
        assert!(key.verify(&changed, &signature).is_err(), "byte {index} of the receipt");
        changed.remove(index);
        assert!(key.verify(&changed, &signature).is_err(), "without byte {index}");
    }
    for index in 0..signature.len() {
        let mut changed = signature.clone();
        changed[index] ^= 1 << fastrand::u8(0..8);
        assert!(key.verify(&signed, &changed).is_err(), "byte {index} of the signature");
    }
}

/// The hash is that of the bytes that the client sent.
#[tokio::test]
async fn the_request_hash_can_be_computed_from_the_body() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    let body = r#"{ "model": "dev-chat", "messages": [ {"role": "user", "content": "héllo"} ] }"#;
    let call = ada.request(Method::POST, "/gateway/v1/chat/completions").header("content-type", "application/json");
    let called = send(call.body(body)).await;
    assert_eq!(called.status, "200 OK", "{}", called.text);
    let answer = receipt(&ada, called.header("x-request-id").unwrap()).await;
    let hash = ring::digest::digest(&ring::digest::SHA256, body.as_bytes());
    assert_eq!(decode(answer.json["receipt"]["request_hash"].as_str().unwrap()), hash.as_ref()[..16]);
    assert_eq!(answer.json["receipt"]["cost"].as_str(), called.header("x-request-cost"));
}
