//! Converts OpenAI's message list for providers that need a separate system prompt and strictly alternating turns of
//! user and model.
//!
//! These providers refuse blank texts and conversations that do not begin with a user. `OpenAI`'s clients send both.

use std::borrow::Cow;

use serde_json::Value;

use crate::chat::{ChatRequest, ChatRole, ContentPart, Message, ResponseFormat, ToolCall};
use crate::failure::{FailureKind, ProviderFailure};
use domain::json;
use domain::text::shorten;

/// Placeholder for a blank text.
pub const BLANK: &str = "(empty)";
/// Instruction for a client that requests any JSON object from a provider whose JSON mode requires a schema.
const JSON_INSTRUCTION: &str = "Answer with one JSON object and nothing else: no other text and no Markdown.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Messages of the model.
    Model,
    /// Messages of users and results of tools.
    User,
}

/// Consecutive messages of one side, merged into one turn, because turns must alternate.
pub struct Turn<'a> {
    pub side: Side,
    pub messages: Vec<Cow<'a, Message>>,
}

/// Splits a conversation into the system prompt, as texts and marks of the cache, and the turns of all other messages.
pub fn split(request: &ChatRequest) -> (Vec<ContentPart>, Vec<Turn<'_>>) {
    let (mut system, mut turns) = (Vec::new(), Vec::<Turn<'_>>::new());
    for message in request.messages() {
        let mut message = without_blank_parts(message);
        let side = match message.role {
            ChatRole::System => {
                system.push(message);
                continue;
            }
            ChatRole::Assistant if !has_content(&message) && message.tool_calls.is_empty() => continue,
            ChatRole::Assistant => Side::Model,
            ChatRole::User | ChatRole::Tool => Side::User,
        };
        if message.role == ChatRole::User && !has_content(&message) {
            message.to_mut().parts.insert(0, ContentPart::Text(BLANK.to_owned()));
        }
        match turns.last_mut() {
            Some(turn) if turn.side == side => turn.messages.push(message),
            _ => turns.push(Turn { side, messages: vec![message] }),
        }
    }
    if turns.is_empty() {
        // A conversation of system messages alone is sent as a user's turn.
        let parts = system.drain(..).flat_map(|message: Cow<'_, Message>| message.into_owned().parts);
        turns.push(Turn::of_user(parts.filter(|part| matches!(part, ContentPart::Text(_))).collect()));
    } else if turns[0].side == Side::Model {
        turns.insert(0, Turn::of_user(Vec::new()));
    }
    let system = system.into_iter().flat_map(|message| message.into_owned().parts);
    (system.filter(|part| matches!(part, ContentPart::Text(_) | ContentPart::CacheMark(_))).collect(), turns)
}

/// Adds the instruction to answer with JSON if the client requests any JSON object.
pub fn instruct_json(system: &mut Vec<ContentPart>, request: &ChatRequest) {
    if matches!(request.response_format(), ResponseFormat::Json) {
        system.push(ContentPart::Text(JSON_INSTRUCTION.to_owned()));
    }
}

fn without_blank_parts(message: &Message) -> Cow<'_, Message> {
    if !message.parts.iter().any(is_blank) {
        return Cow::Borrowed(message);
    }
    let mut message = message.clone();
    message.parts.retain(|part| !is_blank(part));
    Cow::Owned(message)
}

/// Whether the message has more than reasoning and marks of the cache.
fn has_content(message: &Message) -> bool {
    message.parts.iter().any(|part| !matches!(part, ContentPart::Reasoning(_) | ContentPart::CacheMark(_)))
}

fn is_blank(part: &ContentPart) -> bool {
    matches!(part, ContentPart::Text(text) if text.trim().is_empty())
}

impl Turn<'_> {
    fn of_user(mut parts: Vec<ContentPart>) -> Self {
        if parts.is_empty() {
            parts.push(ContentPart::Text(BLANK.to_owned()));
        }
        Self { side: Side::User, messages: vec![Cow::Owned(Message::new(ChatRole::User, parts))] }
    }
}

/// Parses the arguments of a tool call, which clients send as a string. Blank arguments are an empty object.
pub fn arguments(call: &ToolCall) -> Result<Value, ProviderFailure> {
    if call.arguments.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match json::parse_text(&call.arguments) {
        Some(arguments @ Value::Object(_)) => Ok(arguments),
        _ => Err(invalid_request(
            "messages",
            format_args!("the arguments of the call {} must be a JSON object", shorten(&call.id)),
        )),
    }
}

