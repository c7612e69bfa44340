//! Who may authorize, what is never shown, and the URLs that are refused.

use reqwest::Method;
use tests::client::send;

use super::*;

#[tokio::test]
async fn secrets_are_in_no_answer_and_in_no_table() {
    let stage = Stage::start().await;
    stage.consent().await;
    assert_eq!(stage.call().await["output"], 200);
    let outbound = stage.credential.rsplit_once('/').unwrap().0;
    let texts = [
        stage.ada.get(&stage.credential).await.text,
        stage.ada.get(outbound).await.text,
        stage.ada.get(outbound.strip_suffix("/outbound").unwrap()).await.text,
        stage.ada.get(&stage.workflow).await.text,
        stage.ada.post(&format!("{}/preview", stage.workflow)).await.text,
        stage.ada.post(&format!("{}/test", stage.credential)).await.text,
    ];
    let export = stage.ada.get(&format!("{}/export", stage.workflow)).await;
    let import = stage.ada.request(Method::POST, &format!("{WORKFLOWS}/import"));
    let import = send(import.header("content-type", "application/json").body(export.text.clone())).await;
    assert_eq!(import.status, "201 Created", "{}", import.text);
    let is_secret = |text: &String| text.contains("-secret-") || text.contains(SECRET);
    assert!(!texts.iter().chain([&export.text, &import.text]).any(is_secret), "{texts:?}");
    // The copy has neither the credential nor its tokens.
    let copy = format!("{WORKFLOWS}/{}", import.id());
    let of_copy = stage.ada.get(&format!("{copy}/webhook-credentials/outbound")).await;
    assert_eq!(of_copy.json["data"], json!([]));
    stage.api.take_requests();
    stage.ada.post(&format!("{copy}/preview")).await;
    assert!(stage.api.take_requests().iter().all(|request| !request.headers.contains_key("authorization")));
    let context = stage.app.platform.context();
    for table in ["TABLE_ENTITIES", "TABLE_COUNTERS", "TABLE_JOURNAL"] {
        let table = context.config.required(table).unwrap().to_owned();
        let stored = context.aws.dynamodb().scan().table_name(table).send().await.unwrap();
        assert!(!is_secret(&format!("{stored:?}")), "the tokens are sealed");
    }
}

#[tokio::test]
async fn only_those_who_may_edit_the_workflow_begin_a_consent() {
    let stage = Stage::start().await;
    let authorize = format!("{}/authorize", stage.credential);
    assert_eq!(stage.app.anonymous().get(&authorize).await.status, "401 Unauthorized");
    for stranger in [stage.app.person("bob"), stage.app.person_of("eve", "globex", domain::identity::Role::Member)] {
        assert_eq!(stranger.get(&authorize).await.code(), "workflow_not_found");
        assert_eq!(stranger.get(&stage.credential).await.code(), "workflow_not_found");
    }
    let outbound = stage.credential.rsplit_once('/').unwrap().0;
    let bearer = stage.ada.post_json(outbound, json!({"name": "x", "type": "bearer", "token": "x"})).await;
    let refused = stage.ada.get(&format!("{outbound}/{}/authorize", bearer.id())).await;
    assert_eq!((refused.status.as_str(), refused.code()), ("409 Conflict", "credential_not_authorizable"));
    let missing = stage.ada.get(&format!("{outbound}/{}/authorize", crate::runs::NOWHERE)).await;
    assert_eq!(missing.code(), "credential_not_found");
    assert!(bearer.json["data"].get("authorization").is_none());
}

#[tokio::test]
async fn urls_pass_the_guard_and_fields_are_checked() {
    let metadata = "http://169.254.169.254/token";
    let stage = Stage::with(TestApp::start().await, AuthorizationServer::start().await, |issuer| {
        let mut inside = fields(issuer);
        inside["tokenUrl"] = json!(metadata);
        inside["revocationUrl"] = json!(metadata);
        inside
    });
    let stage = stage.await;
    let page = stage.call_back(&stage.issuer.approve(&stage.begin().await)).await;
    assert_eq!(page.status, "502 Bad Gateway", "{}", page.text);
    assert_eq!(stage.authorization().await["status"], "unauthorized");
    let outbound = stage.credential.rsplit_once('/').unwrap().0;
    let with = |change: Value| {
        let mut wrong = fields(&stage.issuer);
        for (name, value) in change.as_object().unwrap() {
            match value {
                Value::Null => drop(wrong.as_object_mut().unwrap().remove(name)),
                value => wrong[name] = value.clone(),
            }
        }
        wrong
    };
    for (wrong, field) in [
        (with(json!({"authorizationUrl": "javascript:alert(1)"})), "authorizationUrl"),
        (with(json!({"tokenUrl": "file:///etc/passwd"})), "tokenUrl"),
        (with(json!({"revocationUrl": "https://user:secret@x.example"})), "revocationUrl"),
        (with(json!({"clientId": null, "tokenUrl": null})), "tokenUrl, clientId"),
        (with(json!({"authorizationParameters": {"state": "x"}})), "authorizationParameters"),
        (with(json!({"authorizationParameters": {"a b": "x"}})), "authorizationParameters"),
        (with(json!({"authorizationParameters": {"a": 1}})), "authorizationParameters"),
        (with(json!({"clientAuthentication": "header"})), "clientAuthentication"),
        (with(json!({"service": "google"})), "authorizationUrl"),
        (with(json!({"token": "x"})), "token"),
        (json!({"name": "x", "type": "oauth2_authorization_code", "service": "google"}), "service"),
        (json!({"name": "x", "type": "bearer", "token": "x", "clientAuthentication": "body"}), "clientAuthentication"),
    ] {
        let refused = stage.ada.post_json(outbound, wrong.clone()).await;
        assert_eq!(refused.code(), "invalid_body", "{wrong}");
        assert!(refused.json["error"]["message"].as_str().unwrap().starts_with(field), "{}", refused.text);
    }
}

#[tokio::test]
async fn a_service_has_the_client_of_the_operator() {
    let issuer = AuthorizationServer::start().await;
    let services = json!({"crm": {
        "clientId": "of-operator", "clientSecret": SECRET, "clientAuthentication": "body", "scope": "all",
        "authorizationUrl": format!("{}/authorize", issuer.issuer), "tokenUrl": format!("{}/token", issuer.issuer),
    }});
    let app = TestApp::start_with_options(|options| {
        options.settings = vec![("OAUTH_SERVICES".to_owned(), services.to_string())];
    });
    let stage = Stage::with(
        app.await,
        issuer,
        |_| json!({"name": "CRM", "type": "oauth2_authorization_code", "service": "crm", "scope": "read"}),
    );
    let stage = stage.await;
    let url = stage.begin().await;
    assert!(url.contains("client_id=of-operator") && url.contains("scope=read"), "{url}");
    assert_eq!(stage.call_back(&stage.issuer.approve(&url)).await.status, "200 OK");
    let exchange = stage.issuer.take_requests().remove(0);
    assert_eq!((&*exchange["client_secret"], exchange.contains_key("authorization")), (SECRET, false));
    assert_eq!(stage.call().await["output"], 200);
    let outbound = stage.credential.rsplit_once('/').unwrap().0;
    let unknown = json!({"name": "x", "type": "oauth2_authorization_code", "service": "google"});
    let refused = stage.ada.post_json(outbound, unknown).await;
    assert!(refused.text.contains("use one of crm"), "{}", refused.text);
    assert!(!stage.ada.get(outbound).await.text.contains(SECRET));
}
