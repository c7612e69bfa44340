//! Requests for an evaluation: the platform's own form, and the form of OpenAI's API for moderation.

use serde_json::{Map, Value};

use super::GuardInput;
use crate::chat::Message;
use domain::guard::{GuardMessage, GuardRole};
use domain::{Error, Result};

const MAX_MESSAGES: usize = 128;

/// A validated request.
#[derive(Clone, Debug)]
pub struct GuardRequest {
    /// The guard model. None for the default one.
    pub model: Option<String>,
    pub input: GuardInput,
}

impl GuardRequest {
    /// Reads a conversation: `{input: [{role, content}], model?}`.
    pub fn read(body: Value) -> Result<Self> {
        let mut body = fields(body)?;
        let Some(Value::Array(messages)) = body.remove("input") else {
            return Err(Error::invalid_body("input", "must be a list of messages"));
        };
        check_count(messages.len())?;
        let read = |(i, message)| {
            let path = format!("input[{i}]");
            let message = Message::read(&path, message)?;
            if message.has_media() {
                return Err(Error::invalid_body(format!("{path}.content"), "only text can be evaluated"));
            }
            Ok(GuardMessage::from(&message))
        };
        let messages = messages.into_iter().enumerate().map(read).collect::<Result<_>>()?;
        Self::new(&body, GuardInput::Conversation(messages))
    }

    /// A request to evaluate one text.
    pub fn of_text(text: &str, model: Option<String>) -> Self {
        let message = GuardMessage { role: GuardRole::User, content: text.to_owned() };
        Self { model, input: GuardInput::Conversation(vec![message]) }
    }

    /// Reads texts in OpenAI's form: `{input, model?}`, where the input is a text, a list of texts, or a list of parts of
    /// the type `text`.
    pub fn read_moderation(body: Value) -> Result<Self> {
        let body = fields(body)?;
        let problem = "must be a text, or a list of texts; images cannot be evaluated";
        let text = |value: &Value| {
            let part = || value.get("text").filter(|_| value["type"] == "text").and_then(Value::as_str);
            value.as_str().or_else(part).map(str::to_owned)
        };
        let texts: Option<Vec<String>> = match body.get("input") {
            Some(Value::Array(list)) => list.iter().map(text).collect(),
            Some(value) => text(value).map(|text| vec![text]),
            None => None,
        };
        let texts = texts.ok_or_else(|| Error::invalid_body("input", problem))?;
        check_count(texts.len())?;
        let texts = texts.into_iter().map(|content| GuardMessage { role: GuardRole::User, content });
        Self::new(&body, GuardInput::Texts(texts.collect()))
    }

    fn new(body: &Map<String, Value>, input: GuardInput) -> Result<Self> {
        if !input.has_text() {
            return Err(Error::invalid_body("input", "must have a text"));
        }
        let model = match body.get("model") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) if !name.is_empty() => Some(name.clone()),
            Some(_) => return Err(Error::invalid_body("model", "must be the name of a guard model")),
        };
        Ok(Self { model, input })
    }
}

fn fields(body: Value) -> Result<Map<String, Value>> {
    let Value::Object(body) = body else { return Err(Error::invalid_body("", "must be an object")) };
    match body.keys().find(|name| !["input", "model"].contains(&name.as_str())) {
        Some(name) => Err(Error::invalid_body(name, "unknown field; use input and model")),
        None => Ok(body),
    }
}

fn check_count(count: usize) -> Result<()> {
    match (1..=MAX_MESSAGES).contains(&count) {
        true => Ok(()),
        false => Err(Error::invalid_body("input", format_args!("must have 1 to {MAX_MESSAGES} entries"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(read: Result<GuardRequest>) -> String {
        match read {
            Err(Error::InvalidBody { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn conversations_are_read_with_their_roles() {
        let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        let body = json!({"input": [{"role": "developer", "content": "x"}, {"role": "user", "content": parts}]});
        let request = GuardRequest::read(body).unwrap();
        let message = |role, content: &str| GuardMessage { role, content: content.to_owned() };
        assert_eq!(request.input.messages(), [message(GuardRole::System, "x"), message(GuardRole::User, "ab")]);
        assert_eq!(request.model, None);

        let call = json!({"id": "c", "type": "function", "function": {"name": "mail", "arguments": "{\"to\": \"x\"}"}});
        let body = json!({"input": [{"role": "assistant", "content": "I write", "tool_calls": [call]}]});
        let request = GuardRequest::read(body).unwrap();
        assert_eq!(request.input.messages(), [message(GuardRole::Assistant, "I write\n{\"to\": \"x\"}")]);
    }

    #[test]
    fn moderations_take_one_text_or_several() {
        let texts = |input: Value| {
            let request = GuardRequest::read_moderation(json!({"input": input, "model": "m"})).unwrap();
            request.input.messages().iter().map(|message| message.content.clone()).collect::<Vec<_>>()
        };
        assert_eq!(texts(json!("a")), ["a"]);
        assert_eq!(texts(json!(["a", "", {"type": "text", "text": "c"}])), ["a", "", "c"]);
    }

    #[test]
    fn invalid_requests_name_the_field() {
        let user = |content: Value| json!({"role": "user", "content": content});
        assert_eq!(field(GuardRequest::read(json!([]))), "");
        assert_eq!(field(GuardRequest::read(json!({}))), "input");
        assert_eq!(field(GuardRequest::read(json!({"input": "text"}))), "input");
        assert_eq!(field(GuardRequest::read(json!({"input": vec![user(json!("a")); 129]}))), "input");
        assert_eq!(field(GuardRequest::read(json!({"input": [user(json!(" "))]}))), "input");
        assert_eq!(field(GuardRequest::read(json!({"input": [user(json!("a"))], "model": 1}))), "model");
        assert_eq!(field(GuardRequest::read(json!({"input": [user(json!("a"))], "stream": true}))), "stream");
        let image = json!([{"type": "image_url", "image_url": {"url": "data:,"}}]);
        assert_eq!(field(GuardRequest::read(json!({"input": [user(image.clone())]}))), "input[0].content");
        assert_eq!(field(GuardRequest::read_moderation(json!({"input": image}))), "input");
        assert_eq!(field(GuardRequest::read_moderation(json!({"input": []}))), "input");
    }
}
