//! One call with its attempts, and who may read which calls.

use domain::money::Money;
use serde_json::json;
use tests::TestApp;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::super::chat;
use super::*;

#[tokio::test]
async fn a_call_is_found_by_its_request_with_the_attempts_to_serve_it() {
    let app = TestApp::start().await;
    let (first, second) = (FakeProvider::start().await, FakeProvider::start().await);
    let model = ModelBuilder::new("served").with_deployment(&app, &first).await.with_deployment(&app, &second).await;
    model.insert(&app).await;
    first.respond_with(Behaviour::json(401, json!({"error": {"message": "no", "code": "invalid_api_key"}})));
    second.then_respond(Behaviour::json(200, r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#));
    let customer = app.customer("log", Money::from_usd(1)).await;
    let served = chat(&customer.person, "served").await;
    assert_eq!(served.status, "200 OK", "{}", served.text);
    second.respond_with(Behaviour::json(400, json!({"error": {"message": "no", "code": "bad_tool"}})));
    let failed = chat(&customer.person, "served").await;
    assert_eq!(failed.status, "400 Bad Request", "{}", failed.text);

    let operator = app.operator();
    let org = customer.account.org.to_string();
    let mut shown = Vec::new();
    for request in [served.header("x-request-id").unwrap(), failed.header("x-request-id").unwrap()] {
        let call = customer.person.get(&format!("{CALLS}/{request}")).await;
        assert_eq!(call.status, "200 OK", "{}", call.text);
        let by_operator = operator.get(&format!("{ADMIN_CALLS}/{request}?org={org}")).await;
        assert_eq!(by_operator.json, call.json);
        let by_id = customer.person.get(&format!("{CALLS}/{}", call.json["id"].as_str().unwrap())).await;
        assert_eq!(by_id.json, call.json);
        let attempts = call.json["failed_attempts"].as_array().unwrap().iter();
        let attempts = attempts.map(|attempt| json!([attempt["deployment"], attempt["error_code"]]));
        shown.push(json!([
            call.json["status"],
            call.json["error_code"],
            call.json["deployment"],
            attempts.collect::<Vec<_>>(),
        ]));
    }
    insta::assert_snapshot!(shown.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"), @r#"
    ["completed",null,"served-1/upstream-model",[["served-0/upstream-model","provider_setup"]]]
    ["failed","bad_tool","served-1/upstream-model",[["served-1/upstream-model","bad_tool"]]]
    "#);
    // The list has no attempts.
    assert_eq!(list(&customer.person, CALLS, 10).await[0].get("failed_attempts"), None);
}

#[tokio::test]
async fn members_see_their_own_calls_and_no_one_sees_those_of_others() {
    let app = TestApp::start().await;
    // Ada is an administrator of Acme, and Bob is a member.
    let (ada, bob, eve) = (app.key_client("ada"), app.key_client("bob"), app.key_client("eve"));
    let called = chat(&ada, "dev-chat").await;
    chat(&bob, "dev-chat").await;
    let request = called.header("x-request-id").unwrap();
    assert_eq!((list(&ada, CALLS, 10).await.len(), list(&bob, CALLS, 10).await.len()), (2, 1));
    assert!(list(&eve, CALLS, 10).await.is_empty());
    let of_ada = format!("{CALLS}?user={}", app.account("ada").user);
    assert_eq!((list(&ada, &of_ada, 10).await.len(), list(&bob, &of_ada, 10).await.len()), (1, 0));

    let missing = [
        bob.get(&format!("{CALLS}/{request}")).await,
        eve.get(&format!("{CALLS}/{request}")).await,
        ada.get(&format!("{CALLS}/trace-7")).await,
    ];
    for answer in missing {
        assert_eq!((answer.status.as_str(), answer.code()), ("404 Not Found", "call_not_found"), "{}", answer.text);
    }
    for path in [ADMIN_CALLS.to_owned(), format!("{ADMIN_CALLS}/{request}?org=org_1")] {
        let refused = ada.get(&path).await;
        assert_eq!(refused.status, "403 Forbidden", "{}", refused.text);
    }
    let operator = app.operator();
    for wrong in ["?end_user=u", "?tag=t", "?status=odd", "?from=yesterday", "?limit=0"] {
        let refused = operator.get(&format!("{ADMIN_CALLS}{wrong}")).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_query"), "{wrong}");
    }
    close_leases(&app).await;
    let of_user = format!("{ADMIN_CALLS}?user={}", app.account("ada").user);
    assert_eq!(list(&operator, &of_user, 10).await.len(), 1);
}

#[tokio::test]
async fn calls_of_an_exempt_plan_are_listed_too() {
    let app = TestApp::start().await;
    let ada = app.key_client("ada");
    app.operator().patch("/gateway/v1/admin/models/dev-chat", json!({"pricing": {"input": 0, "output": 0}})).await;
    let called = chat(&ada, "dev-chat").await;
    let calls = list(&ada, CALLS, 10).await;
    assert_eq!(calls.len(), 1);
    let request = called.header("x-request-id").unwrap();
    assert_eq!(ada.get(&format!("{CALLS}/{request}")).await.json["id"], calls[0]["id"]);
    let debits = ada.get("/gateway/v1/billing/transactions?kind=debit").await;
    assert_eq!(debits.json["data"], json!([]), "the call moved no credits");
}
