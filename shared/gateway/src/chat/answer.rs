//! What a chat completion is answered with, in OpenAI's form: whole, or in pieces.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::providers::Failure;
use domain::usage::Tokens;

/// A whole answer of a provider. Its envelope (`id`, `model` …) is the gateway's.
#[derive(Debug)]
pub struct ChatAnswer {
    /// OpenAI's `choices`, as JSON: from a provider that speaks it, byte for byte.
    pub choices: Box<RawValue>,
    /// None when the provider did not say; an explicit zero is zero.
    pub usage: Option<Tokens>,
    pub system_fingerprint: Option<String>,
}

/// A piece of a streamed answer.
#[derive(Debug)]
pub struct Chunk {
    /// OpenAI's `choices` of a chunk; none in one that only tells usage.
    pub choices: Option<Box<RawValue>>,
    /// How many choices end with this chunk.
    pub finished: u32,
    /// The text, refusals and arguments in it, in tokens as they are counted here. For when the provider's own count
    /// never comes.
    pub counted_output: u64,
    /// The provider's count up to here.
    pub usage: Option<Tokens>,
    pub system_fingerprint: Option<String>,
}

impl ChatAnswer {
    pub fn of(choices: &[Choice], usage: Option<Tokens>) -> Result<Self, Failure> {
        Ok(Self { choices: raw(choices)?, usage, system_fingerprint: None })
    }
}

impl Chunk {
    /// `counted_output` is taken from the deltas.
    pub fn of(choices: &[DeltaChoice], usage: Option<Tokens>) -> Result<Self, Failure> {
        let counted_output = choices.iter().map(|choice| choice.delta.counted()).sum();
        Ok(Self {
            choices: if choices.is_empty() { None } else { Some(raw(choices)?) },
            finished: choices.iter().map(|choice| u32::from(choice.finish_reason.is_some())).sum(),
            counted_output,
            usage,
            system_fingerprint: None,
        })
    }
}

fn raw(choices: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, Failure> {
    serde_json::value::to_raw_value(choices).map_err(Failure::garbled)
}

#[derive(Debug, Serialize)]
pub struct Choice {
    pub index: u32,
    pub message: MessageOut,
    pub logprobs: Option<Box<RawValue>>,
    pub finish_reason: &'static str,
}

#[derive(Debug, Serialize)]
pub struct MessageOut {
    pub role: &'static str,
    pub content: Option<String>,
    pub refusal: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallOut>,
}

#[derive(Debug, Serialize)]
pub struct ToolCallOut {
    pub id: String,
    pub r#type: &'static str,
    pub function: FunctionCall,
    /// What the provider wants back with the call, as Google spells it: `{"google": {"thought_signature": …}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_content: Option<Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FunctionCall {
    pub name: String,
    /// JSON, as text.
    pub arguments: String,
}

#[derive(Debug, Serialize)]
pub struct DeltaChoice {
    pub index: u32,
    pub delta: Delta,
    pub logprobs: Option<Box<RawValue>>,
    pub finish_reason: Option<&'static str>,
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

/// A client puts tool calls together by `index`, which counts from 0; `id` and `name` come with the first delta only.
#[derive(Clone, Debug, Serialize)]
pub struct ToolCallDelta {
    pub index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    pub function: FunctionDelta,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_content: Option<Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FunctionDelta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub arguments: String,
}

impl Delta {
    fn counted(&self) -> u64 {
        let texts = self.content.iter().chain(&self.refusal);
        let arguments = self.tool_calls.iter().map(|call| &call.function.arguments);
        texts.chain(arguments).map(|text| crate::tokens::count(text)).sum()
    }
}
