//! Messages that are accepted, refused, not sent, or perhaps accepted.

use std::time::Duration;

use serde_json::{Value, json};
use tests::clock::pass_time;
use tests::messaging::{Fault, SentMessage};
use tokio::net::TcpListener;

use super::*;

/// The providers that do not recognize a repeated message.
const WITHOUT_KEYS: [MessagingProvider; 3] =
    [MessagingProvider::Slack, MessagingProvider::Telegram, MessagingProvider::Whatsapp];

#[tokio::test]
async fn a_message_arrives_in_its_thread() {
    let stage = Stage::start().await;
    for provider in ALL {
        for topic in [None, Some("7")] {
            let id = stage.send(provider, topic).await.unwrap();
            // Only WhatsApp later reports that it could not deliver a message.
            assert_eq!(id.is_some(), provider == MessagingProvider::Whatsapp);
            let has_topics = matches!(provider, MessagingProvider::Slack | MessagingProvider::Telegram);
            let topic = topic.filter(|_| has_topics).map(str::to_owned);
            let sent = SentMessage { provider, conversation: "5".to_owned(), topic, text: TEXT.to_owned() };
            // The receiver of signed requests recognizes the second message by its key.
            assert_eq!(stage.fake.sent().last(), Some(&sent));
        }
    }
    assert_eq!(stage.fake.texts("5").len(), 7);
}

#[tokio::test]
async fn the_requests_are_as_documented() {
    let stage = Stage::start().await;
    for provider in ALL {
        stage.send(provider, None).await.unwrap();
    }
    let [slack, telegram, whatsapp, signed] = &stage.fake.take_requests()[..] else { panic!("four requests") };
    assert_eq!(slack.path, "/slack/api/chat.postMessage");
    assert_eq!(slack.body, json!({"channel": "5", "text": TEXT, "unfurl_links": false, "unfurl_media": false}));
    assert_eq!(telegram.path, format!("/telegram/bot{TELEGRAM_TOKEN}/sendMessage"));
    let preview = json!({"is_disabled": true});
    assert_eq!(
        telegram.body,
        json!({"chat_id": "5", "text": TEXT, "parse_mode": "HTML", "link_preview_options": preview})
    );
    assert!(!telegram.headers.contains_key("authorization"));
    assert_eq!(whatsapp.path, "/whatsapp/106540352242922/messages");
    assert_eq!(whatsapp.body["text"], json!({"body": TEXT, "preview_url": false}));
    assert_eq!((&whatsapp.body["to"], &whatsapp.body["recipient"]), (&json!("5"), &Value::Null));
    assert_eq!(signed.body, json!({"type": "message", "conversation": "5", "text": TEXT}));
    assert_eq!(
        (&signed.headers["webhook-id"], &signed.headers["webhook-timestamp"]),
        (&"key-1".parse().unwrap(), &"1700000000".parse().unwrap())
    );
}

/// A person who hides their phone number has only a business-scoped user id.
#[tokio::test]
async fn whatsapp_addresses_a_user_id_as_the_recipient() {
    let stage = Stage::start().await;
    let credential = stage.fake.credential(MessagingProvider::Whatsapp);
    let destination = Destination { conversation: "ES.134912".to_owned(), topic: None };
    stage.messenger.send(CredentialId::new(), &credential, &destination, TEXT, "key-1").await.unwrap();
    let [request] = &stage.fake.take_requests()[..] else { panic!("one request") };
    assert_eq!((&request.body["recipient"], &request.body["to"]), (&json!("ES.134912"), &Value::Null));
}

#[tokio::test]
async fn a_rate_limit_is_not_sent_and_names_the_wait() {
    let stage = Stage::start().await;
    for provider in ALL {
        stage.fake.fail_next(Fault::RateLimit { seconds: 7 });
        let error = stage.send(provider, None).await.unwrap_err();
        let SendError::NotSent { wait, .. } = error else { panic!("{provider:?}: {error:?}") };
        assert_eq!(wait, Some(Duration::from_secs(7)), "{provider:?}");
    }
    assert_eq!(stage.fake.sent(), []);
}

#[tokio::test]
async fn a_final_refusal_has_a_code() {
    let stage = Stage::start().await;
    for (provider, refusal, code) in [
        (MessagingProvider::Slack, "channel_not_found", "channel_not_found"),
        (MessagingProvider::Slack, "token_revoked", "token_revoked"),
        (MessagingProvider::Slack, "some_new_error", "some_new_error"),
        (MessagingProvider::Slack, "an <error> with pr1vate text", "unknown_error"),
        (MessagingProvider::Telegram, "400 Bad Request: chat not found", "chat_not_found"),
        (MessagingProvider::Telegram, "400 Bad Request: message thread not found", "topic_not_found"),
        (MessagingProvider::Telegram, "403 Forbidden: bot was blocked by the user", "bot_blocked"),
        (MessagingProvider::Telegram, "403 Forbidden: bot was kicked from the group chat", "not_in_chat"),
        (MessagingProvider::Telegram, "400 Bad Request: pr1vate text", "telegram_refused"),
        (MessagingProvider::Whatsapp, "131047", "outside_window"),
        (MessagingProvider::Whatsapp, "190", "invalid_token"),
        (MessagingProvider::Whatsapp, "99999", "whatsapp_refused"),
        (MessagingProvider::Http, "410", "receiver_gone"),
        (MessagingProvider::Http, "403", "signature_refused"),
        (MessagingProvider::Http, "302", "redirected"),
        (MessagingProvider::Http, "422", "http_status"),
    ] {
        stage.fake.fail_next(Fault::Refusal(refusal));
        let error = stage.send(provider, None).await.unwrap_err();
        assert!(matches!(error, SendError::Refused { .. }), "{provider:?} {refusal}: {error:?}");
        assert_eq!(error.code(), code, "{refusal}");
    }
    assert_eq!(stage.fake.sent(), []);
}

