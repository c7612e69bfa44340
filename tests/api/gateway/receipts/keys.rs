//! The keys of receipts: their creation by several processes, their rotation and what is stored of them.

use futures::future::join_all;
use serde_json::json;
use store::ReceiptKeys;
use tests::client::send;

use super::super::chat;
use super::*;
use domain::time::Time;

const AUDIT: &str = "/gateway/v1/admin/audit?action=receipt_key";

/// The item of the keys as text.
async fn stored_text(app: &TestApp) -> String {
    let context = app.platform.context();
    let table = context.config.required("TABLE_ENTITIES").unwrap().to_owned();
    let key = store::keys::receipt_keys().attributes();
    let found = context.aws.dynamodb().get_item().table_name(table).set_key(Some(key)).send().await.unwrap();
    format!("{:?}", found.item)
}

#[tokio::test]
async fn two_processes_agree_on_the_first_key() {
    let (app, gate) = TestApp::start_gated().await;
    let [one, other] = [(), ()].map(|()| ReceiptKeys::new(&app.platform.new_environment_context()).unwrap());
    // The first one has generated a key and is about to store it, while the second one does all of that.
    let held = gate.hold("PutItem");
    let second = async {
        let release = held.arrived().await;
        let key = other.signing_key(Time::now()).await.unwrap();
        release.send(()).unwrap();
        key
    };
    let (first, second) = futures::join!(one.signing_key(Time::now()), second);
    let first = first.unwrap();
    assert_eq!(first.public(), second.public());
    assert_eq!(first.sign(b"m"), second.sign(b"m"));
    assert_eq!(one.find().await.unwrap().unwrap().public_keys().collect::<Vec<_>>(), [&first.public()]);
}

#[tokio::test]
async fn the_first_receipts_at_once_have_the_same_key() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    assert_eq!(key_set(&app).await, json!({"keys": []}));
    let called = chat(&ada, "dev-chat").await;
    let name = called.json["id"].as_str().unwrap();
    let answers = join_all((0..16).map(|_| receipt(&ada, name))).await;
    let keys = key_set(&app).await;
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
    for answer in &answers {
        assert_eq!(answer.text, answers[0].text);
        assert!(is_valid(answer, &keys));
    }
    let key = &keys["keys"][0];
    let kind = ["kty", "crv", "use", "alg"].map(|member| key[member].as_str().unwrap());
    assert_eq!(kind, ["OKP", "Ed25519", "sig", "EdDSA"]);
    assert_eq!(key.as_object().unwrap().len(), 6, "nothing but the public key: {key}");
}

#[tokio::test]
async fn after_a_rotation_old_receipts_still_verify() {
    let app = TestApp::start().await;
    let (ada, operator) = (app.key_client("ada"), app.operator());
    let called = chat(&ada, "dev-chat").await;
    let name = called.json["id"].as_str().unwrap();
    let before = receipt(&ada, name).await;

    let rotated = send(operator.request(reqwest::Method::POST, ROTATE)).await;
    assert_eq!(rotated.status, "201 Created", "{}", rotated.text);
    let after = receipt(&ada, name).await;
    assert_eq!((&after.json["kid"], &rotated.json["retired"]), (&rotated.json["kid"], &json!(1)));
    assert_ne!(after.json["kid"], before.json["kid"]);
    let keys = key_set(&app).await;
    let kids: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| &key["kid"]).collect();
    assert_eq!(kids, [&after.json["kid"], &before.json["kid"]], "newest first");
    assert!(is_valid(&before, &keys) && is_valid(&after, &keys));
    // Only the key differs.
    let mut same = after.json["receipt"].clone();
    same["kid"] = before.json["kid"].clone();
    assert_eq!(same, before.json["receipt"]);

    let entry = operator.get(AUDIT).await.json["data"][0].clone();
    assert_eq!((&entry["action"], &entry["target"]), (&json!("receipt_key.rotate"), &json!("receipt-key")));
    assert_eq!((&entry["before"]["kid"], &entry["after"]["kid"]), (&before.json["kid"], &after.json["kid"]));
}

#[tokio::test]
async fn a_seed_is_stored_encrypted_and_forgotten_after_a_rotation() {
    let app = TestApp::start().await;
    assert_eq!(app.operator().post(ROTATE).await.status, "201 Created", "before the first receipt");
    let keys = ReceiptKeys::new(&app.platform.context_of("billing")).unwrap();
    let first = keys.find().await.unwrap().unwrap();
    let first_stored = stored_text(&app).await;
    assert_eq!(first_stored.matches("ciphertext").count(), 1);
    assert_eq!(app.operator().post(ROTATE).await.json["retired"], 1);
    let stored = stored_text(&app).await;
    assert!(stored.contains(first.current.x()), "its public key is kept");
    assert_eq!(stored.matches("ciphertext").count(), 1, "only the current seed: {stored}");

    // The function of operators creates keys, and cannot sign with them.
    let of_admin = ReceiptKeys::new(&app.platform.context_of("admin")).unwrap();
    assert!(of_admin.signing_key(Time::now()).await.is_err());
    assert!(app.platform.take_denied_calls().join("; ").contains("admin may not call kms:Decrypt"));
}

#[tokio::test]
async fn the_number_of_keys_is_limited() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for retired in 0..=100 {
        let rotated = operator.post(ROTATE).await;
        assert_eq!(rotated.json["retired"], retired, "{}", rotated.text);
    }
    let refused = operator.post(ROTATE).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "receipt_key_limit"));
    assert_eq!(key_set(&app).await["keys"].as_array().unwrap().len(), 101);
    assert!(stored_text(&app).await.len() < 32 * 1024);
    let concurrent = join_all((0..4).map(|_| operator.post(ROTATE))).await;
    assert!(concurrent.iter().all(|answer| answer.code() == "receipt_key_limit"));
}

#[tokio::test]
async fn concurrent_rotations_keep_every_public_key() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let rotated = join_all((0..8).map(|_| operator.post(ROTATE))).await;
    let kids: Vec<_> = rotated.iter().map(|answer| answer.json["kid"].as_str().unwrap().to_owned()).collect();
    let keys = key_set(&app).await;
    let published = keys["keys"].as_array().unwrap();
    assert_eq!(published.len(), 8);
    assert!(kids.iter().all(|kid| published.iter().any(|key| key["kid"] == *kid)));
}

#[tokio::test]
async fn only_operators_rotate_keys_and_the_set_takes_no_parameters() {
    let app = TestApp::start().await;
    let refused = app.key_client("ada").post(ROTATE).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("403 Forbidden", "operator_only"));
    let refused = app.anonymous().post(ROTATE).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("401 Unauthorized", "identity.invalid_token"));
    let refused = app.operator().post_json(ROTATE, json!({"kid": "mine"})).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"));
    let refused = app.anonymous().get(&format!("{KEYS}?kid=1")).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_query"));
    assert_eq!(key_set(&app).await, json!({"keys": []}));
}
