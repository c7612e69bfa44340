//! What a session can do, and when it ends.

use serde_json::json;
use store::Identities;
use tests::client::refusal;

use super::*;

const WORKBENCHES: &str = "/workbenches/v1";
const KEYS: &str = "/gateway/v1/me/api-keys";

#[tokio::test]
async fn a_session_is_accepted_by_all_three_apis_beside_tokens() {
    let app = TestApp::start().await;
    let mut browser = Browser::signed_in(&app, "ada").await;
    let reads = [
        AGENTS,
        WORKBENCHES,
        "/gateway/v1/me",
        "/gateway/v1/billing/balance",
        "/gateway/v1/models",
        "/gateway/v1/batches",
    ];
    for path in reads {
        let answer = browser.get(path).await;
        assert_eq!((answer.status.as_str(), set_cookie(&answer, SESSION)), ("200 OK", None), "{path}: {}", answer.text);
    }
    let job = browser.get("/gateway/v1/images/generations/job_00000000000070008000000000000000").await;
    assert_eq!(refusal(&job), ("404", "image_job_not_found"), "{}", job.text);
    assert_eq!(browser.change(Method::POST, AGENTS, json!({"name": "Scout"})).await.status, "201 Created");
    let key = browser.change(Method::POST, KEYS, json!({"name": "mine"})).await;
    assert_eq!(key.status, "201 Created", "{}", key.text);
    assert_eq!(refusal(&browser.get("/gateway/v1/admin/models").await), ("403", "operator_only"));
    // Calls of models take API keys only.
    let chat = browser.change(Method::POST, "/gateway/v1/chat/completions", json!({"model": "dev-chat"})).await;
    assert_eq!(refusal(&chat), ("401", "identity.invalid_token"));
    // A token counts before the session.
    let both = browser.request(Method::GET, AGENTS).header("authorization", "Bearer nothing");
    assert_eq!(send(both).await.status, "401 Unauthorized");
}

#[tokio::test]
async fn a_change_must_come_from_a_page_of_the_platform_or_of_the_console() {
    let settings = vec![("CONSOLE_ORIGIN".to_owned(), "https://console.example, https://two.example".to_owned())];
    let app = TestApp::start_with_options(|options| options.settings = settings).await;
    let browser = Browser::signed_in(&app, "ada").await;
    let own = app.platform.base_url.clone();
    for (path, created) in [(AGENTS, "201"), (KEYS, "201"), (WORKBENCHES, "201")] {
        for (number, origin) in [&own, "https://console.example", "https://two.example"].into_iter().enumerate() {
            let request = browser.request(Method::POST, path).header("origin", origin);
            let answer = send(request.json(&json!({"name": format!("lab-{number}")}))).await;
            assert!(answer.status.starts_with(created), "{path} from {origin}: {}", answer.text);
        }
        for origin in ["https://evil.example", "null", "https://console.example.evil.example", "http://console.example"]
        {
            let request = browser.request(Method::POST, path).header("origin", origin);
            let answer = send(request.json(&json!({"name": "lab"}))).await;
            assert_eq!(refusal(&answer), ("403", "origin_not_allowed"), "{path} from {origin}");
        }
        let without = send(browser.request(Method::POST, path).json(&json!({"name": "lab"}))).await;
        assert_eq!(refusal(&without), ("403", "origin_not_allowed"), "{path}");
    }
}

#[tokio::test]
async fn a_sign_out_ends_the_session_at_once_and_no_other() {
    let app = TestApp::start().await;
    let (mut one, mut two) = (Browser::signed_in(&app, "ada").await, Browser::signed_in(&app, "ada").await);
    let cookie = one.cookies[SESSION].clone();
    let from_elsewhere = one.request(Method::POST, "/console/logout").header("origin", "https://evil.example");
    assert_eq!(refusal(&send(from_elsewhere).await), ("403", "origin_not_allowed"));
    assert_eq!(one.get(AGENTS).await.status, "200 OK");

    let answer = one.change(Method::POST, "/console/logout", json!({})).await;
    assert_eq!(answer.status, "204 No Content", "{}", answer.text);
    assert_eq!(one.cookies.len(), 0);
    one.cookies.insert(SESSION.to_owned(), cookie);
    for path in [AGENTS, WORKBENCHES, "/gateway/v1/me"] {
        let answer = one.get(path).await;
        assert_eq!(answer.status, "401 Unauthorized", "{path}");
        assert!(answer.text.contains("/console/login"), "{}", answer.text);
    }
    assert_eq!(two.get(AGENTS).await.status, "200 OK");
    let again = one.change(Method::POST, "/console/logout", json!({})).await;
    assert_eq!(again.status, "204 No Content", "a sign-out without a session changes nothing");
}

