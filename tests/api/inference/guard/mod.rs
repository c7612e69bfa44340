//! The guard: evaluations on request, after chats and before calls, and their events.

mod adapters;
mod blocking;
mod chats;
mod events;
mod requests;

use domain::catalog::Pricing;
use domain::guard::GuardApi;
use gateway::{Gateway, GuardTask};
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, refusal, send};
use tests::gateway::ModelBuilder;
use tests::provider::FakeProvider;

use super::{chat, post, question, with};

const GUARD: &str = "/gateway/v1/guard";
const MODERATIONS: &str = "/gateway/v1/moderations";
const EVENTS: &str = "/gateway/v1/guard/events";

fn message(content: &str) -> Value {
    json!({"role": "user", "content": content})
}

/// A chat whose conversation is evaluated.
fn guarded(content: &str) -> Value {
    json!({"model": "dev-chat", "messages": [message(content)], "max_tokens": 8, "guard": true})
}

async fn events(person: &Person, query: &str) -> Vec<Value> {
    let page = person.get(&format!("{EVENTS}{query}")).await;
    assert_eq!(page.status, "200 OK", "{}", page.text);
    page.json["data"].as_array().unwrap().clone()
}

/// The codes of the flagged categories of a result.
fn flagged(result: &Value) -> Vec<&str> {
    let categories = result["categories"].as_array().unwrap().iter();
    categories.filter(|category| category["flagged"] == true).map(|c| c["code"].as_str().unwrap()).collect()
}

/// A guard model of a fake provider, with the name `watch`. It costs 1 micro-dollar per input token.
async fn insert_guard(app: &TestApp, fake: &FakeProvider, api: GuardApi) {
    let model = ModelBuilder::new("watch").with(|model| {
        model.capabilities = vec!["guard".to_owned()];
        model.guard_api = api;
        model.pricing = Pricing { input_micro_usd: 1_000_000, output_micro_usd: 2_000_000, ..Pricing::default() };
    });
    model.with_deployment(app, fake).await.insert(app).await;
}

/// The tasks that wait in the queue of the guard. Their messages are taken out.
async fn take_tasks(app: &TestApp) -> Vec<GuardTask> {
    let context = app.platform.context();
    let queue = context.config.required("QUEUE_GUARD").unwrap();
    let receive = context.aws.sqs().receive_message().queue_url(queue).max_number_of_messages(10);
    let messages = receive.send().await.unwrap().messages.unwrap_or_default();
    messages.iter().map(|message| serde_json::from_str(message.body().unwrap()).unwrap()).collect()
}

fn worker(app: &TestApp) -> Gateway {
    Gateway::new(&app.platform.context_of("guard-worker")).unwrap()
}
