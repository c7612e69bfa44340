//! Emails to a server in this process.

use std::time::Duration;

use engine::drive::{EffectError, RetryHint};
use engine::nodes::email::MailSecurity;
use platform::config::{Config, OUTBOUND_ALLOWED_CIDRS};
use testing::mail::{Answers, CUT, ENDLESS, MailServer, SILENT};

use super::*;

/// No test waits for it, however slow the machine is.
const TIME: Duration = Duration::from_secs(300);

async fn deliver(server: &MailServer, node: Value) -> std::result::Result<Delivered, EffectError> {
    deliver_as(server, node, None).await
}

async fn deliver_as(
    server: &MailServer,
    node: Value,
    login: Option<Login>,
) -> std::result::Result<Delivered, EffectError> {
    deliver_within(TIME, server, node, login).await
}

async fn deliver_within(
    time: Duration,
    server: &MailServer,
    node: Value,
    login: Option<Login>,
) -> std::result::Result<Delivered, EffectError> {
    let node = read_node(node);
    let email = Email::write(&node, "key-1").map_err(permanent)?;
    let settings = [(OUTBOUND_ALLOWED_CIDRS.to_owned(), "127.0.0.1".to_owned())];
    let outbound = Outbound::from_config(&Config::from_iter(settings)).unwrap();
    let (port, security) = (server.address.port(), node.security.unwrap_or(MailSecurity::None));
    Server { host: "127.0.0.1", port, security, login }.deliver(&outbound, &email, time).await
}

fn read_node(mut fields: Value) -> EmailNode<Value, String> {
    let defaults =
        json!({"host": "127.0.0.1", "from": "Orders <orders@example.com>", "to": "ada@example.com", "subject": "Hi"});
    for (name, value) in defaults.as_object().unwrap() {
        fields.as_object_mut().unwrap().entry(name).or_insert(value.clone());
    }
    serde_json::from_value(fields).unwrap()
}

fn write(node: Value) -> std::result::Result<String, String> {
    let email = Email::write(&read_node(node), "key-1").map_err(|error| error.to_string())?;
    Ok(String::from_utf8(email.text).unwrap())
}

#[tokio::test]
async fn a_message_reaches_all_recipients() {
    let server = MailServer::start(&[]).await;
    let node = json!({
        "to": "Ada <ada@example.com>, \"Lovelace, Bob\" <bob@example.com>", "cc": "eve@example.org", "bcc": "boss@example.com",
        "subject": "Füße\r\nBcc: evil@example.com", "text": ".hidden\nline",
    });
    let delivered = deliver(&server, node).await.unwrap();
    assert_eq!(delivered.accepted, ["ada@example.com", "bob@example.com", "eve@example.org", "boss@example.com"]);
    assert_eq!(delivered.rejected, []);
    let lines = server.lines();
    assert_eq!(lines[..2], ["EHLO example.com", "MAIL FROM:<orders@example.com> BODY=8BITMIME"]);
    let message = lines.join("\n");
    assert!(message.contains("Message-ID: <key-1@example.com>"), "{message}");
    // A line break in the subject begins no header, and hidden recipients are in none.
    assert!(!message.contains("\nBcc:") && !message.contains("boss@example.com\n"), "{message}");
    assert!(message.contains("\n..hidden"), "{message}");
}

#[tokio::test]
async fn a_login_is_sent_to_a_server_that_takes_one() {
    let login = || Some(Login { username: "ada".to_owned(), password: "s3cret".to_owned() });
    let server = MailServer::start(&[]).await;
    deliver_as(&server, json!({"text": "Hi"}), login()).await.unwrap();
    assert!(server.lines()[1].starts_with("AUTH PLAIN "), "{:?}", server.lines());
    for (answers, message) in [
        (&[("AUTH", "535 wrong")] as Answers, "the server refused the name or the password: 535: wrong"),
        (
            &[("EHLO", "250 here")],
            "the server offers no way to sign in; remove the credential, or choose `starttls` or `tls`",
        ),
    ] {
        let server = MailServer::start(answers).await;
        let EffectError { error, retry } = deliver_as(&server, json!({"text": "Hi"}), login()).await.unwrap_err();
        assert_eq!(
            (error.code.as_str(), error.message.as_str(), retry),
            ("email_login_refused", message, RetryHint::Never)
        );
    }
}

#[tokio::test]
async fn a_server_that_offers_no_encryption_gets_nothing() {
    let server = MailServer::start(&[]).await;
    let error = deliver(&server, json!({"text": "Hi", "security": "starttls"})).await.unwrap_err().error;
    assert_eq!(error.code, "email_not_encrypted");
    assert!(error.message.contains("does not offer STARTTLS"), "{error}");
    let error = deliver(&server, json!({"text": "Hi", "security": "tls"})).await.unwrap_err().error;
    assert_eq!(error.code, "email_not_encrypted");
    assert!(!server.lines().iter().any(|line| line.starts_with("MAIL")), "{:?}", server.lines());
}

