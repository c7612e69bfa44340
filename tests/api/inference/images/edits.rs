//! `POST /gateway/v1/images/edits`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::money::Money;
use tests::form::TestForm;
use tests::provider::Behaviour;

use super::*;

const EDITS: &str = "/gateway/v1/images/edits";

fn pixel() -> Vec<u8> {
    STANDARD.decode(PIXEL).unwrap()
}

fn edit(model: &str) -> TestForm {
    TestForm::default().text("model", model).text("prompt", "Give the fox a hat").file("image", "fox.png", &pixel())
}

async fn post_form(person: &Person, form: &TestForm) -> Answer {
    send(form.add_to(person.request(reqwest::Method::POST, EDITS))).await
}

async fn start_edit(person: &Person, form: &TestForm) -> String {
    let request = person.request(reqwest::Method::POST, EDITS).header("Prefer", "respond-async");
    let answer = send(form.add_to(request)).await;
    assert_eq!(answer.status, "202 Accepted", "{}", answer.text);
    answer.header("location").unwrap().to_owned()
}

async fn insert_editor(app: &TestApp, fake: &FakeProvider) {
    let model = ModelBuilder::new("editor").with(|model| {
        model.capabilities = vec!["image_edits".to_owned()];
        model.max_output_tokens = None;
        model.pricing = Pricing { image_micro_usd: Some(40_000), ..Pricing::default() };
    });
    model.with_deployment(app, fake).await.insert(app).await;
}

#[tokio::test]
async fn the_development_model_edits_pictures() {
    let app = start_with_workers().await;
    let customer = app.customer("edits", Money::from_usd(1)).await;
    let form = edit("dev-image").text("size", "64x32").text("n", "2").text("response_format", "b64_json");
    let answer = post_form(&customer.person, &form).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(answer.header("x-request-cost").unwrap().parse(), Ok(Money::from_micro_usd(20_000)));
    let pictures = answer.json["data"].as_array().unwrap();
    assert_eq!(pictures.len(), 2);
    for picture in pictures {
        assert_eq!(size_of(&STANDARD.decode(picture["b64_json"].as_str().unwrap()).unwrap()), (64, 32));
    }
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(20_000), 1));
}

#[tokio::test]
async fn a_provider_gets_the_pictures_and_is_paid_per_image() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    fake.then_respond(Behaviour::json(200, pixels(1)));
    insert_editor(&app, &fake).await;
    let customer = app.customer("provider", Money::from_usd(1)).await;
    let form = TestForm::default()
        .text("model", "editor")
        .text("prompt", "a hat")
        .text("quality", "high")
        .text("vendor_option", "a")
        .file("image[]", "fox.png", &pixel())
        .file("image[]", "cat.jpg", b"\xff\xd8\xff\xe0cat")
        .file("mask", "mask.png", &pixel());
    let path = start_edit(&customer.person, &form).await;
    app.platform.drain().await;
    let request = fake.take_requests().remove(0);
    assert_eq!(request.path, "/images/edits");
    let parts = request.parts();
    let (texts, files): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.file_name.is_none());
    // The item of the job does not keep the order of the parameters.
    let mut texts: Vec<_> =
        texts.iter().map(|part| (part.name.as_str(), str::from_utf8(&part.content).unwrap())).collect();
    texts.sort_unstable();
    let expected = [
        ("model", "upstream-model"),
        ("prompt", "a hat"),
        ("quality", "high"),
        ("response_format", "b64_json"),
        ("vendor_option", "a"),
    ];
    assert_eq!(texts, expected);
    let files: Vec<_> =
        files.iter().map(|part| (part.name.as_str(), part.file_name.as_deref().unwrap(), &part.content[..])).collect();
    let pixel = pixel();
    let expected = [
        ("image[]", "image-0.png", &pixel[..]),
        ("image[]", "image-1.jpg", &b"\xff\xd8\xff\xe0cat"[..]),
        ("mask", "mask.png", &pixel[..]),
    ];
    assert_eq!(files, expected);
    let job = customer.person.get(&path).await.json;
    assert_eq!(
        (&job["status"], job["result"]["data"].as_array().map(Vec::len)),
        (&json!("succeeded"), Some(1)),
        "{job}"
    );
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(40_000), 1));
}

