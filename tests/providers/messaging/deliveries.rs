//! Deliveries of the fakes: the helpers sign them as `receive` verifies them.

use bytes::Bytes;
use domain::messaging::InboundMessage;
use http::HeaderMap;
use messaging::{InboundRequest, ReceiveError, Received, receive};
use serde_json::json;
use tests::messaging::deliveries::{
    Delivery, signed_request, slack_challenge, slack_event, telegram_update, whatsapp_messages,
};

use super::*;

fn read(credential: &Credential, (headers, body): &Delivery, now: Time) -> Result<Received, ReceiveError> {
    receive(credential, &InboundRequest { headers, body }, now)
}

/// A delivery of each provider with the text `Hi`.
fn deliver(provider: MessagingProvider, credential: &Credential, now: Time) -> Delivery {
    match provider {
        MessagingProvider::Slack => {
            let event =
                json!({"type": "message", "channel": "D1", "user": "5", "text": "Hi", "ts": "1700000000.000100"});
            slack_event(credential, now, event)
        }
        MessagingProvider::Telegram => {
            let message = json!({"date": 1_700_000_000, "chat": {"id": 5}, "from": {"id": 5}, "text": "Hi"});
            telegram_update(credential, 1, message)
        }
        MessagingProvider::Whatsapp => {
            let text = json!({"body": "Hi"});
            let message = json!({"from": "5", "id": "wamid.1", "timestamp": "1700000000", "text": text});
            whatsapp_messages(credential, json!([message]))
        }
        MessagingProvider::Http => {
            let body = json!({"conversation": "5", "participant": {"id": "5"}, "text": "Hi"});
            signed_request(credential, "msg_1", now, &body)
        }
    }
}

fn only(received: Result<Received, ReceiveError>) -> InboundMessage {
    let Ok(Received::Events { mut messages, .. }) = received else { panic!("{received:?}") };
    assert_eq!(messages.len(), 1);
    messages.remove(0)
}

#[tokio::test]
async fn signed_deliveries_are_read() {
    let fake = FakeMessaging::start().await;
    for provider in ALL {
        let credential = fake.credential(provider);
        let message = only(read(&credential, &deliver(provider, &credential, now()), now()));
        assert_eq!((message.text.as_str(), message.sender.id.as_str()), ("Hi", "5"), "{provider:?}");
    }
    let slack = fake.credential(MessagingProvider::Slack);
    let challenge = read(&slack, &slack_challenge(&slack, now(), "c1"), now());
    assert_eq!(challenge, Ok(Received::Challenge("c1".to_owned())));
}

#[tokio::test]
async fn forged_deliveries_are_refused() {
    let fake = FakeMessaging::start().await;
    for provider in ALL {
        let credential = fake.credential(provider);
        let (headers, body) = deliver(provider, &credential, now());
        let unsigned = read(&credential, &(HeaderMap::new(), body.clone()), now());
        assert_eq!(unsigned, Err(ReceiveError::Unauthorized), "{provider:?}");
        // Telegram signs neither the body nor the time.
        if provider == MessagingProvider::Telegram {
            continue;
        }
        let altered: Bytes = String::from_utf8_lossy(&body).replace("Hi", "Ho").into_bytes().into();
        let refused = read(&credential, &(headers.clone(), altered), now());
        assert_eq!(refused, Err(ReceiveError::Unauthorized), "{provider:?}");
        // Meta signs no time.
        if provider != MessagingProvider::Whatsapp {
            let later = now().plus(std::time::Duration::from_secs(301));
            let replayed = read(&credential, &(headers, body), later);
            assert_eq!(replayed, Err(ReceiveError::Unauthorized), "{provider:?}");
        }
    }
}
