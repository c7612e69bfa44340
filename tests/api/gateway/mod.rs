//! The gateway's routes except inference: `/gateway/v1…`.

mod account;
mod admin;
mod billing;
mod calls;
mod consumption;
mod credentials;
mod mcp;
mod models;
mod not_served;
mod receipts;
mod revocation;
mod spend;

use domain::catalog::{Model, ModelDeployment, ModelType, OnDisconnect, Pricing, Unsupported};
use domain::guard::GuardApi;
use serde_json::{Map, json};
use tests::client::{Answer, Person};

/// A model of the embedded provider.
fn model(name: &str) -> Model {
    Model {
        name: name.to_owned(),
        display_name: name.to_owned(),
        r#type: ModelType::Others,
        provider: "test".to_owned(),
        capabilities: vec!["chat".to_owned()],
        context_window: None,
        max_output_tokens: Some(256),
        pricing: Pricing { input_micro_usd: 1, output_micro_usd: 2_500_000, ..Pricing::default() },
        deprecated_at: None,
        retires_at: None,
        defaults: Map::new(),
        deployments: vec![ModelDeployment {
            provider: "dev".to_owned(),
            model: "dev-chat".to_owned(),
            weight: 1,
            priority: 0,
            dialect: Default::default(),
            cost: None,
        }],
        on_disconnect: OnDisconnect::Stop,
        unsupported: Unsupported::Drop,
        unsupported_parameters: Vec::new(),
        max_tokens_parameter: None,
        max_tokens_policy: Default::default(),
        prompt_cache: Default::default(),
        response_cache: None,
        routing: Default::default(),
        batch_price_percent: None,
        fallbacks: Vec::new(),
        asynchronous: false,
        guard_api: GuardApi::Moderation,
        version: 1,
    }
}

/// A small call of a model.
async fn chat(program: &Person, model: &str) -> Answer {
    let body = json!({"model": model, "messages": [{"role": "user", "content": "hello"}], "max_tokens": 8});
    program.post_json("/gateway/v1/chat/completions", body).await
}
