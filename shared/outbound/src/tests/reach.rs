//! Tests of the SSRF guard, the connection limit and the timeouts.

use std::time::Duration;

use futures::StreamExt;

use super::super::{AddressGuard, Outbound, OutboundError, RequestTimeouts};
use super::{Stage, TIMEOUTS, at_once, get, settle, stop_clock};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

#[tokio::test]
async fn the_checked_address_is_the_one_connected_to() {
    // DNS rebinding: the name resolves to a public address first and to a private one later. It is resolved only once.
    let stage = Stage::resolving(&[&["93.184.215.14"], &["127.0.0.1"]]).serving(at_once(&[OK])).await;
    assert_eq!(stage.get("http://rebound.test:8080/a", AddressGuard::default(), TIMEOUTS).await.unwrap(), "hello");
    assert_eq!(stage.dialled(), ["93.184.215.14:8080"]);
}

#[tokio::test]
async fn name_that_resolves_to_an_internal_address_is_not_connected_to() {
    for inside in ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"] {
        let stage = Stage::resolving(&[&[inside]]).serving(at_once(&[OK])).await;
        let refused = stage.get("http://inside.test/", AddressGuard::default(), TIMEOUTS).await;
        assert_eq!(refused.unwrap_err(), OutboundError::Forbidden, "{inside}");
        assert!(stage.dialled().is_empty());
    }
}

#[tokio::test]
async fn only_the_public_addresses_of_a_name_are_connected_to() {
    let stage = Stage::resolving(&[&["10.0.0.1", "93.184.215.14"]]).serving(at_once(&[OK])).await;
    stage.get("http://mixed.test/", AddressGuard::default(), TIMEOUTS).await.unwrap();
    assert_eq!(stage.dialled(), ["93.184.215.14:80"]);
}

#[tokio::test]
async fn literal_addresses_are_checked_too() {
    let stage = Stage::default().serving(at_once(&[OK])).await;
    for url in ["http://127.0.0.1/", "http://[::1]:81/", "http://[::ffff:192.168.0.1]/", "https://169.254.169.254/"] {
        let refused = stage.get(url, AddressGuard::default(), TIMEOUTS).await;
        assert_eq!(refused.unwrap_err(), OutboundError::Forbidden, "{url}");
    }
    assert!(stage.dialled().is_empty());
    let open = AddressGuard::allowing(["127.0.0.0/8"]).unwrap();
    assert_eq!(stage.get("http://127.0.0.1/", open, TIMEOUTS).await.unwrap(), "hello");
}

#[tokio::test]
async fn ports_of_the_platform_stay_blocked_when_everything_is_allowed() {
    let stage = Stage::resolving(&[&["::1", "127.0.0.1", "0.0.0.0"]]).serving(at_once(&[OK])).await;
    let guard = || AddressGuard::allowing(["0.0.0.0/0", "::/0"]).unwrap().refusing_ports(vec![9_000]);
    for host in ["127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "named.test"] {
        let refused = stage.get(&format!("http://{host}:9000/"), guard(), TIMEOUTS).await;
        assert_eq!(refused.unwrap_err(), OutboundError::Forbidden, "{host}");
    }
    assert!(stage.dialled().is_empty());
    for open in ["http://127.0.0.1:9001/", "http://93.184.215.14:9000/"] {
        assert_eq!(stage.get(open, guard(), TIMEOUTS).await.unwrap(), "hello", "{open}");
    }
}

