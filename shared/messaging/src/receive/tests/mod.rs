//! Tests of deliveries through `receive`, signed as the providers sign them.

mod signed_http;
mod slack;
mod telegram;
mod whatsapp;

use domain::credential::Credential;
use domain::messaging::InboundMessage;
use domain::text::hex;
use domain::time::Time;
use http::{HeaderMap, HeaderName};
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde_json::Value;

use super::{InboundRequest, ReceiveError, Received, receive};

const NOW_S: i64 = 1_700_000_000;

fn now() -> Time {
    Time::from_millis(NOW_S * 1_000)
}

fn hmac(key: &[u8], content: &[u8]) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, key), content).as_ref().to_vec()
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
}

/// The messages of a delivery that is not a challenge, and reports no failures.
fn messages(received: Result<Received, ReceiveError>) -> Vec<InboundMessage> {
    match received.unwrap() {
        Received::Events { messages, failures } if failures.is_empty() => messages,
        other => panic!("{other:?}"),
    }
}

fn only(received: Result<Received, ReceiveError>) -> InboundMessage {
    let mut messages = messages(received);
    assert_eq!(messages.len(), 1);
    messages.remove(0)
}

fn is_malformed(received: Result<Received, ReceiveError>) -> bool {
    matches!(received, Err(ReceiveError::Malformed(_)))
}

#[test]
fn credentials_of_http_calls_verify_nothing() {
    let bearer = Credential::Bearer { token: "t".to_owned() };
    let request = InboundRequest { headers: &HeaderMap::new(), body: b"{}" };
    assert_eq!(receive(&bearer, &request, now()), Err(ReceiveError::Unauthorized));
    let subscription = super::Subscription { mode: "subscribe", verify_token: "", challenge: "1158" };
    assert_eq!(super::answer_subscription(&bearer, &subscription), Err(ReceiveError::Unauthorized));
}

/// Changes a field of a delivery, such as `/event/text`.
fn with(mut body: Value, pointer: &str, value: impl Into<Value>) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(field.to_owned(), value.into());
    body
}
