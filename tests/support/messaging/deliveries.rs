//! Deliveries as the providers make and sign them: the headers and the body of a request.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use domain::credential::{Credential, signing_key};
use domain::time::Time;
use http::{HeaderMap, HeaderName};
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde_json::{Value, json};

pub type Delivery = (HeaderMap, Bytes);

/// An event of Slack, such as `{"type": "message", "channel": "C1", "user": "U1", "text": "Hi", "ts": "1700000000.000100"}`.
pub fn slack_event(credential: &Credential, now: Time, event: Value) -> Delivery {
    let envelope = json!({
        "type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": event,
        "authorizations": [{"team_id": "T1", "user_id": "UBOT", "is_bot": true}],
    });
    slack_request(credential, now, &envelope)
}

/// The request with which Slack verifies a URL.
pub fn slack_challenge(credential: &Credential, now: Time, challenge: &str) -> Delivery {
    slack_request(credential, now, &json!({"type": "url_verification", "challenge": challenge}))
}

fn slack_request(credential: &Credential, now: Time, body: &Value) -> Delivery {
    let Credential::Slack { signing_secret, .. } = credential else { panic!("a credential of Slack") };
    let (time, body) = (now.as_seconds().to_string(), body.to_string());
    let signature = hmac(signing_secret.as_bytes(), &format!("v0:{time}:{body}"));
    let headers = [("x-slack-request-timestamp", time), ("x-slack-signature", format!("v0={}", hex(&signature)))];
    delivery(&headers, body)
}

/// An update of Telegram with a message, such as `{"date": 1700000000, "chat": {"id": 5}, "from": {"id": 5}, "text": "Hi"}`.
pub fn telegram_update(credential: &Credential, update_id: u64, message: Value) -> Delivery {
    let Credential::Telegram { secret_token, .. } = credential else { panic!("a credential of Telegram") };
    let update = json!({"update_id": update_id, "message": message});
    delivery(&[("x-telegram-bot-api-secret-token", secret_token.clone())], update.to_string())
}

/// Messages of WhatsApp, such as `[{"from": "34600", "id": "wamid.1", "timestamp": "1700000000", "text": {"body": "Hi"}}]`.
pub fn whatsapp_messages(credential: &Credential, messages: Value) -> Delivery {
    let contacts = json!([{"profile": {"name": "Ada"}, "wa_id": messages[0]["from"]}]);
    whatsapp_request(credential, json!({"messages": messages, "contacts": contacts}))
}

/// The status `failed` of a message that the account sent.
pub fn whatsapp_failure(credential: &Credential, recipient: &str, id: &str, code: i64) -> Delivery {
    let errors = json!([{"code": code, "title": "Message undeliverable"}]);
    let status = json!({
        "id": id, "status": "failed", "timestamp": "1700000000", "recipient_id": recipient, "errors": errors,
    });
    whatsapp_request(credential, json!({"statuses": [status]}))
}

fn whatsapp_request(credential: &Credential, mut value: Value) -> Delivery {
    let Credential::Whatsapp { app_secret, phone_number_id, .. } = credential else {
        panic!("a credential of WhatsApp")
    };
    value["messaging_product"] = json!("whatsapp");
    value["metadata"] = json!({"display_phone_number": "15550100", "phone_number_id": phone_number_id});
    let change = json!({"field": "messages", "value": value});
    let body = json!({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [change]}]}).to_string();
    let signature = format!("sha256={}", hex(&hmac(app_secret.as_bytes(), &body)));
    delivery(&[("x-hub-signature-256", signature)], body)
}

/// The query with which WhatsApp verifies a URL.
pub fn whatsapp_subscription(credential: &Credential, challenge: &str) -> String {
    let Credential::Whatsapp { verify_token, .. } = credential else { panic!("a credential of WhatsApp") };
    format!("hub.mode=subscribe&hub.challenge={challenge}&hub.verify_token={verify_token}")
}

/// A signed request, such as `{"conversation": "room", "participant": {"id": "u1"}, "text": "Hi"}`.
pub fn signed_request(credential: &Credential, id: &str, now: Time, body: &Value) -> Delivery {
    let Credential::SignedHttp { secret, .. } = credential else { panic!("a credential of signed HTTP") };
    let (time, body) = (now.as_seconds().to_string(), body.to_string());
    let signature = hmac(&signing_key(secret).unwrap(), &format!("{id}.{time}.{body}"));
    let headers = [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", time),
        ("webhook-signature", format!("v1,{}", BASE64_STANDARD.encode(signature))),
    ];
    delivery(&headers, body)
}

fn delivery(headers: &[(&'static str, String)], body: String) -> Delivery {
    let pairs = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
    let mut headers: HeaderMap = pairs.collect();
    headers.insert("content-type", "application/json".parse().unwrap());
    (headers, body.into())
}

fn hmac(key: &[u8], content: &str) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, key), content.as_bytes()).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
