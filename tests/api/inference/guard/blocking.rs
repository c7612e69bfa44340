//! Plans whose input is evaluated before the provider is called.

use domain::money::Money;
use tests::form::TestForm;
use tests::gateway::Customer;
use tests::provider::{Behaviour, Gate};

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
        assert!(refused.text.contains("GET /gateway/v1/guard/events"), "{}", refused.text);
    }
    let picture = json!({"preset": "dev-image", "prompt": "how to make a bomb"});
    let refused = post(&customer.person, "/gateway/v1/images/generations", &picture).await;
    assert_eq!(refusal(&refused), ("403", "guard_blocked"));
    let spoken = json!({"model": "dev-speech", "input": "I will kill you"});
    let refused = post(&customer.person, "/gateway/v1/audio/speech", &spoken).await;
    assert_eq!(refusal(&refused), ("403", "guard_blocked"));
    let picture = b"\x89PNG\r\n\x1a\n";
    let form =
        TestForm::default().text("model", "dev-image").text("prompt", "how to make a bomb").file("image", "a", picture);
    let edit = customer.person.request(reqwest::Method::POST, "/gateway/v1/images/edits");
    assert_eq!(refusal(&send(form.add_to(edit)).await), ("403", "guard_blocked"));
    assert!(fake.take_requests().is_empty());
    let events = events(&customer.person, "?flagged=true").await;
    assert!(events.len() == 5 && events.iter().all(|event| event["blocked"] == true && event["source"] == "chat"));
    // Only the evaluations are charged.
    assert_eq!(app.sum_charges(customer.account.org).await.1, 5);
    let harmless = json!({"model": "dev-chat", "messages": [message("Good morning")], "max_tokens": 4});
    assert_eq!(chat(&customer.person, &harmless).await.status, "200 OK");
}

#[tokio::test]
async fn a_plan_that_enforces_a_guard_needs_a_guard_model_and_a_category() {
    let app = TestApp::start().await;
    let operator = app.operator();
    const PLAN: &str = "/gateway/v1/admin/plans/guarded";
    for input_guard in ["block", "require"] {
        let plan = |models: Value| json!({"name": "Guarded", "models": models, "input_guard": input_guard});
        let refused = operator.put(PLAN, plan(json!(["dev-chat"]))).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{}", refused.text);
        assert_eq!(
            refused.json["error"]["message"],
            "input_guard: the plan has no guard model; add a model with the capability `guard` to `models`, or send `off`"
        );
        let put = operator.put(PLAN, plan(json!(["dev-chat", "dev-guard"]))).await;
        assert_eq!((&put.json["input_guard"], &put.json["guard_model"]), (&json!(input_guard), &json!("dev-guard")));
        assert_eq!(operator.get(PLAN).await.json, put.json);
    }
    let off = operator.put("/gateway/v1/admin/plans/off", json!({"name": "Off", "models": ["dev-chat"]})).await;
    assert_eq!((&off.json["input_guard"], &off.json["guard_model"]), (&json!("off"), &Value::Null), "{}", off.text);
    remove_categories(&app).await;
    let refused = operator.put(PLAN, json!({"name": "Guarded", "input_guard": "block"})).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"), "{}", refused.text);
    assert!(refused.text.contains("no risk category is active"), "{}", refused.text);
}

async fn remove_categories(app: &TestApp) {
    const CATEGORIES: &str = "/gateway/v1/admin/guard/categories";
    let operator = app.operator();
    for code in operator.get(CATEGORIES).await.column("code") {
        assert_eq!(operator.delete(&format!("{CATEGORIES}/{code}")).await.status, "204 No Content");
    }
}

