//! The smallest event that makes each function do its work.

use std::time::Duration;

use local::template::SamTemplate;
use serde_json::{Value, json};
use tests::runtime_api::FunctionProcess;

/// A request to the function's first route, an empty batch for its queue, or a scheduled event.
pub fn first(template: &SamTemplate, function: &str, token: &str, workflow: &str) -> Value {
    match template.routes.iter().find(|route| route.function == function) {
        Some(_) if function == "inference" => question(token),
        Some(route) => {
            let path = route.path.replace("{proxy+}", first_under(function)).replace("{id}", workflow);
            request(&path, token)
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
        _ => "",
    }
}

fn request(path: &str, token: &str) -> Value {
    json!({
        "resource": path, "path": path, "httpMethod": "GET",
        "headers": {"Authorization": format!("Bearer {token}")}, "multiValueHeaders": {},
        "queryStringParameters": null, "multiValueQueryStringParameters": null, "pathParameters": null,
        "stageVariables": null, "body": null, "isBase64Encoded": false,
        "requestContext": {"stage": "v1", "httpMethod": "GET", "resourcePath": path, "identity": {}},
    })
}

/// A chat completion: `inference` has no route for GET.
fn question(token: &str) -> Value {
    let mut request = request("/gateway/v1/chat/completions", token);
    request["httpMethod"] = "POST".into();
    request["headers"]["Content-Type"] = "application/json".into();
    let body = json!({"model": "dev-chat", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]});
    request["body"] = body.to_string().into();
    request
}

/// Sends an event and returns how long the response took.
pub async fn send(process: &mut FunctionProcess, event: &Value) -> Duration {
    let invocation = process.invoke(event).await;
    let answer = invocation.outcome.unwrap();
    assert!(answer["statusCode"].as_u64().is_none_or(|status| status < 400), "{answer}");
    invocation.took
}
