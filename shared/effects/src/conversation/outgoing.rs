//! What a `send_message` node sends and to whom, and the outcome of the node.

use domain::id::{MessageId, ThreadId};
use domain::messaging::Destination;
use engine::drive::{Effect, EffectError};
use engine::nodes::OUT;
use engine::run::StepOutcome;
use serde_json::{Value, json};

use crate::errors::refused;

pub fn read_text(effect: &Effect) -> Result<&str, EffectError> {
    let text = effect.config.get("text").and_then(Value::as_str).unwrap_or_default();
    if text.trim().is_empty() {
        return Err(refused("empty_message", "config.text: the message is empty; nothing was sent"));
    }
    Ok(text)
}

/// Reads `<conversation>` or `<conversation>:<topic>`.
pub fn read_destination(to: &Value) -> Result<Destination, EffectError> {
    let to = match to {
        Value::String(to) => to.trim().to_owned(),
        Value::Number(to) => to.to_string(),
        _ => String::new(),
    };
    let (conversation, topic) = match to.split_once(':') {
        Some((conversation, topic)) => (conversation.to_owned(), Some(topic.to_owned())),
        None => (to, None),
    };
    let is_valid = |part: &String| !part.is_empty() && part.len() <= 200 && !part.chars().any(char::is_control);
    if !is_valid(&conversation) || !topic.iter().all(is_valid) {
        let message =
            "config.to: the value must be the conversation at the provider, such as C024BE91L or C024BE91L:17.5";
        return Err(refused("invalid_recipient", message));
    }
    Ok(Destination { conversation, topic })
}

pub fn outcome(status: &str, thread: ThreadId, message: Option<MessageId>) -> StepOutcome {
    StepOutcome::new(OUT, json!({"status": status, "threadId": thread, "messageId": message}))
}
