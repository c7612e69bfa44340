//! Requests that wait for their images, and refused requests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::limits::{Limits, PlanLimits};
use domain::money::Money;

use super::*;

#[tokio::test]
async fn images_are_generated_stored_and_billed() {
    let app = start_with_workers().await;
    let customer = app.customer("images", Money::from_usd(1)).await;
    let answer = post(&customer.person, IMAGES, &with(fox(), json!({"n": 2}))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let cost = Money::from_micro_usd(20_000);
    assert_eq!(answer.header("x-request-cost").unwrap().parse(), Ok(cost));
    assert_eq!(answer.json["usage"]["cost"], json!(0.02));
    assert!(answer.json["created"].is_i64());
    let pictures = answer.json["data"].as_array().unwrap();
    assert_eq!(pictures.len(), 2);
    let mut contents = Vec::new();
    for picture in pictures {
        let url = picture["url"].as_str().unwrap();
        let response = reqwest::get(url).await.unwrap();
        assert_eq!(response.headers()["content-type"], "image/png");
        let content = response.bytes().await.unwrap();
        assert_eq!(size_of(&content), (64, 32));
        contents.push(content);
    }
    assert_ne!(contents[0], contents[1]);

    assert_eq!(app.sum_charges(customer.account.org).await, (cost, 1));
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1).less(cost));
    let usage = app.usage(customer.account.org).await.total();
    assert_eq!((usage.requests, usage.cost), (1, cost));
}

#[tokio::test]
async fn the_name_of_openai_and_base64_work() {
    let app = start_with_workers().await;
    let customer = app.customer("openai", Money::from_usd(1)).await;
    let body = json!({"model": "dev-image", "prompt": "a cat", "size": "32x32", "response_format": "b64_json"});
    let answer = post(&customer.person, IMAGES, &body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let picture = &answer.json["data"][0];
    assert!(picture["url"].is_null());
    assert_eq!(size_of(&STANDARD.decode(picture["b64_json"].as_str().unwrap()).unwrap()), (32, 32));
}

#[tokio::test]
async fn a_request_that_loses_its_patience_gets_the_job() {
    let app = TestApp::start().await;
    let customer = app.customer("patience", Money::from_usd(1)).await;
    let context = app.platform.context_of("inference");
    let impatient = platform::Context { config: context.config.clone().with("IMAGE_PATIENCE_S", "0"), ..context };
    let environment = inference::router(&impatient).unwrap();
    let (status, started) = customer.call(&environment, IMAGES, &fox()).await;
    assert_eq!((status.as_u16(), &started["status"]), (202, &json!("queued")));
    app.platform.drain().await;
    let job = customer.person.get(&format!("{IMAGES}/{}", started["job_id"].as_str().unwrap())).await;
    assert_eq!(job.json["status"], "succeeded");
}

#[tokio::test]
async fn a_repeated_key_gets_the_first_images_and_is_billed_once() {
    let app = start_with_workers().await;
    let customer = app.customer("keys", Money::from_usd(1)).await;
    let send_with_key = async |body: Value| {
        let request = customer.person.request(reqwest::Method::POST, IMAGES).header("Idempotency-Key", "k1");
        send(request.json(&body)).await
    };
    let first = send_with_key(fox()).await;
    let again = send_with_key(fox()).await;
    assert_eq!((first.status.as_str(), again.status.as_str()), ("200 OK", "200 OK"));
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), (None, Some("true")));
    let object = |answer: &Answer| {
        let url = answer.json["data"][0]["url"].as_str().unwrap();
        url.split('?').next().unwrap().to_owned()
    };
    assert_eq!(object(&first), object(&again));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
    let other = send_with_key(with(fox(), json!({"n": 2}))).await;
    assert_eq!(refusal(&other), ("409", "idempotency_conflict"));
}

#[tokio::test]
async fn invalid_requests_are_refused_with_their_parameter() {
    let app = TestApp::start().await;
    let customer = app.customer("refusals", Money::from_usd(1)).await;
    for (change, param) in [
        (json!({"prompt": ""}), "prompt"),
        (json!({"prompt": "x".repeat(4_097)}), "prompt"),
        (json!({"n": 5}), "n"),
        (json!({"size": "huge"}), "size"),
        (json!({"preset": "dev-chat"}), "preset"),
        (json!({"model": "other"}), "preset"),
        (json!({"response_format": "png"}), "response_format"),
    ] {
        let answer = post(&customer.person, IMAGES, &with(fox(), change.clone())).await;
        assert_eq!(refusal(&answer), ("400", "invalid_body"), "{change}");
        assert_eq!(answer.json["error"]["param"], param, "{change}");
    }
    let streamed = post(&customer.person, IMAGES, &with(fox(), json!({"stream": true}))).await;
    assert_eq!(refusal(&streamed), ("400", "parameter_not_supported"));
    let unknown = post(&customer.person, IMAGES, &with(fox(), json!({"preset": "nowhere"}))).await;
    assert_eq!(refusal(&unknown), ("404", "model_not_found"));
    assert_eq!(post(&app.anonymous(), IMAGES, &fox()).await.status, "401 Unauthorized");
    assert_eq!(app.platform.drain().await, 0, "no job was started");
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}

#[tokio::test]
async fn images_per_minute_and_credits_limit_the_requests() {
    let app = TestApp::start().await;
    let customer = app.customer("limits", Money::from_usd(1)).await;
    let limits = PlanLimits { org: Limits { ipm: Some(4), ..Limits::NONE }, ..PlanLimits::default() };
    app.put_on_plan(&customer, limits).await;
    // A minute may end between two requests, so several are sent.
    let mut refused = None;
    for _ in 0..6 {
        let answer = prefer_job(&customer.person, &with(fox(), json!({"n": 3}))).await;
        refused = Some(answer).filter(|answer| answer.status.starts_with("429"));
        if refused.is_some() {
            break;
        }
    }
    let refused = refused.expect("a second request in a minute is refused");
    assert_eq!(refusal(&refused), ("429", "rate_limit_exceeded"));
    assert_eq!(refused.json["error"]["details"]["dimension"], "ipm");
    assert!(refused.header("retry-after").is_some());

    let poor = app.customer("poor", Money::from_micro_usd(9_999)).await;
    assert_eq!(refusal(&prefer_job(&poor.person, &fox()).await), ("402", "insufficient_credits"));
}
