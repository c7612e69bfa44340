//! What a `send_message` node sends and to whom, and the outcome of the node.

use domain::id::{MessageId, ThreadId};
use domain::messaging::{Destination, MessagingProvider};
use engine::drive::EffectError;
use engine::nodes::OUT;
use engine::run::StepOutcome;
use serde_json::{Number, Value, json};

use super::Outgoing;
use crate::errors::refused;

pub fn read_text(node: &Outgoing) -> Result<&str, EffectError> {
    if node.text.trim().is_empty() {
        return Err(refused("empty_message", "config.text: the message is empty; nothing was sent"));
    }
    Ok(&node.text)
}

/// Reads the recipient of a message. Without a provider, which a draft may lack, any address is accepted.
pub fn read_destination(provider: Option<MessagingProvider>, to: &Value) -> Result<Destination, EffectError> {
    let text = match to {
        Value::String(to) => to.clone(),
        Value::Number(to) => integer_text(to).unwrap_or_default(),
        _ => String::new(),
    };
    let destination = Destination::parse(provider.unwrap_or(MessagingProvider::Http), &text);
    destination.ok_or_else(|| {
        let example = match provider {
            Some(MessagingProvider::Slack) => "a Slack channel, such as C024BE91L or C024BE91L:1700000000.000100",
            Some(MessagingProvider::Telegram) => "a Telegram chat, such as 4242 or -1004242:3",
            Some(MessagingProvider::Whatsapp) => "a phone number with its country code, such as +34 600 123 456",
            Some(MessagingProvider::Http) | None => "the conversation at the provider",
        };
        refused("invalid_recipient", &format!("config.to: the value must be {example}"))
    })
}

/// An expression may return an integer as a number with a decimal point.
fn integer_text(number: &Number) -> Option<String> {
    if number.is_i64() || number.is_u64() {
        return Some(number.to_string());
    }
    number.as_f64().filter(|number| number.fract() == 0.0).map(|number| format!("{number:.0}"))
}

pub fn outcome(status: &str, thread: ThreadId, message: Option<MessageId>) -> StepOutcome {
    StepOutcome::new(OUT, json!({"status": status, "threadId": thread, "messageId": message}))
}
