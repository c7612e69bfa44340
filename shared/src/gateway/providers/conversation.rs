//! A conversation as the providers have it that know two sides only, and a system apart from both.

use serde_json::Value;

use super::failure::{Failure, FailureKind};
use crate::domain::text::clip;
use crate::gateway::chat::{ChatRequest, Message, Role, ToolCall};
use crate::json;

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

/// The texts of the system, wherever they stand, and the turns of the rest.
pub fn split(request: &ChatRequest) -> (Vec<String>, Vec<Turn<'_>>) {
    let (mut system, mut turns) = (Vec::new(), Vec::<Turn<'_>>::new());
    for message in request.messages() {
        let side = match message.role {
            Role::System => {
                system.push(message.text());
                continue;
            }
            Role::Assistant => Side::Model,
            Role::User | Role::Tool => Side::User,
        };
        match turns.last_mut() {
            Some(turn) if turn.side == side => turn.messages.push(message),
            _ => turns.push(Turn { side, messages: vec![message] }),
        }
    }
    system.retain(|text| !text.is_empty());
    (system, turns)
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

/// Refuses what of `names` is asked for in earnest: one answer, or a penalty of zero, any provider can do.
pub fn refuse(request: &ChatRequest, maker: &str, names: &[&str]) -> Result<(), Failure> {
    let is_asked = |name: &str| match name {
        "n" => request.choices() > 1,
        "presence_penalty" | "frequency_penalty" => request.number(name).is_some_and(|penalty| penalty != 0.0),
        "logprobs" => request.flag(name),
        _ => request.body().contains_key(name),
    };
    match names.iter().find(|name| is_asked(name)) {
        Some(name) => Err(Failure::unsupported(*name, format_args!("{maker} has no such parameter"))),
        None => Ok(()),
    }
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

    #[test]
    fn what_asks_for_nothing_is_not_refused() {
        let all = ["n", "seed", "presence_penalty", "logprobs"];
        let request = |more: Value| {
            let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "a"}]});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            ChatRequest::read(body).unwrap()
        };
        assert!(refuse(&request(json!({"n": 1, "presence_penalty": 0, "logprobs": false})), "X", &all).is_ok());
        for (name, asked) in
            [("n", json!(2)), ("seed", json!(0)), ("presence_penalty", json!(0.1)), ("logprobs", json!(true))]
        {
            let failure = refuse(&request(json!({ name: asked })), "X", &all).unwrap_err();
            assert_eq!((failure.kind, failure.param.as_deref()), (FailureKind::Unsupported, Some(name)));
        }
    }
}
