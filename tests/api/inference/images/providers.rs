//! What providers of images get and return.

use domain::money::Money;
use tests::provider::Behaviour;

use super::*;

#[tokio::test]
async fn a_provider_gets_openais_request_and_is_paid_per_image() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    // One image more than requested.
    fake.then_respond(Behaviour::json(200, pixels(3)));
    insert_model(&app, &fake).await;
    let customer = app.customer("provider", Money::from_usd(1)).await;
    let body = json!({"preset": "pictures", "prompt": "a cat", "n": 2, "quality": "hd", "vendor_option": {"a": 1}});
    let path = start_job(&customer.person, &body).await;
    app.platform.drain().await;
    let requests = fake.take_requests();
    assert_eq!((requests.len(), requests[0].path.as_str()), (1, "/images/generations"));
    let expected = json!({
        "model": "upstream-model", "prompt": "a cat", "n": 2, "quality": "hd", "vendor_option": {"a": 1},
        "size": "1024x1024", "response_format": "b64_json",
    });
    assert_eq!(requests[0].body, expected);
    let job = customer.person.get(&path).await.json;
    assert_eq!(job["result"]["data"].as_array().map(Vec::len), Some(2), "{job}");
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(80_000), 1));
}

#[tokio::test]
async fn pictures_behind_urls_are_downloaded() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let url = format!("{}/files/1.png", fake.base_url);
    let answer = json!({"data": [{"url": url, "revised_prompt": "a small cat"}]});
    let pixel = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, PIXEL).unwrap();
    fake.then_respond(Behaviour::json(200, answer)).then_respond(Behaviour::bytes(
        200,
        "image/png",
        vec![pixel.into()],
    ));
    insert_model(&app, &fake).await;
    let customer = app.customer("urls", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
    app.platform.drain().await;
    let requests = fake.take_requests();
    assert_eq!(requests[1].path, "/files/1.png");
    assert!(!requests[1].headers.contains_key("authorization"));
    let picture = &customer.person.get(&path).await.json["result"]["data"][0];
    assert_eq!(picture["revised_prompt"], "a small cat");
    let content = reqwest::get(picture["url"].as_str().unwrap()).await.unwrap().bytes().await.unwrap();
    assert_eq!(size_of(&content), (1, 1));
}

#[tokio::test]
async fn tokens_are_billed_if_the_model_has_prices_for_them() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let mut answer = pixels(1);
    answer["usage"] = json!({"input_tokens": 10, "output_tokens": 200, "total_tokens": 210});
    fake.then_respond(Behaviour::json(200, answer));
    // 1 USD per million input tokens, 4 USD per million output tokens, and at most 256 tokens per image.
    let model = ModelBuilder::new("tokens").with(|model| model.capabilities = vec!["images".to_owned()]);
    model.with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("tokens", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "tokens", "prompt": "a cat"})).await;
    app.platform.drain().await;
    let cost = Money::from_micro_usd(10 + 4 * 200);
    assert_eq!(app.sum_charges(customer.account.org).await, (cost, 1));
    let usage = &customer.person.get(&path).await.json["result"]["usage"];
    assert_eq!(
        (&usage["input_tokens"], &usage["output_tokens"], &usage["total_tokens"]),
        (&json!(10), &json!(200), &json!(210))
    );
}

#[tokio::test]
async fn a_failed_job_is_not_billed_and_its_key_starts_another() {
    let app = start_with_workers().await;
    let fake = FakeProvider::start().await;
    let refused = json!({"error": {"code": "content_policy_violation", "message": "not this", "param": "prompt"}});
    fake.then_respond(Behaviour::json(400, refused)).then_respond(Behaviour::json(200, pixels(1)));
    insert_model(&app, &fake).await;
    let customer = app.customer("failed", Money::from_usd(1)).await;
    let send_with_key = async || {
        let request = customer.person.request(reqwest::Method::POST, IMAGES).header("Idempotency-Key", "k1");
        send(request.json(&json!({"preset": "pictures", "prompt": "a cat"}))).await
    };
    let failed = send_with_key().await;
    assert_eq!(refusal(&failed), ("400", "content_policy_violation"));
    assert_eq!(failed.json["error"]["param"], "prompt");
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
    let again = send_with_key().await;
    assert_eq!((again.status.as_str(), again.header("idempotent-replayed")), ("200 OK", None));
}

#[tokio::test]
async fn answers_without_pictures_fail_the_job() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    insert_model(&app, &fake).await;
    let customer = app.customer("garbled", Money::from_usd(1)).await;
    let svg = json!({"data": [{"b64_json": "PHN2Zy8+"}]});
    for answer in [json!({"data": []}), json!({"data": [{}]}), svg, json!({"data": [{"b64_json": "?"}]})] {
        fake.respond_with(Behaviour::json(200, &answer));
        let path = start_job(&customer.person, &json!({"preset": "pictures", "prompt": "a cat"})).await;
        app.platform.drain().await;
        let job = customer.person.get(&path).await.json;
        assert_eq!(
            (&job["status"], &job["error"]["code"]),
            (&json!("failed"), &json!("provider_answer_garbled")),
            "{answer}"
        );
    }
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}

#[tokio::test]
async fn providers_without_images_refuse_them() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    let model = ModelBuilder::new("claude").with(|model| model.capabilities = vec!["images".to_owned()]);
    let kind = domain::provider::ProviderKind::Anthropic;
    model.with_changed_deployment(&app, &fake, |provider| provider.kind = kind).await.insert(&app).await;
    let customer = app.customer("claude", Money::from_usd(1)).await;
    let path = start_job(&customer.person, &json!({"preset": "claude", "prompt": "a cat"})).await;
    app.platform.drain().await;
    assert_eq!(customer.person.get(&path).await.json["error"]["code"], "parameter_not_supported");
}
