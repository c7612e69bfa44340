//! Token estimation without the provider's tokenizer.
//!
//! For ordinary text the estimate is never lower than the count of a common tokenizer. The amount reserved before a
//! call therefore covers what the call costs.

use serde_json::Value;

use super::chat::{ChatRequest, Message, Part, ResponseFormat};

/// The tokens of a message beyond those of its text.
pub const PER_MESSAGE: u64 = 8;
/// The maximum that providers count for one image.
pub const PER_IMAGE: u64 = 2_000;
/// The tokens of the instructions that providers add when the request has tools.
pub const FOR_TOOLS: u64 = 600;

/// Counts two letters of the same case as one token, and each digit and punctuation mark as one. A character of another
/// script counts one token less than it has bytes in UTF-8. For English this is about twice the count of a tokenizer.
pub fn count(text: &str) -> u64 {
    let (mut tokens, mut half) = (0u64, None);
    let mut after_space = false;
    for c in text.chars() {
        let kind = match c {
            'a'..='z' => Some(false),
            'A'..='Z' => Some(true),
            _ => None,
        };
        match kind {
            // The second letter belongs to the token that the first one began.
            Some(kind) if half == Some(kind) => half = None,
            Some(kind) => {
                tokens += 1;
                half = Some(kind);
            }
            None => {
                half = None;
                // A single space is part of the token of the next word.
                if c != ' ' || after_space {
                    tokens += (c.len_utf8() as u64 - 1).max(1);
                }
            }
        }
        after_space = c == ' ';
    }
    tokens
}

/// Estimates the maximum input tokens of a request: everything that a provider may count as input.
pub fn greatest_input(request: &ChatRequest) -> u64 {
    let messages: u64 = request.messages().iter().map(count_message).sum();
    let tools = match request.tools() {
        [] => 0,
        tools => FOR_TOOLS + tools.iter().map(count_json).sum::<u64>() + request.tool_choice().map_or(0, count_json),
    };
    let schema = match request.response_format() {
        ResponseFormat::Schema(schema) => count_json(schema),
        ResponseFormat::Json | ResponseFormat::Text => 0,
    };
    // Providers may pass unvalidated parameters to the model as text (`documents`, `functions` …).
    let others: u64 = request.unvalidated().map(count_json).sum();
    messages + tools + schema + others
}

fn count_message(message: &Message) -> u64 {
    let parts: u64 = message.parts.iter().map(count_part).sum();
    let calls = message.tool_calls.iter();
    let calls: u64 = calls.map(|call| PER_MESSAGE + count(&call.id) + count(&call.name) + count(&call.arguments)).sum();
    PER_MESSAGE
        + message.name.as_deref().map_or(0, count)
        + message.tool_call_id.as_deref().map_or(0, count)
        + parts
        + calls
}

fn count_part(part: &Part) -> u64 {
    match part {
        Part::Text(text) => count(text),
        Part::Image(_) => PER_IMAGE,
        Part::Other(part) => count_json(part),
    }
}

fn count_json(value: &Value) -> u64 {
    count(&value.to_string())
}

/// Halves the maximum estimate, to charge a call whose provider reported no usage. Charging the maximum would bill the
/// client for the safety margin.
pub fn likely(greatest: u64) -> u64 {
    greatest.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn greatest(body: Value) -> u64 {
        greatest_input(&ChatRequest::read(body).unwrap())
    }

    #[test]
    fn greatest_input_counts_every_part_that_a_provider_reads() {
        let plain = json!({"model": "m", "messages": [{"role": "user", "content": "abcd"}]});
        assert_eq!(greatest(plain.clone()), PER_MESSAGE + 2);
        let with = |name: &str, value: Value| {
            let mut body = plain.clone();
            body[name] = value;
            greatest(body) - greatest(plain.clone())
        };
        let tool = json!({"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}});
        assert_eq!(with("tools", json!([tool])), FOR_TOOLS + count(&tool.to_string()));
        let schema = json!({"name": "s", "schema": {"type": "object"}});
        let format = json!({"type": "json_schema", "json_schema": schema});
        assert_eq!(with("response_format", format), count(&schema.to_string()));
        assert_eq!(with("documents", json!(["abcd"])), count(r#"["abcd"]"#));
        assert_eq!(with("temperature", json!(1)), 0);
    }

    #[test]
    fn images_names_and_tool_calls_are_counted() {
        let picture = json!({"type": "image_url", "image_url": {"url": "https://pictures.test/a.png"}});
        let body = json!({"model": "m", "messages": [
            {"role": "user", "name": "ab", "content": [{"type": "text", "text": "abcd"}, picture]},
            {"role": "assistant", "tool_calls": [
                {"id": "ab", "type": "function", "function": {"name": "ab", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "ab", "content": "abcd"},
        ]});
        assert_eq!(greatest(body), 4 * PER_MESSAGE + PER_IMAGE + 1 + 2 + 4 + 3);
    }

    /// The expected counts are those of `cl100k_base` and similar tokenizers, from published examples and vocabularies.
    #[test]
    fn estimate_is_never_below_a_real_tokenizer() {
        let known = [
            ("hello world", 2),
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("antidisestablishmentarianism", 6),
            ("1234567890", 10),
            ("お誕生日おめでとう", 9),
            ("Hola, ¿cómo estás?", 8),
            ("{\"a\": [1, 2, 3]}", 13),
            ("\n\n\n", 1),
            ("👍", 3),
        ];
        for (text, at_least) in known {
            assert!(count(text) >= at_least, "{text}: {}", count(text));
        }
        assert_eq!(count(""), 0);
    }

    #[test]
    fn estimate_for_english_is_at_most_three_times_its_tokens() {
        let text = "It is a truth universally acknowledged, that a single man in possession of a good fortune";
        assert!(count(text) <= 17 * 3, "{}", count(text));
    }
}
