//! A choice of an answer, and the change of a choice in a chunk of a stream. Their serde form is OpenAI's format.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use domain::chat::ToolCall;

#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub index: u32,
    pub message: AnswerMessage,
    pub logprobs: Option<Box<RawValue>>,
    pub finish_reason: FinishReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    Stop,
    Length,
    ToolCalls,
    ContentFilter,
}

/// A message of the model.
#[derive(Clone, Debug, Serialize)]
pub struct AnswerMessage {
    pub role: &'static str,
    pub content: Option<String>,
    pub refusal: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallOut>,
    /// Other fields that the provider sent, such as `reasoning_content`.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ToolCallOut {
    pub id: String,
    pub r#type: &'static str,
    pub function: FunctionCall,
    /// Other fields that the provider sent and may require back, such as `extra_content` in Google's format:
    /// `{"google": {"thought_signature": …}}`.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FunctionCall {
    pub name: String,
    /// JSON, encoded as a string.
    pub arguments: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct DeltaChoice {
    pub index: u32,
    pub delta: Delta,
    pub logprobs: Option<Box<RawValue>>,
    pub finish_reason: Option<FinishReason>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallDelta>,
}

/// Clients assemble a tool call from the deltas with its `index`, which counts from 0. Only the first delta of a call
/// has `id` and `name`.
#[derive(Clone, Debug, Serialize)]
pub struct ToolCallDelta {
    pub index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    pub function: FunctionDelta,
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FunctionDelta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub arguments: String,
}

/// A choice that can be read from OpenAI's format.
pub trait ReadChoice: Clone + Serialize {
    /// Providers send other types too, so each value is read only if it has the expected one.
    fn read(choice: Value) -> Self;
}

impl AnswerMessage {
    pub fn new(content: Option<String>, tool_calls: Vec<ToolCallOut>) -> Self {
        Self { role: "assistant", content, refusal: None, tool_calls, others: Map::new() }
    }

    /// All that the model wrote: the content, the refusal and the arguments of the tool calls.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let arguments = self.tool_calls.iter().map(|call| &call.function.arguments);
        self.content.iter().chain(&self.refusal).chain(arguments).map(String::as_str)
    }
}

impl Delta {
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let arguments = self.tool_calls.iter().map(|call| &call.function.arguments);
        self.content.iter().chain(&self.refusal).chain(arguments).map(String::as_str)
    }

    pub(super) fn count_tokens(&self) -> u64 {
        self.texts().map(crate::tokens::count).sum()
    }
}

impl ReadChoice for Choice {
    fn read(mut choice: Value) -> Self {
        let mut others = take(&mut choice, "message").as_object_mut().map(std::mem::take).unwrap_or_default();
        let mut field = |name: &str| others.remove(name).unwrap_or_default();
        field("role");
        let calls = read_list(field("tool_calls")).into_iter().map(|call| ToolCallOut {
            id: text(&call["id"]).unwrap_or_default(),
            r#type: "function",
            function: FunctionCall {
                name: text(&call["function"]["name"]).unwrap_or_default(),
                arguments: text(&call["function"]["arguments"]).unwrap_or_default(),
            },
            others: ToolCall::read_others(&call),
        });
        let message = AnswerMessage {
            refusal: text(&field("refusal")),
            ..AnswerMessage::new(read_content(field("content")), calls.collect())
        };
        Self {
            index: read_index(&choice),
            message: AnswerMessage { others, ..message },
            logprobs: read_logprobs(&choice),
            finish_reason: read_reason(&choice["finish_reason"]).unwrap_or(FinishReason::Stop),
        }
    }
}

impl ReadChoice for DeltaChoice {
    fn read(mut choice: Value) -> Self {
        let mut delta = take(&mut choice, "delta");
        let calls = read_list(take(&mut delta, "tool_calls")).into_iter().map(|call| ToolCallDelta {
            index: read_index(&call),
            id: text(&call["id"]),
            r#type: (!call["type"].is_null()).then_some("function"),
            function: FunctionDelta {
                name: text(&call["function"]["name"]),
                arguments: text(&call["function"]["arguments"]).unwrap_or_default(),
            },
            others: ToolCall::read_others(&call),
        });
        let delta = Delta {
            tool_calls: calls.collect(),
            role: (!delta["role"].is_null()).then_some("assistant"),
            refusal: text(&delta["refusal"]),
            content: read_content(take(&mut delta, "content")),
        };
        let finish_reason = read_reason(&choice["finish_reason"]);
        Self { index: read_index(&choice), delta, logprobs: read_logprobs(&choice), finish_reason }
    }
}

fn take(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn read_list(value: Value) -> Vec<Value> {
    if let Value::Array(list) = value { list } else { Vec::new() }
}

/// A text, or a list of parts.
fn read_content(content: Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        _ => None,
    }
}

fn read_index(value: &Value) -> u32 {
    value["index"].as_u64().and_then(|index| index.try_into().ok()).unwrap_or_default()
}

fn read_logprobs(choice: &Value) -> Option<Box<RawValue>> {
    choice.get("logprobs").filter(|logprobs| !logprobs.is_null()).and_then(|logprobs| to_raw_value(logprobs).ok())
}

/// The reasons of OpenAI's API. Other servers have more names for the end of the text, such as `eos`.
fn read_reason(reason: &Value) -> Option<FinishReason> {
    Some(match reason.as_str()? {
        "length" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "content_filter" => FinishReason::ContentFilter,
        _ => FinishReason::Stop,
    })
}
