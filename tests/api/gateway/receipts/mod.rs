//! Signed receipts of calls: `/gateway/v1/billing/receipts/{request_id}` and `/gateway/v1/receipts/keys`.

mod keys;
mod lookup;
mod verification;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;
use tests::TestApp;
use tests::client::{Answer, Person};

const RECEIPTS: &str = "/gateway/v1/billing/receipts";
const KEYS: &str = "/gateway/v1/receipts/keys";
const ROTATE: &str = "/gateway/v1/admin/receipt-keys";

async fn receipt(person: &Person, name: &str) -> Answer {
    person.get(&format!("{RECEIPTS}/{name}")).await
}

/// The published key set, which needs no credential.
async fn key_set(app: &TestApp) -> Value {
    let answer = app.anonymous().get(KEYS).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json
}

/// The text of the member `receipt`, as it was sent.
fn signed_text(answer: &Answer) -> &str {
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let from = answer.text.split_once(r#""receipt":"#).unwrap().1;
    from.split_once(r#","signature":"#).unwrap().0
}

/// The canonical form, computed with `serde_json` alone.
fn canonical(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

fn decode(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// The public key of the set with this id.
fn public_key(key_set: &Value, kid: &Value) -> UnparsedPublicKey<Vec<u8>> {
    let key = key_set["keys"].as_array().unwrap().iter().find(|key| key["kid"] == *kid).unwrap();
    UnparsedPublicKey::new(&ED25519, decode(key["x"].as_str().unwrap()))
}

/// Verifies a receipt from its parsed value and the key set, as a client does.
fn is_valid(answer: &Answer, key_set: &Value) -> bool {
    let receipt = &answer.json["receipt"];
    let signature = decode(answer.json["signature"].as_str().unwrap());
    public_key(key_set, &receipt["kid"]).verify(canonical(receipt).as_bytes(), &signature).is_ok()
}
