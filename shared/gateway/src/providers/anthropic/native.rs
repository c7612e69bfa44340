//! The request of a client that speaks Anthropic's dialect: it is sent as it came, except for what the gateway decides.

use serde_json::Value;

use crate::chat::{ChatRequest, NativeMessages};
use domain::catalog::DEFAULT_OUTPUT_TOKENS;
use domain::chat::{Opaque, Vendor};

/// Parameters that the operator's defaults may have added.
const DEFAULTS: [&str; 5] = ["temperature", "top_p", "top_k", "thinking", "output_config"];

pub fn messages(model: &str, request: &ChatRequest, native: &NativeMessages, streamed: bool) -> Value {
    let mut body = native.body.clone();
    body.insert("model".to_owned(), model.into());
    let max_tokens = request.required_max_tokens().unwrap_or(DEFAULT_OUTPUT_TOKENS);
    body.insert("max_tokens".to_owned(), max_tokens.into());
    body.remove("stream");
    if streamed {
        body.insert("stream".to_owned(), true.into());
    }
    for name in DEFAULTS {
        if let Some(value) = request.body().get(name).filter(|_| !body.contains_key(name)) {
            body.insert(name.to_owned(), value.clone());
        }
    }
    for parameter in &request.terms().unsupported_parameters {
        body.remove(native_name(parameter.name()));
    }
    if let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) {
        messages.iter_mut().for_each(leave_out_foreign_reasoning);
    }
    Value::Object(body)
}

/// The name of a parameter in this dialect.
fn native_name(name: &str) -> &str {
    if name == "stop" { "stop_sequences" } else { name }
}

/// Removes reasoning that Anthropic did not sign: a model of another vendor wrote it, when it served the conversation before.
fn leave_out_foreign_reasoning(message: &mut Value) {
    let Some(blocks) = message["content"].as_array_mut() else { return };
    blocks.retain(|block| {
        let field = match block["type"].as_str() {
            Some("thinking") => &block["signature"],
            Some("redacted_thinking") => &block["data"],
            _ => return true,
        };
        let field = field.as_str().unwrap_or_default();
        !field.is_empty() && Opaque::from_field(field, Vendor::Anthropic).vendor == Vendor::Anthropic
    });
}
