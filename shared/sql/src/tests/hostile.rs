//! Servers that break the protocols, or want the password.

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// Sends these bytes to a client, reads until it goes, and returns the result of the node and what the client has sent.
async fn talk(server: &str, security: &str, sent: Vec<u8>) -> (Result<Value, EffectError>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let node = json!({
        "server": server, "host": "127.0.0.1", "port": listener.local_addr().unwrap().port(), "database": "shop",
        "security": security, "statements": [{"sql": "SELECT 1"}],
    });
    let answering = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // The client may go at any time.
        drop(stream.write_all(&sent).await);
        drop(stream.shutdown().await);
        let mut heard = Vec::new();
        drop(stream.read_to_end(&mut heard).await);
        heard
    });
    let result = perform(node).await;
    (result, answering.await.unwrap())
}

/// A message of PostgreSQL.
fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag], &(body.len() as u32 + 4).to_be_bytes()[..], body].concat()
}

/// A packet of MySQL.
fn packet(sequence: u8, body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes()[..3], &[sequence], body].concat()
}

fn handshake(plugin: &str) -> Vec<u8> {
    let mut body = b"\x0a8.4.0\0\x01\0\0\0abcdefgh\0".to_vec();
    // The capabilities, without encryption.
    body.extend([0x00, 0xA2, 45, 0x02, 0x00, 0x08, 0x00, 21]);
    body.extend([0; 10]);
    body.extend(b"abcdefghijkl\0");
    body.extend(plugin.as_bytes());
    body.push(0);
    packet(0, &body)
}

#[tokio::test]
async fn a_password_is_never_sent_without_encryption() {
    let sha2 = handshake("caching_sha2_password");
    let switch = |plugin: &str| packet(2, &[b"\xfe", plugin.as_bytes(), b"\0abcdefghijklmnopqrst\0"].concat());
    for (server, sent) in [
        ("postgresql", message(b'R', &3_u32.to_be_bytes())),
        ("mysql", [&sha2[..], &packet(2, &[1, 4])].concat()),
        ("mysql", [&sha2[..], &switch("mysql_clear_password")].concat()),
        ("mysql", [&sha2[..], &switch("sha256_password")].concat()),
    ] {
        let (result, heard) = talk(server, "none", sent).await;
        expect(&result, "database_not_encrypted", RetryHint::Never);
        assert!(!heard.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()));
    }
}

#[tokio::test]
async fn a_server_without_encryption_gets_no_name() {
    for (server, sent) in [
        ("postgresql", b"N".to_vec()),
        // More than the answer: it would be read as if it were encrypted.
        ("postgresql", [&b"S"[..], &message(b'R', &0_u32.to_be_bytes())].concat()),
        ("mysql", handshake("mysql_native_password")),
    ] {
        let (result, heard) = talk(server, "tls", sent).await;
        expect(&result, "database_not_encrypted", RetryHint::Never);
        assert!(!heard.windows(USER.len()).any(|part| part == USER.as_bytes()));
    }
}

#[tokio::test]
async fn a_message_without_end_is_not_read() {
    for (server, sent) in [("postgresql", b"R\x7f\xff\xff\xff".to_vec()), ("mysql", vec![0xff, 0xff, 0xff, 0])] {
        expect(&talk(server, "none", sent).await.0, "result_too_large", RetryHint::Never);
    }
}

/// The tag of a message of PostgreSQL, which the client may know.
fn tag() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(&b"123ACDEGHIKNRSTVWZnst"[..])]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever a server sends, the client ends with an error.
    #[test]
    fn a_server_may_send_anything(
        tags in prop::collection::vec((tag(), prop::collection::vec(any::<u8>(), 0..40)), 0..6),
        is_mysql in any::<bool>(),
        is_greeted in any::<bool>(),
    ) {
        let mut sent = Vec::new();
        if is_mysql && is_greeted {
            sent.extend(handshake("mysql_native_password"));
            sent.extend(packet(2, &[0; 7]));
            // Answers to the settings, and to the begin of the transaction.
            sent.extend(packet(1, &[0; 7]));
            sent.extend(packet(1, &[0; 7]));
        } else if is_greeted {
            sent.extend([message(b'R', &0_u32.to_be_bytes()), message(b'Z', b"I"), message(b'Z', b"T")].concat());
        }
        for (tag, body) in tags {
            sent.extend(if is_mysql { packet(1, &[&[tag % 4], &body[..]].concat()) } else { message(tag, &body) });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = if is_mysql { "mysql" } else { "postgresql" };
        let (result, _) = runtime.block_on(talk(server, "none", sent));
        prop_assert!(result.is_err());
    }
}
