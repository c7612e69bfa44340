//! Webhooks that services call as they can: with the token in the URL, with forms, and by GET.

use reqwest::Method;
use tests::client::send;
use tests::form::TestForm;

use super::hooks::{Hook, doubled, publish_hook};
use super::*;

/// A webhook whose run returns the whole call.
async fn echo(app: &TestApp, owner: &Person, config: Value) -> Hook {
    let mut config = config;
    config["input"] = "call".into();
    let nodes = [node("hook", "webhook", config), node("end", "send_result", json!({"output": "input"}))];
    publish_hook(app, owner, graph(&nodes, &["hook.out end"]), "sync").await
}

fn token_of(hook: &Hook) -> &str {
    hook.caller.token.as_deref().unwrap()
}

#[tokio::test]
async fn the_token_may_be_in_the_url() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = echo(&app, &ada, json!({})).await;
    let anyone = app.anonymous();
    let url = |token: &str| format!("{}?a=1&token={token}", hook.url);
    let called = anyone.post_json(&url(token_of(&hook)), json!({"n": 1})).await;
    assert_eq!(called.status, "200 OK", "{}", called.text);
    let output = &called.json["output"];
    assert_eq!(
        (&output["query"], &output["body"]),
        (&json!({"a": "1"}), &json!({"n": 1})),
        "the token is not passed on"
    );
    // Another parameter of this name is.
    let other = send(hook.caller.request(Method::POST, &url("mine")).json(&json!({}))).await;
    assert_eq!(other.json["output"]["query"], json!({"a": "1", "token": "mine"}));

    // The header counts if there is one.
    let wrong_header = anyone.with_token("whk_wrong").post_json(&url(token_of(&hook)), json!({})).await;
    assert_eq!(refusal(&wrong_header), ("401", "unauthorized"));
    for token in ["", "whk_wrong", token_of(&echo(&app, &ada, json!({})).await)] {
        assert_eq!(refusal(&anyone.post_json(&url(token), json!({})).await), ("401", "unauthorized"), "{token}");
    }
    let missing = anyone.post_json(&hook.url, json!({})).await;
    assert!(missing.text.contains("or in the URL as ?token=<token>"), "{}", missing.text);
    let old = token_of(&hook).to_owned();
    let renewed = ada.post(&format!("{}/regenerate-token", hook.webhook_path())).await;
    assert_eq!(refusal(&anyone.post_json(&url(&old), json!({})).await), ("401", "unauthorized"));
    let renewed = renewed.json["data"]["token"].as_str().unwrap();
    assert_eq!(anyone.post_json(&url(renewed), json!({})).await.status, "200 OK");

    // Neither runs nor the events of calls have it.
    let runs = ada.get(&runs_path(&hook.workflow)).await;
    let events = ada.get(&format!("{}/events", hook.webhook_path())).await;
    for id in events.column("id") {
        let event = ada.get(&format!("{}/events/{id}", hook.webhook_path())).await;
        assert!(!event.text.contains("whk_"), "{}", event.text);
    }
    for id in runs.column("id") {
        let run = ada.get(&format!("{}/{id}", runs_path(&hook.workflow))).await;
        assert!(!run.text.contains("whk_"), "{}", run.text);
    }
    // A webhook whose run gets only the body refuses other parameters, but not the token.
    let plain = publish_hook(&app, &ada, doubled(), "sync").await;
    let url = format!("{}?token={}", plain.url, token_of(&plain));
    assert_eq!(anyone.post_json(&url, json!({"n": 4})).await.json["output"], json!({"doubled": 8}));
    assert_eq!(refusal(&anyone.post_json(&format!("{url}&a=1"), json!({"n": 4})).await), ("400", "invalid_query"));
}

#[tokio::test]
async fn a_form_is_an_object_of_its_fields() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = echo(&app, &ada, json!({})).await;
    let post = || hook.caller.request(Method::POST, &hook.url);
    let form = [("From", "+34600000000"), ("Body", "Hi & bye"), ("Media", "a"), ("Media", "b"), ("Empty", "")];
    let sent = send(post().form(&form)).await;
    assert_eq!(sent.status, "200 OK", "{}", sent.text);
    let expected = json!({"From": "+34600000000", "Body": "Hi & bye", "Media": ["a", "b"], "Empty": ""});
    assert_eq!(sent.json["output"]["body"], expected);

    let form = TestForm::default().text("name", "Ada").file("raw", "raw", &[0, 255]).file("cv", "cv.pdf", b"%PDF");
    let sent = send(form.add_to(post())).await;
    let expected = json!({
        "name": "Ada",
        "cv": {"name": "cv.pdf", "contentType": "application/octet-stream", "base64": "JVBERg=="},
        "raw": {"name": "raw", "contentType": "application/octet-stream", "base64": "AP8="},
    });
    assert_eq!(sent.json["output"]["body"], expected, "{}", sent.text);

    // JSON that a client calls a form is not read as one field.
    let typed = |r#type: &'static str, body: &'static str| send(post().header("content-type", r#type).body(body));
    for body in ["{\"n\": 1}", " [1]"] {
        let refused = typed("application/x-www-form-urlencoded", body).await;
        assert_eq!(refusal(&refused), ("415", "unsupported_media_type"), "{body}");
        assert!(refused.text.contains("application/json, multipart/form-data or"), "{}", refused.text);
    }
    let broken = typed("multipart/form-data; boundary=edge", "--edge\r\nno end").await;
    assert_eq!(refusal(&broken), ("400", "invalid_body"));
    assert_eq!(refusal(&typed("multipart/form-data", "--edge--").await), ("415", "unsupported_media_type"));
    let long = send(post().form(&[("text", "x".repeat(1024 * 1024 + 1))])).await;
    assert_eq!(refusal(&long), ("400", "invalid_body"), "{}", long.text);
}

#[tokio::test]
async fn a_get_starts_a_run_only_if_the_webhook_says_so() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let closed = echo(&app, &ada, json!({})).await;
    let there = closed.caller.get(&closed.url).await;
    assert_eq!(there.json, json!({"webhookId": closed.webhook, "methods": ["POST"]}), "{}", there.text);
    let head = send(closed.caller.request(Method::HEAD, &closed.url)).await;
    assert_eq!((head.status.as_str(), head.text.as_str()), ("200 OK", ""));
    assert_eq!(refusal(&app.anonymous().get(&closed.url).await), ("401", "unauthorized"));
    assert_eq!(ada.get(&runs_path(&closed.workflow)).await.json["data"], json!([]));
    assert_eq!(closed.events(&ada).await, ["refused 401 unauthorized"]);

    let open = echo(&app, &ada, json!({"allowGet": true})).await;
    let link = format!("{}?approve=yes&token={}", open.url, token_of(&open));
    let called = app.anonymous().get(&link).await;
    let output = &called.json["output"];
    assert_eq!(
        (&output["method"], &output["body"], &output["query"]),
        (&json!("GET"), &Value::Null, &json!({"approve": "yes"})),
        "{}",
        called.text
    );
    // A HEAD asks whether the link is there, and starts nothing.
    assert_eq!(send(app.anonymous().request(Method::HEAD, &link)).await.status, "200 OK");
    assert_eq!(open.call(json!({"n": 1})).await.json["output"]["method"], "POST");
    assert_eq!(open.events(&ada).await, ["accepted 200", "accepted 200"]);
    assert_eq!(refusal(&open.caller.delete(&open.url).await), ("405", "method_not_allowed"));
}
