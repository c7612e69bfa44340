//! Transcriptions and translations of audio in OpenAI's format: the request, and the answer of a provider.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::length::AudioLength;
use crate::body::{check_text, read_parameters, refuse_parameter, require_model};
use crate::parameters::{Parameters, TRANSCRIPTIONS};
use crate::tokens;
use crate::upload::UploadedFile;
use domain::catalog::Model;
use domain::lease::CallLimits;
use domain::provider::UpstreamApi;
use domain::usage::{Quantities, Tokens};
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 7] =
    ["model", "language", "prompt", "response_format", "temperature", "timestamp_granularities", "stream"];
/// The parameters that are numbers, which a form has as texts.
pub const NUMBERS: [&str; 1] = ["temperature"];
const MAX_PROMPT_CHARS: usize = 4_096;
const MAX_LANGUAGE_CHARS: usize = 32;
/// Providers count at most about 32 tokens for a second of audio.
const MOST_TOKENS_PER_S: u64 = 32;
/// A person speaks fewer tokens in a second.
const MOST_SPOKEN_TOKENS_PER_S: u64 = 8;
const LEAST_OUTPUT_TOKENS: u64 = 64;

/// The language of the text: that of the audio, or English.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptionTask {
    Transcribe,
    Translate,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    Json,
    VerboseJson,
    DiarizedJson,
    Text,
    Srt,
    Vtt,
}

/// A validated request.
#[derive(Clone, Debug)]
pub struct TranscriptionRequest {
    body: Map<String, Value>,
    file: UploadedFile,
    task: TranscriptionTask,
    format: TranscriptFormat,
    length: AudioLength,
}

/// A provider's answer.
#[derive(Debug)]
pub struct Transcript {
    /// A JSON object or a text, as the request's format is.
    pub body: String,
    pub tokens: Option<Tokens>,
    /// The length of the audio, if the provider reports it.
    pub audio_ms: Option<u64>,
}

impl TranscriptFormat {
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::VerboseJson | Self::DiarizedJson)
    }
}

impl TranscriptionRequest {
    pub fn read(body: Value, file: UploadedFile, task: TranscriptionTask) -> Result<Self> {
        let body = read_parameters(body, &[])?;
        require_model(&body)?;
        if file.content.is_empty() {
            return Err(Error::invalid_body("file", "is empty; send an audio file"));
        }
        let format = match body.get("response_format").map(TranscriptFormat::deserialize) {
            None => TranscriptFormat::Json,
            Some(Ok(format)) => format,
            Some(Err(_)) => {
                let problem = "must be json, text, srt, verbose_json, vtt or diarized_json";
                return Err(Error::invalid_body("response_format", problem));
            }
        };
        check_text(&body, "prompt", MAX_PROMPT_CHARS)?;
        check_text(&body, "language", MAX_LANGUAGE_CHARS)?;
        let is_temperature = |value: &Value| value.as_f64().is_some_and(|value| (0.0..=1.0).contains(&value));
        if !body.get("temperature").is_none_or(is_temperature) {
            return Err(Error::invalid_body("temperature", "must be a number from 0 to 1"));
        }
        let is_granularity = |value: &Value| value == "word" || value == "segment";
        let are_granularities = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(is_granularity));
        if !body.get("timestamp_granularities").is_none_or(are_granularities) {
            let problem = "must be word, segment or both; send one part named timestamp_granularities[] for each";
            return Err(Error::invalid_body("timestamp_granularities", problem));
        }
        if body.get("stream").is_some_and(|stream| stream != "false") {
            return Err(refuse_parameter("stream", "transcriptions are not streamed; remove `stream`"));
        }
        let length = AudioLength::of(&file.content);
        Ok(Self { body, file, task, format, length })
    }

    /// The rules for the parameters. All providers of transcriptions have OpenAI's.
    pub fn parameters(&self) -> Parameters<'_> {
        Parameters::new(&TRANSCRIPTIONS, &VALIDATED, &self.body, UpstreamApi::OpenAi, "")
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn file(&self) -> &UploadedFile {
        &self.file
    }

    pub fn task(&self) -> TranscriptionTask {
        self.task
    }

    pub fn format(&self) -> TranscriptFormat {
        self.format
    }

    pub fn length(&self) -> AudioLength {
        self.length
    }

    /// The most that a call may use. Tokens are reserved only if they have a price: most providers count none.
    pub fn greatest_use(&self, model: &Model) -> CallLimits {
        let audio_ms = self.length.greatest_ms();
        let (mut input, mut output) = (0, 0);
        if model.pricing.has_token_price() {
            let seconds = audio_ms.div_ceil(1_000);
            let prompt = self.body.get("prompt").and_then(Value::as_str).map_or(0, tokens::count);
            input = prompt + tokens::PER_MESSAGE + seconds * MOST_TOKENS_PER_S;
            let spoken = LEAST_OUTPUT_TOKENS + seconds * MOST_SPOKEN_TOKENS_PER_S;
            output = spoken.min(model.max_output_tokens.unwrap_or(u64::MAX));
        }
        let quantities = Quantities { audio_ms, ..Quantities::default() };
        CallLimits {
            money: model.pricing.greatest_cost(input, output) + model.pricing.quantity_cost(&quantities),
            tokens: input + output,
            images: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<TranscriptionRequest> {
        let file = UploadedFile { name: "a.wav".to_owned(), content_type: None, content: vec![1; 750].into() };
        let mut body = json!({"model": "m"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        TranscriptionRequest::read(body, file, TranscriptionTask::Transcribe)
    }

    #[test]
    fn requests_have_a_format_and_a_greatest_cost() {
        let request = read(json!({"response_format": "vtt", "stream": "false", "temperature": 0.2})).unwrap();
        assert_eq!((request.format(), request.format().is_json()), (TranscriptFormat::Vtt, false));
        assert_eq!(read(json!({})).unwrap().format(), TranscriptFormat::Json);
        assert_eq!(request.length().greatest_ms(), 1_000);
    }

    #[test]
    fn invalid_parameters_are_named() {
        for (more, field) in [
            (json!({"model": ""}), "model"),
            (json!({"response_format": "xml"}), "response_format"),
            (json!({"language": "x".repeat(33)}), "language"),
            (json!({"prompt": "x".repeat(4_097)}), "prompt"),
            (json!({"temperature": 2}), "temperature"),
            (json!({"temperature": "warm"}), "temperature"),
            (json!({"timestamp_granularities": ["letter"]}), "timestamp_granularities"),
            (json!({"timestamp_granularities": "word"}), "timestamp_granularities"),
            (json!({"stream": "true"}), "stream"),
        ] {
            match read(more.clone()).unwrap_err() {
                Error::InvalidBody { field: named, .. } => assert_eq!(named, field, "{more}"),
                Error::Provider { param, .. } => assert_eq!(param.as_deref(), Some(field), "{more}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
