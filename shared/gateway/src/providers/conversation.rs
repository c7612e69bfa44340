//! A conversation for providers that have two sides, who take turns, and a system prompt apart from both.
//!
//! They refuse blank texts and conversations that do not begin with a user; `OpenAI`'s clients send both.

use serde_json::Value;

use super::failure::{Failure, FailureKind};
use crate::chat::{ChatRequest, Message, Part, ResponseFormat, Role, ToolCall};
use domain::json;
use domain::text::clip;

/// What stands for a blank text.
pub const BLANK: &str = "(empty)";
/// For providers that make JSON by a schema alone, when a client asks for any JSON object.
const JSON_INSTRUCTION: &str = "Answer with one JSON object and nothing else: no other text and no Markdown.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What the model said.
    Model,
    /// What it was told, by people and by tools.
    User,
}

/// What one side said until the other spoke: sides take turns, so neighbours of one side are one turn.
pub struct Turn<'a> {
    pub side: Side,
    pub messages: Vec<Message<'a>>,
}

/// The system prompt's texts, from every place in the conversation, and the turns of the rest.
pub fn split(request: &ChatRequest) -> (Vec<String>, Vec<Turn<'_>>) {
    let (mut system, mut turns) = (Vec::new(), Vec::<Turn<'_>>::new());
    for mut message in request.messages() {
        message.parts.retain(|part| !is_blank(part));
        let side = match message.role {
            Role::System => {
                system.push(message);
                continue;
            }
            Role::Assistant if message.parts.is_empty() && message.tool_calls.is_empty() => continue,
            Role::Assistant => Side::Model,
            Role::User | Role::Tool => Side::User,
        };
        if message.role == Role::User && message.parts.is_empty() {
            message.parts.push(Part::Text(BLANK));
        }
        match turns.last_mut() {
            Some(turn) if turn.side == side => turn.messages.push(message),
            _ => turns.push(Turn { side, messages: vec![message] }),
        }
    }
    if turns.is_empty() {
        // The system prompt alone is answered like a question.
        let parts = system.drain(..).flat_map(|message| message.parts).collect();
        turns.push(Turn::of_user(parts));
    } else if turns[0].side == Side::Model {
        turns.insert(0, Turn::of_user(Vec::new()));
    }
    (system.iter().map(Message::text).filter(|text| !text.is_empty()).collect(), turns)
}

/// Adds the instruction to answer with JSON when the client asks for any JSON object.
pub fn instruct_json(system: &mut Vec<String>, request: &ChatRequest) {
    if matches!(request.response_format(), ResponseFormat::Json) {
        system.push(JSON_INSTRUCTION.to_owned());
    }
}

fn is_blank(part: &Part<'_>) -> bool {
    matches!(part, Part::Text(text) if text.trim().is_empty())
}

impl<'a> Turn<'a> {
    fn of_user(mut parts: Vec<Part<'a>>) -> Self {
        if parts.is_empty() {
            parts.push(Part::Text(BLANK));
        }
        let message = Message { role: Role::User, name: None, parts, tool_calls: Vec::new(), tool_call_id: None };
        Self { side: Side::User, messages: vec![message] }
    }
}

/// A call's arguments, which clients send back as text.
pub fn arguments(call: &ToolCall<'_>) -> Result<Value, Failure> {
    if call.arguments.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match json::parse_text(call.arguments) {
        Some(arguments @ Value::Object(_)) => Ok(arguments),
        _ => Err(wrong("messages", format_args!("the arguments of the call {} are no JSON object", clip(call.id)))),
    }
}

pub enum Picture<'a> {
    Inline { media_type: &'a str, base64: &'a str },
    Url(&'a str),
}

pub fn picture(url: &str) -> Result<Picture<'_>, Failure> {
    let Some(data) = url.strip_prefix("data:") else { return Ok(Picture::Url(url)) };
    let inline = data.split_once(',').and_then(|(kind, base64)| {
        // `image/png;charset=…;base64`
        let media_type = kind.strip_suffix(";base64")?.split(';').next()?;
        Some(Picture::Inline { media_type, base64 })
    });
    inline.ok_or_else(|| wrong("messages", "a picture's data URL is not of the form data:image/…;base64,…"))
}

/// The request is wrong in a way that only shows when it is translated.
pub fn wrong(param: &str, problem: impl std::fmt::Display) -> Failure {
    let message = format!("{param}: {problem}");
    Failure { param: Some(param.to_owned()), ..Failure::new(FailureKind::Request, "invalid_value", message) }
}

/// A part that is neither text nor picture.
pub fn strange(maker: &str, part: &Value) -> Failure {
    Failure::unsupported("messages", format_args!("{maker} is given texts and pictures here, not {}", part["type"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sides_take_turns_and_the_system_stands_apart() {
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
        assert_eq!(system, ["one", "two"]);
        let sizes: Vec<_> = turns.iter().map(|turn| (turn.side, turn.messages.len())).collect();
        assert_eq!(sizes, [(Side::User, 2), (Side::Model, 1), (Side::User, 2)]);
        assert_eq!(arguments(&turns[1].messages[0].tool_calls[0]).unwrap(), json!({}));
    }

    #[test]
    fn pictures_are_inline_or_elsewhere() {
        let Ok(Picture::Inline { media_type, base64 }) = picture("data:image/png;base64,AAAA") else {
            panic!("inline")
        };
        assert_eq!((media_type, base64), ("image/png", "AAAA"));
        assert!(matches!(picture("https://pictures.test/a.png"), Ok(Picture::Url(_))));
        for wrong in ["data:image/png,AAAA", "data:"] {
            assert_eq!(picture(wrong).err().unwrap().kind, FailureKind::Request);
        }
    }

    fn split_of(messages: Value) -> (Vec<String>, Vec<(Side, Vec<String>)>) {
        let request = ChatRequest::read(json!({"model": "m", "messages": messages})).unwrap();
        let (system, turns) = split(&request);
        let texts = |turn: &Turn<'_>| turn.messages.iter().map(Message::text).collect();
        (system, turns.iter().map(|turn| (turn.side, texts(turn))).collect())
    }

    #[test]
    fn blank_texts_are_replaced_and_blank_answers_left_out() {
        let (_, turns) = split_of(json!([
            {"role": "user", "content": " "},
            {"role": "assistant", "content": ""},
            {"role": "user", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "a"}]},
        ]));
        assert_eq!(turns, [(Side::User, vec![BLANK.to_owned(), "a".to_owned()])]);
    }

    #[test]
    fn a_conversation_begins_with_a_user() {
        let (system, turns) =
            split_of(json!([{"role": "system", "content": "one"}, {"role": "developer", "content": "two"}]));
        assert_eq!((system.len(), turns), (0, vec![(Side::User, vec!["onetwo".to_owned()])]));
        let (_, turns) = split_of(json!([{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]));
        assert_eq!(turns.iter().map(|(side, _)| *side).collect::<Vec<_>>(), [Side::User, Side::Model, Side::User]);
        let (_, turns) = split_of(json!([{"role": "system", "content": ""}]));
        assert_eq!(turns, [(Side::User, vec![BLANK.to_owned()])]);
    }
}
