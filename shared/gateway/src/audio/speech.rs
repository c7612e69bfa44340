//! Speech in OpenAI's format: the request, and the audio of a provider.

use bytes::Bytes;
use futures::stream::BoxStream;
use serde_json::{Map, Value};

use crate::body::{check_text, read_parameters, refuse_parameter, require_model};
use crate::failure::ProviderFailure;
use crate::parameters::{Parameters, SPEECH};
use crate::tokens;
use domain::catalog::Model;
use domain::lease::CallLimits;
use domain::provider::UpstreamApi;
use domain::usage::Quantities;
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 7] =
    ["model", "input", "voice", "response_format", "speed", "instructions", "stream_format"];
const MAX_INPUT_CHARS: usize = 4_096;
/// The formats, each with its content type.
const FORMATS: [(&str, &str); 6] = [
    ("mp3", "audio/mpeg"),
    ("opus", "audio/opus"),
    ("aac", "audio/aac"),
    ("flac", "audio/flac"),
    ("wav", WAV),
    ("pcm", "audio/pcm"),
];
pub const WAV: &str = "audio/wav";

/// A validated request.
#[derive(Clone, Debug)]
pub struct SpeechRequest {
    body: Map<String, Value>,
}

/// A provider's answer: audio that arrives in pieces.
pub struct SpeechAnswer {
    pub content_type: String,
    pub audio: AudioPieces,
}

/// Pieces of audio, in order. A failure is the last item.
pub type AudioPieces = BoxStream<'static, Result<Bytes, ProviderFailure>>;

impl SpeechRequest {
    pub fn read(body: Value) -> Result<Self> {
        let body = read_parameters(body, &[])?;
        require_model(&body)?;
        let chars = body.get("input").and_then(Value::as_str).map_or(0, |input| input.chars().count());
        if !(1..=MAX_INPUT_CHARS).contains(&chars) {
            return Err(Error::invalid_body("input", "must be a text of 1 to 4096 characters"));
        }
        check_text(&body, "instructions", MAX_INPUT_CHARS)?;
        let is_voice = |voice: &Value| voice.is_object() || voice.as_str().is_some_and(|name| !name.is_empty());
        if !body.get("voice").is_none_or(is_voice) {
            return Err(Error::invalid_body("voice", "must be the name of a voice, or an object with its id"));
        }
        let is_format = |format: &Value| FORMATS.iter().any(|(name, _)| format == name);
        if !body.get("response_format").is_none_or(is_format) {
            return Err(Error::invalid_body("response_format", "must be mp3, opus, aac, flac, wav or pcm"));
        }
        let is_speed = |speed: &Value| speed.as_f64().is_some_and(|speed| (0.25..=4.0).contains(&speed));
        if !body.get("speed").is_none_or(is_speed) {
            return Err(Error::invalid_body("speed", "must be a number from 0.25 to 4"));
        }
        if body.get("stream_format").is_some_and(|format| format != "audio") {
            let problem = "speech is streamed as audio, not as events; leave stream_format out";
            return Err(refuse_parameter("stream_format", problem));
        }
        Ok(Self { body })
    }

    /// The rules for the parameters. All providers of speech have OpenAI's.
    pub fn parameters(&self) -> Parameters<'_> {
        Parameters::new(&SPEECH, &VALIDATED, &self.body, UpstreamApi::OpenAi, "")
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn input(&self) -> &str {
        self.body.get("input").and_then(Value::as_str).unwrap_or_default()
    }

    /// What the client says about the manner of the speech.
    pub fn instructions(&self) -> &str {
        self.body.get("instructions").and_then(Value::as_str).unwrap_or_default()
    }

    /// The requested format, if the provider is not to choose it.
    pub fn format(&self) -> Option<&str> {
        self.body.get("response_format").and_then(Value::as_str)
    }

    /// The content type of the requested format, which is MP3 by default.
    pub fn content_type(&self) -> &'static str {
        let format = self.format().unwrap_or("mp3");
        FORMATS.iter().find(|(name, _)| *name == format).map_or("application/octet-stream", |(_, kind)| kind)
    }

    pub fn characters(&self) -> u64 {
        self.input().chars().count() as u64
    }

    /// The maximum tokens that a provider may count for the texts.
    pub fn greatest_input(&self) -> u64 {
        tokens::count(self.input()) + tokens::count(self.instructions()) + tokens::PER_MESSAGE
    }

    /// The most that a call may use.
    pub fn greatest_use(&self, model: &Model) -> CallLimits {
        let input = self.greatest_input();
        let quantities = Quantities { characters: self.characters(), ..Quantities::default() };
        CallLimits {
            money: model.pricing.greatest_cost(input, 0) + model.pricing.quantity_cost(&quantities),
            tokens: input,
            images: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<SpeechRequest> {
        let mut body = json!({"model": "m", "input": "Grüße", "voice": "alloy"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        SpeechRequest::read(body)
    }

    #[test]
    fn characters_and_formats_are_those_of_the_request() {
        let request = read(json!({"response_format": "opus", "speed": 1.5, "voice": {"id": "v"}})).unwrap();
        assert_eq!((request.characters(), request.content_type()), (5, "audio/opus"));
        assert_eq!(read(json!({})).unwrap().content_type(), "audio/mpeg");
        assert!(read(json!({"input": "é".repeat(4_096), "stream_format": "audio"})).is_ok());
    }

    #[test]
    fn invalid_parameters_are_named() {
        for (more, field) in [
            (json!({"model": null}), "model"),
            (json!({"input": ""}), "input"),
            (json!({"input": "x".repeat(4_097)}), "input"),
            (json!({"voice": 7}), "voice"),
            (json!({"response_format": "ogg"}), "response_format"),
            (json!({"speed": 5}), "speed"),
            (json!({"instructions": ["slowly"]}), "instructions"),
            (json!({"stream_format": "sse"}), "stream_format"),
        ] {
            match read(more.clone()).unwrap_err() {
                Error::InvalidBody { field: named, .. } => assert_eq!(named, field, "{more}"),
                Error::Provider { param, .. } => assert_eq!(param.as_deref(), Some(field), "{more}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
