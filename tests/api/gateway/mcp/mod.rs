//! The door to MCP servers: `/gateway/v1/mcp…`.

mod accounts;
mod costs;
mod limits;
mod log;
mod matrix;
mod passage;
mod sessions;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::gateway::Customer;
use tests::tool_server::ToolServer;

const MCP: &str = "/gateway/v1/mcp";
const SERVERS: &str = "/gateway/v1/admin/mcp-servers";

/// Registers a server for the organization of a customer.
async fn register(app: &TestApp, customer: &Customer, name: &str, fields: Value) -> Value {
    let mut body = json!({"org": customer.account.org.to_string(), "name": name});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let created = app.operator().post_json(SERVERS, body).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    created.json
}

/// A customer without credits, and a server of which they may use all tools.
async fn start(tools: &[&str]) -> (TestApp, Customer, ToolServer) {
    let app = TestApp::start().await;
    let customer = app.customer("tools", domain::money::Money::ZERO).await;
    let server = ToolServer::start(tools).await;
    register(&app, &customer, "crm", json!({"url": server.url, "access": [{"tools": ["*"]}]})).await;
    (app, customer, server)
}

fn message(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(tool: &str) -> Value {
    message("tools/call", json!({"name": tool, "arguments": {"text": "hello"}}))
}

/// Sends a message through the door.
async fn post(person: &Person, server: &str, body: &Value) -> Answer {
    post_with(person, server, body, &[]).await
}

async fn post_with(person: &Person, server: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
    let mut request = person.request(Method::POST, &format!("{MCP}/{server}"));
    request = request.header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(request.json(body)).await
}

/// The messages of an answer: the document, or those of a stream of events.
fn messages(answer: &Answer) -> Vec<Value> {
    let is_stream = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
    if !is_stream {
        return vec![answer.json.clone()];
    }
    let data = answer.text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// The names of the tools that an answer lists.
fn listed(answer: &Answer) -> Vec<String> {
    let messages = messages(answer);
    let tools = messages[0]["result"]["tools"].as_array().unwrap_or_else(|| panic!("no list: {}", answer.text));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn names(headers: &HeaderMap) -> Vec<&str> {
    headers.keys().map(|name| name.as_str()).collect()
}
