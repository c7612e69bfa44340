//! The inference routes: chat completions, embeddings, rerankings, images, audio and evaluations.

mod answer_cache;
mod audio;
mod batches;
mod chat;
mod completions;
mod embeddings;
mod error_codes;
mod fallbacks;
mod faults;
mod guard;
mod holds;
mod images;
mod messages;
mod parameters;
mod refusals;
mod rerank;
mod responses;
mod routing;
mod streams;
mod upstream_responses;

use serde_json::{Value, json};
use tests::client::{Answer, Person, send};
use tests::gateway::CHAT;

/// A chat request.
fn question(model: &str) -> Value {
    json!({"model": model, "messages": [{"role": "user", "content": "Why is a lease taken first?"}]})
}

fn with(mut body: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

async fn post(person: &Person, path: &str, body: &Value) -> Answer {
    send(person.request(reqwest::Method::POST, path).json(body)).await
}

async fn chat(person: &Person, body: &Value) -> Answer {
    post(person, CHAT, body).await
}
