//! The budgets of the routes of teams, and of lists of what is shared: they do not grow with the lists.

use reqwest::Method;
use tests::client::send;

use super::*;

#[tokio::test]
async fn every_route_keeps_its_budget() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    let (_, cleo_id) = known(&app, "cleo").await;
    let boss = app.person_of("boss", "acme", Role::Admin);
    boss.get(WORKFLOWS).await;
    let path = create_workflow(&ada, "Flow").await;
    must_share(&ada, &path, &bob_id, "editor").await;
    let members = format!("{path}/members");
    let requests = [
        (
            "members",
            ada.request(Method::GET, &members),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)",
        ),
        (
            "share",
            ada.request(Method::POST, &members).json(&json!({"userId": cleo_id, "role": "viewer"})),
            "2 dynamodb:BatchGetItem (8 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:TransactWriteItems (12 units)",
        ),
        (
            "remove",
            ada.request(Method::DELETE, &format!("{members}/{cleo_id}")),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (12 units)",
        ),
        (
            "read by a member",
            bob.request(Method::GET, &path),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units)",
        ),
        (
            "change",
            bob.request(Method::PATCH, &path).json(&json!({"name": "New"})),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:DeleteItem (2 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:PutItem (6 units), 1 dynamodb:TransactWriteItems (10 units)",
        ),
        (
            "shared list",
            bob.request(Method::GET, &format!("{WORKFLOWS}?ownership=shared")),
            "1 dynamodb:BatchGetItem (4 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "whole list",
            bob.request(Method::GET, &format!("{WORKFLOWS}?ownership=all")),
            "1 dynamodb:BatchGetItem (4 units), 2 dynamodb:GetItem (2 units), 2 dynamodb:Query (2 units)",
        ),
        (
            "people",
            ada.request(Method::GET, "/builder/v1/members"),
            "2 dynamodb:BatchGetItem (12 units), 1 dynamodb:Query (1 units)",
        ),
        (
            "organization",
            boss.request(Method::GET, "/builder/v1/organization/workflows"),
            "2 dynamodb:BatchGetItem (5 units), 1 dynamodb:Query (0.5 units), 1 dynamodb:TransactWriteItems (9 units)",
        ),
        (
            "transfer",
            ada.request(Method::POST, &format!("{path}/transfer")).json(&json!({"userId": bob_id})),
            "2 dynamodb:BatchGetItem (8 units), 2 dynamodb:GetItem (2 units), 1 dynamodb:Query (1 units), 1 dynamodb:TransactWriteItems (30 units)",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, request, expected) in requests {
        let costs = app.costs(send(request)).await.to_string();
        if costs != expected {
            wrong.push(format!("{name}: {costs}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
