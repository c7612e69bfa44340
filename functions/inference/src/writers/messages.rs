//! Writes the answers of chats as messages of Anthropic's API: as JSON, or as server-sent events.

use axum::body::Bytes;
use domain::chat::{Opaque, Reasoning, Vendor};
use domain::usd::Usd;
use domain::{Error, Result};
use futures::{Stream, StreamExt};
use gateway::chat::FinishReason;
use gateway::{AnswerChunk, AnswerHead, ChatStream, Completion, StreamItem, Usage};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::blocks::{Block, BlockAssembler, BlockEvent, BlockKind, Call, read_blocks};
use super::{to_json, write_event};

const PING: Bytes = Bytes::from_static(b"event: ping\ndata: {\"type\": \"ping\"}\n\n");

pub fn write_message(Completion { head, choices, usage, .. }: &Completion) -> Result<Vec<u8>> {
    let choices = choices.read();
    let choice = choices.first().ok_or_else(|| Error::internal("an answer without choices"))?;
    let blocks = read_blocks(&choice.message);
    to_json(&MessageOut {
        content: blocks.iter().map(BlockOut::new).collect(),
        stop_reason: Some(stop_reason(Some(choice.finish_reason), choice.stop_sequence.as_deref())),
        stop_sequence: choice.stop_sequence.as_deref(),
        ..MessageOut::new(head, usage)
    })
}

/// Writes each item of a stream as events. A failure is the last event.
pub fn write_message_stream(
    ChatStream { head, items }: ChatStream,
    request_id: String,
) -> impl Stream<Item = Bytes> + use<> {
    let mut start = Vec::new();
    // The input is not counted yet. The last event has all counts.
    let message = MessageOut::new(&head, &Usage::default());
    write_event(&mut start, "message_start", &json!({"type": "message_start", "message": message}));
    let mut assembler = BlockAssembler::default();
    let rest = items.map(move |item| {
        let mut events = Vec::new();
        match item {
            StreamItem::Heartbeat => return PING,
            StreamItem::Chunks(chunks) => chunks.into_iter().for_each(|chunk| add(&mut assembler, chunk, &mut events)),
            StreamItem::Failed(error) => {
                let body = web::gateway::anthropic_error(&error, &request_id);
                write_event(&mut events, "error", &body);
            }
            StreamItem::End(usage) => {
                assembler.finish().iter().for_each(|event| write_block_event(&mut events, event));
                let reason = stop_reason(assembler.finish_reason, assembler.stop_sequence.as_deref());
                let delta = json!({"stop_reason": reason, "stop_sequence": assembler.stop_sequence});
                let last = json!({"type": "message_delta", "delta": delta, "usage": usage_of(&usage)});
                write_event(&mut events, "message_delta", &last);
                write_event(&mut events, "message_stop", &json!({"type": "message_stop"}));
            }
        }
        events.into()
    });
    futures::stream::once(async { start.into() }).chain(rest)
}

fn add(assembler: &mut BlockAssembler, chunk: AnswerChunk, events: &mut Vec<u8>) {
    // This dialect has one choice.
    for choice in chunk.choices.read().iter().filter(|choice| choice.index == 0) {
        assembler.add(choice.delta.clone()).iter().for_each(|event| write_block_event(events, event));
        assembler.finish_reason = choice.finish_reason.or(assembler.finish_reason);
        assembler.stop_sequence = choice.stop_sequence.clone().or(assembler.stop_sequence.take());
    }
}

#[derive(Serialize)]
struct MessageOut<'a> {
    id: String,
    r#type: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<BlockOut<'a>>,
    stop_reason: Option<&'static str>,
    stop_sequence: Option<&'a str>,
    usage: Value,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockOut<'a> {
    Text { text: &'a str },
    Thinking { thinking: &'a str, signature: String },
    RedactedThinking { data: String },
    ToolUse { id: &'a str, name: &'a str, input: Arguments<'a> },
}

/// The arguments of a call as an object. They keep their bytes. An answer that was cut may have none that are JSON.
struct Arguments<'a>(&'a str);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(self.0) {
            Ok(arguments) if arguments.get().starts_with('{') => arguments.serialize(serializer),
            _ => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

impl<'a> MessageOut<'a> {
    fn new(head: &'a AnswerHead, usage: &Usage) -> Self {
        Self {
            id: format!("msg_{}", head.id.uuid().simple()),
            r#type: "message",
            role: "assistant",
            model: &head.model,
            content: Vec::new(),
            stop_reason: None,
            stop_sequence: None,
            usage: usage_of(usage),
        }
    }
}

impl<'a> BlockOut<'a> {
    fn new(block: &'a Block) -> Self {
        match block {
            Block::Text(text) | Block::Refusal(text) => Self::Text { text },
            Block::Reasoning(Reasoning::Text { text, signature }) => {
                Self::Thinking { thinking: text, signature: signature.as_ref().map(field).unwrap_or_default() }
            }
            Block::Reasoning(Reasoning::Encrypted(data)) => Self::RedactedThinking { data: field(data) },
            Block::Call(Call { id, name, arguments }) => Self::ToolUse { id, name, input: Arguments(arguments) },
        }
    }
}

fn stop_reason(reason: Option<FinishReason>, sequence: Option<&str>) -> &'static str {
    match reason {
        Some(FinishReason::ToolCalls) => "tool_use",
        Some(FinishReason::Length) => "max_tokens",
        Some(FinishReason::ContentFilter) => "refusal",
        Some(FinishReason::Stop) | None if sequence.is_some() => "stop_sequence",
        Some(FinishReason::Stop) | None => "end_turn",
    }
}

/// The input is counted without the tokens that the provider read from its cache or wrote to it.
fn usage_of(Usage { tokens, cost }: &Usage) -> Value {
    json!({
        "input_tokens": tokens.input.saturating_sub(tokens.cached + tokens.written),
        "cache_creation_input_tokens": tokens.written,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.written - tokens.written_1h.min(tokens.written),
            "ephemeral_1h_input_tokens": tokens.written_1h,
        },
        "output_tokens": tokens.output,
        "cost": Usd::from(*cost),
    })
}

fn field(opaque: &Opaque) -> String {
    opaque.to_field(Vendor::Anthropic)
}

fn write_block_event(events: &mut Vec<u8>, event: &BlockEvent) {
    let delta = |place: &usize, delta: Value| {
        ("content_block_delta", json!({"type": "content_block_delta", "index": place, "delta": delta}))
    };
    let (name, data) = match event {
        BlockEvent::Start(place, block) => {
            let start = json!({"type": "content_block_start", "index": place, "content_block": BlockOut::new(block)});
            ("content_block_start", start)
        }
        BlockEvent::More(place, kind, more) => delta(
            place,
            match kind {
                BlockKind::Text | BlockKind::Refusal => json!({"type": "text_delta", "text": more}),
                BlockKind::Reasoning => json!({"type": "thinking_delta", "thinking": more}),
                BlockKind::Arguments => json!({"type": "input_json_delta", "partial_json": more}),
            },
        ),
        BlockEvent::Signature(place, own) => delta(place, json!({"type": "signature_delta", "signature": field(own)})),
        BlockEvent::Stop(place, _) => ("content_block_stop", json!({"type": "content_block_stop", "index": place})),
    };
    write_event(events, name, &data);
}
