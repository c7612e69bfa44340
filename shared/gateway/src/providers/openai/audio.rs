//! Transcriptions and speech.

use futures::StreamExt;
use serde_json::{Map, Value};

use crate::audio::speech::AudioPieces;
use crate::audio::transcription::{Transcript, TranscriptFormat, TranscriptionRequest, TranscriptionTask};
use crate::body::others;
use crate::failure::ProviderFailure;
use crate::providers::count;
use crate::providers::multipart::MultipartForm;
use crate::providers::status::failure_in_answer;
use domain::usage::Tokens;

const MS_PER_S: f64 = 1_000.0;

pub fn path(task: TranscriptionTask) -> &'static str {
    match task {
        TranscriptionTask::Transcribe => "audio/transcriptions",
        TranscriptionTask::Translate => "audio/translations",
    }
}

/// The parameters as the client sent them, with the provider's name of the model.
pub fn form(model: &str, request: &TranscriptionRequest) -> MultipartForm {
    let mut form = MultipartForm::new();
    form.add_file("file", request.file());
    form.add("model", &model.into());
    others(request.body(), &["model", "stream"]).for_each(|(name, value)| form.add(name, value));
    form
}

pub fn read_transcript(body: &[u8], format: TranscriptFormat) -> Result<Transcript, ProviderFailure> {
    let text = || String::from_utf8(body.to_vec()).map_err(ProviderFailure::malformed_answer);
    if !format.is_json() {
        return Ok(Transcript { body: text()?, tokens: None, audio_ms: None });
    }
    let answer: Map<String, Value> = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(failure_in_answer(error));
    }
    if !answer.get("text").is_some_and(Value::is_string) {
        return Err(ProviderFailure::malformed_answer("a transcription without a text"));
    }
    let usage = answer.get("usage").unwrap_or(&Value::Null);
    let audio_ms = milliseconds(&usage["seconds"]).or_else(|| answer.get("duration").and_then(milliseconds));
    Ok(Transcript { body: text()?, tokens: read_tokens(usage), audio_ms })
}

/// The tokens of models that report them. Others are paid by the length of the audio.
fn read_tokens(usage: &Value) -> Option<Tokens> {
    let (input, output) = (count(&usage["input_tokens"])?, count(&usage["output_tokens"])?);
    Some(Tokens { input, output, ..Tokens::default() })
}

/// Some servers write the seconds as a text.
fn milliseconds(seconds: &Value) -> Option<u64> {
    let seconds = seconds.as_f64().or_else(|| seconds.as_str()?.parse().ok())?;
    let is_plausible = seconds.is_finite() && seconds > 0.0 && seconds < f64::from(u32::MAX);
    is_plausible.then(|| (seconds * MS_PER_S).ceil() as u64)
}

/// The pieces of audio, with at least one. A provider that sends none has failed, so that another one can be tried.
pub async fn require_audio(mut pieces: AudioPieces) -> Result<AudioPieces, ProviderFailure> {
    let first = pieces.next().await.ok_or_else(|| ProviderFailure::malformed_answer("speech without audio"))??;
    Ok(futures::stream::iter([Ok(first)]).chain(pieces).boxed())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(answer: Value) -> Result<Transcript, ProviderFailure> {
        read_transcript(answer.to_string().as_bytes(), TranscriptFormat::Json)
    }

    #[test]
    fn the_usage_of_each_kind_of_model_is_read() {
        let by_length = read(json!({"text": "Hi", "usage": {"type": "duration", "seconds": 9}})).unwrap();
        assert_eq!((by_length.audio_ms, by_length.tokens), (Some(9_000), None));
        let verbose = read(json!({"text": "Hi", "duration": "8.4705"})).unwrap();
        assert_eq!(verbose.audio_ms, Some(8_471));
        let usage = json!({"type": "tokens", "input_tokens": 14, "output_tokens": 45, "total_tokens": 59});
        let by_tokens = read(json!({"text": "Hi", "usage": usage})).unwrap();
        assert_eq!(by_tokens.tokens, Some(Tokens { input: 14, output: 45, ..Tokens::default() }));
        for odd in [json!(-1), json!("long"), json!(1e300), json!(null)] {
            assert_eq!(read(json!({"text": "", "duration": odd})).unwrap().audio_ms, None);
        }
    }

    #[test]
    fn errors_and_answers_without_a_text_fail() {
        assert_eq!(read(json!({"usage": {}})).unwrap_err().code, "provider_answer_garbled");
        assert_eq!(read(json!({"error": {"code": "too_odd", "message": "no"}})).unwrap_err().code, "too_odd");
        let text = read_transcript(b"1\n00:00:00,000 --> 00:00:01,000\nHi\n", TranscriptFormat::Srt).unwrap();
        assert!(text.body.starts_with('1') && text.audio_ms.is_none());
        assert!(read_transcript(b"\xff", TranscriptFormat::Text).is_err());
    }
}