/// An image or a document: its bytes, or where they are.
pub enum Media<'a> {
    Inline { media_type: &'a str, base64: &'a str },
    Url(&'a str),
}

pub fn media(url: &str) -> Result<Media<'_>, ProviderFailure> {
    let Some(data) = url.strip_prefix("data:") else { return Ok(Media::Url(url)) };
    let inline = data.split_once(',').and_then(|(kind, base64)| {
        // `image/png;charset=…;base64`
        let media_type = kind.strip_suffix(";base64")?.split(';').next()?;
        Some(Media::Inline { media_type, base64 })
    });
    inline.ok_or_else(|| {
        invalid_request(
            "messages",
            "a data URL must have the form data:image/…;base64,… or data:application/pdf;base64,…",
        )
    })
}

/// Creates the failure for an invalid request that is detected only during translation.
pub fn invalid_request(param: &str, problem: impl std::fmt::Display) -> ProviderFailure {
    let message = format!("{param}: {problem}");
    ProviderFailure {
        param: Some(param.to_owned()),
        ..ProviderFailure::new(FailureKind::Request, "invalid_value", message)
    }
}

/// Creates the failure for a content part that the provider has no form for.
pub fn unsupported_part(maker: &str, part: &ContentPart) -> ProviderFailure {
    let kind = match part {
        ContentPart::Other(part) => part["type"].as_str().unwrap_or("this type"),
        ContentPart::Audio(_) => "input_audio",
        ContentPart::File(_) => "file",
        _ => "this type",
    };
    ProviderFailure::unsupported("messages", format_args!("{maker} does not accept parts of the type {kind}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_split_into_alternating_turns_and_a_system_prompt() {
        let request = ChatRequest::read(json!({"model": "m", "messages": [
            {"role": "system", "content": "one"},
            {"role": "user", "content": "a"},
            {"role": "user", "content": "b"},
            {"role": "developer", "content": "two"},
            {"role": "assistant", "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}},
            ]},
            {"role": "tool", "tool_call_id": "c", "content": "d"},
            {"role": "user", "content": "e"},
        ]}));
        let request = request.unwrap();
        let (system, turns) = split(&request);
        assert_eq!(system, [ContentPart::Text("one".to_owned()), ContentPart::Text("two".to_owned())]);
        let sizes: Vec<_> = turns.iter().map(|turn| (turn.side, turn.messages.len())).collect();
        assert_eq!(sizes, [(Side::User, 2), (Side::Model, 1), (Side::User, 2)]);
        assert_eq!(arguments(&turns[1].messages[0].tool_calls[0]).unwrap(), json!({}));
    }

    #[test]
    fn images_are_data_urls_or_links() {
        let Ok(Media::Inline { media_type, base64 }) = media("data:image/png;base64,AAAA") else { panic!("inline") };
        assert_eq!((media_type, base64), ("image/png", "AAAA"));
        assert!(matches!(media("https://pictures.test/a.png"), Ok(Media::Url(_))));
        for wrong in ["data:image/png,AAAA", "data:"] {
            assert_eq!(media(wrong).err().unwrap().kind, FailureKind::Request);
        }
    }

    fn split_of(messages: Value) -> (Vec<ContentPart>, Vec<(Side, Vec<String>)>) {
        let request = ChatRequest::read(json!({"model": "m", "messages": messages})).unwrap();
        let (system, turns) = split(&request);
        let texts = |turn: &Turn<'_>| turn.messages.iter().map(|message| message.text()).collect();
        (system, turns.iter().map(|turn| (turn.side, texts(turn))).collect())
    }

    #[test]
    fn blank_user_texts_are_replaced_and_blank_answers_are_removed() {
        let (_, turns) = split_of(json!([
            {"role": "user", "content": " "},
            {"role": "assistant", "content": ""},
            {"role": "user", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "a"}]},
        ]));
        assert_eq!(turns, [(Side::User, vec![BLANK.to_owned(), "a".to_owned()])]);
    }

    #[test]
    fn conversations_always_begin_with_a_user_turn() {
        let (system, turns) =
            split_of(json!([{"role": "system", "content": "one"}, {"role": "developer", "content": "two"}]));
        assert_eq!((system.len(), turns), (0, vec![(Side::User, vec!["onetwo".to_owned()])]));
        let (_, turns) = split_of(json!([{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]));
        assert_eq!(turns.iter().map(|(side, _)| *side).collect::<Vec<_>>(), [Side::User, Side::Model, Side::User]);
        let (_, turns) = split_of(json!([{"role": "system", "content": ""}]));
        assert_eq!(turns, [(Side::User, vec![BLANK.to_owned()])]);
    }
}
