//! Writes the answers of chats and embeddings in OpenAI's format: as JSON, or as server-sent events (SSE).
//!
//! It is the only place that knows this format of answers. `choices` of a provider with OpenAI's API keep their bytes.

use axum::body::Bytes;
use domain::Result;
use futures::{Stream, StreamExt};
use gateway::chat::{Choice, Choices, DeltaChoice};
use gateway::{AnswerChunk, AnswerHead, ChatStream, Completion, Embeddings, StreamItem, Vector};
use serde::Serialize;

use super::{HEARTBEAT, to_json, write_data};
use crate::dto::UsageOut;

/// About how many bytes an event has besides its choices.
const EVENT_BYTES: usize = 256;
pub(super) const DONE: &[u8] = b"data: [DONE]\n\n";

#[derive(Serialize)]
struct CompletionOut<'a> {
    id: String,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: &'a Choices<Choice>,
    usage: UsageOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'a str>,
}

#[derive(Serialize)]
struct ChunkOut<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: &'a Choices<DeltaChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'a str>,
    /// Absent unless the client requests usage. Then it is null in every chunk except the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<UsageOut>>,
}

#[derive(Serialize)]
struct EmbeddingsOut<'a> {
    object: &'static str,
    data: Vec<EmbeddingOut<'a>>,
    model: &'a str,
    usage: UsageOut,
}

#[derive(Serialize)]
struct EmbeddingOut<'a> {
    object: &'static str,
    index: usize,
    embedding: VectorOut<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum VectorOut<'a> {
    Floats(&'a [f32]),
    /// Little-endian 32-bit floats, encoded as base64.
    Base64(String),
}

pub fn write_completion(Completion { head, choices, usage, system_fingerprint }: &Completion) -> Result<Vec<u8>> {
    to_json(&CompletionOut {
        id: chat_id(head),
        object: "chat.completion",
        created: head.created,
        model: &head.model,
        choices,
        usage: UsageOut::of_chat(usage),
        system_fingerprint: system_fingerprint.as_deref(),
    })
}

pub fn write_embeddings(embeddings: &Embeddings, as_base64: bool) -> Result<Vec<u8>> {
    let vectors = embeddings.vectors.iter().enumerate().map(|(index, vector)| {
        let Vector(floats) = vector;
        let embedding =
            if as_base64 { VectorOut::Base64(vector.to_base64()) } else { VectorOut::Floats(floats.as_slice()) };
        EmbeddingOut { object: "embedding", index, embedding }
    });
    to_json(&EmbeddingsOut {
        object: "list",
        data: vectors.collect(),
        model: &embeddings.model,
        usage: UsageOut::of_input(&embeddings.usage),
    })
}

/// Writes each item of a stream as events. A failure is an event too, after which there is no `[DONE]`.
pub fn write_stream(
    ChatStream { head, items }: ChatStream,
    wants_usage: bool,
    request_id: String,
) -> impl Stream<Item = Bytes> + use<> {
    let writer = ChunkWriter { id: chat_id(&head), head, wants_usage };
    items.map(move |item| match item {
        StreamItem::Chunks(chunks) => {
            let usage = || writer.wants_usage.then_some(None);
            let size = chunks.iter().map(|chunk| EVENT_BYTES + chunk.choices.estimate_size()).sum();
            let mut events = Vec::with_capacity(size);
            for AnswerChunk { choices, system_fingerprint } in &chunks {
                writer.write(&mut events, choices, system_fingerprint.as_deref(), usage());
            }
            events.into()
        }
        StreamItem::Heartbeat => HEARTBEAT,
        StreamItem::Failed(error) => format!("data: {}\n\n", web::gateway::event(&error, &request_id)).into(),
        StreamItem::End(usage) => {
            let no_choices = Choices::Translated(Vec::new());
            let mut last = Vec::new();
            if writer.wants_usage {
                writer.write(&mut last, &no_choices, None, Some(Some(UsageOut::of_chat(&usage))));
            }
            last.extend_from_slice(DONE);
            last.into()
        }
    })
}

struct ChunkWriter {
    id: String,
    head: AnswerHead,
    wants_usage: bool,
}

impl ChunkWriter {
    /// Adds an event.
    fn write(
        &self,
        events: &mut Vec<u8>,
        choices: &Choices<DeltaChoice>,
        system_fingerprint: Option<&str>,
        usage: Option<Option<UsageOut>>,
    ) {
        let chunk = ChunkOut {
            id: &self.id,
            object: "chat.completion.chunk",
            created: self.head.created,
            model: &self.head.model,
            choices,
            system_fingerprint,
            usage,
        };
        write_data(events, &chunk);
    }
}

fn chat_id(head: &AnswerHead) -> String {
    format!("chatcmpl-{}", head.id.uuid().simple())
}
