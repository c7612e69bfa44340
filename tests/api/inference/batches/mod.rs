//! `/gateway/v1/files` and `/gateway/v1/batches`: many calls of models in one file.

mod calls;
mod costs;
mod files;
mod lifecycle;
mod limits;
mod recovery;

use std::collections::BTreeMap;
use std::time::Duration;

use batch_worker::Worker;
use domain::time::{Clock, Time};
use platform::Context;
use reqwest::Method;
use serde_json::{Value, json};
use store::batches::BatchHint;
use tests::TestApp;
use tests::client::{Answer, Person, refusal, send};
use tests::gateway::{Customer, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};

const FILES: &str = "/gateway/v1/files";
const BATCHES: &str = "/gateway/v1/batches";
const CHATS: &str = "/v1/chat/completions";

/// Sends a form with these parts: a name with its attributes, and the content.
async fn send_form(person: &Person, parts: &[(&str, &str)]) -> Answer {
    let part = |(name, content): &(&str, &str)| {
        format!("--edge\r\nContent-Disposition: form-data; name={name}\r\n\r\n{content}\r\n")
    };
    let form: String = parts.iter().map(part).collect();
    let request = person.request(Method::POST, FILES).header("content-type", "multipart/form-data; boundary=edge");
    send(request.body(form + "--edge--\r\n")).await
}

async fn upload(person: &Person, content: &str) -> Answer {
    send_form(person, &[("\"purpose\"", "batch"), ("\"file\"; filename=\"requests.jsonl\"", content)]).await
}

/// A line of an input file.
fn line(custom_id: &str, url: &str, body: &Value) -> String {
    json!({"custom_id": custom_id, "method": "POST", "url": url, "body": body}).to_string() + "\n"
}

/// A chat of a model.
fn ask(model: &str, text: &str) -> Value {
    json!({"model": model, "max_tokens": 60, "messages": [{"role": "user", "content": text}]})
}

/// Chats of a model, named by their numbers.
fn chats(model: &str, count: usize) -> String {
    (0..count).map(|number| line(&number.to_string(), CHATS, &ask(model, &format!("Question {number}")))).collect()
}

async fn create(person: &Person, endpoint: &str, file: &str) -> Answer {
    let body = json!({"input_file_id": file, "endpoint": endpoint, "completion_window": "24h"});
    person.post_json(BATCHES, body).await
}

/// Starts a batch and returns its path.
async fn start(person: &Person, endpoint: &str, input: &str) -> String {
    let file = upload(person, input).await;
    assert_eq!(file.status, "200 OK", "{}", file.text);
    let batch = create(person, endpoint, file.json["id"].as_str().unwrap()).await;
    assert_eq!((batch.status.as_str(), &batch.json["status"]), ("200 OK", &json!("validating")), "{}", batch.text);
    format!("{BATCHES}/{}", batch.json["id"].as_str().unwrap())
}

/// The lines of a file of a batch, by the names of their requests.
async fn results(person: &Person, file: &Value) -> BTreeMap<String, Value> {
    let Some(id) = file.as_str() else { return BTreeMap::new() };
    let content = person.get(&format!("{FILES}/{id}/content")).await;
    assert_eq!(content.status, "200 OK", "{}", content.text);
    let lines: Vec<Value> = content.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results: BTreeMap<String, Value> =
        lines.iter().map(|line| (line["custom_id"].as_str().unwrap().to_owned(), line.clone())).collect();
    assert_eq!(results.len(), lines.len(), "a request has one result");
    results
}

async fn answers(person: &Person, batch: &Value) -> BTreeMap<String, Value> {
    results(person, &batch["output_file_id"]).await
}

async fn errors(person: &Person, batch: &Value) -> BTreeMap<String, Value> {
    results(person, &batch["error_file_id"]).await
}

fn hint(customer: &Customer, path: &str) -> BatchHint {
    BatchHint { account: customer.account, batch: path.rsplit('/').next().unwrap().parse().unwrap() }
}

/// A worker of another process, whose clock shows a time.
fn worker_at(app: &TestApp, now: Time) -> Worker {
    Worker::new(&Context { clock: Clock::new(move || now), ..app.platform.context_of("batch-worker") }).unwrap()
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// Reads a batch.
async fn read(person: &Person, path: &str) -> Value {
    person.get(path).await.json
}

/// The answer of a provider of chats.
fn completion(text: &str) -> Behaviour {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    Behaviour::json(200, json!({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}))
}

/// A model of a fake provider, which costs 100 + 4 x 20 micro-dollars a call.
async fn insert_model(app: &TestApp, name: &str, change: impl FnOnce(&mut domain::catalog::Model)) -> FakeProvider {
    let fake = FakeProvider::start().await;
    fake.respond_with(completion("Hi"));
    ModelBuilder::new(name).with(change).with_deployment(app, &fake).await.insert(app).await;
    fake
}

const CALL_COST: domain::money::Money = domain::money::Money::from_micro_usd(180);
