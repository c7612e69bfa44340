//! The smallest event that makes each function do its work.

use std::time::Duration;

use local::template::SamTemplate;
use serde_json::{Value, json};
use tests::runtime_api::FunctionProcess;

/// The id of a webhook, a run or an agent that does not exist. The function looks it up all the same.
const UNKNOWN: &str = "00000000-0000-7000-8000-000000000000";

/// A request to the function's first route, an empty batch for its queue, or a scheduled event.
pub fn first(template: &SamTemplate, function: &str, token: &str, workflow: &str) -> Value {
    match template.routes.iter().find(|route| route.function == function) {
        Some(_) if function == "inference" => question(token),
        Some(_) if function == "hooks" => post(&format!("/hooks/v1/{UNKNOWN}"), token, &json!({})),
        Some(_) if function == "previews" => {
            post(&format!("/builder/v1/workflows/{workflow}/preview"), token, &json!({}))
        }
        Some(route) if matches!(function, "mcp-tools" | "mcp-studio") => introduction(&route.path, token),
        Some(_) if function == "invocations" => request(&format!("/builder/v1/agents/{UNKNOWN}/invocations"), token),
        Some(route) => {
            let path = route.path.replace("{proxy+}", first_under(function)).replace("{id}", workflow);
            request(&path.replace("{run_id}", UNKNOWN), token)
        }
        None if template.functions[function].source.is_some() => json!({"Records": []}),
        None => json!({
            "version": "0", "id": "0", "detail-type": "Scheduled Event", "source": "aws.events", "account": "0",
            "time": "2026-01-01T00:00:00Z", "region": "us-east-1", "resources": [], "detail": {},
        }),
    }
}

/// The path below the prefix, for functions that serve nothing at the prefix itself.
fn first_under(function: &str) -> &'static str {
    match function {
        "admin" => "models",
        "billing" => "balance",
        "console" => "login",
        _ => "",
    }
}

fn request(path: &str, token: &str) -> Value {
    json!({
        "resource": path, "path": path, "httpMethod": "GET",
        "headers": {"Authorization": format!("Bearer {token}"), "Host": "a1b2c3d4e5.execute-api.us-east-1.amazonaws.com"},
        "multiValueHeaders": {},
        "queryStringParameters": null, "multiValueQueryStringParameters": null, "pathParameters": null,
        "stageVariables": null, "body": null, "isBase64Encoded": false,
        "requestContext": {"stage": "v1", "httpMethod": "GET", "resourcePath": path, "identity": {}},
    })
}

/// A chat completion: `inference` has no route for GET.
fn question(token: &str) -> Value {
    let body = json!({"model": "dev-chat", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]});
    post("/gateway/v1/chat/completions", token, &body)
}

/// The first request of an assistant to an MCP server.
fn introduction(path: &str, token: &str) -> Value {
    let client = json!({"name": "coldstart", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let mut request = post(path, token, &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
    request["headers"]["Accept"] = "application/json, text/event-stream".into();
    request
}

fn post(path: &str, token: &str, body: &Value) -> Value {
    let mut request = request(path, token);
    request["httpMethod"] = "POST".into();
    request["headers"]["Content-Type"] = "application/json".into();
    request["body"] = body.to_string().into();
    request
}

/// Sends an event and returns how long the response took.
pub async fn send(process: &mut FunctionProcess, event: &Value) -> Duration {
    let invocation = process.invoke(event).await;
    let answer = invocation.outcome.unwrap();
    let is_success = answer["statusCode"].as_u64().is_none_or(|status| status < 400);
    let body: Value = answer["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    // The code for a path without a route is only `not_found`.
    let looked_it_up = body["error"]["code"].as_str().is_some_and(|code| code.ends_with("_not_found"));
    // A new workflow has no nodes that a preview could carry out.
    let compiled_it = body["error"]["details"][0]["code"] == "empty_graph";
    assert!(is_success || looked_it_up || compiled_it, "{answer}");
    invocation.took
}
