//! A choice of an answer, and the change of a choice in a chunk of a stream. Their serde form is OpenAI's format.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::tokens::weigh;
use domain::chat::{Reasoning, ReasoningDelta, ToolCall};

#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    pub index: u32,
    pub message: AnswerMessage,
    pub logprobs: Option<Box<RawValue>>,
    pub finish_reason: FinishReason,
    /// The stop sequence at which the model stopped. The field has the name that vLLM gives it.
    #[serde(rename = "stop_reason", skip_serializing_if = "Option::is_none")]
    pub stop_sequence: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    Stop,
    Length,
    ToolCalls,
    ContentFilter,
}

impl FinishReason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
        }
    }

    /// Some servers report the end of a text also after calls of tools.
    pub fn after_calls(self, has_calls: bool) -> Self {
        if self == Self::Stop && has_calls { Self::ToolCalls } else { self }
    }
}

/// A message of the model.
#[derive(Clone, Debug, Serialize)]
pub struct AnswerMessage {
    pub role: &'static str,
    pub content: Option<String>,
    pub refusal: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallOut>,
    #[serde(flatten, serialize_with = "write_reasoning")]
    pub reasoning: Vec<Reasoning>,
    /// Other fields that the provider sent, such as `annotations`.
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

impl ToolCallOut {
    /// The most calls of a message that is assembled from deltas.
    const MAX_CALLS: u32 = 128;

    /// Adds a delta to the calls of a message, by their indexes.
    pub fn add(calls: &mut BTreeMap<u32, Self>, ToolCallDelta { index, id, function, others, .. }: ToolCallDelta) {
        let id = id.filter(|id| !id.is_empty());
        // Some servers send whole calls without an index, which is then 0.
        let is_another = |call: &Self| !call.id.is_empty() && id.as_ref().is_some_and(|id| *id != call.id);
        let after_last = calls.last_key_value().map_or(0, |(last, _)| last + 1);
        let place = if calls.get(&index).is_some_and(is_another) { after_last } else { index };
        if place >= Self::MAX_CALLS {
            return;
        }
        let call = calls.entry(place).or_insert_with(|| Self {
            id: String::new(),
            r#type: "function",
            function: FunctionCall { name: String::new(), arguments: String::new() },
            others: Map::new(),
        });
        if let Some(id) = id {
            call.id = id;
        }
        // Some servers repeat the name in each delta.
        if let Some(name) = function.name.filter(|name| *name != call.function.name) {
            call.function.name.push_str(&name);
        }
        call.function.arguments.push_str(&function.arguments);
        call.others.extend(others);
    }
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
    #[serde(rename = "stop_reason", skip_serializing_if = "Option::is_none")]
    pub stop_sequence: Option<String>,
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
    #[serde(flatten, serialize_with = "write_reasoning_deltas")]
    pub reasoning: Vec<ReasoningDelta>,
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

/// The fields that `Reasoning` reads.
const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

fn write_reasoning<S: Serializer>(blocks: &[Reasoning], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    Reasoning::write_all(blocks, &mut map)?;
    map.end()
}

fn write_reasoning_deltas<S: Serializer>(pieces: &[ReasoningDelta], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    ReasoningDelta::write_all(pieces, &mut map)?;
    map.end()
}

/// A choice that can be read from OpenAI's format.
pub trait ReadChoice: Clone + Serialize {
    /// Providers send other types too, so each value is read only if it has the expected one.
    fn read(choice: Value) -> Self;
}

impl AnswerMessage {
    pub fn new(content: Option<String>, tool_calls: Vec<ToolCallOut>) -> Self {
        Self { role: "assistant", content, refusal: None, tool_calls, reasoning: Vec::new(), others: Map::new() }
    }

    /// All that the model wrote: the content, the refusal and the arguments of the tool calls.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let arguments = self.tool_calls.iter().map(|call| &call.function.arguments);
        self.content.iter().chain(&self.refusal).chain(arguments).map(String::as_str)
    }
}

impl AnswerMessage {
    /// The weight of all that the model wrote, see `tokens::weigh`.
    pub(super) fn weigh(&self) -> u64 {
        self.texts().chain(self.reasoning.iter().map(Reasoning::text)).map(weigh).sum()
    }
}

impl Delta {
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let arguments = self.tool_calls.iter().map(|call| &call.function.arguments);
        self.content.iter().chain(&self.refusal).chain(arguments).map(String::as_str)
    }

    pub(super) fn weigh(&self) -> u64 {
        self.texts().chain(self.reasoning.iter().map(ReasoningDelta::as_text)).map(weigh).sum()
    }
}

impl ReadChoice for Choice {
    fn read(mut choice: Value) -> Self {
        let mut others = take(&mut choice, "message").as_object_mut().map(std::mem::take).unwrap_or_default();
        let mut field = |name: &str| others.remove(name).unwrap_or_default();
        let (_, calls, refusal, content) = (field("role"), field("tool_calls"), field("refusal"), field("content"));
        let calls = read_list(calls).into_iter().map(|call| ToolCallOut {
            id: text(&call["id"]).unwrap_or_default(),
            r#type: "function",
            function: FunctionCall {
                name: text(&call["function"]["name"]).unwrap_or_default(),
                arguments: read_arguments(&call["function"]["arguments"]),
            },
            others: ToolCall::read_others(&call),
        });
        let reasoning = Reasoning::read_all(&others);
        others.retain(|name, _| !REASONING_FIELDS.contains(&name.as_str()));
        let message = AnswerMessage {
            reasoning,
            refusal: text(&refusal),
            ..AnswerMessage::new(read_content(content), calls.collect())
        };
        let finish_reason = read_reason(&choice["finish_reason"]).unwrap_or(FinishReason::Stop);
        Self {
            index: read_index(&choice),
            finish_reason: finish_reason.after_calls(!message.tool_calls.is_empty()),
            message: AnswerMessage { others, ..message },
            logprobs: read_logprobs(&choice),
            stop_sequence: text(&choice["stop_reason"]),
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
                arguments: read_arguments(&call["function"]["arguments"]),
            },
            others: ToolCall::read_others(&call),
        });
        let delta = Delta {
            tool_calls: calls.collect(),
            reasoning: delta.as_object().map(ReasoningDelta::read_all).unwrap_or_default(),
            role: (!delta["role"].is_null()).then_some("assistant"),
            refusal: text(&delta["refusal"]),
            content: read_content(take(&mut delta, "content")),
        };
        Self {
            index: read_index(&choice),
            delta,
            logprobs: read_logprobs(&choice),
            finish_reason: read_reason(&choice["finish_reason"]),
            stop_sequence: text(&choice["stop_reason"]),
        }
    }
}

fn take(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The arguments as JSON in a string. Some servers send the object itself.
fn read_arguments(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        object => object.to_string(),
    }
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
