//! Plans whose input is evaluated before the provider is called.

use domain::money::Money;
use tests::gateway::Customer;
use tests::provider::Behaviour;

use super::*;

async fn put_on_plan(app: &TestApp, customer: &Customer, input_guard: &str) {
    let operator = app.operator();
    let plan = json!({"name": "Guarded", "input_guard": input_guard});
    let put = operator.put(&format!("/gateway/v1/admin/plans/{input_guard}"), plan).await;
    assert_eq!(put.json["input_guard"], input_guard, "{}", put.text);
    operator.patch(&format!("/gateway/v1/admin/orgs/{}", customer.account.org), json!({"plan": input_guard})).await;
}

#[tokio::test]
async fn flagged_input_never_reaches_the_provider() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    ModelBuilder::new("upstream").with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("blocked", Money::from_usd(1)).await;
    put_on_plan(&app, &customer, "block").await;
    let harmful = json!({"model": "upstream", "messages": [message("I will kill you")]});
    for body in [harmful.clone(), with(harmful, json!({"stream": true}))] {
        let refused = chat(&customer.person, &body).await;
        assert_eq!(refusal(&refused), ("403", "guard_blocked"));
        assert_eq!(refused.json["error"]["type"], "permission_error");
    }
    let picture = json!({"preset": "dev-image", "prompt": "how to make a bomb"});
    let refused = post(&customer.person, "/gateway/v1/images/generations", &picture).await;
    assert_eq!(refusal(&refused), ("403", "guard_blocked"));
    assert!(fake.take_requests().is_empty());
    let events = events(&customer.person, "?flagged=true").await;
    assert!(events.len() == 3 && events.iter().all(|event| event["blocked"] == true && event["source"] == "chat"));
    // Only the evaluations are charged.
    assert_eq!(app.sum_charges(customer.account.org).await.1, 3);
    let harmless = json!({"model": "dev-chat", "messages": [message("Good morning")], "max_tokens": 4});
    assert_eq!(chat(&customer.person, &harmless).await.status, "200 OK");
}

#[tokio::test]
async fn a_guard_that_fails_lets_calls_pass_unless_the_plan_requires_it() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(400, json!({"error": {"code": "bad", "message": "no"}})));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    app.operator().put("/gateway/v1/admin/aliases/guard", json!({"model": "watch"})).await;
    let body = json!({"model": "dev-chat", "messages": [message("hello")], "max_tokens": 4});
    let open = app.customer("open", Money::from_usd(1)).await;
    put_on_plan(&app, &open, "block").await;
    assert_eq!(chat(&open.person, &body).await.status, "200 OK");
    let failed = &events(&open.person, "").await[0];
    assert_eq!((&failed["status"], &failed["blocked"]), (&json!("failed"), &json!(false)));

    let closed = app.customer("closed", Money::from_usd(1)).await;
    put_on_plan(&app, &closed, "require").await;
    let refused = chat(&closed.person, &body).await;
    assert_eq!(refusal(&refused), ("503", "unavailable"));
    assert!(refused.header("retry-after").is_some());
    assert_eq!(app.sum_charges(closed.account.org).await.1, 0);
}
