//! The bodies of transcriptions and speech, for the OpenAPI document. `gateway` reads the requests, and
//! `writers/transcriptions.rs` writes the answers.

#![expect(dead_code, reason = "the types are used only for the OpenAPI document")]

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A form with an audio file. Other parameters of OpenAI, such as `include[]` and `chunking_strategy`, are forwarded.
#[derive(Serialize, ToSchema)]
#[schema(as = TranscriptionForm)]
pub struct TranscriptionIn {
    /// The audio file, with a file name whose extension says its format: `flac`, `mp3`, `mp4`, `mpeg`, `mpga`, `m4a`, `ogg`, `wav` or
    /// `webm`
    #[schema(value_type = String, format = Binary)]
    file: String,
    /// The name of a model with the capability `transcription`, or a public alias
    #[schema(example = "dev-transcribe")]
    model: String,
    /// The language of the audio, such as `en`
    #[schema(max_length = 32)]
    language: Option<String>,
    /// A text that shows the style or the words to expect
    #[schema(max_length = 4096)]
    prompt: Option<String>,
    #[schema(default = "json")]
    response_format: Option<TranscriptFormatIn>,
    #[schema(minimum = 0, maximum = 1)]
    temperature: Option<f64>,
    /// `word` and `segment`, each in a part named `timestamp_granularities[]`. For `verbose_json`
    timestamp_granularities: Option<Vec<String>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = TranscriptFormat)]
#[serde(rename_all = "snake_case")]
enum TranscriptFormatIn {
    Json,
    Text,
    Srt,
    VerboseJson,
    Vtt,
    DiarizedJson,
}

/// A transcription. `verbose_json` and `diarized_json` add the fields of the provider, such as `segments`.
#[derive(Serialize, ToSchema)]
#[schema(as = Transcription)]
pub struct TranscriptionOut {
    text: String,
    usage: TranscriptionUsageOut,
}

#[derive(Serialize, ToSchema)]
#[schema(as = TranscriptionUsage)]
struct TranscriptionUsageOut {
    /// `duration`, or `tokens` if the provider counted them
    r#type: String,
    /// The length of the audio
    #[schema(nullable = false)]
    seconds: Option<f64>,
    #[schema(nullable = false)]
    input_tokens: Option<u64>,
    #[schema(nullable = false)]
    output_tokens: Option<u64>,
    #[schema(nullable = false)]
    total_tokens: Option<u64>,
    /// US dollars
    cost: f64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SpeechRequest)]
pub struct SpeechIn {
    /// The name of a model with the capability `speech`, or a public alias
    #[schema(example = "dev-speech")]
    model: String,
    #[schema(min_length = 1, max_length = 4096, example = "Good morning")]
    input: String,
    /// The name of a voice of the model, or an object with its `id`
    #[schema(value_type = Option<Value>)]
    voice: Option<Value>,
    /// `mp3` by default at most providers. `dev-speech` makes only `wav` and `pcm`
    response_format: Option<SpeechFormatIn>,
    #[schema(minimum = 0.25, maximum = 4.0)]
    speed: Option<f64>,
    /// How the text is to be spoken
    #[schema(max_length = 4096)]
    instructions: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SpeechFormat)]
#[serde(rename_all = "snake_case")]
enum SpeechFormatIn {
    Mp3,
    Opus,
    Aac,
    Flac,
    Wav,
    Pcm,
}
