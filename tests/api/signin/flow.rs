//! The way of a browser to the issuer and back, with the issuer of `local`.

use super::*;

#[tokio::test]
async fn a_click_at_the_issuer_starts_a_session() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login?return=%23/workflows/1").await;
    let asked = query_of(begun.header("location").unwrap());
    assert_eq!((asked["response_type"].as_str(), asked["code_challenge_method"].as_str()), ("code", "S256"));
    assert_eq!(asked["redirect_uri"], format!("{}/console/callback", app.platform.base_url));
    let pending = set_cookie(&begun, PENDING).unwrap();
    assert!(pending.ends_with("; Path=/console; Max-Age=600; HttpOnly; SameSite=Lax"), "{pending}");
    for secret in [&asked["state"], &asked["nonce"], &asked["code_challenge"]] {
        assert!(secret.len() >= 43 && !pending.contains(secret.as_str()), "{pending}");
    }

    let callback = browser.choose(begun.header("location").unwrap(), "ada").await;
    let answer = browser.get(&callback).await;
    assert_eq!(answer.status, "303 See Other", "{}", answer.text);
    assert_eq!(answer.header("location"), Some(&*format!("{}/console#/workflows/1", app.platform.base_url)));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let session = set_cookie(&answer, SESSION).unwrap();
    assert!(session.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax"), "{session}");
    assert_eq!(browser.cookies.keys().collect::<Vec<_>>(), [SESSION], "the pending sign-in is over");
    let me = browser.get("/gateway/v1/me").await;
    assert_eq!(
        (me.json["user"]["name"].as_str(), me.json["membership"]["role"].as_str()),
        (Some("ada"), Some("admin"))
    );
}

#[tokio::test]
async fn a_cookie_is_secure_where_the_platform_is_reached_by_https() {
    let https = |options: &mut local::Options| options.base_url = Some("https://atelier.example/v1".to_owned());
    let app = TestApp::start_with_options(https).await;
    let begun = Browser::new(&app).get("/console/login").await;
    let pending = set_cookie(&begun, PENDING).unwrap();
    assert!(pending.ends_with("; Path=/v1/console; Max-Age=600; HttpOnly; SameSite=Lax; Secure"), "{pending}");
    let asked = query_of(begun.header("location").unwrap());
    assert_eq!(asked["redirect_uri"], "https://atelier.example/v1/console/callback");
}

#[tokio::test]
async fn the_answer_counts_once_and_only_in_the_browser_that_began() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let callback = browser.callback_url("/console/login", "ada").await;
    let refused = |answer: Answer, expected: &str| {
        assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), (expected, None), "{}", answer.text);
        assert!(answer.header("content-type").unwrap().starts_with("text/html"));
        assert!(answer.text.contains("You are not signed in") && answer.text.contains("href=\"login\""));
    };
    let other_state = with_parameter(&callback, "state", "of-somebody-else");
    refused(browser.get(&other_state).await, "400 Bad Request");
    refused(browser.get(&with_parameter(&callback, "iss", "https://other.example")).await, "400 Bad Request");
    refused(browser.get("/console/callback").await, "400 Bad Request");

    let mut stranger = Browser::new(&app);
    refused(stranger.get(&callback).await, "400 Bad Request");
    stranger.get("/console/login").await;
    refused(stranger.get(&callback).await, "400 Bad Request");
    stranger.cookies.insert(PENDING.to_owned(), "bm90IG91cnM".to_owned());
    refused(stranger.get(&callback).await, "400 Bad Request");

    let pending = browser.cookies[PENDING].clone();
    assert_eq!(browser.get(&callback).await.status, "303 See Other");
    refused(browser.get(&callback).await, "400 Bad Request");
    // A copy of the cookie does not help: the issuer accepts the code once.
    stranger.cookies.insert(PENDING.to_owned(), pending);
    refused(stranger.get(&callback).await, "400 Bad Request");
}

#[tokio::test]
async fn an_id_token_for_another_sign_in_is_refused() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login").await;
    let other_nonce = with_parameter(begun.header("location").unwrap(), "nonce", "of-another-sign-in");
    let callback = browser.choose(&other_nonce, "ada").await;
    let answer = browser.get(&callback).await;
    assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("403 Forbidden", None), "{}", answer.text);
}

#[tokio::test]
async fn a_code_without_its_verifier_is_refused() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login").await;
    let other = with_parameter(begun.header("location").unwrap(), "code_challenge", &"A".repeat(43));
    let callback = browser.choose(&other, "ada").await;
    let answer = browser.get(&callback).await;
    assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("400 Bad Request", None), "{}", answer.text);
}

#[tokio::test]
async fn an_error_of_the_issuer_is_a_page_that_repeats_only_codes() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login").await;
    let state = query_of(begun.header("location").unwrap())["state"].clone();
    for (error, expected) in [("access_denied", "access_denied"), ("%3Cscript%3E", "an error")] {
        let answer = browser.get(&format!("/console/callback?state={state}&error={error}")).await;
        assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("403 Forbidden", None));
        assert!(answer.text.contains(&format!("sign you in: {expected}.")), "{}", answer.text);
        assert!(!answer.text.contains("<script"), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_sign_in_leads_to_no_other_page() {
    let app = TestApp::start().await;
    let console = format!("{}/console", app.platform.base_url);
    for (place, expected) in [
        ("", ""),
        ("%23%2Fruns%3Fstate%3Dfailed", "#/runs?state=failed"),
        ("https%3A%2F%2Fevil.example", ""),
        ("%2F%2Fevil.example", ""),
        ("%5C%5Cevil.example", ""),
        (".evil.example", ""),
        ("%40evil.example", ""),
        ("%23%2F%0D%0ASet-Cookie%3A%20a%3Db", ""),
        (&format!("%23{}", "x".repeat(1_000)), ""),
    ] {
        let answer = Browser::new(&app).sign_in(&format!("/console/login?return={place}"), "ada").await;
        assert_eq!(answer.header("location"), Some(&*format!("{console}{expected}")), "{place}");
    }
}

#[tokio::test]
async fn a_sign_in_ends_the_session_before_it() {
    let app = TestApp::start().await;
    let mut browser = Browser::signed_in(&app, "ada").await;
    let before = browser.cookies[SESSION].clone();
    browser.sign_in("/console/login", "bob").await;
    assert_eq!(browser.get("/gateway/v1/me").await.json["user"]["name"], "bob");
    browser.cookies.insert(SESSION.to_owned(), before);
    assert_eq!(browser.get("/gateway/v1/me").await.status, "401 Unauthorized");
}
