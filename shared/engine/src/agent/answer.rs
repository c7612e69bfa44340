//! The answer of a model to an agent. The log of a run keeps it as `{message, usage}`, with the names of OpenAI's format.

use serde_json::Value;

use domain::chat::{Reasoning, ToolCall};

/// What an agent uses of the answer.
pub struct ModelMessage {
    /// What the model wrote before. Some providers require it back with the results of the calls.
    pub reasoning: Vec<Reasoning>,
    pub text: Option<String>,
    pub calls: Vec<ToolCall>,
}

impl ModelMessage {
    /// Reads the value of the operation `AskModel`. What a model left out is empty.
    pub fn read(answer: &Value) -> Self {
        let message = &answer["message"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        let calls = calls.iter().map(|call| ToolCall {
            id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            arguments: text(&call["function"]["arguments"]),
            others: ToolCall::read_others(call),
        });
        let reasoning = message.as_object().map(Reasoning::read_all).unwrap_or_default();
        Self { reasoning, text: message["content"].as_str().map(str::to_owned), calls: calls.collect() }
    }
}

/// The tokens that an answer used.
pub fn count_tokens(answer: &Value) -> u64 {
    let tokens = |name: &str| answer["usage"][name].as_u64().unwrap_or_default();
    tokens("prompt_tokens") + tokens("completion_tokens")
}
