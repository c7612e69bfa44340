//! The budget of each route in a warm process: AWS calls and table units.

use reqwest::Method;
use serde_json::json;
use tests::TestApp;
use tests::budgets::READ_WORKFLOW;
use tests::client::send;

use super::*;

/// Each request reads its caller's identity with one `BatchGetItem` of four units, and one unit more for what is shared with the
/// caller if the route names a workflow. The rest is the route's own.
#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let path = format!("{WORKFLOWS}/{id}");
    let webhook = ada.post(&format!("{path}/webhooks")).await.id().to_owned();
    let bearer = json!({"name": "Bot", "type": "bearer", "token": "x"});
    let outbound = format!("{path}/webhook-credentials/outbound");
    let teams = format!("{path}/teams");
    let team = format!("{teams}/{}", ada.post(&teams).await.id());
    let member = ada.post("/builder/v1/agents").await.id().to_owned();
    let release = post_action(&ada, &id, "publish").await;
    let release_id = release.json["data"]["release"]["id"].as_str().unwrap().to_owned();
    let deployment = release.json["data"]["deployment"]["id"].as_str().unwrap().to_owned();
    let releases = format!("{path}/releases");
    let spare = create_workflow(&ada, "Spare", echo()).await;
    let batch = json!({"ids": [spare]});
    let doc = ada.get(&format!("{path}/export")).await.text;

    let requests = [
        (
            "create",
            ada.request(Method::POST, WORKFLOWS).json(&json!({"name": "New", "graph": echo()})),
            "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:TransactWriteItems (10 units)",
        ),
        ("read", ada.request(Method::GET, &path), READ_WORKFLOW),
        (
            "list",
            ada.request(Method::GET, WORKFLOWS),
            "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "change",
            ada.request(Method::PATCH, &path).json(&json!({"graph": template_graph("one")})),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:PutItem (6 units)",
        ),
        (
            "validate",
            ada.request(Method::POST, &format!("{path}/validate")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)",
        ),
        (
            "publish",
            ada.request(Method::POST, &format!("{path}/publish")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (16 units), 1 s3:PutObject",
        ),
        (
            "releases",
            ada.request(Method::GET, &releases),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "manifest",
            ada.request(Method::GET, &format!("{releases}/{release_id}/manifest")),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 s3:GetObject",
        ),
        (
            "status",
            ada.request(Method::GET, &format!("{releases}/{release_id}/runtime-status")),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 s3:GetObject",
        ),
        (
            "diff",
            ada.request(Method::GET, &format!("{releases}/{release_id}/diff/draft")),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 s3:GetObject",
        ),
        (
            "deployments",
            ada.request(Method::GET, &format!("{path}/deployments")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "activate",
            ada.request(Method::POST, &format!("{path}/deployments/{deployment}/activate")),
            "1 dynamodb:BatchGetItem (5 units), 3 dynamodb:GetItem (3 units), 1 dynamodb:TransactWriteItems (13 units), 1 s3:GetObject",
        ),
        (
            "pause",
            ada.request(Method::POST, &format!("{path}/pause")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (10 units)",
        ),
        (
            "resume",
            ada.request(Method::POST, &format!("{path}/resume")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (10 units)",
        ),
        (
            "clone",
            ada.request(Method::POST, &format!("{path}/clone")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (10 units)",
        ),
        (
            "delete-impact",
            ada.request(Method::GET, &format!("{path}/delete-impact")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "export",
            ada.request(Method::GET, &format!("{path}/export")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)",
        ),
        (
            "import",
            ada.request(Method::POST, &format!("{WORKFLOWS}/import"))
                .header("content-type", "application/json")
                .body(doc),
            "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:TransactWriteItems (10 units), 1 s3:PutObject",
        ),
        (
            "batch archive",
            ada.request(Method::POST, &format!("{WORKFLOWS}/batch/archive")).json(&batch),
            "2 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (8 units)",
        ),
        (
            "node types",
            ada.request(Method::GET, &format!("{WORKFLOWS}/node-types")),
            "1 dynamodb:BatchGetItem (4 units)",
        ),
        ("services", ada.request(Method::GET, &format!("{WORKFLOWS}/services")), "1 dynamodb:BatchGetItem (4 units)"),
        ("templates", ada.request(Method::GET, &format!("{WORKFLOWS}/templates")), "1 dynamodb:BatchGetItem (4 units)"),
        (
            "preview",
            ada.request(Method::POST, &format!("{WORKFLOWS}/expression/preview")).json(&json!({"expression": "1 + 1"})),
            "1 dynamodb:BatchGetItem (4 units)",
        ),
        (
            "connections",
            ada.request(Method::GET, &format!("{path}/connections")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 2 dynamodb:Query (2 units)",
        ),
        (
            "connect",
            ada.request(Method::PUT, &format!("{path}/connections")).json(&json!({})),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:PutItem (6 units), 2 dynamodb:Query (2 units)",
        ),
        (
            "webhook",
            ada.request(Method::POST, &format!("{path}/webhooks")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:TransactWriteItems (10 units)",
        ),
        (
            "webhooks",
            ada.request(Method::GET, &format!("{path}/webhooks")),
            "2 dynamodb:BatchGetItem (7 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "events",
            ada.request(Method::GET, &format!("{path}/webhooks/{webhook}/events")),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 8 dynamodb:Query (8 units)",
        ),
        (
            "renew",
            ada.request(Method::POST, &format!("{path}/webhooks/{webhook}/regenerate-token")),
            "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:UpdateItem (1 units)",
        ),
        (
            "credential",
            ada.request(Method::POST, &outbound).json(&bearer),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:TransactWriteItems (8 units), 1 kms:GenerateDataKey",
        ),
        (
            "credentials",
            ada.request(Method::GET, &format!("{path}/webhook-credentials")),
            "2 dynamodb:BatchGetItem (7 units), 1 dynamodb:GetItem (1 units), 2 dynamodb:Query (2 units)",
        ),
        (
            "team",
            ada.request(Method::POST, &teams).json(&json!({"config": {"members": [member]}})),
            "2 dynamodb:BatchGetItem (7 units), 1 dynamodb:TransactWriteItems (14 units)",
        ),
        ("teams", ada.request(Method::GET, &teams), "2 dynamodb:BatchGetItem (8 units), 1 dynamodb:Query (1 units)"),
        ("read team", ada.request(Method::GET, &team), "2 dynamodb:BatchGetItem (7 units)"),
        (
            "change team",
            ada.request(Method::PATCH, &team).json(&json!({"name": "Crew"})),
            "3 dynamodb:BatchGetItem (8 units), 1 dynamodb:UpdateItem (1 units)",
        ),
        (
            "delete team",
            ada.request(Method::DELETE, &team),
            "2 dynamodb:BatchGetItem (7 units), 1 dynamodb:TransactWriteItems (9 units), 1 sqs:SendMessage",
        ),
        (
            "delete",
            ada.request(Method::DELETE, &path),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:TransactWriteItems (13 units), 1 sqs:SendMessage",
        ),
    ];
    let mut exceeded = Vec::new();
    for (name, request, budget) in requests {
        let costs = app.costs(send(request)).await.to_string();
        if costs != budget {
            exceeded.push(format!("{name}: {costs}, not {budget}"));
        }
    }
    assert!(exceeded.is_empty(), "{exceeded:#?}");
}
