//! Tokens counted here, without the provider's tokenizer: never fewer than any common one would count, for ordinary
//! text, so that what a call is held to cost before it is made is not less than what it costs.

use serde_json::Value;

use super::chat::{ChatRequest, Message, Part, ResponseFormat};

/// What a message costs beyond its text.
pub const PER_MESSAGE: u64 = 8;
/// The most that the providers count for one picture.
pub const PER_IMAGE: u64 = 2_000;
/// The instructions that providers add when there are tools.
pub const FOR_TOOLS: u64 = 600;

/// Two letters of one case are a token, as is every digit, every sign, and every byte of other scripts but one a
/// character. English comes out at about twice what its tokenizers count.
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
            // The second letter of a token.
            Some(kind) if half == Some(kind) => half = None,
            Some(kind) => {
                tokens += 1;
                half = Some(kind);
            }
            None => {
                half = None;
                // One space belongs to the word behind it.
                if c != ' ' || after_space {
                    tokens += (c.len_utf8() as u64 - 1).max(1);
                }
            }
        }
        after_space = c == ' ';
    }
    tokens
}

/// The most tokens a request's prompt can be: all that a provider may count as input.
pub fn greatest_input(request: &ChatRequest) -> u64 {
    let messages: u64 = request.messages().map(|message| of_message(&message)).sum();
    let tools = match request.tools() {
        [] => 0,
        tools => FOR_TOOLS + tools.iter().map(of_json).sum::<u64>() + request.tool_choice().map_or(0, of_json),
    };
    let schema = match request.response_format() {
        ResponseFormat::Schema(schema) => of_json(schema),
        ResponseFormat::Json | ResponseFormat::Text => 0,
    };
    // What is not validated may be text to the model too (`documents`, `functions` …).
    let others: u64 = request.unvalidated().map(of_json).sum();
    messages + tools + schema + others
}

fn of_message(message: &Message<'_>) -> u64 {
    let parts: u64 = message.parts.iter().map(of_part).sum();
    let calls = message.tool_calls.iter();
    let calls: u64 = calls.map(|call| PER_MESSAGE + count(call.id) + count(call.name) + count(call.arguments)).sum();
    PER_MESSAGE + message.name.map_or(0, count) + message.tool_call_id.map_or(0, count) + parts + calls
}

fn of_part(part: &Part<'_>) -> u64 {
    match part {
        Part::Text(text) => count(text),
        Part::Image(_) => PER_IMAGE,
        Part::Other(part) => of_json(part),
    }
}

fn of_json(value: &Value) -> u64 {
    count(&value.to_string())
}

/// What is likely, of a greatest count: for a call whose provider did not count, so that its client is not charged for
/// caution.
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
    fn all_that_a_provider_reads_is_in_the_greatest_input() {
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
    fn pictures_names_and_calls_are_counted() {
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

    /// What `cl100k_base` and its like count, from their published examples and vocabularies.
    #[test]
    fn no_fewer_than_a_real_tokenizer_counts() {
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
    fn english_is_held_at_no_more_than_thrice_its_tokens() {
        let text = "It is a truth universally acknowledged, that a single man in possession of a good fortune";
        assert!(count(text) <= 17 * 3, "{}", count(text));
    }
}
