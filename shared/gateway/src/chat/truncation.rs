//! Shortens a conversation that does not fit the context window, if the client wants it (`truncation: "auto"`).

use super::input_tokens::count_message;
use super::request::ChatRequest;
use crate::tokens::likely;
use domain::chat::{ChatRole, Message};

impl ChatRequest {
    /// Leaves out the oldest messages until the rest is likely to have at most `most` tokens. System messages and the last message
    /// stay, and no result of a tool stays without its call. Returns whether any was left out.
    pub fn truncate(&mut self, most: u64) -> bool {
        let mut tokens = self.greatest_input();
        let messages = self.messages_mut();
        let mut left_out = 0;
        let mut kept = Vec::with_capacity(messages.len());
        let last = messages.len().saturating_sub(1);
        for (place, message) in std::mem::take(messages).into_iter().enumerate() {
            let is_fixed = message.role == ChatRole::System || place == last;
            let is_orphan = message.role == ChatRole::Tool && left_out > 0 && !has_call(&kept, &message);
            if !is_fixed && (is_orphan || (likely(tokens) > most && !has_turns(&kept))) {
                tokens = tokens.saturating_sub(count_message(&message));
                left_out += 1;
            } else {
                kept.push(message);
            }
        }
        *messages = kept;
        left_out > 0
    }
}

fn has_turns(kept: &[Message]) -> bool {
    kept.iter().any(|message| message.role != ChatRole::System)
}

fn has_call(kept: &[Message], result: &Message) -> bool {
    let calls = kept.iter().flat_map(|message| &message.tool_calls);
    calls.into_iter().any(|call| Some(&call.id) == result.tool_call_id.as_ref())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn truncated(messages: Value, most: u64) -> Vec<String> {
        let mut request = ChatRequest::read(json!({"model": "m", "messages": messages})).unwrap();
        request.truncate(most);
        request.messages().iter().map(Message::text).collect()
    }

    #[test]
    fn the_oldest_messages_are_left_out() {
        let long = |name: &str| format!("{name} {}", "word ".repeat(50));
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let messages = json!([
            {"role": "system", "content": "system"},
            {"role": "user", "content": long("one")},
            {"role": "assistant", "content": long("two"), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "three"},
            {"role": "user", "content": long("four")},
            {"role": "user", "content": "five"},
        ]);
        let first_words = |most| {
            truncated(messages.clone(), most)
                .iter()
                .map(|text| text.split(' ').next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(first_words(10_000), ["system", "one", "two", "three", "four", "five"]);
        assert_eq!(first_words(160), ["system", "two", "three", "four", "five"]);
        assert_eq!(first_words(100), ["system", "four", "five"], "the result has no call any more");
        assert_eq!(first_words(1), ["system", "five"]);
    }
}
