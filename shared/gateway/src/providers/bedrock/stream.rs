//! Translates Converse's event stream into chunks.

use std::time::Duration;

use aws_sdk_bedrockruntime::primitives::event_stream::EventReceiver;
use aws_sdk_bedrockruntime::types::error::ConverseStreamOutputError;
use aws_sdk_bedrockruntime::types::{
    ContentBlockDelta, ContentBlockStart, ConverseStreamOutput, ReasoningContentBlockDelta,
};
use futures::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::answer::{encrypted, finish_reason, tokens};
use super::failure;
use crate::chat::{Chunk, Delta, DeltaChoice, FinishReason, FunctionDelta, ToolCallDelta};
use crate::failure::ProviderFailure;
use crate::providers::ChunkStream;
use domain::chat::{Opaque, ReasoningDelta, ReasoningPiece, Vendor};

type Receiver = EventReceiver<ConverseStreamOutput, ConverseStreamOutputError>;

struct ConverseStream {
    events: Receiver,
    idle: Duration,
    deadline: Instant,
    /// The number of tool calls so far.
    calls: u32,
    /// The indexes of the blocks of reasoning so far.
    reasoning_blocks: Vec<i32>,
    /// Whether the open block is a tool call without arguments so far.
    awaits_arguments: bool,
}

pub fn translate_events(events: Receiver, idle: Duration, deadline: Instant) -> ChunkStream {
    let stream =
        ConverseStream { events, idle, deadline, calls: 0, reasoning_blocks: Vec::new(), awaits_arguments: false };
    let unfolded = futures::stream::unfold(Some(stream), |stream| async {
        let mut stream = stream?;
        match stream.next().await {
            Ok(Some(chunk)) => Some((Ok(chunk), Some(stream))),
            Ok(None) => None,
            Err(failure) => Some((Err(failure), None)),
        }
    });
    unfolded.boxed()
}

impl ConverseStream {
    async fn next(&mut self) -> Result<Option<Chunk>, ProviderFailure> {
        loop {
            let until = self.deadline.min(Instant::now() + self.idle);
            let event = timeout_at(until, self.events.recv()).await.map_err(|_| ProviderFailure::timeout())?;
            let Some(event) = event.map_err(failure::stream_failure)? else { return Ok(None) };
            if let Some(chunk) = self.read(event)? {
                return Ok(Some(chunk));
            }
        }
    }

    fn read(&mut self, event: ConverseStreamOutput) -> Result<Option<Chunk>, ProviderFailure> {
        match event {
            ConverseStreamOutput::MessageStart(_) => {
                Ok(chunk(Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() }, None))
            }
            ConverseStreamOutput::ContentBlockStart(event) => match event.start {
                Some(ContentBlockStart::ToolUse(call)) => {
                    self.calls += 1;
                    self.awaits_arguments = true;
                    let begin = ToolCallDelta {
                        index: self.calls - 1,
                        id: Some(call.tool_use_id),
                        r#type: Some("function"),
                        function: FunctionDelta { name: Some(call.name), arguments: String::new() },
                        others: serde_json::Map::new(),
                    };
                    Ok(chunk(Delta { tool_calls: vec![begin], ..Delta::default() }, None))
                }
                _ => Ok(None),
            },
            ConverseStreamOutput::ContentBlockDelta(event) => match event.delta {
                Some(ContentBlockDelta::Text(text)) => {
                    Ok(chunk(Delta { content: Some(text), ..Delta::default() }, None))
                }
                Some(ContentBlockDelta::ToolUse(call)) if !call.input.is_empty() => {
                    self.awaits_arguments = false;
                    Ok(chunk(self.arguments(call.input), None))
                }
                Some(ContentBlockDelta::ReasoningContent(piece)) => {
                    Ok(self.reasoning(event.content_block_index, piece))
                }
                _ => Ok(None),
            },
            ConverseStreamOutput::ContentBlockStop(_) if std::mem::take(&mut self.awaits_arguments) => {
                Ok(chunk(self.arguments("{}".to_owned()), None))
            }
            ConverseStreamOutput::MessageStop(event) => {
                Ok(chunk(Delta::default(), Some(finish_reason(&event.stop_reason)?)))
            }
            ConverseStreamOutput::Metadata(event) => {
                Ok(Some(Chunk::from_deltas(Vec::new(), event.usage.as_ref().and_then(tokens))))
            }
            _ => Ok(None),
        }
    }

    fn reasoning(&mut self, block: i32, piece: ReasoningContentBlockDelta) -> Option<Chunk> {
        let piece = match piece {
            ReasoningContentBlockDelta::Text(text) => ReasoningPiece::Text(text),
            ReasoningContentBlockDelta::Signature(data) => {
                ReasoningPiece::Signature(Opaque::new(Vendor::Anthropic, data))
            }
            ReasoningContentBlockDelta::RedactedContent(data) => ReasoningPiece::Encrypted(encrypted(&data)),
            _ => return None,
        };
        if !self.reasoning_blocks.contains(&block) {
            self.reasoning_blocks.push(block);
        }
        let place = self.reasoning_blocks.iter().position(|it| *it == block).unwrap_or_default();
        let index = u32::try_from(place).unwrap_or_default();
        chunk(Delta { reasoning: vec![ReasoningDelta { index, piece }], ..Delta::default() }, None)
    }

    fn arguments(&self, arguments: String) -> Delta {
        let function = FunctionDelta { name: None, arguments };
        let index = self.calls.saturating_sub(1);
        let call = ToolCallDelta { index, id: None, r#type: None, function, others: serde_json::Map::new() };
        Delta { tool_calls: vec![call], ..Delta::default() }
    }
}

fn chunk(delta: Delta, finish_reason: Option<FinishReason>) -> Option<Chunk> {
    let choice = DeltaChoice { index: 0, delta, logprobs: None, finish_reason, stop_sequence: None };
    Some(Chunk::from_deltas(vec![choice], None))
}