#[tokio::test]
async fn pictures_are_charged_also_if_the_provider_reports_no_tokens() {
    let app = start_with_workers().await;
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, pixels(1)));
    let model = ModelBuilder::new("editor").with(|model| {
        model.capabilities = vec!["image_edits".to_owned()];
        model.max_output_tokens = None;
        model.pricing = Pricing { input_micro_usd: 1_000_000, ..Pricing::default() };
    });
    model.with_deployment(&app, &fake).await.insert(&app).await;
    let customer = app.customer("counted", Money::from_usd(1)).await;
    let cost = async |form: TestForm| -> Money {
        let answer = post_form(&customer.person, &form).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        answer.header("x-request-cost").unwrap().parse().unwrap()
    };
    let one = cost(edit("editor")).await;
    let two = cost(edit("editor").file("image", "cat.png", &pixel())).await;
    // A picture has at most 7,000 tokens, and half of them are charged.
    assert_eq!(two.less(one), Money::from_micro_usd(3_500));
}

#[tokio::test]
async fn a_failed_edit_is_not_billed_and_a_key_replays_an_edit() {
    let app = start_with_workers().await;
    let fake = FakeProvider::start().await;
    let refused = json!({"error": {"code": "content_policy_violation", "message": "not this", "param": "prompt"}});
    fake.then_respond(Behaviour::json(400, refused)).then_respond(Behaviour::json(200, pixels(1)));
    insert_editor(&app, &fake).await;
    let customer = app.customer("failed", Money::from_usd(1)).await;
    let send_with_key = async |boundary: &str| {
        let form = TestForm::with_boundary(boundary).text("model", "editor").text("prompt", "a hat");
        let form = form.file("image", "fox.png", &pixel());
        let request = customer.person.request(reqwest::Method::POST, EDITS).header("Idempotency-Key", "k1");
        send(form.add_to(request)).await
    };
    assert_eq!(refusal(&send_with_key("one").await), ("400", "content_policy_violation"));
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
    let second = send_with_key("two").await;
    assert_eq!((second.status.as_str(), second.header("idempotent-replayed")), ("200 OK", None), "{}", second.text);
    assert_eq!(send_with_key("three").await.header("idempotent-replayed"), Some("true"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
}

/// Pictures are stored only for a request that can be paid.
#[tokio::test]
async fn credits_must_cover_the_images_before_pictures_are_stored() {
    let app = TestApp::start().await;
    let poor = app.customer("poor", Money::from_micro_usd(9_999)).await;
    app.recorder.take();
    assert_eq!(refusal(&post_form(&poor.person, &edit("dev-image")).await), ("402", "insufficient_credits"));
    let costs = app.recorder.take_costs().to_string();
    assert!(!costs.contains("s3:PutObject"), "{costs}");
}

#[tokio::test]
async fn invalid_edits_are_refused_with_their_parameter() {
    let app = TestApp::start().await;
    let customer = app.customer("refusals", Money::from_usd(1)).await;
    let without = TestForm::default().text("model", "dev-image").text("prompt", "a hat");
    let many = (0..17).fold(without.clone(), |form, _| form.file("image[]", "a.png", &pixel()));
    for (form, code, param) in [
        (without.clone(), "invalid_body", "image"),
        (many, "invalid_body", "image"),
        (without.clone().file("image", "a.svg", b"<svg/>"), "invalid_body", "image"),
        (edit("dev-image").file("mask", "a.gif", b"GIF89a"), "invalid_body", "mask"),
        (edit("dev-image").text("n", "5"), "invalid_body", "n"),
        (edit("dev-image").text("size", "huge"), "invalid_body", "size"),
        (edit("dev-image").text("stream", "true"), "parameter_not_supported", "stream"),
        (edit("dev-chat"), "invalid_body", "preset"),
        (TestForm::default().text("model", "dev-image").file("image", "a.png", &pixel()), "invalid_body", "prompt"),
    ] {
        let answer = post_form(&customer.person, &form).await;
        assert_eq!(
            (refusal(&answer), &answer.json["error"]["param"]),
            (("400", code), &json!(param)),
            "{}",
            answer.text
        );
    }
    assert_eq!(refusal(&post(&customer.person, EDITS, &fox()).await).0, "415");
    assert_eq!(refusal(&post_form(&customer.person, &edit("nowhere")).await), ("404", "model_not_found"));
    assert_eq!(post_form(&app.anonymous(), &edit("dev-image")).await.status, "401 Unauthorized");
    assert_eq!(app.platform.drain().await, 0, "no job was started");
}

/// A model that only generates images does not edit them.
#[tokio::test]
async fn a_model_needs_the_capability_and_strangers_see_no_job() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    insert_model(&app, &fake).await;
    let customer = app.customer("capability", Money::from_usd(1)).await;
    let refused = post_form(&customer.person, &edit("pictures")).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"));
    assert!(refused.text.contains("capabilities=image_edits"), "{}", refused.text);
    let path = start_edit(&customer.person, &edit("dev-image")).await;
    let stranger = app.customer("stranger", Money::from_usd(1)).await;
    assert_eq!(refusal(&stranger.person.get(&path).await).0, "404");
}
