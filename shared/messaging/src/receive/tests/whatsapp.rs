//! Deliveries of WhatsApp.

use serde_json::json;

use super::super::{Subscription, answer_subscription};
use super::*;

const SECRET: &str = "app-secret";
const NUMBER: &str = "106540352242922";

fn credential() -> Credential {
    Credential::Whatsapp {
        access_token: "EAAG".to_owned(),
        phone_number_id: NUMBER.to_owned(),
        app_secret: SECRET.to_owned(),
        verify_token: "v&rify".to_owned(),
    }
}

fn deliver_signed(secret: &str, signed: &[u8], body: &[u8]) -> Result<Received, ReceiveError> {
    let signature = format!("sha256={}", hex(&hmac(secret.as_bytes(), signed)));
    let headers = headers(&[("x-hub-signature-256", &signature)]);
    receive(&credential(), &InboundRequest { headers: &headers, body }, now())
}

fn deliver(body: &Value) -> Result<Received, ReceiveError> {
    let body = body.to_string();
    deliver_signed(SECRET, body.as_bytes(), body.as_bytes())
}

fn notification(number: &str, messages: Value) -> Value {
    json!({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{"field": "messages", "value": {
        "messaging_product": "whatsapp", "metadata": {"display_phone_number": "1555", "phone_number_id": number},
        "contacts": [{"profile": {"name": "Ada"}, "wa_id": "34600"}], "messages": messages,
    }}]}]})
}

fn message(kind: &str, content: Value) -> Value {
    json!({"from": "34600", "id": "wamid.1", "timestamp": NOW_S.to_string(), "type": kind, kind: content})
}

#[test]
fn texts_and_replies_are_read() {
    for (kind, content) in [
        ("text", json!({"body": "Sí 👍"})),
        ("button", json!({"text": "Sí 👍", "payload": "p"})),
        ("interactive", json!({"type": "button_reply", "button_reply": {"id": "1", "title": "Sí 👍"}})),
        ("interactive", json!({"type": "list_reply", "list_reply": {"id": "1", "title": "Sí 👍", "description": "d"}})),
    ] {
        let message = only(deliver(&notification(NUMBER, json!([message(kind, content)]))));
        assert_eq!((message.text.as_str(), message.delivery_key.as_str()), ("Sí 👍", "wamid.1"));
        assert_eq!((message.destination.conversation.as_str(), message.destination.topic.clone()), ("34600", None));
        assert_eq!((message.sender.id.as_str(), message.sender.name.as_deref()), ("34600", Some("Ada")));
        assert_eq!((message.position, message.sent_at), (1_700_000_000, Some(now())));
    }
}

#[test]
fn media_are_attachments() {
    for (kind, content, name, media_type) in [
        ("image", json!({"id": "1", "mime_type": "image/png", "caption": "Look"}), "image.jpg", "image/png"),
        ("document", json!({"id": "1", "filename": "a.pdf", "caption": "Look"}), "a.pdf", "application/octet-stream"),
        ("audio", json!({"id": "1", "mime_type": "audio/ogg; codecs=opus"}), "audio.ogg", "audio/ogg"),
        ("video", json!({"id": "1"}), "video.mp4", "video/mp4"),
    ] {
        let caption = content["caption"].as_str().unwrap_or_default().to_owned();
        let message = only(deliver(&notification(NUMBER, json!([message(kind, content)]))));
        let [file] = &message.attachments[..] else { panic!("one file") };
        assert_eq!((file.reference.as_str(), file.name.as_str()), ("1", name));
        assert_eq!((file.media_type.as_str(), &message.text), (media_type, &caption));
    }
}

