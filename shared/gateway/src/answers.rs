//! The answers of calls as values, and the form in which they are stored for replays. `inference` renders them in the format
//! of its clients.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::audio::transcription::TranscriptFormat;
use crate::chat::{Choice, Choices, DeltaChoice};
use domain::guard::GuardVerdict;
use domain::id::{GuardEventId, ImageJobId, TransactionId};
use domain::money::Money;
use domain::usage::Tokens;

/// The answer of a call of any kind, as it is stored for replays.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallAnswer<'a> {
    Chat(Cow<'a, Completion>),
    ChatStream(Cow<'a, StreamedCompletion>),
    Embeddings(Cow<'a, Embeddings>),
    Evaluation(Cow<'a, Evaluation>),
    Images(Cow<'a, StartedImages>),
    Reranking(Cow<'a, Reranking>),
    Transcription(Cow<'a, Transcription>),
    Speech(Cow<'a, Speech>),
}

/// What a call used and cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    pub tokens: Tokens,
    pub cost: Money,
}

/// What identifies an answer of a chat model: its id, its time in Unix seconds and the name of the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerHead {
    pub id: TransactionId,
    pub created: i64,
    pub model: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Completion {
    pub head: AnswerHead,
    pub choices: Choices<Choice>,
    pub usage: Usage,
    pub system_fingerprint: Option<String>,
}

/// A piece of a streamed answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerChunk {
    pub choices: Choices<DeltaChoice>,
    pub system_fingerprint: Option<String>,
}

/// A whole streamed answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StreamedCompletion {
    pub head: AnswerHead,
    /// The list of the chunks, as JSON: each was written when it was sent.
    pub(crate) chunks: Box<RawValue>,
    pub usage: Usage,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Embeddings {
    pub model: String,
    /// One for each input.
    pub vectors: Vec<Vector>,
    pub usage: Usage,
}

/// A vector. Its serde form keeps every bit: base64 of little-endian 32-bit floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector(pub Vec<f32>);

/// What the guard found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    pub event: GuardEventId,
    /// The guard model.
    pub model: String,
    pub verdict: GuardVerdict,
    pub usage: Usage,
}

/// The best documents, from the most relevant one to the least.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reranking {
    pub id: TransactionId,
    pub model: String,
    pub ranks: Vec<Rank>,
    pub usage: Usage,
}

/// The score of a document, which is named by its place in the request.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rank {
    pub index: usize,
    pub score: f64,
}

/// What was said in a file of audio.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transcription {
    pub format: TranscriptFormat,
    /// A JSON object of the provider, or a text, as the format is.
    pub body: String,
    /// The length of the audio.
    pub audio_ms: u64,
    pub usage: Usage,
}

/// A text that was spoken, as a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Speech {
    pub content_type: String,
    #[serde(with = "base64_bytes")]
    pub audio: Bytes,
}

/// A job that a request has started.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct StartedImages {
    pub job: ImageJobId,
    /// Whether the model is asynchronous, so that no request waits for the job.
    pub is_asynchronous: bool,
}

impl Vector {
    pub fn to_base64(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
        STANDARD.encode(bytes)
    }

    pub(crate) fn from_base64(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text).ok()?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        rest.is_empty().then(|| Self(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()))
    }
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_base64())
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::from_base64(&text).ok_or_else(|| D::Error::custom("not base64 of 32-bit floats"))
    }
}

/// Bytes as base64.
mod base64_bytes {
    use super::*;

    pub fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        STANDARD.decode(&*text).map(Bytes::from).map_err(D::Error::custom)
    }
}

/// The answer of one kind of call.
pub trait Answer: Clone + Send + Sync + Sized + 'static {
    fn to_stored(&self) -> CallAnswer<'_>;

    /// None for the answer of another kind of call.
    fn from_stored(answer: CallAnswer<'static>) -> Option<Self>;
}

macro_rules! answers {
    ($($answer:ident = $variant:ident),+) => {
        $(impl Answer for $answer {
            fn to_stored(&self) -> CallAnswer<'_> {
                CallAnswer::$variant(Cow::Borrowed(self))
            }

            fn from_stored(answer: CallAnswer<'static>) -> Option<Self> {
                match answer {
                    CallAnswer::$variant(answer) => Some(answer.into_owned()),
                    _ => None,
                }
            }
        })+
    };
}

answers!(
    Completion = Chat,
    StreamedCompletion = ChatStream,
    Embeddings = Embeddings,
    Evaluation = Evaluation,
    StartedImages = Images,
    Reranking = Reranking,
    Transcription = Transcription,
    Speech = Speech
);