#[tokio::test]
async fn connection_limit_refuses_requests_until_a_connection_closes() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
    let stage = Stage::default().serving(at_once(&[head])).await;
    let outbound = Outbound::new(AddressGuard::default(), stage.clone()).with_max_connections(1);
    let first = outbound.send(get("http://93.184.215.14/"), &TIMEOUTS).await.unwrap();
    for url in ["http://93.184.215.14/", "http://93.184.215.15/"] {
        assert_eq!(outbound.send(get(url), &TIMEOUTS).await.err(), Some(OutboundError::Exhausted));
    }
    assert_eq!(stage.dialled().len(), 1);
    drop(first);
    while let Err(error) = outbound.send(get("http://93.184.215.15/"), &TIMEOUTS).await {
        assert_eq!(error, OutboundError::Exhausted);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn lack_of_file_descriptors_is_reported_as_exhaustion() {
    const EMFILE: i32 = 24;
    let stage = Stage { broken: Some(EMFILE), ..Stage::default() };
    let failed = stage.get("http://93.184.215.14/", AddressGuard::default(), TIMEOUTS).await;
    assert_eq!(failed.unwrap_err(), OutboundError::Exhausted);
}

#[tokio::test]
async fn invalid_and_non_http_urls_are_refused() {
    let stage = Stage::default();
    for url in ["http://93.184.215.14:99999/", "http://93.184.215.14:0/"] {
        let refused = stage.get(url, AddressGuard::default(), TIMEOUTS).await;
        assert_eq!(refused.unwrap_err(), OutboundError::NotHttp, "{url}");
    }
    for url in ["ftp://93.184.215.14/", "http://user:word@93.184.215.14/", "/relative"] {
        let refused = stage.get(url, AddressGuard::default(), TIMEOUTS).await;
        assert_eq!(refused.unwrap_err(), OutboundError::NotHttp, "{url}");
    }
}

#[tokio::test]
async fn send_does_not_follow_redirects() {
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n";
    let stage = Stage::default().serving(at_once(&[moved])).await;
    let outbound = Outbound::new(AddressGuard::default(), stage.clone());
    let answer = outbound.send(get("http://93.184.215.14/"), &TIMEOUTS).await.unwrap();
    assert_eq!(answer.status, 302);
    assert_eq!(stage.dialled(), ["93.184.215.14:80"]);
}

#[tokio::test]
async fn connection_is_reused_after_a_finished_stream() {
    let stream = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
    let stage = Stage::default().serving(at_once(&[stream, "0\r\n\r\n"])).await;
    let outbound = Outbound::new(AddressGuard::default(), stage.clone());
    for _ in 0..3 {
        let mut answer = outbound.send(get("http://93.184.215.14/"), &TIMEOUTS).await.unwrap();
        assert_eq!(answer.body.next().await.unwrap().unwrap(), "hello");
        answer.body.finish().await.unwrap();
        // Now the connection returns to the pool.
        settle().await;
    }
    assert_eq!(stage.dialled().len(), 1);
}

#[tokio::test]
async fn every_wait_times_out() {
    stop_clock();
    let second = Duration::from_secs(1);
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let drop = (Duration::from_millis(20), "1\r\nx\r\n");
    let quick = Duration::from_millis(60);
    let cases = [
        (vec![(second, OK)], RequestTimeouts { first_byte: quick, ..TIMEOUTS }),
        (vec![(Duration::ZERO, head), (second, "0\r\n\r\n")], RequestTimeouts { idle: quick, ..TIMEOUTS }),
        // The stream is never idle for long but does not end.
        (
            std::iter::once((Duration::ZERO, head)).chain([drop; 50]).collect(),
            RequestTimeouts { total: quick, ..TIMEOUTS },
        ),
    ];
    for (pieces, timeouts) in cases {
        let stage = Stage::default().serving(pieces).await;
        let late = stage.get("http://93.184.215.14/", AddressGuard::default(), timeouts).await;
        assert_eq!(late.unwrap_err(), OutboundError::Timeout { sent: true });
    }
}

#[tokio::test]
async fn too_large_cut_and_unreachable_are_different_errors() {
    let endless = "HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\n\
        0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x";
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhello";
    let cases = [
        (at_once(&[endless]), OutboundError::TooLarge { limit_bytes: 100 }),
        (at_once(&[half, ""]), OutboundError::Cut),
        (at_once(&[""]), OutboundError::Cut),
    ];
    for (pieces, expected) in cases {
        let stage = Stage::default().serving(pieces).await;
        assert_eq!(stage.get("http://93.184.215.14/", AddressGuard::default(), TIMEOUTS).await.unwrap_err(), expected);
    }
    let nobody = Stage::resolving(&[&["93.184.215.14"]]);
    let unreached = nobody.get("http://nobody.test/", AddressGuard::default(), TIMEOUTS).await;
    assert_eq!(unreached.unwrap_err(), OutboundError::Unreachable);
}
