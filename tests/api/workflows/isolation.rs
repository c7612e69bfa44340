//! Tenant isolation: on every route, a workflow is a 404 for everyone but its owner.

use crate::openapi::documents::documents;
use domain::identity::Role;
use reqwest::Method;
use serde_json::json;
use tests::TestApp;
use tests::client::send;

use super::*;

const NOWHERE: &str = "019cb8e2-3f4a-7c21-9b6d-000000000000";

#[tokio::test]
async fn another_users_workflow_is_404_on_every_route() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = publish_workflow(&ada, "Secret").await;
    let path = format!("{WORKFLOWS}/{id}");
    let bearer = || json!({"name": "Bot", "type": "bearer", "token": "x"});
    let outbound = format!("{path}/webhook-credentials/outbound");
    let first = async |list: &str| ada.get(&format!("{path}/{list}")).await.column("id")[0].to_owned();
    let (release, deployment) = (first("releases").await, first("deployments").await);
    let webhook = ada.post(&format!("{path}/webhooks")).await.id().to_owned();
    let credential = ada.post_json(&outbound, bearer()).await.id().to_owned();
    let run = ada.post(&format!("{path}/runs")).await.id().to_owned();
    let team = ada.post(&format!("{path}/teams")).await.id().to_owned();
    let rows = format!("{path}/tables/orders/rows");
    assert_eq!(ada.post_json(&rows, json!({"id": "A-17"})).await.status, "201 Created");
    let user = app.account("ada").user.to_string();
    let things = [
        ("{release_id}", &*release),
        ("{other}", "draft"),
        ("{deployment_id}", &deployment),
        ("{webhook_id}", &webhook),
        ("{event_id}", NOWHERE),
        ("{credential_id}", &credential),
        ("{run_id}", &run),
        ("{record_id}", &run),
        ("{thread_id}", NOWHERE),
        ("{participant_id}", NOWHERE),
        ("{team_id}", &team),
        ("{table}", "orders"),
        ("{row_id}", "A-17"),
        ("{user_id}", &user),
    ];
    let routes = documents().into_iter().flat_map(|document| document.routes);
    let routes: Vec<_> = routes.filter(|(path, _)| path.starts_with(&format!("{WORKFLOWS}/{{id}}"))).collect();
    assert!(routes.len() >= 30, "{routes:?}");
    for stranger in [app.person("bob"), app.person_of("eve", "globex", Role::Admin)] {
        for (path, method) in &routes {
            let path = things.iter().fold(path.clone(), |path, (name, thing)| path.replace(name, thing));
            assert_eq!(path.matches('{').count(), 1, "{path} has a parameter that this test does not fill in");
            let method: Method = method.to_uppercase().parse().unwrap();
            let body = match method.as_str() {
                "PATCH" | "POST" if path.contains("/teams/") => Some(json!({"name": "Mine"})),
                "PATCH" => Some(json!({"name": "Mine"})),
                "PUT" => Some(json!({})),
                "POST" if path.ends_with("/test-agent") => Some(json!({"script": [{"say": "Hi"}]})),
                "POST" if path.ends_with("/messages") => Some(json!({"content": "Hi"})),
                "POST" if path.ends_with("/outbound") => Some(bearer()),
                "POST" if path.ends_with("/members") => Some(json!({"userId": user, "role": "viewer"})),
                "POST" if path.ends_with("/transfer") => Some(json!({"userId": user})),
                "POST" if path.ends_with("/rows") => Some(json!({"total": 17})),
                "POST" if path.ends_with("/resolve-wait") => Some(json!({"decision": "approve"})),
                _ => None,
            };
            let is_query = method == Method::DELETE && path.ends_with("/members");
            let path = if is_query { format!("{path}?userId={user}") } else { path };
            let ask = async |id: &str| {
                let request = stranger.request(method.clone(), &path.replace("{id}", id));
                send(if let Some(body) = &body { request.json(body) } else { request }).await
            };
            let (theirs, missing) = (ask(&id).await, ask(NOWHERE).await);
            let refusal = (theirs.status.as_str(), theirs.code());
            assert_eq!(refusal, ("404 Not Found", "workflow_not_found"), "{method} {path}");
            assert_eq!(theirs.text, missing.text, "{method} {path}");
        }
        // A stranger's own workflow gives no access to the owner's resources either.
        let own = format!("{WORKFLOWS}/{}", create_workflow(&stranger, "Own", echo()).await);
        assert_eq!(stranger.get(&format!("{own}/teams/{team}")).await.code(), "team_not_found");
        assert_eq!(stranger.get(&format!("/builder/v1/agents/{team}")).await.code(), "agent_not_found");
        let taken = stranger.get(&format!("{own}/webhooks/{webhook}")).await;
        assert_eq!(taken.code(), "webhook_not_found");
        assert_eq!(stranger.get(&format!("{own}/releases/{release}")).await.code(), "release_not_found");
        let taken = format!("{own}/webhook-credentials/outbound/{credential}");
        assert_eq!(stranger.get(&taken).await.code(), "credential_not_found");
        assert_eq!(stranger.post(&format!("{taken}/test")).await.code(), "credential_not_found");
        assert_eq!(stranger.delete(&taken).await.code(), "credential_not_found");
        assert_eq!(stranger.get(WORKFLOWS).await.json["meta"]["total"], 1, "their own");
    }
    assert_eq!(ada.get(&path).await.json["data"]["name"], "Secret");
    assert_eq!(ada.get(&outbound).await.json["data"].as_array().unwrap().len(), 1);
    assert_eq!(app.anonymous().get(&format!("{path}/connections")).await.code(), "unauthorized");
}