#[test]
fn stickers_locations_and_contacts_are_short_texts() {
    let place = json!({"latitude": 41.4036, "longitude": 2.1744, "name": "Sagrada Família"});
    let contact =
        |name: &str| json!({"name": {"formatted_name": name}, "phones": [{"phone": "+34 600", "type": "CELL"}]});
    for (kind, content, text) in [
        ("sticker", json!({"id": "1", "mime_type": "image/webp", "animated": false}), "[sticker]"),
        ("location", place, "[location 41.4036,2.1744 Sagrada Família]"),
        ("location", json!({"latitude": -1, "longitude": 2.5}), "[location -1,2.5]"),
        ("contacts", json!([contact("Ada"), contact("Bo")]), "[contact Ada +34 600]\n[contact Bo +34 600]"),
        ("contacts", json!([{}]), "[contact]"),
        ("order", json!({"catalog_id": "1", "product_items": []}), "[order]"),
        ("unsupported", json!({}), "[unsupported]"),
        ("interactive", json!({"type": "nfm_reply"}), "[interactive]"),
    ] {
        let message = only(deliver(&notification(NUMBER, json!([message(kind, content)]))));
        assert_eq!((message.text.as_str(), message.attachments.len()), (text, 0));
    }
}

/// A person who hides their phone number has only a business-scoped user id.
#[test]
fn a_sender_without_a_phone_number_has_a_user_id() {
    let contact = json!([{"profile": {"name": "Ada", "username": "@ada"}, "user_id": "ES.134912"}]);
    for field in ["from_user_id", "user_id", "other"] {
        let mut text = message("text", json!({"body": "a"}));
        text.as_object_mut().unwrap().remove("from");
        text[field] = json!("ES.134912");
        let body = notification(NUMBER, json!([text]));
        let received = only(deliver(&with(body, "/entry/0/changes/0/value/contacts", contact.clone())));
        assert_eq!(
            (received.sender.id.as_str(), received.sender.name.as_deref()),
            ("ES.134912", Some("Ada")),
            "{field}"
        );
        assert_eq!(received.destination.conversation, "ES.134912");
    }
    // The phone number comes first, so that a conversation stays the same.
    let mut text = message("text", json!({"body": "a"}));
    (text["from_user_id"], text["user_id"]) = (json!("ES.134912"), json!("ES.134912"));
    assert_eq!(only(deliver(&notification(NUMBER, json!([text])))).sender.id, "34600");
}

#[test]
fn an_unreadable_message_does_not_prevent_the_others() {
    let good = message("text", json!({"body": "good"}));
    let nobody = json!({"id": "wamid.2", "timestamp": NOW_S.to_string(), "text": {"body": "a"}});
    for bad in [
        json!("not a message"),
        json!({"from": "34600", "id": "wamid.2"}),
        with(good.clone(), "/timestamp", "soon"),
        with(good.clone(), "/text", json!({"body": 1})),
        with(good.clone(), "/id", "w".repeat(201)),
        with(good.clone(), "/from", "3".repeat(201)),
    ] {
        let body = notification(NUMBER, json!([bad, good]));
        assert_eq!(only(deliver(&body)).text, "good", "{bad}");
    }
    let body = with(notification(NUMBER, json!([nobody, good])), "/entry/0/changes/0/value/contacts", json!(["x", {}]));
    assert_eq!(only(deliver(&body)).text, "good");
    let mut changes = notification(NUMBER, json!([good]));
    let change = changes["entry"][0]["changes"][0].clone();
    changes["entry"][0]["changes"] = json!([{"field": "messages", "value": {"messages": {}}}, change]);
    assert_eq!(only(deliver(&changes)).text, "good");
}

/// A reply would go to the private chat of the sender.
#[test]
fn messages_of_groups_are_ignored() {
    let group = with(message("text", json!({"body": "a"})), "/group_id", "120363");
    assert_eq!(messages(deliver(&notification(NUMBER, json!([group])))), []);
}

#[test]
fn several_messages_may_arrive_at_once() {
    let text = message("text", json!({"body": "a"}));
    let received = messages(deliver(&notification(NUMBER, json!(vec![text.clone(); 100]))));
    assert_eq!(received.len(), 100);
    assert!(is_malformed(deliver(&notification(NUMBER, json!(vec![text; 101])))));
}

