//! The issuer of `local`: it signs in the user of this machine, and nobody else.

use super::*;

const DISCOVERY: &str = "/local/openid-configuration";

#[tokio::test]
async fn the_page_lists_the_persons_of_the_seed() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login").await;
    let page = browser.get(begun.header("location").unwrap()).await;
    for person in ["ada", "bob", "eve", "operator"] {
        assert!(page.text.contains(&format!(">{person}</button>")), "{}", page.text);
    }
    assert!(page.text.contains("admin of acme") && page.text.contains("operator of platform"), "{}", page.text);
    let operator = Browser::signed_in(&app, "operator").await.get("/gateway/v1/admin/models").await;
    assert_eq!(operator.status, "200 OK", "{}", operator.text);
}

#[tokio::test]
async fn only_this_machine_can_sign_in_without_a_password() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login").await;
    let authorize = begun.header("location").unwrap();
    for (name, value) in [
        ("host", "atelier.example"),
        ("host", "127.0.0.1.example.com"),
        ("x-forwarded-for", "203.0.113.7"),
        ("forwarded", "for=203.0.113.7"),
    ] {
        for (method, url) in [(Method::GET, authorize), (Method::POST, authorize), (Method::POST, "/local/token")] {
            let answer = send(browser.request(method, url).header(name, value).body("person=0")).await;
            assert_eq!(answer.status, "404 Not Found", "{name}: {value} {url}");
        }
    }
    let other_site = browser.request(Method::POST, authorize).header("origin", "https://evil.example");
    assert_eq!(send(other_site.body("person=0")).await.status, "403 Forbidden");
}

#[tokio::test]
async fn a_code_is_given_only_to_the_console() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let begun = browser.get("/console/login").await;
    let authorize = begun.header("location").unwrap();
    for (name, value) in [
        ("redirect_uri", "https://evil.example/console/callback"),
        ("client_id", "another"),
        ("code_challenge_method", "plain"),
        ("response_type", "token"),
    ] {
        let answer = browser.get(&with_parameter(authorize, name, value)).await;
        assert_eq!(answer.status, "400 Bad Request", "{name}");
    }
    let nobody = send(browser.request(Method::POST, authorize).body("person=99")).await;
    assert_eq!(nobody.status, "400 Bad Request");
}

#[tokio::test]
async fn the_own_issuer_signs_nobody_in_while_another_one_is_trusted() {
    let settings = [("AUTH_ISSUER", "https://issuer.example"), ("AUTH_AUDIENCE", "atelier")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let app = TestApp::start_with_options(|options| options.settings = settings.to_vec()).await;
    for path in [DISCOVERY, "/local/authorize"] {
        assert_eq!(app.anonymous().get(path).await.status, "404 Not Found", "{path}");
    }
}

#[tokio::test]
async fn a_sign_in_under_another_name_of_this_machine_begins_under_the_platforms_own() {
    let app = TestApp::start().await;
    let port = app.platform.base_url.rsplit_once(':').unwrap().1.to_owned();
    let request = app.anonymous().request(Method::GET, "/console/login?return=%23/runs");
    let answer = send(request.header("host", format!("localhost:{port}"))).await;
    let expected = format!("{}/console/login?return=%23%2Fruns", app.platform.base_url);
    assert_eq!((answer.status.as_str(), answer.header("location")), ("303 See Other", Some(&*expected)));
    assert_eq!(set_cookie(&answer, PENDING), None);
}
