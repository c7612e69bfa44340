//! `/gateway/v1/images/…`: images, edits and the jobs that generate them.

mod edits;
mod jobs;
mod providers;
mod recovery;
mod requests;

use domain::catalog::Pricing;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, refusal, send};
use tests::gateway::ModelBuilder;
use tests::provider::FakeProvider;

use super::{post, with};

const IMAGES: &str = "/gateway/v1/images/generations";
/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn fox() -> Value {
    json!({"preset": "dev-image", "prompt": "a red fox in the snow", "size": "64x32"})
}

async fn prefer_job(person: &Person, body: &Value) -> Answer {
    send(person.request(reqwest::Method::POST, IMAGES).header("Prefer", "respond-async").json(body)).await
}

/// Starts a job and returns its path.
async fn start_job(person: &Person, body: &Value) -> String {
    let answer = prefer_job(person, body).await;
    assert_eq!(answer.status, "202 Accepted", "{}", answer.text);
    answer.header("location").unwrap().to_owned()
}

/// A platform whose queues are polled, so that a request can wait for its job.
async fn start_with_workers() -> TestApp {
    TestApp::start_with_options(|options| options.background = true).await
}

/// A model of a fake provider that costs 40,000 micro-dollars per image.
async fn insert_model(app: &TestApp, fake: &FakeProvider) {
    let paid = Pricing { image_micro_usd: Some(40_000), ..Pricing::default() };
    let model = ModelBuilder::new("pictures").with(|model| {
        model.capabilities = vec!["images".to_owned()];
        model.max_output_tokens = None;
        model.pricing = paid;
    });
    model.with_deployment(app, fake).await.insert(app).await;
}

/// The answer of a provider with this number of images.
fn pixels(count: usize) -> Value {
    json!({"created": 1, "data": vec![json!({"b64_json": PIXEL}); count]})
}

/// The width and the height in the header of a PNG file.
fn size_of(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[1..4], b"PNG");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[tokio::test]
async fn the_url_of_an_image_is_at_the_platform_and_needs_its_signature() {
    let app = start_with_workers().await;
    let answer = app.key_client("ada").post_json(IMAGES, fox()).await;
    let url = answer.json["data"][0]["url"].as_str().unwrap().to_owned();
    let files = format!("{}/files/", app.platform.base_url);
    assert!(url.starts_with(&files), "{url}");
    let image = reqwest::get(&url).await.unwrap();
    assert_eq!(
        (image.status().as_u16(), &image.headers()["x-content-type-options"]),
        (200, &"nosniff".parse().unwrap())
    );
    assert_eq!(size_of(&image.bytes().await.unwrap()), (64, 32));

    let (object, _) = url.split_once('?').unwrap();
    let bucket = object.strip_prefix(&files).unwrap().split('/').next().unwrap();
    let (start, last) = url.split_at(url.len() - 1);
    let altered = format!("{start}{}", if last == "0" { "1" } else { "0" });
    for refused in [object.to_owned(), altered, format!("{files}{bucket}?list-type=2")] {
        assert_eq!(reqwest::get(&refused).await.unwrap().status(), 403, "{refused}");
    }
    assert_eq!(reqwest::Client::new().put(&url).body("x").send().await.unwrap().status(), 405);
}