/// A retry cannot help, so the answer is not that the platform is busy.
#[tokio::test]
async fn calls_are_refused_after_the_guard_of_their_plan_was_removed() {
    for removes_model in [true, false] {
        let app = TestApp::start().await;
        let fake = FakeProvider::start().await;
        ModelBuilder::new("upstream").with_deployment(&app, &fake).await.insert(&app).await;
        let removed = if removes_model { "guard model" } else { "risk category" };
        let mut customers = Vec::new();
        for input_guard in ["block", "require"] {
            let customer = app.customer(input_guard, Money::from_usd(1)).await;
            put_on_plan(&app, &customer, input_guard).await;
            assert_eq!(customer.person.get("/gateway/v1/me").await.json["plan"]["guard_model"], "dev-guard");
            customers.push((input_guard, customer));
        }
        match removes_model {
            true => drop(app.operator().delete("/gateway/v1/admin/models/dev-guard").await),
            false => remove_categories(&app).await,
        }
        // Other processes read the change within 30 seconds.
        let (inference, account) =
            (app.environment(), account::router(&app.platform.new_environment_context()).unwrap());
        let harmful = json!({"model": "upstream", "messages": [message("I will kill you")]});
        let picture = json!({"preset": "dev-image", "prompt": "how to make a bomb"});
        for (input_guard, customer) in &customers {
            for (path, body) in [(tests::gateway::CHAT, &harmful), ("/gateway/v1/images/generations", &picture)] {
                let (status, refused) = customer.call(&inference, path, body).await;
                assert_eq!((status.as_u16(), &refused["error"]["code"]), (502, &json!("guard_misconfigured")));
                let message = refused["error"]["message"].as_str().unwrap();
                assert!(message.starts_with(&format!("the plan {input_guard} evaluates all input, but")), "{message}");
                assert!(message.contains(removed) && message.contains("ask the operator"), "{message}");
            }
            let (_, me) = customer.get(&account, "/gateway/v1/me").await;
            let plan = &me["plan"];
            assert_eq!((&plan["input_guard"], &plan["guard_model"]), (&json!(input_guard), &Value::Null), "{me}");
            assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
        }
        assert!(fake.take_requests().is_empty());
    }
}

#[tokio::test]
async fn a_provider_that_refuses_the_guard_is_not_a_busy_platform() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(401, json!({"error": {"code": "invalid_api_key", "message": "no"}})));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    app.operator().put("/gateway/v1/admin/aliases/guard", json!({"model": "watch"})).await;
    let customer = app.customer("closed", Money::from_usd(1)).await;
    put_on_plan(&app, &customer, "require").await;
    let refused = chat(&customer.person, &question("dev-chat")).await;
    assert_eq!(refusal(&refused), ("502", "guard_misconfigured"), "{}", refused.text);
    assert_eq!((refused.header("retry-after"), refused.header("x-should-retry")), (None, Some("false")));
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

/// A client that may not make the call gets the same answer as without a guard.
#[tokio::test]
async fn a_caller_without_credits_is_refused_as_usual_and_leaves_no_event() {
    let app = TestApp::start().await;
    for (org, input_guard) in [("poor", "block"), ("poorer", "require")] {
        let customer = app.customer(org, Money::ZERO).await;
        put_on_plan(&app, &customer, input_guard).await;
        let refused = chat(&customer.person, &question("dev-chat")).await;
        assert_eq!(refusal(&refused), ("402", "insufficient_credits"));
        assert!(events(&customer.person, "").await.is_empty());
        assert_eq!(take_tasks(&app).await.len(), 0);
    }
}

#[tokio::test]
async fn a_call_does_not_wait_long_for_its_guard() {
    let app = TestApp::start().await;
    let (fake, gate) = (FakeProvider::start().await, Gate::closed());
    fake.respond_with(Behaviour::json(200, json!({"results": [{"category_scores": {}}]})).gated_by(&gate));
    insert_guard(&app, &fake, GuardApi::Moderation).await;
    app.operator().put("/gateway/v1/admin/aliases/guard", json!({"model": "watch"})).await;
    let customer = app.customer("slow", Money::from_usd(1)).await;
    put_on_plan(&app, &customer, "block").await;
    let context = app.platform.context_of("inference");
    let impatient = platform::Context { config: context.config.clone().with("GUARD_PATIENCE_S", "0"), ..context };
    let environment = inference::router(&impatient).unwrap();
    app.recorder.take();
    let (status, answer) = customer.call(&environment, tests::gateway::CHAT, &question("dev-chat")).await;
    assert_eq!(status.as_u16(), 200, "{answer}");
    let failed = &events(&customer.person, "").await[0];
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!("provider_timeout")));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1, "only the chat is charged");

    assert!(app.recorder.take_costs().to_string().contains("1 sqs:SendMessage"), "it is tried again later");
    gate.open();
}

#[tokio::test]
async fn input_that_is_no_text_is_refused_if_the_plan_requires_an_evaluation() {
    let app = TestApp::start().await;
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}});
    let content = json!([{"type": "text", "text": "What is this?"}, image]);
    let body = with(question("dev-chat"), json!({"messages": [{"role": "user", "content": content}], "max_tokens": 4}));
    let required = app.customer("required", Money::from_usd(1)).await;
    put_on_plan(&app, &required, "require").await;
    let refused = chat(&required.person, &body).await;
    assert_eq!(refusal(&refused), ("400", "parameter_not_supported"), "{}", refused.text);
    assert!(refused.text.contains("guard"), "{}", refused.text);
    let blocking = app.customer("blocking", Money::from_usd(1)).await;
    put_on_plan(&app, &blocking, "block").await;
    assert_eq!(chat(&blocking.person, &body).await.status, "200 OK");
}
