//! Workflows that are shared with a service account, and those that a user opens with a session.

use serde_json::json;
use tests::client::refusal;

use super::service_tokens::program;
use super::*;

const WORKFLOWS: &str = "/builder/v1/workflows";

#[tokio::test]
async fn a_service_account_and_a_session_have_the_role_that_a_workflow_is_shared_with() {
    let app = TestApp::start().await;
    let owner = app.person("carol");
    let workflow = owner.post_json(WORKFLOWS, json!({"name": "Help desk"})).await;
    let path = format!("{WORKFLOWS}/{}", workflow.id());
    let (program, token) = program(&app, "Deployment", &["workflows:write"]).await;
    let mut browser = Browser::signed_in(&app, "ada").await;
    assert_eq!(refusal(&program.get(&path).await), ("404", "workflow_not_found"));
    assert_eq!(refusal(&browser.get(&path).await), ("404", "workflow_not_found"));

    let tokens = browser.get("/builder/v1/service-tokens").await;
    let listed = tokens.json["data"].as_array().unwrap().iter().find(|listed| listed["id"] == *token).unwrap();
    let ada = browser.get("/gateway/v1/me").await.json["user"]["id"].clone();
    for (user, role) in [(&listed["userId"], "viewer"), (&ada, "editor")] {
        let shared = owner.post_json(&format!("{path}/members"), json!({"userId": user, "role": role})).await;
        assert!(shared.status.starts_with('2'), "{}", shared.text);
    }
    assert_eq!(program.get(&path).await.json["data"]["name"], "Help desk");
    let refused = program.patch(&path, json!({"name": "Mine"})).await;
    assert_eq!(refusal(&refused), ("403", "not_owner"), "{}", refused.text);
    assert_eq!(browser.change(Method::PATCH, &path, json!({"name": "Ours"})).await.status, "200 OK");
    let read = || send(browser.request(Method::GET, &path));
    assert_eq!(app.costs(read()).await.0.keys().collect::<Vec<_>>(), ["dynamodb:BatchGetItem", "dynamodb:GetItem"]);
}
