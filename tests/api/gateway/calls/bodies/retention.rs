//! How long bodies are kept, how they are stored, and what that costs.

use std::time::SystemTime;

use domain::call_body::{BodyPlace, KeptBody};
use domain::id::{OrgId, TransactionId};
use domain::time::Clock;
use platform::telemetry::metrics::prometheus;
use platform::{Context, config};
use store::CallBodies;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};
use tower::ServiceExt;

use super::*;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads the bodies of a call at a later time, as the function `billing` does.
async fn read_after(app: &TestApp, customer: &Customer, call: &str, time: Duration) -> (u16, Value) {
    let later = Time::now().plus(time);
    let context = Context { clock: Clock::new(move || later), ..app.platform.context_of("billing") };
    let request = axum::http::Request::get(path_of(call))
        .header("authorization", format!("Bearer {}", customer.person.token.as_deref().unwrap()));
    let router = billing::router(&context).unwrap();
    let response = router.oneshot(request.body(axum::body::Body::empty()).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn no_body_is_kept_unless_an_administrator_wants_it() {
    let app = TestApp::start().await;
    let customer = app.customer("off", Money::from_usd(1)).await;
    assert_eq!(customer.person.get(RETENTION).await.json, json!({"days": 0, "max_days": 30}));
    let answer = ask(&customer.person, "Hello").await;
    let missing = read(&app, &customer.person, request_of(&answer)).await;
    assert_eq!((missing.status.as_str(), missing.code()), ("404 Not Found", "call_body_not_found"));
    assert!(missing.text.contains("PUT /gateway/v1/billing/call-retention"), "{}", missing.text);
    let call = customer.person.get(&format!("{CALLS}/{}", request_of(&answer))).await;
    assert_eq!((call.json.get("bodies_expire_at"), count_objects(&app).await), (Some(&Value::Null), 0));
}

#[tokio::test]
async fn bodies_are_stored_encrypted_with_a_key_of_their_organization() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "sealed", 7).await;
    let answer = ask(&customer.person, "a secret sentence").await;
    assert_eq!(count_objects(&app).await, 1);
    let stored = app.contents("call-bodies");
    assert!(stored.contains("ciphertext"), "{stored}");
    for secret in ["a secret sentence", answer.json["choices"][0]["message"]["content"].as_str().unwrap()] {
        assert!(!stored.contains(secret), "{stored}");
    }
    // The object is of no use in the place of another call or organization.
    let kept = CallBodies::new(&app.platform.context()).unwrap();
    let call = app.charges(customer.account.org).await.remove(0);
    let place = BodyPlace::of_call(&call).unwrap();
    assert!(kept.get(&place).await.unwrap().is_some());
    let moved = [BodyPlace { org: OrgId::new(), ..place.clone() }, BodyPlace { call: TransactionId::new(), ..place }];
    for place in moved {
        kept.get(&place).await.unwrap_err();
    }
}

#[tokio::test]
async fn bodies_expire_after_the_days_of_their_call() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "week", 6).await;
    let answer = ask(&customer.person, "Hello").await;
    let request = request_of(&answer);
    let body = read(&app, &customer.person, request).await;
    let call = customer.person.get(&format!("{CALLS}/{request}")).await;
    assert_eq!(body.json["expires_at"], call.json["bodies_expire_at"], "{}", call.text);
    let ended_at: Time = serde_json::from_value(call.json["ended_at"].clone()).unwrap();
    assert_eq!(body.json["expires_at"], json!(ended_at.plus(DAY * 6).to_string()));
    // Another retention is that of later calls.
    keep_bodies(&customer.person, 30).await;
    let (status, body) = read_after(&app, &customer, request, DAY * 5).await;
    assert_eq!((status, &body["truncated"]), (200, &json!(false)), "{body}");
    let (status, body) = read_after(&app, &customer, request, DAY * 6).await;
    assert_eq!((status, &body["error"]["code"]), (404, &json!("call_body_not_found")));
    // The bucket deletes the object later.
    assert_eq!(app.platform.expire(SystemTime::now() + DAY * 6).await, 0);
    assert_eq!((app.platform.expire(SystemTime::now() + DAY * 7).await, count_objects(&app).await), (1, 0));
    let body = read(&app, &customer.person, request).await;
    assert_eq!((body.status.as_str(), body.code()), ("404 Not Found", "call_body_not_found"));
}

