//! Tests of OAuth 2 tokens: fetched once, cached until they expire, and fetched again after a revocation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use super::super::{AddressGuard, CallError, Calls, Outbound, OutboundError, RequestTimeouts};
use super::{PUBLIC, Stage, TIMEOUTS, closing, line, pass, stop_clock};
use domain::credential::Credential;
use domain::id::CredentialId;

const TOKEN_LINE: &str = "POST /token HTTP/1.1";

fn client(scope: Option<&str>) -> Credential {
    Credential::Oauth2ClientCredentials {
        token_url: "http://auth.test/token".to_owned(),
        client_id: "the client".to_owned(),
        client_secret: "s:e+cret".to_owned(),
        scope: scope.map(str::to_owned),
    }
}

/// A server that grants `token-1`, `token-2` and so on and records the calls made with them.
struct Granting {
    stage: Stage,
    calls: Calls,
    id: CredentialId,
}

impl Granting {
    async fn new(grant: Value) -> Self {
        Self::refusing(grant, |_| false).await
    }

    /// A server that responds with 401 to the calls for which `refuses` is true.
    async fn refusing(grant: Value, refuses: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let granted = Arc::new(AtomicUsize::new(0));
        let stage = Stage::resolving(&[&[PUBLIC]]).answering(move |request| {
            if line(request) == TOKEN_LINE {
                let mut grant = grant.clone();
                grant["access_token"] = json!(format!("token-{}", granted.fetch_add(1, Ordering::SeqCst) + 1));
                return closing("200 OK", &[("content-type", "application/json")], &grant.to_string());
            }
            closing(if refuses(request) { "401 Unauthorized" } else { "200 OK" }, &[], "")
        });
        let stage = stage.await;
        let calls = Calls::new(Outbound::new(AddressGuard::default(), stage.clone()));
        Self { stage, calls, id: CredentialId::new() }
    }

    async fn call(&self) -> Result<u16, CallError> {
        let request = Request::post("http://api.test/x").body(Bytes::from("the body")).unwrap();
        let sent = self.calls.send(request, Some((self.id, &client(None))), &TIMEOUTS).await;
        Ok(sent?.status.as_u16())
    }

    /// How many tokens were requested, and the tokens of the calls.
    fn seen(&self) -> (usize, Vec<String>) {
        let heard = self.stage.heard();
        let asked = heard.iter().filter(|request| line(request) == TOKEN_LINE).count();
        let carried = heard.iter().filter_map(|request| {
            request.lines().find_map(|line| line.strip_prefix("authorization: Bearer ")).map(str::to_owned)
        });
        (asked, carried.collect())
    }
}

#[tokio::test]
async fn token_is_requested_per_rfc_6749_and_reused_until_it_expires() {
    let granting = Granting::new(json!({"token_type": "Bearer", "expires_in": 3600})).await;
    for _ in 0..3 {
        assert_eq!(granting.call().await.unwrap(), 200);
    }
    assert_eq!(granting.seen(), (1, vec!["token-1".to_owned(); 3]));
    let asked = &granting.stage.heard()[0];
    // `the+client:s%3Ae%2Bcret`: id and secret are encoded before they are joined.
    assert!(asked.contains("authorization: Basic dGhlK2NsaWVudDpzJTNBZSUyQmNyZXQ=\r\n"), "{asked}");
    assert!(asked.contains("content-type: application/x-www-form-urlencoded\r\n"), "{asked}");
    assert!(asked.ends_with("\r\n\r\ngrant_type=client_credentials"), "{asked}");

    let outbound = Outbound::new(AddressGuard::default(), granting.stage.clone());
    Calls::new(outbound).token(CredentialId::new(), &client(Some("read write")), &TIMEOUTS).await.unwrap();
    assert!(granting.stage.heard().last().unwrap().ends_with("&scope=read+write"));
}

#[tokio::test]
async fn expired_token_is_fetched_again() {
    stop_clock();
    for expires_in in [json!(0.2), json!("0.2")] {
        let granting = Granting::new(json!({"expires_in": expires_in})).await;
        granting.call().await.unwrap();
        granting.call().await.unwrap();
        pass(Duration::from_millis(250)).await;
        granting.call().await.unwrap();
        let (asked, carried) = granting.seen();
        assert_eq!((asked, carried.last().map(String::as_str)), (2, Some("token-2")), "{carried:?}");
    }
}

#[tokio::test]
async fn concurrent_calls_share_one_token_fetch() {
    let granting = Granting::new(json!({"expires_in": 3600})).await;
    let calls = futures::future::join_all((0..20).map(|_| granting.call())).await;
    assert!(calls.into_iter().all(|status| status == Ok(200)));
    assert_eq!(granting.seen(), (1, vec!["token-1".to_owned(); 20]));
}

