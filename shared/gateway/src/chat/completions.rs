//! The reader of a request to OpenAI's legacy completions API. Its prompt becomes the message of a user, because the models of
//! today answer chats.

use serde_json::{Map, Value};

use super::openai::check_parameters;
use super::request::ChatRequest;
use crate::body::{read_parameters, require_model};
use domain::chat::Message;
use domain::{Error, Result};

const INTEGER_PARAMETERS: [&str; 4] = ["max_tokens", "n", "seed", "best_of"];
/// OpenAI's default of this API.
const DEFAULT_MAX_TOKENS: u64 = 16;
type IsDefault = fn(&Value) -> bool;

/// The parameters that a chat has no counterpart for, each with the value that requests nothing.
const NO_COUNTERPART: [(&str, IsDefault); 4] = [
    ("suffix", |value| value == ""),
    ("echo", |value| value == false),
    ("best_of", |value| value == 1),
    ("logprobs", |_| false),
];
/// The parameters of chats that this API does not have.
const ONLY_OF_CHATS: [&str; 12] = [
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "response_format",
    "top_logprobs",
    "max_completion_tokens",
    "modalities",
    "audio",
    "prediction",
];

impl ChatRequest {
    pub fn read_completion(body: Value) -> Result<Self> {
        let mut body = read_parameters(body, &INTEGER_PARAMETERS)?;
        require_model(&body)?;
        let prompt = read_prompt(body.shift_remove("prompt").unwrap_or_default())?;
        refuse_parameters(&mut body)?;
        body.entry("max_tokens").or_insert_with(|| DEFAULT_MAX_TOKENS.into());
        check_parameters(&body)?;
        body.insert("messages".to_owned(), Value::Null);
        Ok(Self::from_parts(body, vec![Message::user(prompt)], Vec::new()))
    }
}

fn read_prompt(prompt: Value) -> Result<String> {
    let wrong = |problem| Err(Error::invalid_body("prompt", problem));
    match prompt {
        Value::String(text) if !text.is_empty() => Ok(text),
        Value::Array(mut prompts) => match (prompts.pop(), prompts.len()) {
            (Some(Value::String(text)), 0) if !text.is_empty() => Ok(text),
            (Some(Value::String(_)), 1..) => wrong("must be one text; send a request for each of several prompts"),
            (Some(Value::Number(_) | Value::Array(_)), _) => {
                wrong("must be a text; token numbers have no meaning for the models of other vendors")
            }
            _ => wrong("must be a text, or a list with one text; none may be empty"),
        },
        _ => wrong("must be a text, or a list with one text; none may be empty"),
    }
}

/// Refuses what a chat cannot do, and takes out what requests nothing.
fn refuse_parameters(body: &mut Map<String, Value>) -> Result<()> {
    for (name, is_default) in NO_COUNTERPART {
        if body.shift_remove(name).is_some_and(|value| !is_default(&value)) {
            let problem = "completions are answered by chat models, which do not have it; leave it out, or use \
                           POST /gateway/v1/chat/completions";
            return Err(Error::invalid_body(name, problem));
        }
    }
    match ONLY_OF_CHATS.iter().find(|name| body.contains_key(**name)) {
        None => Ok(()),
        Some(name) => {
            Err(Error::invalid_body(*name, "completions do not have it; use POST /gateway/v1/chat/completions"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<ChatRequest> {
        let mut body = json!({"model": "m", "prompt": "Hi"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ChatRequest::read_completion(body)
    }

    #[test]
    fn a_prompt_becomes_a_message_and_other_parameters_stay() {
        let request = read(json!({
            "prompt": ["Hi"], "echo": false, "best_of": 1.0, "suffix": "", "logprobs": null, "n": 2.0, "stop": "END",
            "logit_bias": {"1": 2}, "user": "u", "top_k": 4, "guard": true,
        }));
        assert_eq!(
            json!(request.unwrap()),
            json!({
                "model": "m", "n": 2, "stop": "END", "logit_bias": {"1": 2}, "user": "u", "top_k": 4, "guard": true,
                "max_tokens": 16, "messages": [{"role": "user", "content": "Hi"}],
            })
        );
        assert_eq!(read(json!({"max_tokens": 7})).unwrap().max_tokens(), Some(7));
    }

    #[test]
    fn what_a_chat_cannot_do_is_refused_by_name() {
        for (name, values) in [
            ("prompt", json!([null, "", [], [""], ["a", "b"], [1, 2], [[1, 2]], {}, 7])),
            ("suffix", json!(["end"])),
            ("echo", json!([true])),
            ("best_of", json!([2])),
            ("logprobs", json!([0, 5])),
            ("messages", json!([[]])),
            ("max_tokens", json!([0])),
            ("n", json!([129])),
        ] {
            for value in values.as_array().unwrap() {
                match read(json!({name: value})) {
                    Err(Error::InvalidBody { field, .. }) => assert_eq!(field, name, "{value}"),
                    other => panic!("{name} = {value}: {other:?}"),
                }
            }
        }
    }
}
