//! The answer of a provider: complete, or the chunks of a stream.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::choice::{Choice, DeltaChoice, FinishReason, ReadChoice};
use domain::usage::Tokens;
use domain::{Error, Result};

/// The choices of an answer or of a chunk. They are serialized, and stored for replays, in OpenAI's format.
#[derive(Clone, Debug)]
pub enum Choices<T> {
    /// The bytes of a provider with OpenAI's API. A writer of this format forwards them, and all others `read` them.
    OpenAi(Box<RawValue>),
    Translated(Vec<T>),
}

impl<T: ReadChoice> Choices<T> {
    pub fn read(&self) -> Cow<'_, [T]> {
        match self {
            Self::Translated(choices) => Cow::Borrowed(choices),
            Self::OpenAi(json) => Cow::Owned(read_choices(json).unwrap_or_default()),
        }
    }

    /// The first choice. Callers in the process request only one.
    pub fn into_first(self) -> Result<Option<T>> {
        let choices = match self {
            Self::Translated(choices) => choices,
            Self::OpenAi(json) => read_choices(&json).map_err(Error::internal)?,
        };
        Ok(choices.into_iter().next())
    }

    /// About the number of bytes of the choices as JSON.
    pub fn estimate_size(&self) -> usize {
        match self {
            Self::Translated(choices) => 128 * choices.len(),
            Self::OpenAi(json) => json.get().len(),
        }
    }

    /// The choices as JSON in OpenAI's format.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn read_choices<T: ReadChoice>(json: &RawValue) -> serde_json::Result<Vec<T>> {
    let choices: Vec<Value> = serde_json::from_str(json.get())?;
    Ok(choices.into_iter().map(T::read).collect())
}

impl<T: Serialize> Serialize for Choices<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::OpenAi(json) => json.serialize(serializer),
            Self::Translated(choices) => choices.serialize(serializer),
        }
    }
}

impl<'de, T> Deserialize<'de> for Choices<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::deserialize(deserializer).map(Self::OpenAi)
    }
}

/// A complete answer of a provider. The gateway adds its id, its time and its cost.
#[derive(Debug)]
pub struct ChatAnswer {
    pub choices: Choices<Choice>,
    /// None when the provider did not report usage. An explicit zero is kept as zero.
    pub usage: Option<Tokens>,
    pub system_fingerprint: Option<String>,
}

impl ChatAnswer {
    pub fn from_choices(choices: Vec<Choice>, usage: Option<Tokens>) -> Self {
        Self { choices: Choices::Translated(choices), usage, system_fingerprint: None }
    }

    /// The weight of all that the model wrote, which is charged when the provider reports no usage.
    pub fn weigh(&self) -> u64 {
        self.choices.read().iter().map(|choice| choice.message.weigh()).sum()
    }

    /// Why each choice has ended.
    pub fn finish_reasons(&self) -> Vec<&'static str> {
        self.choices.read().iter().map(|choice| choice.finish_reason.as_str()).collect()
    }

    /// The text of each choice, with its refusals and the arguments of its tool calls.
    pub fn texts(&self) -> Vec<String> {
        self.choices.read().iter().map(|choice| choice.message.texts().collect()).collect()
    }
}

/// One chunk of a streamed answer.
#[derive(Debug)]
pub struct Chunk {
    /// None in a chunk that reports only usage.
    pub choices: Option<Choices<DeltaChoice>>,
    /// The number of choices that finish with this chunk.
    pub finished: u32,
    /// The weight of all that the model wrote in the chunk, see `tokens::weigh`. It is charged when the provider never reports
    /// usage.
    pub weight: u64,
    /// The provider's cumulative count up to this chunk.
    pub usage: Option<Tokens>,
    pub system_fingerprint: Option<String>,
}

impl Chunk {
    /// Creates a chunk and weighs its deltas.
    pub fn from_deltas(choices: Vec<DeltaChoice>, usage: Option<Tokens>) -> Self {
        Self {
            finished: choices.iter().map(|choice| u32::from(choice.finish_reason.is_some())).sum(),
            weight: choices.iter().map(|choice| choice.delta.weigh()).sum(),
            choices: (!choices.is_empty()).then_some(Choices::Translated(choices)),
            usage,
            system_fingerprint: None,
        }
    }

    /// Why the choices have ended that finish with this chunk.
    pub fn finish_reasons(&self) -> Vec<&'static str> {
        let Some(choices) = &self.choices else { return Vec::new() };
        choices.read().iter().filter_map(|choice| choice.finish_reason).map(FinishReason::as_str).collect()
    }

    /// Adds the texts of the chunk to the texts of the choices, by their index.
    pub fn add_texts(&self, texts: &mut BTreeMap<u32, String>) {
        let Some(choices) = &self.choices else { return };
        for choice in &*choices.read() {
            texts.entry(choice.index).or_default().extend(choice.delta.texts());
        }
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
        let choices = Choices::OpenAi(to_raw_value(&choices).unwrap());
        let answer = ChatAnswer { choices, usage: None, system_fingerprint: None };
        assert_eq!(answer.texts(), [r#"a{"x": 1}"#, "bc", ""]);
    }
}
