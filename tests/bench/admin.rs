//! Registers the mock as a provider and a model in Atelier's gateway, as an operator.

use reqwest::Method;
use serde_json::{Value, json};

use crate::Result;
use crate::openai::{MAX_TOKENS, MOCK_MODEL};
use tests::process::client;

/// The path prefix of the gateway's routes.
pub const BASE: &str = "/gateway/v1";
pub const MODEL: &str = "bench";
const PROVIDER: &str = "mock";

/// Registers the mock as a provider, and a model that it serves.
pub async fn register(base: &str, operator_key: &str, mock_port: u16) -> Result<()> {
    let provider = json!({
        "name": PROVIDER, "kind": "openai", "base_url": format!("http://127.0.0.1:{mock_port}/v1"),
        "api_key": "sk-mock",
    });
    let model = json!({
        "name": MODEL, "display_name": "Bench", "type": "Others", "capabilities": ["chat", "streaming", "tools"],
        "context_window": 32_768, "max_output_tokens": MAX_TOKENS, "pricing": {"input": "0.10", "output": "0.40"},
        "deployments": [{"provider": PROVIDER, "model": MOCK_MODEL}],
    });
    call(Method::POST, &format!("{base}/admin/providers"), operator_key, &provider).await?;
    call(Method::POST, &format!("{base}/admin/models"), operator_key, &model).await.map(drop)
}

/// Sends a request that must succeed, and returns the body of its response.
pub async fn call(method: Method, url: &str, key: &str, body: &Value) -> Result<Value> {
    let response = client()?.request(method.clone(), url).bearer_auth(key).json(body).send().await?;
    match response.status() {
        status if status.is_success() => Ok(response.json().await?),
        status => Err(format!("{method} {url} answered {status}: {}", response.text().await?).into()),
    }
}
