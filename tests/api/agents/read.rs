//! `GET /builder/v1/agents/{id}`, and tenant isolation.

use tests::TestApp;
use uuid::Uuid;

const AGENTS: &str = "/builder/v1/agents";

#[tokio::test]
async fn unknown_foreign_and_deleted_agents_have_the_same_response() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let bobs = bob.post(AGENTS).await;
    let deleted = ada.post(AGENTS).await;
    assert_eq!(ada.delete(&format!("{AGENTS}/{}", deleted.id())).await.status, "204 No Content");

    let ids = [
        Uuid::now_v7().to_string(),
        bobs.id().to_owned(),
        deleted.id().to_owned(),
        "no-id".to_owned(),
        "%FF".to_owned(),
    ];
    for id in ids {
        let path = format!("{AGENTS}/{id}");
        let answers =
            [ada.get(&path).await, ada.delete(&path).await, ada.patch(&path, serde_json::json!({"name": "x"})).await];
        for answer in answers {
            assert_eq!(answer.status, "404 Not Found", "{id}");
            assert_eq!(answer.text, r#"{"error":{"code":"agent_not_found","message":"no such agent"}}"#);
        }
    }
    assert_eq!(bob.get(&format!("{AGENTS}/{}", bobs.id())).await.status, "200 OK");
    app.platform.drain().await;
}

#[tokio::test]
async fn agents_are_scoped_to_the_organization() {
    let app = TestApp::start().await;
    let at_acme = app.person("ada");
    let at_globex = app.person_of("ada", "globex", domain::identity::Role::Admin);
    let created = at_acme.post(AGENTS).await;
    assert_eq!(at_globex.get(&format!("{AGENTS}/{}", created.id())).await.status, "404 Not Found");
    assert_eq!(at_globex.get(AGENTS).await.json["meta"]["total"], 0);
}

#[tokio::test]
async fn every_method_needs_a_token() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let path = format!("{AGENTS}/{}", Uuid::now_v7());
    let answers = [
        anonymous.get(AGENTS).await,
        anonymous.get(&path).await,
        anonymous.delete(&path).await,
        anonymous.patch(&path, serde_json::json!({})).await,
        anonymous.get("/builder/v1/models").await,
        anonymous.post_json(&format!("{path}/invoke"), serde_json::json!({"input": "Hello"})).await,
        anonymous.get(&format!("{path}/invocations")).await,
        anonymous.get(&format!("{path}/invocations/{}", Uuid::now_v7())).await,
        anonymous.delete(&format!("{path}/invocations/{}", Uuid::now_v7())).await,
    ];
    for answer in answers {
        assert_eq!((answer.status.as_str(), answer.code()), ("401 Unauthorized", "unauthorized"));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
}
