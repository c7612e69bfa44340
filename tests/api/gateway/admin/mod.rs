//! The operator's API: `/gateway/v1/admin…` and `/gateway/v1/billing/admin…`.

mod catalog;
mod creations;
mod credits;
mod mcp_servers;
mod meters;
mod model_imports;
mod model_retirement;
mod people;
mod plans;
mod problems;
mod providers;
mod setup;
mod workbench_cluster;

use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Answer;

const ADMIN: &str = "/gateway/v1/admin";
const BILLING: &str = "/gateway/v1/billing/admin";

/// A provider as operators send it.
fn provider() -> Value {
    json!({"name": "mock", "kind": "openai", "base_url": "http://127.0.0.1:1234/v1", "api_key": "sk-mock"})
}

/// A model as operators send it, on the embedded provider.
fn small_model(name: &str) -> Value {
    json!({
        "name": name, "type": "Others", "capabilities": ["chat", "streaming"], "max_output_tokens": 256,
        "pricing": {"input": "0.10", "output": 0.4}, "deployments": [{"provider": "dev", "model": "dev-chat"}],
    })
}

/// The newest entry of the audit log.
async fn last_audit_entry(app: &TestApp) -> Value {
    let audit = app.operator().get(&format!("{ADMIN}/audit?limit=1")).await;
    audit.json["data"][0].clone()
}

fn assert_refused(answer: &Answer, status: &str, code: &str) {
    assert_eq!((answer.status.as_str(), answer.code()), (status, code), "{}", answer.text);
}

/// Checks every operator route of the OpenAPI document.
#[tokio::test]
async fn only_operators_may_call_admin_routes() {
    let app = TestApp::start().await;
    let document = app.anonymous().get("/gateway/v1/openapi.json").await.json;
    let mut routes = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        if !path.starts_with(ADMIN) && !path.starts_with(BILLING) {
            continue;
        }
        let path = path.replace("{name}", "dev-chat").replace("{id}", "default");
        for method in item.as_object().unwrap().keys() {
            let method: reqwest::Method = method.to_uppercase().parse().unwrap();
            let people = [app.key_client("ada"), app.person_of("ada", "acme", domain::identity::Role::Admin)];
            for person in people {
                let answer = tests::client::send(person.request(method.clone(), &path).json(&json!({}))).await;
                assert_refused(&answer, "403 Forbidden", "operator_only");
            }
            let answer = tests::client::send(app.anonymous().request(method, &path).json(&json!({}))).await;
            assert_refused(&answer, "401 Unauthorized", "identity.invalid_token");
            routes += 1;
        }
    }
    assert!(routes >= 30, "{routes}");
    assert_eq!(app.operator().get(&format!("{ADMIN}/audit")).await.json["data"], json!([]), "nothing was changed");
    let by_token = app.person_of("root", "platform", domain::identity::Role::Operator);
    assert_eq!(by_token.get(&format!("{ADMIN}/models")).await.status, "200 OK");
}
