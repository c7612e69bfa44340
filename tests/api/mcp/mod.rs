//! The MCP server of tools, `/mcp/v1`, and the marks of workflows and agents.

mod calls;
mod costs;
mod marks;
mod sessions;
mod streams;

use serde_json::{Value, json};
use tests::TestApp;
use tests::assistant::Assistant;
use tests::client::Person;

use crate::runs::{WORKFLOWS, publish};

const MCP: &str = "/mcp/v1";

/// Publishes a workflow that is marked as a tool, and returns its path.
async fn publish_tool(person: &Person, name: &str, graph: Value) -> String {
    let path = format!("{WORKFLOWS}/{}", publish(person, graph).await);
    let marked = person.put(&format!("{path}/tool"), json!({"name": name})).await;
    assert_eq!(marked.status, "200 OK", "{}", marked.text);
    path
}

/// The names of the tools that a person has, without that which returns results.
async fn tool_names(person: &Person) -> Vec<String> {
    let tools = Assistant::connect(person, MCP).await.tools().await;
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| name != "get_run").collect()
}

/// Calls a tool whose run the workers carry out meanwhile.
async fn call(app: &TestApp, assistant: &Assistant, tool: &str, arguments: Value) -> Value {
    with_workers(app, assistant.call(tool, arguments)).await
}

/// Lets the workers carry out runs until the client has what it waits for.
async fn with_workers<T>(app: &TestApp, client: impl Future<Output = T>) -> T {
    let work = async {
        loop {
            app.platform.drain().await;
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        found = client => found,
        () = work => unreachable!("the workers never end"),
    }
}