#[test]
fn failed_statuses_are_failures_with_their_code() {
    let status = |id: &str, status: &str, errors: Value| json!({"id": id, "status": status, "timestamp": "1", "recipient_id": "34600", "recipient_user_id": "ES.1", "errors": errors});
    let statuses = json!([
        status("wamid.1", "delivered", json!([])),
        status("wamid.2", "failed", json!([{"code": 131_047, "title": "Re-engagement message"}])),
        "not a status",
        status("wamid.3", "failed", json!([{"code": 99_999, "title": "pr1vate"}])),
        {"id": "wamid.4", "status": "failed", "recipient_user_id": "ES.1"},
    ]);
    let text = message("text", json!({"body": "a"}));
    let body = with(notification(NUMBER, json!([text])), "/entry/0/changes/0/value/statuses", statuses);
    let Ok(Received::Events { messages, failures }) = deliver(&body) else { panic!("events") };
    assert_eq!(messages.len(), 1);
    let ids: Vec<&str> = failures.iter().map(|failure| failure.provider_id.as_str()).collect();
    assert_eq!(ids, ["wamid.2", "wamid.3", "wamid.4"]);
    let addresses = |place: usize| -> Vec<&str> {
        failures[place].destinations.iter().map(|destination| destination.conversation.as_str()).collect()
    };
    assert_eq!((addresses(0), addresses(2)), (vec!["34600", "ES.1"], vec!["ES.1"]));
    for (failure, part) in failures.iter().zip(["(error 131047): the person has not written", "(error 99999)", ""]) {
        assert!(failure.error.contains(part) && !failure.error.contains("pr1vate"), "{failure:?}");
    }
}

#[test]
fn statuses_other_numbers_and_other_types_are_ignored() {
    let text = || json!([message("text", json!({"body": "a"}))]);
    let mut statuses = notification(NUMBER, json!([]));
    statuses["entry"][0]["changes"][0]["value"] =
        json!({"metadata": {"phone_number_id": NUMBER}, "statuses": [{"id": "wamid.2", "status": "read"}]});
    let mut template = notification(NUMBER, text());
    template["entry"][0]["changes"][0]["field"] = json!("message_template_status_update");
    for body in [
        statuses,
        template,
        notification("2", text()),
        notification(NUMBER, json!([message("reaction", json!({"emoji": "👍"}))])),
        json!({"object": "whatsapp_business_account"}),
    ] {
        assert_eq!(messages(deliver(&body)), [], "{body}");
    }
}

#[test]
fn the_signature_covers_the_raw_bytes() {
    // Another encoding of the same JSON has another signature.
    let body = notification(NUMBER, json!([message("text", json!({"body": "👍"}))])).to_string();
    let escaped = body.replace('👍', "\\ud83d\\udc4d");
    assert_eq!(only(deliver_signed(SECRET, escaped.as_bytes(), escaped.as_bytes())).text, "👍");
    for refused in [
        deliver_signed(SECRET, body.as_bytes(), escaped.as_bytes()),
        deliver_signed("other", body.as_bytes(), body.as_bytes()),
        receive(&credential(), &InboundRequest { headers: &HeaderMap::new(), body: body.as_bytes() }, now()),
    ] {
        assert_eq!(refused, Err(ReceiveError::Unauthorized));
    }
    assert!(is_malformed(deliver_signed(SECRET, b"{", b"{")));
}

#[test]
fn a_subscription_is_confirmed_with_its_challenge() {
    let answer = |mode: &str, verify_token: &str, challenge: &str| {
        answer_subscription(&credential(), &Subscription { mode, verify_token, challenge })
    };
    assert_eq!(answer("subscribe", "v&rify", "1158"), Ok("1158".to_owned()));
    for (mode, token) in [("", ""), ("subscribe", ""), ("subscribe", "other"), ("unsubscribe", "v&rify")] {
        assert_eq!(answer(mode, token, "1158"), Err(ReceiveError::Unauthorized), "{mode} {token}");
    }
    for challenge in ["", "<script>", &"1".repeat(201)] {
        assert!(matches!(answer("subscribe", "v&rify", challenge), Err(ReceiveError::Malformed(_))), "{challenge}");
    }
}
