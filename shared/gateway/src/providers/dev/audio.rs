//! The audio of the development models: a transcription that describes its file, and speech with a tone for each character.

use std::f64::consts::TAU;

use bytes::Bytes;
use futures::StreamExt;
use serde_json::{Value, json};

use super::hash::hash;
use super::{SPEECH, TRANSCRIBE};
use crate::audio::speech::{SpeechAnswer, SpeechRequest, WAV};
use crate::audio::transcription::{Transcript, TranscriptFormat, TranscriptionRequest};
use crate::audio::wav::{SAMPLE_RATE, wav};
use crate::failure::{FailureKind, ProviderFailure};

/// The length of the tone of a character, at normal speed.
const SAMPLES_PER_CHAR: f64 = 960.0;
/// The pieces in which the audio arrives.
const PIECE_BYTES: usize = 16 * 1024;

pub fn transcribe(request: &TranscriptionRequest) -> Transcript {
    let (audio_ms, _) = request.length().likely_ms();
    let (file, seconds) = (request.file(), audio_ms as f64 / 1_000.0);
    let text = format!(
        "I am {TRANSCRIBE}, the development model of this platform; no provider is behind me. The file {} has {} bytes and \
         {seconds} seconds of audio.",
        file.name,
        file.content.len(),
    );
    let body = match request.format() {
        TranscriptFormat::Text => format!("{text}\n"),
        TranscriptFormat::Srt => format!("1\n{} --> {}\n{text}\n", clock(0, ','), clock(audio_ms, ',')),
        TranscriptFormat::Vtt => format!("WEBVTT\n\n{} --> {}\n{text}\n", clock(0, '.'), clock(audio_ms, '.')),
        TranscriptFormat::Json => json!({"text": text}).to_string(),
        TranscriptFormat::VerboseJson => verbose(&text, seconds).to_string(),
        TranscriptFormat::DiarizedJson => diarized(&text, seconds).to_string(),
    };
    Transcript { body, tokens: None, audio_ms: Some(audio_ms) }
}

fn verbose(text: &str, seconds: f64) -> Value {
    let segment = json!({
        "id": 0, "seek": 0, "start": 0.0, "end": seconds, "text": text, "tokens": [], "temperature": 0.0,
        "avg_logprob": 0.0, "compression_ratio": 1.0, "no_speech_prob": 0.0,
    });
    json!({"task": "transcribe", "language": "english", "duration": seconds, "text": text, "segments": [segment]})
}

fn diarized(text: &str, seconds: f64) -> Value {
    let segment = json!({
        "type": "transcript.text.segment", "id": "seg_0", "start": 0.0, "end": seconds, "text": text, "speaker": "A",
    });
    json!({"task": "transcribe", "duration": seconds, "text": text, "segments": [segment]})
}

/// A time of a subtitle, such as `00:01:02,500`.
fn clock(ms: u64, separator: char) -> String {
    let seconds = ms / 1_000;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}{separator}{:03}", seconds % 60, ms % 1_000)
}

pub fn speak(request: &SpeechRequest) -> Result<SpeechAnswer, ProviderFailure> {
    let (content_type, audio) = match request.format() {
        None | Some("wav") => (WAV, wav(&samples(request))),
        Some("pcm") => {
            let bytes: Vec<u8> = samples(request).iter().flat_map(|sample| sample.to_le_bytes()).collect();
            (request.content_type(), bytes.into())
        }
        Some(other) => {
            let message = format!("response_format: {SPEECH} makes no {other}; send wav or pcm, or leave it out");
            let param = Some("response_format".to_owned());
            return Err(ProviderFailure {
                param,
                ..ProviderFailure::new(FailureKind::Request, "invalid_value", message)
            });
        }
    };
    let pieces: Vec<_> = (0..audio.len()).step_by(PIECE_BYTES).map(|from| Ok(piece(&audio, from))).collect();
    Ok(SpeechAnswer { content_type: content_type.to_owned(), audio: futures::stream::iter(pieces).boxed() })
}

fn piece(audio: &Bytes, from: usize) -> Bytes {
    audio.slice(from..audio.len().min(from + PIECE_BYTES))
}

/// A tone for each character, whose height depends on the character and the voice.
fn samples(request: &SpeechRequest) -> Vec<i16> {
    let speed = request.body().get("speed").and_then(Value::as_f64).unwrap_or(1.0);
    let voice = request.body().get("voice").map_or(0, |voice| hash(voice.to_string().as_bytes()) % 120);
    let length = (SAMPLES_PER_CHAR / speed) as u32;
    let tone = |c: char| {
        let step = hash(c.to_string().as_bytes()) % 440;
        let frequency = if c.is_alphanumeric() { (180 + voice + step) as f64 } else { 0.0 };
        (0..length).map(move |at| {
            // Each tone swells and fades, so that it begins and ends without a click.
            let swell = (f64::from(at) / f64::from(length) * TAU / 2.0).sin();
            let wave = (TAU * frequency * f64::from(at) / f64::from(SAMPLE_RATE)).sin();
            (wave * swell * 12_000.0) as i16
        })
    };
    request.input().chars().flat_map(tone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::length::AudioLength;

    async fn speak_json(body: Value) -> (String, Vec<u8>) {
        let answer = speak(&SpeechRequest::read(body).unwrap()).unwrap();
        let pieces: Vec<Bytes> = answer.audio.map(Result::unwrap).collect().await;
        (answer.content_type, pieces.concat())
    }

    #[tokio::test]
    async fn speech_is_a_wav_file_whose_length_depends_on_the_text() {
        let body = |input: &str| json!({"model": "m", "input": input, "voice": "alloy"});
        let (content_type, file) = speak_json(body("Good morning")).await;
        assert_eq!(content_type, WAV);
        // 40 ms for each character.
        assert_eq!(AudioLength::of(&file).likely_ms().0, 12 * 40);
        assert_eq!(file, speak_json(body("Good morning")).await.1);
        assert_ne!(file, speak_json(body("Good evening")).await.1);
        let mut fast = body("Good morning");
        fast["response_format"] = json!("pcm");
        fast["speed"] = json!(2);
        assert_eq!(speak_json(fast).await.1.len(), 12 * 480 * 2);
        let mp3 = json!({"model": "m", "input": "Hi", "response_format": "mp3"});
        let refused = speak(&SpeechRequest::read(mp3).unwrap()).err().unwrap();
        assert_eq!(refused.param.as_deref(), Some("response_format"));
    }

    #[test]
    fn subtitles_have_hours_minutes_and_seconds() {
        assert_eq!(clock(3_723_045, ','), "01:02:03,045");
    }
}
