//! Deliveries by signed HTTP requests.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::*;

const KEY: &[u8] = b"0123456789abcdef01234567";

fn signature(key: &[u8], id: &str, time_s: i64, body: &str) -> String {
    let content = format!("{id}.{time_s}.{body}");
    format!("v1,{}", BASE64_STANDARD.encode(hmac(key, content.as_bytes())))
}

fn deliver_with(id: &str, time_s: i64, signatures: &str, body: &str) -> Result<Received, ReceiveError> {
    let secret = format!("whsec_{}", BASE64_STANDARD.encode(KEY));
    let credential = Credential::SignedHttp { url: "https://chat.example.com".to_owned(), secret };
    let headers =
        headers(&[("webhook-id", id), ("webhook-timestamp", &time_s.to_string()), ("webhook-signature", signatures)]);
    receive(&credential, &InboundRequest { headers: &headers, body: body.as_bytes() }, now())
}

fn deliver(body: &Value) -> Result<Received, ReceiveError> {
    let body = body.to_string();
    deliver_with("msg_1", NOW_S, &signature(KEY, "msg_1", NOW_S, &body), &body)
}

fn body() -> Value {
    json!({"conversation": "room-1", "participant": {"id": "u1", "name": "Ada"}, "text": "Hello"})
}

/// The example in the specification of Standard Webhooks.
#[test]
fn the_example_of_the_specification_is_verified() {
    let credential = Credential::SignedHttp {
        url: "https://chat.example.com".to_owned(),
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned(),
    };
    let headers = headers(&[
        ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
        ("webhook-timestamp", "1614265330"),
        ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
    ]);
    let request = InboundRequest { headers: &headers, body: br#"{"test": 2432232314}"# };
    let received = receive(&credential, &request, Time::from_millis(1_614_265_330_000));
    // The signature is right, and the body is not a message.
    assert!(is_malformed(received));
    assert_eq!(receive(&credential, &request, now()), Err(ReceiveError::Unauthorized));
}

#[test]
fn a_message_is_read() {
    let message = only(deliver(&body()));
    assert_eq!((message.delivery_key.as_str(), message.position), ("msg_1", 1_700_000_000));
    assert_eq!((message.destination.conversation.as_str(), message.destination.topic.clone()), ("room-1", None));
    assert_eq!((message.sender.id.as_str(), message.sender.name.as_deref()), ("u1", Some("Ada")));
    assert_eq!((message.text.as_str(), message.sent_at), ("Hello", Some(now())));
    assert_eq!(only(deliver(&with(body(), "/position", 7))).position, 7);
    let file = json!({"url": "https://files.example.com/a", "name": "a.png", "mediaType": "image/png"});
    let message = only(deliver(&with(with(body(), "/attachments", json!([file])), "/text", "")));
    assert_eq!(message.attachments[0].reference, "https://files.example.com/a");
    assert_eq!(message.attachments[0].media_type, "image/png");
}

#[test]
fn one_of_several_signatures_is_enough() {
    let body = body().to_string();
    let right = signature(KEY, "msg_1", NOW_S, &body);
    let other = signature(b"other", "msg_1", NOW_S, &body);
    for signatures in [format!("{other} {right}"), format!("v1a,xyz {right} {other}")] {
        assert!(deliver_with("msg_1", NOW_S, &signatures, &body).is_ok(), "{signatures}");
    }
    for signatures in [other, right[3..].to_owned(), right.replace("v1,", "v2,"), String::new()] {
        let refused = deliver_with("msg_1", NOW_S, &signatures, &body);
        assert_eq!(refused, Err(ReceiveError::Unauthorized), "{signatures}");
    }
}

#[test]
fn a_replay_is_refused() {
    let body = body().to_string();
    let old = signature(KEY, "msg_1", NOW_S - 301, &body);
    let right = signature(KEY, "msg_1", NOW_S, &body);
    for refused in [
        deliver_with("msg_1", NOW_S - 301, &old, &body),
        // The signature covers the id, the time and the body.
        deliver_with("msg_1", NOW_S, &old, &body),
        deliver_with("msg_2", NOW_S, &right, &body),
        deliver_with("msg_1", NOW_S, &right, &body.replace("Hello", "Hullo")),
    ] {
        assert_eq!(refused, Err(ReceiveError::Unauthorized));
    }
}

#[test]
fn invalid_messages_are_refused() {
    for invalid in [
        json!({}),
        with(body(), "/text", ""),
        with(body(), "/conversation", ""),
        with(body(), "/participant/id", "u".repeat(201)),
        with(body(), "/position", -1),
        with(body(), "/attachments", json!([{"url": "file:///etc/passwd"}])),
    ] {
        assert!(is_malformed(deliver(&invalid)), "{invalid}");
    }
}
