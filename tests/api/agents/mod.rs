//! The agents API: `/builder/v1/agents…` and `/builder/v1/models`.

mod budgets;
mod create;
mod credentials;
mod delete;
mod invocations;
mod invoke;
mod list;
mod models;
mod patch;
mod read;
mod servers;

use serde_json::{Value, json};
use tests::client::Person;

const AGENTS: &str = "/builder/v1/agents";

/// Creates an agent with a configuration, and returns its path.
async fn create_agent(person: &Person, config: Value) -> String {
    let path = format!("{AGENTS}/{}", person.post(AGENTS).await.id());
    let changed = person.patch(&path, json!({"name": "Helper", "config": config})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    path
}