#[tokio::test]
async fn the_plan_limits_the_days() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "plan", 20).await;
    for wrong in [json!({"days": 31}), json!({"days": -1}), json!({"days": "7"}), json!({}), json!({"days": 7, "x": 1})]
    {
        let refused = customer.person.put(RETENTION, wrong.clone()).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"), "{wrong}");
    }
    let plan = "/gateway/v1/admin/plans/default";
    let changed = app.operator().put(plan, json!({"name": "Default", "run_retention_days": 3})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    assert_eq!(customer.person.get(RETENTION).await.json, json!({"days": 3, "max_days": 3}));
    let refused = customer.person.put(RETENTION, json!({"days": 4})).await;
    assert_eq!((refused.code(), &refused.json["error"]["param"]), ("invalid_body", &json!("days")), "{}", refused.text);
    let answer = ask(&customer.person, "Hello").await;
    let call = customer.person.get(&format!("{CALLS}/{}", request_of(&answer))).await;
    let ended_at: Time = serde_json::from_value(call.json["ended_at"].clone()).unwrap();
    assert_eq!(call.json["bodies_expire_at"], json!(ended_at.plus(DAY * 3).to_string()));
}

#[tokio::test]
async fn turned_off_it_keeps_no_further_body() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "once", 7).await;
    let first = ask(&customer.person, "Hello").await;
    keep_bodies(&customer.person, 0).await;
    // This environment has not cached the caller.
    let (status, _) = customer.call(&app.environment(), CHAT, &question("Hello")).await;
    assert!(status.is_success());
    assert_eq!(count_objects(&app).await, 1);
    assert_eq!(read(&app, &customer.person, request_of(&first)).await.status, "200 OK");
}

#[tokio::test]
async fn keeping_bodies_costs_no_call_of_the_tables() {
    let app = TestApp::start().await;
    let (off, on) =
        (app.customer("off", Money::from_micro_usd(100)).await, app.customer("on", Money::from_micro_usd(100)).await);
    keep_bodies(&on.person, 7).await;
    let costs = async |customer: &Customer| {
        let environment = app.environment();
        let mut costs = Vec::new();
        for _ in 0..3 {
            app.recorder.take();
            let body =
                json!({"model": "dev-chat", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]});
            let (status, answer) = customer.call(&environment, CHAT, &body).await;
            assert!(status.is_success(), "{answer}");
            app.platform.context().tasks.ended().await;
            costs.push(app.recorder.take_costs().to_string());
        }
        costs
    };
    let (off, on) = (costs(&off).await, costs(&on).await);
    // The first call of an environment reads the catalog and gets a data key.
    assert_eq!(on[0], format!("{}, 1 kms:GenerateDataKey, 1 s3:PutObject", off[0]));
    assert_eq!(on[1..], [1, 2].map(|call: usize| format!("{}, 1 s3:PutObject", off[call])));
}

#[tokio::test]
async fn long_bodies_are_cut() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "long", 7).await;
    let fake = FakeProvider::start().await;
    ModelBuilder::new("long")
        .with(|model| model.context_window = None)
        .with_deployment(&app, &fake)
        .await
        .insert(&app)
        .await;
    let choice = |text: &str| json!({"index": 0, "message": {"content": text}, "finish_reason": "stop"});
    let respond = |text: &str| Behaviour::json(200, json!({"choices": [choice(text)]}));
    let long = "ñ".repeat(KeptBody::MAX_BYTES * 2 / 3);
    for (question, answer) in [(&*long, "short"), ("short", &*long)] {
        fake.respond_with(respond(answer));
        let body = json!({"model": "long", "max_tokens": 1, "messages": [{"role": "user", "content": question}]});
        let called = customer.person.post_json(CHAT, body.clone()).await;
        assert_eq!(called.status, "200 OK", "{}", called.text);
        let kept = read(&app, &customer.person, request_of(&called)).await;
        assert_eq!((kept.status.as_str(), &kept.json["truncated"]), ("200 OK", &json!(true)));
        let (cut, whole) = match question == "short" {
            false => ("request", "response"),
            true => ("response", "request"),
        };
        let beginning = kept.json[cut].as_str().unwrap();
        assert!(
            (KeptBody::MAX_BYTES - 1..=KeptBody::MAX_BYTES).contains(&beginning.len()) && beginning.starts_with('{')
        );
        assert!(kept.json[whole].is_object(), "{}", kept.json[whole]);
    }
}

/// A bucket that does not exist fails each write.
#[tokio::test]
async fn bodies_that_cannot_be_stored_fail_no_call() {
    let app = TestApp::start().await;
    let customer = keeper(&app, "lost", 7).await;
    let context = app.platform.new_environment_context();
    let telemetry = context.telemetry.clone().with_metrics();
    let config = context.config.clone().with(config::BUCKET_FILES, "missing");
    let environment = inference::router(&Context { config, telemetry: telemetry.clone(), ..context }).unwrap();
    let (status, answer) = customer.call(&environment, CHAT, &question("Hello")).await;
    assert!(status.is_success(), "{answer}");
    app.platform.context().tasks.ended().await;
    let samples = prometheus::render(telemetry.metrics().unwrap());
    assert!(samples.contains("atelier_lost_call_bodies_total"), "{samples}");
    let id = answer["id"].as_str().unwrap();
    assert_eq!(read(&app, &customer.person, id).await.code(), "call_body_not_found");
}