#[tokio::test]
async fn a_session_is_refused_while_its_user_is_suspended() {
    let app = TestApp::start().await;
    let mut browser = Browser::signed_in(&app, "ada").await;
    let identities = Identities::new(&app.platform.context()).unwrap();
    let account = app.account("ada");
    let known = identities.find(account.org, account.user).await.unwrap().unwrap();
    let mut suspended = known.clone();
    suspended.user.suspended = true;
    identities.put_user(&suspended.user).await.unwrap();
    for path in [AGENTS, WORKBENCHES, "/gateway/v1/me"] {
        assert_eq!(browser.get(path).await.status, "401 Unauthorized", "{path}");
    }
    let refused = Browser::new(&app).sign_in("/console/login", "ada").await;
    assert_eq!((refused.status.as_str(), set_cookie(&refused, SESSION)), ("403 Forbidden", None));
    assert!(refused.text.contains("This user is suspended"), "{}", refused.text);
    identities.put_user(&known.user).await.unwrap();
    assert_eq!(browser.get(AGENTS).await.status, "200 OK");
}

#[tokio::test]
async fn a_cookie_that_is_none_of_ours_is_no_session() {
    let app = TestApp::start().await;
    let mut browser = Browser::signed_in(&app, "ada").await;
    let valid = browser.cookies[SESSION].clone();
    // A session is not the token of its user, and a token is no session.
    let token = app.person("ada").token.unwrap();
    let (id, secret) = valid.split_once('.').unwrap();
    for wrong in ["", "x", &token, &format!("{secret}.{id}"), &format!("{}.{secret}", "A".repeat(43))] {
        browser.cookies.insert(SESSION.to_owned(), wrong.to_owned());
        assert_eq!(browser.get(AGENTS).await.status, "401 Unauthorized", "{wrong}");
    }
    let as_token = app.anonymous().with_token(&valid).get(AGENTS).await;
    assert_eq!(as_token.status, "401 Unauthorized");
    // Another host of the domain may have set one of two.
    let two = app.anonymous().request(Method::GET, AGENTS).header("cookie", format!("{SESSION}=x; {SESSION}={valid}"));
    assert_eq!(send(two).await.status, "401 Unauthorized");
    browser.cookies.insert(SESSION.to_owned(), valid);
    assert_eq!(browser.get(AGENTS).await.status, "200 OK");
}

#[tokio::test]
async fn a_guess_at_the_secret_ends_the_session() {
    let app = TestApp::start().await;
    let mut browser = Browser::signed_in(&app, "ada").await;
    let valid = browser.cookies[SESSION].clone();
    let (id, _) = valid.split_once('.').unwrap();
    browser.cookies.insert(SESSION.to_owned(), format!("{id}.{}", "A".repeat(43)));
    assert_eq!(browser.get(AGENTS).await.status, "401 Unauthorized");
    browser.cookies.insert(SESSION.to_owned(), valid);
    assert_eq!(browser.get(AGENTS).await.status, "401 Unauthorized");
}

#[tokio::test]
async fn a_session_costs_one_unit_more_than_a_token() {
    let app = TestApp::start().await;
    let browser = Browser::signed_in(&app, "ada").await;
    let read = || send(browser.request(Method::GET, "/gateway/v1/me"));
    read().await;
    assert_eq!(app.costs(read()).await.to_string(), "1 dynamodb:BatchGetItem (5 units)");
    let ada = app.person_of("ada", "acme", domain::identity::Role::Admin);
    assert_eq!(app.costs(ada.get("/gateway/v1/me")).await.to_string(), "1 dynamodb:BatchGetItem (4 units)");
}
