//! Deliveries of Telegram.

use serde_json::json;

use super::*;

fn deliver_with(token: &str, body: &[u8]) -> Result<Received, ReceiveError> {
    let credential = Credential::Telegram { bot_token: "1:a".to_owned(), secret_token: "s3cret".to_owned() };
    let headers = headers(&[("x-telegram-bot-api-secret-token", token)]);
    receive(&credential, &InboundRequest { headers: &headers, body }, now())
}

fn deliver(body: &Value) -> Result<Received, ReceiveError> {
    deliver_with("s3cret", body.to_string().as_bytes())
}

fn update() -> Value {
    json!({"update_id": 77, "message": {
        "message_id": 5, "date": NOW_S, "chat": {"id": -100, "type": "supergroup"},
        "from": {"id": 9, "is_bot": false, "first_name": "Ada", "last_name": "L"}, "text": "Hello",
    }})
}

#[test]
fn a_text_message_is_read() {
    let message = only(deliver(&update()));
    assert_eq!((message.delivery_key.as_str(), message.position), ("77", 77));
    assert_eq!((message.destination.conversation.as_str(), message.destination.topic.clone()), ("-100", None));
    assert_eq!((message.sender.id.as_str(), message.sender.name.as_deref()), ("9", Some("Ada L")));
    assert_eq!((message.text.as_str(), message.sent_at), ("Hello", Some(now())));
}

#[test]
fn only_topics_of_forums_are_topics() {
    let reply = with(update(), "/message/message_thread_id", 3);
    assert_eq!(only(deliver(&reply)).destination.topic, None);
    let topic = with(reply, "/message/is_topic_message", true);
    assert_eq!(only(deliver(&topic)).destination.topic.as_deref(), Some("3"));
}

#[test]
fn media_are_attachments() {
    let sizes = json!([
        {"file_id": "small", "width": 90, "height": 90}, {"file_id": "large", "width": 800, "height": 600, "file_size": 5},
        {"file_id": "middle", "width": 320, "height": 240},
    ]);
    let photo = with(with(update(), "/message/photo", sizes), "/message/caption", "Look");
    let photo = only(deliver(&with(photo, "/message/text", json!(null))));
    assert_eq!(photo.text, "Look");
    let [file] = &photo.attachments[..] else { panic!("one photo") };
    assert_eq!((file.reference.as_str(), file.media_type.as_str(), file.size), ("large", "image/jpeg", Some(5)));
    for (kind, file, name, media_type) in [
        (
            "document",
            json!({"file_id": "f", "file_name": "a.pdf", "mime_type": "application/pdf"}),
            "a.pdf",
            "application/pdf",
        ),
        ("voice", json!({"file_id": "f"}), "voice.ogg", "audio/ogg"),
        ("audio", json!({"file_id": "f", "mime_type": "audio/MP4; x=y"}), "audio.mp3", "audio/mp4"),
        ("video", json!({"file_id": "f"}), "video.mp4", "video/mp4"),
        ("video_note", json!({"file_id": "f", "length": 240}), "video.mp4", "video/mp4"),
    ] {
        let message = only(deliver(&with(update(), &format!("/message/{kind}"), file)));
        let [file] = &message.attachments[..] else { panic!("one file") };
        assert_eq!((file.name.as_str(), file.media_type.as_str()), (name, media_type));
    }
}

#[test]
fn stickers_locations_and_contacts_are_short_texts() {
    let place = json!({"latitude": 41.4036, "longitude": 2.1744});
    let venue = json!({"location": place, "title": "Sagrada Família", "address": "Barcelona"});
    let contact = json!({"phone_number": "+34600", "first_name": "Ada", "last_name": "L"});
    for (content, text) in [
        (json!({"sticker": {"file_id": "f", "emoji": "👍"}}), "[sticker 👍]"),
        (json!({"sticker": {"file_id": "f"}}), "[sticker]"),
        (json!({"location": place}), "[location 41.4036,2.1744]"),
        (json!({"location": place, "venue": venue}), "[location 41.4036,2.1744 Sagrada Família Barcelona]"),
        (json!({"contact": contact}), "[contact Ada L +34600]"),
        (json!({"poll": {"id": "1", "question": "?"}}), "[poll]"),
        (json!({"dice": {"emoji": "🎲", "value": 4}}), "[dice]"),
        (json!({"paid_media": {}}), "[paid media]"),
    ] {
        let mut body = with(update(), "/message/text", json!(null));
        let message = body["message"].as_object_mut().unwrap();
        message.extend(content.as_object().unwrap().clone());
        assert_eq!(only(deliver(&body)).text, text);
    }
}

#[test]
fn other_updates_are_ignored() {
    for body in [
        json!({"update_id": 1}),
        json!({"update_id": 1, "edited_message": update()["message"]}),
        json!({"update_id": 1, "callback_query": {"id": "1"}}),
        with(update(), "/message/from/is_bot", true),
        with(update(), "/message/from", json!(null)),
        with(update(), "/message/text", json!(null)),
        // An update that cannot be read is not refused, because Telegram would repeat it before all others.
        with(update(), "/message/text", json!({"body": "a"})),
        with(update(), "/message/chat", json!(null)),
        json!({"update_id": 1, "message": "text"}),
        json!({"update_id": 1, "message_reaction": {"new_reaction": [{"type": "emoji", "emoji": "👍"}]}}),
    ] {
        assert_eq!(messages(deliver(&body)), [], "{body}");
    }
}

#[test]
fn the_secret_token_is_required() {
    let body = update().to_string();
    for wrong in ["", "s3cre", "s3cret1", "S3cret"] {
        assert_eq!(deliver_with(wrong, body.as_bytes()), Err(ReceiveError::Unauthorized));
        assert_eq!(deliver_with(wrong, b"not json"), Err(ReceiveError::Unauthorized));
    }
    assert!(is_malformed(deliver_with("s3cret", b"not json")));
    assert!(is_malformed(deliver_with("s3cret", b"{\"update_id\": -1}")));
}