#[tokio::test]
async fn a_wrong_credential_is_refused() {
    let stage = Stage::start().await;
    let text = str::to_owned;
    for (credential, code) in [
        (Credential::Slack { bot_token: text("xoxb-other"), signing_secret: text("s") }, "invalid_auth"),
        (Credential::Telegram { bot_token: text("1:other"), secret_token: text("s") }, "invalid_token"),
        (
            Credential::Whatsapp {
                access_token: text("other"),
                phone_number_id: text("106540352242922"),
                app_secret: text("s"),
                verify_token: text("v"),
            },
            "invalid_token",
        ),
        (
            Credential::SignedHttp {
                url: format!("{}/receiver", stage.fake.base_url),
                secret: format!("whsec_{}", "AAAA".repeat(8)),
            },
            "signature_refused",
        ),
        (Credential::Bearer { token: text("t") }, "credential_unfit"),
    ] {
        let sent = stage.send_with(&credential, None).await;
        assert_eq!(sent.unwrap_err().code(), code, "{credential:?}");
        let tested = stage.messenger.test(CredentialId::new(), &credential).await;
        assert_eq!(tested.unwrap_err().code(), code, "{credential:?}");
    }
}

#[tokio::test]
async fn a_lost_answer_is_uncertain() {
    let stage = Stage::start().await;
    for (index, provider) in WITHOUT_KEYS.into_iter().enumerate() {
        stage.fake.fail_next(Fault::CutAfterAccept).fail_next(Fault::ServerError);
        for _ in 0..2 {
            let error = stage.send(provider, None).await.unwrap_err();
            assert!(matches!(error, SendError::Uncertain { .. }), "{provider:?}: {error:?}");
            assert_eq!(error.code(), "delivery_uncertain");
        }
        assert_eq!(stage.fake.sent().len(), index + 1);
    }
    for error in ["fatal_error", "internal_error"] {
        stage.fake.fail_next(Fault::Refusal(error));
        assert_eq!(stage.send(MessagingProvider::Slack, None).await.unwrap_err().code(), "delivery_uncertain");
    }
}

#[tokio::test]
async fn a_silent_provider_is_uncertain() {
    for provider in WITHOUT_KEYS {
        let sent = send_without_answer(&Stage::start().await, provider).await;
        assert!(matches!(sent, Err(SendError::Uncertain { .. })), "{provider:?}: {sent:?}");
    }
}

async fn send_without_answer(stage: &Stage, provider: MessagingProvider) -> Result<Option<String>, SendError> {
    let held = stage.fake.hold_next();
    let sending = stage.send(provider, None);
    let passing = async {
        let release = held.arrived().await;
        pass_time(Duration::from_secs(60)).await;
        release
    };
    tokio::join!(sending, passing).0
}

/// The receiver of signed requests recognizes a repeated message by its key.
#[tokio::test]
async fn a_signed_request_without_a_clear_answer_may_be_repeated() {
    let stage = Stage::start().await;
    let is_repeatable = |sent: &Result<Option<String>, SendError>, expected: Option<Duration>| matches!(sent, Err(SendError::NotSent { wait, .. }) if *wait == expected);
    stage
        .fake
        .fail_next(Fault::CutAfterAccept)
        .fail_next(Fault::ServerError)
        .fail_next(Fault::Unavailable { seconds: 9 });
    for wait in [None, None, Some(Duration::from_secs(9))] {
        let sent = stage.send(MessagingProvider::Http, None).await;
        assert!(is_repeatable(&sent, wait), "{sent:?}");
    }
    let sent = send_without_answer(&stage, MessagingProvider::Http).await;
    assert!(is_repeatable(&sent, None), "{sent:?}");
    stage.send(MessagingProvider::Http, None).await.unwrap();
    assert_eq!(stage.fake.sent().len(), 1);
}

#[tokio::test]
async fn an_unreachable_provider_is_not_sent() {
    let stage = Stage::start().await;
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let settings = stage.fake.settings().into_iter().map(|(name, _)| (name, gone.clone())).collect();
    let stage = Stage { messenger: messenger(settings), ..stage };
    let secret = format!("whsec_{}", "AAAA".repeat(8));
    let receiver = Credential::SignedHttp { url: gone, secret };
    let providers = [MessagingProvider::Slack, MessagingProvider::Telegram, MessagingProvider::Whatsapp];
    for credential in providers.map(|provider| stage.fake.credential(provider)).into_iter().chain([receiver]) {
        let error = stage.send_with(&credential, None).await.unwrap_err();
        assert!(matches!(error, SendError::NotSent { wait: None, .. }), "{credential:?}: {error:?}");
    }
    let internal = Credential::SignedHttp {
        url: "http://169.254.169.254/latest".to_owned(),
        secret: format!("whsec_{}", "AAAA".repeat(8)),
    };
    assert_eq!(stage.send_with(&internal, None).await.unwrap_err().code(), "destination_forbidden");
}

#[tokio::test]
async fn a_credential_is_tested_without_a_message() {
    let stage = Stage::start().await;
    for (provider, name) in ALL.into_iter().zip(["bot @ Acme", "@acme_bot", "Acme +1 555 0100", "127.0.0.1"]) {
        let tested = stage.messenger.test(CredentialId::new(), &stage.fake.credential(provider)).await;
        assert_eq!(tested.unwrap(), name);
    }
    assert_eq!(stage.fake.sent(), []);
}
