//! Deliveries of Slack.

use domain::messaging::{MAX_ATTACHMENTS, MAX_INBOUND_TEXT_CHARS};
use serde_json::json;

use super::*;

const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";

fn credential() -> Credential {
    Credential::Slack { bot_token: "xoxb-1".to_owned(), signing_secret: SECRET.to_owned() }
}

fn deliver_signed(secret: &str, time_s: i64, signed: &str, body: &str) -> Result<Received, ReceiveError> {
    let signature = format!("v0={}", hex(&hmac(secret.as_bytes(), format!("v0:{time_s}:{signed}").as_bytes())));
    let headers = headers(&[("x-slack-request-timestamp", &time_s.to_string()), ("x-slack-signature", &signature)]);
    receive(&credential(), &InboundRequest { headers: &headers, body: body.as_bytes() }, now())
}

fn deliver(body: &Value) -> Result<Received, ReceiveError> {
    deliver_signed(SECRET, NOW_S, &body.to_string(), &body.to_string())
}

fn event() -> Value {
    json!({
        "type": "event_callback", "team_id": "T1", "event_id": "Ev1",
        "authorizations": [{"team_id": "T1", "user_id": "UBOT", "is_bot": true}],
        "event": {
            "type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "text": "Hi &amp; <@UBOT>",
            "ts": "1700000000.000100",
        },
    })
}

#[test]
fn a_message_in_a_channel_starts_a_thread() {
    let message = only(deliver(&event()));
    assert_eq!(message.delivery_key, "T1:C1:1700000000.000100");
    assert_eq!(message.destination.conversation, "C1");
    assert_eq!(message.destination.topic.as_deref(), Some("1700000000.000100"));
    assert_eq!((message.sender.id.as_str(), message.text.as_str()), ("U1", "Hi & @UBOT"));
    assert_eq!(message.position, 1_700_000_000_000_100);
    assert_eq!(message.sent_at, Some(now()));

    let reply = only(deliver(&with(event(), "/event/thread_ts", "1699999999.000001")));
    assert_eq!(reply.destination.topic.as_deref(), Some("1699999999.000001"));
}

#[test]
fn a_direct_message_has_no_thread() {
    for (field, value) in [("/event/channel_type", "im"), ("/event/channel", "D1")] {
        let message = only(deliver(&with(with(event(), "/event/thread_ts", "1.000001"), field, value)));
        assert_eq!(message.destination.topic, None);
    }
}

#[test]
fn a_mention_is_the_same_message_as_its_message_event() {
    let mention = with(with(event(), "/event/type", "app_mention"), "/event_id", "Ev2");
    assert_eq!(only(deliver(&mention)), only(deliver(&event())));
}

#[test]
fn other_events_are_ignored() {
    for (field, value) in [
        ("/type", json!("app_rate_limited")),
        ("/event/type", json!("reaction_added")),
        ("/event/subtype", json!("message_changed")),
        ("/event/subtype", json!("bot_message")),
        ("/event/bot_id", json!("B1")),
        ("/event/user", json!("UBOT")),
        ("/event/text", json!(" ")),
    ] {
        assert_eq!(messages(deliver(&with(event(), field, value.clone()))), [], "{field} {value}");
    }
    let joined = json!({"type": "event_callback", "event": {"type": "team_join", "user": {"id": "U2"}}});
    assert_eq!(messages(deliver(&joined)), []);
    let other_bot = with(event(), "/authorizations", json!([{"user_id": "U1", "is_bot": false}]));
    assert_eq!(messages(deliver(&other_bot)).len(), 1);
}

#[test]
fn files_are_attachments() {
    let file = json!({"name": "a.png", "mimetype": "image/png", "url_private": "https://files.slack.com/a", "size": 9});
    let shared = with(with(event(), "/event/subtype", "file_share"), "/event/files", json!([file, {"id": "F2"}]));
    let message = only(deliver(&with(shared, "/event/text", "")));
    assert_eq!(message.attachments.len(), 1);
    let attachment = &message.attachments[0];
    assert_eq!((attachment.reference.as_str(), attachment.size), ("https://files.slack.com/a", Some(9)));
    assert_eq!((attachment.name.as_str(), attachment.media_type.as_str()), ("a.png", "image/png"));
    let many = with(event(), "/event/files", json!(vec![file; 12]));
    assert_eq!(only(deliver(&many)).attachments.len(), MAX_ATTACHMENTS);
}

#[test]
fn the_url_is_verified_by_a_signed_challenge() {
    let challenge = json!({"type": "url_verification", "token": "x", "challenge": "3eZbrw1a"});
    assert_eq!(deliver(&challenge), Ok(Received::Challenge("3eZbrw1a".to_owned())));
    let body = challenge.to_string();
    assert_eq!(deliver_signed("other", NOW_S, &body, &body), Err(ReceiveError::Unauthorized));
    assert!(is_malformed(deliver(&json!({"type": "url_verification"}))));
}

#[test]
fn only_recent_deliveries_with_the_right_signature_are_read() {
    let body = event().to_string();
    for age_s in [-300, 0, 300] {
        assert!(deliver_signed(SECRET, NOW_S - age_s, &body, &body).is_ok(), "{age_s}");
    }
    let altered = body.replace("Hi", "Ho");
    for refused in [
        deliver_signed(SECRET, NOW_S - 301, &body, &body),
        deliver_signed(SECRET, NOW_S + 301, &body, &body),
        deliver_signed("other", NOW_S, &body, &body),
        deliver_signed(SECRET, NOW_S, &body, &altered),
        deliver_signed("other", NOW_S, "not json", "not json"),
    ] {
        assert_eq!(refused, Err(ReceiveError::Unauthorized));
    }
    for headers in [headers(&[]), headers(&[("x-slack-request-timestamp", "1"), ("x-slack-signature", "v0=zz")])] {
        let request = InboundRequest { headers: &headers, body: body.as_bytes() };
        assert_eq!(receive(&credential(), &request, now()), Err(ReceiveError::Unauthorized));
    }
}

#[test]
fn limits_cut_texts_and_refuse_long_ids() {
    let long = only(deliver(&with(event(), "/event/text", "ñ".repeat(20_000))));
    assert_eq!(long.text.chars().count(), MAX_INBOUND_TEXT_CHARS);
    for (field, value) in [
        ("/event/user", json!("U".repeat(201))),
        ("/event/channel", json!("")),
        ("/event/ts", json!("soon")),
        ("/event/ts", json!("1.1")),
        ("/event/ts", json!(null)),
        ("/team_id", json!(null)),
        ("/event/thread_ts", json!("1".repeat(201))),
        ("/event/text", json!({"secret": 1})),
    ] {
        let refused = deliver(&with(event(), field, value.clone()));
        assert!(is_malformed(refused.clone()), "{field} {value}");
        assert!(!refused.unwrap_err().to_string().contains("secret"));
    }
    assert!(is_malformed(deliver(&json!([]))));
}
