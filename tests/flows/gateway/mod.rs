//! The gateway's billing under concurrency and crashes: nothing is overdrawn and nothing is lost.

mod budgets;
mod charge_log;
mod crash_recovery;
mod environments;
mod exact_limits;
mod figures;
mod idempotency;
mod mixed;
mod renewal;

use serde_json::{Value, json};
use tests::provider::Behaviour;

/// A chat answer of a provider that reports this usage.
fn chat_answer(usage: &Value) -> Behaviour {
    let message = json!({"role": "assistant", "content": "Yes."});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    Behaviour::json(200, json!({"choices": [choice], "usage": usage}))
}

fn stream_answer(usage: &Value) -> Behaviour {
    let choice = json!({"index": 0, "delta": {"content": "Yes."}, "finish_reason": "stop"});
    let (said, counted) = (json!({"choices": [choice]}), json!({"choices": [], "usage": usage}));
    Behaviour::events(&format!("data: {said}\n\ndata: {counted}\n\ndata: [DONE]\n\n"))
}

fn embeddings_answer(usage: &Value) -> Behaviour {
    Behaviour::json(200, json!({"data": [{"index": 0, "embedding": [0.5, 0.25]}], "usage": usage}))
}
