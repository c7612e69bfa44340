//! The consent: its beginning, and what the browser brings back.

use reqwest::Method;
use tests::client::send;

use super::*;
use crate::signin::{Browser, query_of};

#[tokio::test]
async fn a_user_consents_and_calls_send_the_token() {
    let stage = Stage::start().await;
    let none = json!({"status": "unauthorized", "scope": null, "expiresAt": null, "account": null});
    assert_eq!(stage.authorization().await, none);
    let shown = stage.call().await;
    let (code, message) = error(&shown);
    assert_eq!(code, "credential_unauthorized", "{shown}");
    assert!(message.contains("must be authorized again. Open"), "{message}");
    assert!(stage.sent().is_empty());

    let claims = "eyJlbWFpbCI6ImFkYUBjcm0uZXhhbXBsZSJ9";
    stage.issuer.grant("id_token", json!(format!("e30.{claims}.")));
    stage.issuer.grant("scope", json!("read"));
    let url = stage.begin().await;
    let asked = query_of(&url);
    assert_eq!(asked["redirect_uri"], format!("{}/oauth/callback", stage.app.platform.base_url));
    assert_eq!(
        (&*asked["scope"], &*asked["access_type"], &*asked["client_id"]),
        ("read write", "offline", "atelier-client")
    );
    let page = stage.call_back(&stage.issuer.approve(&url)).await;
    assert_eq!(page.status, "200 OK", "{}", page.text);
    assert!(page.text.contains("The account is connected"), "{}", page.text);
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"), "the code is in the URL");
    let exchange = stage.issuer.take_requests().remove(0);
    assert!(exchange["authorization"].starts_with("Basic ") && !exchange.contains_key("client_secret"), "{exchange:?}");

    let authorization = stage.authorization().await;
    assert_eq!(
        (&authorization["status"], &authorization["scope"], &authorization["account"]),
        (&json!("authorized"), &json!("read"), &json!("ada@crm.example"))
    );
    assert!(authorization["expiresAt"].is_string());
    let shown = stage.call().await;
    assert_eq!(shown["output"], 200, "{shown}");
    assert_eq!(stage.sent(), [format!("Bearer {}", stage.issuer.access_tokens()[0])]);

    // A test call sends it too, and without a URL only reads the token.
    let tested = stage.ada.post(&format!("{}/test", stage.credential)).await;
    assert_eq!(tested.json["data"]["ok"], true, "{}", tested.text);
    let url = json!({"url": stage.api.base_url});
    let tested = stage.ada.post_json(&format!("{}/test", stage.credential), url).await;
    assert_eq!((&tested.json["data"]["status"], stage.sent().len()), (&json!(200), 1));
}

#[tokio::test]
async fn an_account_is_connected_through_the_api_of_dynamodb() {
    let stage = Stage::with(TestApp::start_over_http().await, AuthorizationServer::start().await, fields).await;
    stage.consent().await;
    assert_eq!(stage.authorization().await["status"], "authorized");
}

#[tokio::test]
async fn a_state_counts_once_and_for_its_credential() {
    let stage = Stage::start().await;
    let query = stage.issuer.approve(&stage.begin().await);
    let (code, rest) = query.split_once('&').unwrap();
    let forged = query.replace("state=", "state=AAAA");
    let long = format!("{code}&state={}", "a".repeat(3_000));
    for wrong in ["", "code=x", "state=x", &forged, &long, &format!("{code}&state=%2F")] {
        let page = stage.call_back(wrong).await;
        assert_eq!(page.status, "400 Bad Request", "{wrong}");
        assert!(page.text.contains("Begin again"), "{}", page.text);
    }
    assert!(stage.issuer.take_requests().is_empty(), "no code is exchanged");
    assert_eq!(stage.call_back(&query).await.status, "200 OK");
    assert_eq!(stage.call_back(&format!("code=other&{rest}")).await.status, "400 Bad Request");
    assert_eq!(stage.issuer.take_requests().len(), 1);
    // The exchange of a code that the server does not know, or that belongs to another verifier, fails.
    let (mine, other) = (stage.issuer.approve(&stage.begin().await), stage.issuer.approve(&stage.begin().await));
    let code_of_other = other.split('&').next().unwrap();
    let swapped = format!("{code_of_other}&{}", mine.split_once('&').unwrap().1);
    assert_eq!(stage.call_back(&swapped).await.status, "502 Bad Gateway", "PKCE binds a code to its state");
    // A deleted credential gets no tokens.
    let query = stage.issuer.approve(&stage.begin().await);
    assert_eq!(stage.ada.delete(&stage.credential).await.status, "204 No Content");
    assert_eq!(stage.call_back(&query).await.status, "400 Bad Request");
    let spanish = stage.app.anonymous().request(Method::POST, &format!("/oauth/callback?{query}"));
    let spanish = send(spanish.header("accept-language", "es")).await;
    assert!(spanish.text.contains("La cuenta no está conectada"), "{}", spanish.text);
}

#[tokio::test]
async fn a_denied_consent_keeps_an_earlier_one() {
    let stage = Stage::start().await;
    stage.consent().await;
    let denied = stage.issuer.approve(&stage.begin().await).replacen("code=", "error=access_denied&x=", 1);
    let page = stage.call_back(&denied).await;
    assert_eq!(page.status, "400 Bad Request");
    assert!(page.text.contains("access_denied"), "{}", page.text);
    assert_eq!(stage.call_back(&denied).await.status, "400 Bad Request");
    let script = stage.issuer.approve(&stage.begin().await).replacen("code=", "error=%3Cscript%3E&x=", 1);
    assert!(!stage.call_back(&script).await.text.contains("<script>"));
    assert_eq!(stage.authorization().await["status"], "authorized");
}

#[tokio::test]
async fn a_browser_with_a_session_needs_no_confirmation_and_another_user_is_refused() {
    let stage = Stage::start().await;
    let mut ada = Browser::signed_in(&stage.app, "ada").await;
    let begun = ada.request(Method::GET, &format!("{}/authorize", stage.credential)).header("accept", "text/html");
    let begun = send(begun).await;
    assert_eq!((begun.status.as_str(), begun.header("cache-control")), ("303 See Other", Some("no-store")));
    let query = stage.issuer.approve(begun.header("location").unwrap());
    let callback = format!("/oauth/callback?{query}");
    // Another user of the platform, who was sent the link.
    let mut bob = Browser::signed_in(&stage.app, "bob").await;
    let refused = bob.get(&callback).await;
    assert_eq!(refused.status, "403 Forbidden", "{}", refused.text);
    assert!(refused.text.contains("Another user has begun this authorization"), "{}", refused.text);
    assert_eq!(bob.change(Method::POST, &callback, json!({})).await.status, "403 Forbidden");
    // A person without a session sees whose workflow it is.
    let page = stage.app.anonymous().get(&callback).await;
    assert!(page.text.contains("A workflow of ") && page.text.contains("<form method=\"post\""), "{}", page.text);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(stage.issuer.take_requests().is_empty(), "no code is exchanged before");
    let finished = ada.get(&callback).await;
    assert_eq!(finished.status, "200 OK", "{}", finished.text);
    assert!(finished.text.contains("href=\"../console#/workflows/"), "{}", finished.text);
    assert_eq!(stage.authorization().await["status"], "authorized");
}
