//! Writes transcriptions in OpenAI's format.

use domain::usd::Usd;
use domain::{Error, Result};
use gateway::Transcription;
use serde::Serialize;
use serde_json::{Map, Value};

use super::to_json;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// The usage in the form of OpenAI, with the cost.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum UsageOut {
    Tokens { input_tokens: u64, output_tokens: u64, total_tokens: u64, cost: Usd },
    Duration { seconds: f64, cost: Usd },
}

impl UsageOut {
    fn new(Transcription { audio_ms, usage, .. }: &Transcription) -> Self {
        let cost = usage.cost.into();
        match usage.tokens.total() {
            0 => Self::Duration { seconds: *audio_ms as f64 / 1_000.0, cost },
            total_tokens => Self::Tokens {
                input_tokens: usage.tokens.input,
                output_tokens: usage.tokens.output,
                total_tokens,
                cost,
            },
        }
    }
}

/// The content type and the body. JSON is that of the provider, with the usage of this gateway.
pub fn write_transcription(transcription: &Transcription) -> Result<(&'static str, Vec<u8>)> {
    if !transcription.format.is_json() {
        return Ok((TEXT, transcription.body.clone().into_bytes()));
    }
    let mut body: Map<String, Value> = serde_json::from_str(&transcription.body).map_err(Error::internal)?;
    body.shift_remove("usage");
    #[derive(Serialize)]
    struct WithUsage {
        #[serde(flatten)]
        body: Map<String, Value>,
        usage: UsageOut,
    }
    Ok((JSON, to_json(&WithUsage { body, usage: UsageOut::new(transcription) })?))
}