#[tokio::test]
async fn revoked_token_is_replaced_once() {
    let is_revoked = Arc::new(AtomicBool::new(false));
    let refuses = {
        let is_revoked = is_revoked.clone();
        move |request: &str| is_revoked.load(Ordering::SeqCst) && request.contains("Bearer token-1")
    };
    let revoked = Granting::refusing(json!({"expires_in": 3600}), refuses).await;
    revoked.call().await.unwrap();
    is_revoked.store(true, Ordering::SeqCst);
    assert_eq!(revoked.call().await.unwrap(), 200);
    let (asked, carried) = revoked.seen();
    assert_eq!((asked, carried), (2, ["token-1", "token-1", "token-2"].map(str::to_owned).to_vec()));
    assert!(revoked.stage.heard().last().unwrap().ends_with("the body"), "the retry has the same body");

    // If a new token is refused, the response is final: another token would be refused too.
    let refused = Granting::refusing(json!({"expires_in": 3600}), |_| true).await;
    assert_eq!((refused.call().await.unwrap(), refused.seen().0), (401, 1));
}

#[tokio::test]
async fn client_secret_is_sent_in_the_body_if_the_header_is_refused() {
    let stage = Stage::resolving(&[&[PUBLIC]]).answering(|request| match request.contains("client_secret=") {
        true => closing("200 OK", &[], r#"{"access_token": "t"}"#),
        false => closing("401 Unauthorized", &[], r#"{"error": "invalid_client"}"#),
    });
    let stage = stage.await;
    let calls = Calls::new(Outbound::new(AddressGuard::default(), stage.clone()));
    let (token, is_new) = calls.token(CredentialId::new(), &client(None), &TIMEOUTS).await.unwrap();
    assert!(token == "Bearer t" && token.is_sensitive() && is_new);
    assert!(stage.heard()[1].ends_with("&client_id=the+client&client_secret=s%3Ae%2Bcret"));
}

#[tokio::test]
async fn timeout_covers_the_token_and_the_call_together() {
    let granted = closing("200 OK", &[], r#"{"access_token": "t"}"#);
    stop_clock();
    let stage = Stage { takes: Duration::from_millis(80), ..Stage::resolving(&[&[PUBLIC]]) };
    let stage = stage.answering(move |_| granted.clone()).await;
    let calls = Calls::new(Outbound::new(AddressGuard::default(), stage));
    let request = Request::get("http://api.test/x").body(Bytes::new()).unwrap();
    let timeouts = RequestTimeouts { total: Duration::from_millis(120), ..TIMEOUTS };
    let late = calls.send(request, Some((CredentialId::new(), &client(None))), &timeouts).await;
    assert_eq!(late.err(), Some(CallError::Outbound(OutboundError::Timeout { sent: true })));
}

#[tokio::test]
async fn failed_token_requests_are_reported_and_not_cached() {
    let refused = |status, reason: Option<&str>| CallError::TokenRefused { status, reason: reason.map(str::to_owned) };
    for (answer, expected) in [
        (closing("400 Bad Request", &[], r#"{"error": "invalid_scope"}"#), refused(400, Some("invalid_scope"))),
        (closing("401 Unauthorized", &[], r#"{"error": "your secret s:e+cret is wrong"}"#), refused(401, None)),
        (closing("503 Service Unavailable", &[], "<html>"), refused(503, None)),
        (closing("302 Found", &[("location", "http://api.test/")], ""), refused(302, None)),
        (closing("200 OK", &[], "<html>"), CallError::NoToken),
        (closing("200 OK", &[], r#"{"access_token": ""}"#), CallError::NoToken),
        (closing("200 OK", &[], r#"{"access_token": "t", "token_type": "mac"}"#), CallError::NoToken),
        (closing("200 OK", &[], r#"{"access_token": "two\nlines"}"#), CallError::InvalidCredential),
        (
            closing("200 OK", &[], &"x".repeat(70_000)),
            CallError::Outbound(OutboundError::TooLarge { limit_bytes: 65_536 }),
        ),
    ] {
        let stage = Stage::resolving(&[&[PUBLIC]]).answering(move |_| answer.clone()).await;
        let calls = Calls::new(Outbound::new(AddressGuard::default(), stage.clone()));
        let id = CredentialId::new();
        assert_eq!(calls.token(id, &client(None), &TIMEOUTS).await.unwrap_err(), expected);
        let before = stage.heard().len();
        assert!(before <= 2);
        assert_eq!(calls.token(id, &client(None), &TIMEOUTS).await.unwrap_err(), expected);
        assert!(stage.heard().len() > before, "the token is requested again");
    }
    let inside = Stage::resolving(&[&["10.0.0.1"]]);
    let calls = Calls::new(Outbound::new(AddressGuard::default(), inside.clone()));
    let forbidden = calls.token(CredentialId::new(), &client(None), &TIMEOUTS).await.unwrap_err();
    assert_eq!(forbidden, CallError::Outbound(OutboundError::Forbidden));
    assert!(inside.dialled().is_empty());
}