#[tokio::test]
async fn some_recipients_may_be_refused() {
    let server = MailServer::start(&[("RCPT TO:<bob", "550 no such user")]).await;
    let delivered = deliver(&server, json!({"to": "ada@example.com, bob@example.com", "text": "Hi"})).await.unwrap();
    assert_eq!(delivered.accepted, ["ada@example.com"]);
    assert_eq!(delivered.rejected, [("bob@example.com".to_owned(), "550: no such user".to_owned())]);
}

#[tokio::test]
async fn each_failure_says_whether_another_attempt_helps() {
    let later = || RetryHint::After(Duration::ZERO);
    for (answers, code, retry) in [
        (&[("MAIL", "550 not you")] as Answers, "email_refused", RetryHint::Never),
        (&[("MAIL", "450 who are you")], "email_postponed", later()),
        (&[("RCPT", "550 nobody")], "email_refused", RetryHint::Never),
        (&[("RCPT", "451 grey")], "email_postponed", later()),
        (&[("DATA", "554 no")], "email_refused", RetryHint::Never),
        (&[(".", "452 full")], "email_postponed", later()),
        (&[("DATA", CUT)], "connection_cut", later()),
        // The server may have taken the message.
        (&[(".", CUT)], "connection_cut", RetryHint::Uncertain),
        (&[("EHLO", ENDLESS)], "connection_cut", later()),
    ] {
        let server = MailServer::start(answers).await;
        let error = deliver(&server, json!({"text": "Hi"})).await.unwrap_err();
        assert_eq!((error.error.code.as_str(), &error.retry), (code, &retry), "{answers:?}: {}", error.error);
    }
}

#[tokio::test]
async fn hidden_recipients_are_enough() {
    let server = MailServer::start(&[]).await;
    let delivered = deliver(&server, json!({"to": "", "bcc": "boss@example.com", "text": "a\r.\rb"})).await.unwrap();
    assert_eq!(delivered.accepted, ["boss@example.com"]);
    assert!(!server.lines().iter().any(|line| line.contains('\r') || line.contains("Bcc")), "{:?}", server.lines());
}

/// What was sent before the connection is encrypted counts for nothing.
#[tokio::test]
async fn answers_in_advance_are_no_answers_of_the_encrypted_server() {
    let server = MailServer::start(&[
        ("EHLO", "250-here\r\n250 STARTTLS"),
        ("STARTTLS", "220 go\r\n250-x\r\n250 AUTH PLAIN\r\n250 ok\r\n250 ok\r\n354 go on\r\n250 ok"),
    ])
    .await;
    let error = deliver(&server, json!({"text": "Hi", "security": "starttls"})).await.unwrap_err().error;
    assert_eq!(error.code, "email_not_encrypted", "{error}");
}

/// A silence before the server has the message is no uncertain attempt.
#[tokio::test]
async fn a_silent_server_is_tried_again() {
    let server = MailServer::start(&[("MAIL", SILENT)]).await;
    let time = Duration::from_millis(200);
    let EffectError { error, retry } = deliver_within(time, &server, json!({"text": "Hi"}), None).await.unwrap_err();
    assert_eq!((error.code.as_str(), retry), ("email_timeout", RetryHint::After(Duration::ZERO)));
}

#[test]
fn bodies_and_files_are_parts() {
    let both = write(json!({"text": "plain", "html": "<p>rich</p>"})).unwrap();
    assert!(both.contains("multipart/alternative") && both.contains("plain") && both.contains("<p>rich</p>"), "{both}");
    let files = json!([
        {"name": "a.csv", "contentType": "text/csv", "text": "a,b"}, {"name": "b.bin", "base64": "AAEC"},
    ]);
    let with_files = write(json!({"html": "<p>rich</p>", "attachments": files})).unwrap();
    assert!(with_files.contains("multipart/mixed") && with_files.contains("filename=\"a.csv\""), "{with_files}");
    assert!(with_files.contains("application/octet-stream") && with_files.contains("AAEC"), "{with_files}");
}

#[test]
fn what_cannot_be_sent_is_refused_by_name() {
    let many = vec!["a@example.com"; 101].join(",");
    for (node, message) in [
        (json!({"to": " , "}), "config.to: there is no recipient"),
        (json!({"to": "ada@example.com, bob"}), "config.to: address 2 is not valid; write it as ada@example.com"),
        (json!({"to": many}), "config.to: an email has at most 100 recipients; send several"),
        (json!({"from": "a@example.com, b@example.com"}), "config.from: must be one address"),
        (json!({"replyTo": "x y z"}), "config.replyTo: address 1 is not valid; write it as ada@example.com"),
        (
            json!({"attachments": {}}),
            "config.attachments: the value must be a list of {name, contentType, text} or {name, contentType, base64}",
        ),
        (json!({"attachments": [{"name": "a"}]}), "config.attachments: file 1 needs either `text` or `base64`"),
        (json!({"attachments": [{"name": "a", "base64": "?"}]}), "config.attachments: file 1 is not valid base64"),
        (
            json!({"attachments": [{"name": "a", "text": "", "contentType": "x"}]}),
            "config.attachments: file 1 has no valid `contentType`",
        ),
    ] {
        let mut with_text = node.clone();
        with_text["text"] = json!("Hi");
        assert_eq!(write(with_text), Err(format!("email_invalid: {message}")), "{node}");
    }
}
