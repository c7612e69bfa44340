//! The answer of a provider in OpenAI's format: a complete chat completion, or the chunks of a stream.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::ProviderFailure;
use domain::usage::Tokens;

/// A complete answer of a provider. The gateway adds the envelope (`id`, `model` …).
#[derive(Debug)]
pub struct ChatAnswer {
    /// OpenAI's `choices`, as JSON. A provider with OpenAI's API sent these bytes; others are translated.
    pub choices: Box<RawValue>,
    /// None when the provider did not report usage. An explicit zero is kept as zero.
    pub usage: Option<Tokens>,
    pub system_fingerprint: Option<String>,
}

/// One chunk of a streamed answer.
#[derive(Debug)]
pub struct Chunk {
    /// OpenAI's `choices` of the chunk. None in a chunk that reports only usage.
    pub choices: Option<Box<RawValue>>,
    /// The number of choices that finish with this chunk.
    pub finished: u32,
    /// The gateway's own token count of the text, refusals and arguments in the chunk. It is charged when the provider
    /// never reports usage.
    pub counted_output: u64,
    /// The provider's cumulative count up to this chunk.
    pub usage: Option<Tokens>,
    pub system_fingerprint: Option<String>,
}

impl ChatAnswer {
    pub fn from_choices(choices: &[Choice], usage: Option<Tokens>) -> Result<Self, ProviderFailure> {
        Ok(Self { choices: raw(choices)?, usage, system_fingerprint: None })
    }

    /// The text of each choice.
    pub fn texts(&self) -> Vec<String> {
        let choices: Vec<ChoiceText> = serde_json::from_str(self.choices.get()).unwrap_or_default();
        choices.into_iter().map(|choice| choice.message.text()).collect()
    }
}

/// The texts in a choice of any provider.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ChoiceText {
    index: u32,
    #[serde(alias = "delta")]
    message: MessageText,
}

/// Providers send other types too, so each value is read only if it has the expected one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageText {
    /// A text, or a list of parts.
    content: Value,
    refusal: Value,
    tool_calls: Value,
}

impl MessageText {
    fn text(&self) -> String {
        fn each(list: &Value) -> &[Value] {
            list.as_array().map(Vec::as_slice).unwrap_or_default()
        }
        let parts = each(&self.content).iter().map(|part| &part["text"]);
        let arguments = each(&self.tool_calls).iter().map(|call| &call["function"]["arguments"]);
        let texts = [&self.content, &self.refusal].into_iter().chain(parts).chain(arguments);
        texts.filter_map(Value::as_str).collect()
    }
}

impl Chunk {
    /// Adds the texts of the chunk to the texts of the choices, by their index.
    pub fn add_texts(&self, texts: &mut BTreeMap<u32, String>) {
        let choices = self.choices.as_ref().map(|choices| serde_json::from_str::<Vec<ChoiceText>>(choices.get()));
        for choice in choices.and_then(Result::ok).unwrap_or_default() {
            texts.entry(choice.index).or_default().push_str(&choice.message.text());
        }
    }

    /// Creates a chunk and counts its output tokens from the deltas.
    pub fn from_deltas(choices: &[DeltaChoice], usage: Option<Tokens>) -> Result<Self, ProviderFailure> {
        let counted_output = choices.iter().map(|choice| choice.delta.count_tokens()).sum();
        Ok(Self {
            choices: if choices.is_empty() { None } else { Some(raw(choices)?) },
            finished: choices.iter().map(|choice| u32::from(choice.finish_reason.is_some())).sum(),
            counted_output,
            usage,
            system_fingerprint: None,
        })
    }
}

fn raw(choices: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, ProviderFailure> {
    serde_json::value::to_raw_value(choices).map_err(ProviderFailure::malformed_answer)
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
    /// Data that the client must send back with the call, in Google's format: `{"google": {"thought_signature": …}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_content: Option<Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FunctionCall {
    pub name: String,
    /// JSON, encoded as a string.
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
    fn count_tokens(&self) -> u64 {
        let texts = self.content.iter().chain(&self.refusal);
        let arguments = self.tool_calls.iter().map(|call| &call.function.arguments);
        texts.chain(arguments).map(|text| crate::tokens::count(text)).sum()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    #[test]
    fn texts_are_read_from_every_form_that_providers_send() {
        let choices = json!([
            {"index": 0, "message": {"content": "a", "refusal": null, "tool_calls": [
                {"function": {"name": "f", "arguments": "{\"x\": 1}"}}]}},
            {"index": 1, "message": {"content": [{"type": "text", "text": "b"}, {"type": "image"}], "refusal": "c"}},
            {"index": 2, "message": {"content": 7, "tool_calls": {}}},
        ]);
        let answer = ChatAnswer { choices: to_raw_value(&choices).unwrap(), usage: None, system_fingerprint: None };
        assert_eq!(answer.texts(), [r#"a{"x": 1}"#, "cb", ""]);
    }
}
