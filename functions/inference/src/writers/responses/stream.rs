//! The events of a streamed response.

use std::sync::Arc;

use axum::body::Bytes;
use domain::chat::Reasoning;
use futures::{Stream, StreamExt};
use gateway::chat::FinishReason;
use gateway::chat::responses::ResponseSettings;
use gateway::{AnswerChunk, AnswerHead, ChatStream, StreamItem};
use serde_json::{Value, json};

use super::items::{ItemIds, custom_input, write_item, write_part};
use super::{Ending, WrittenResponse, hide_encrypted_reasoning};
use crate::writers::blocks::{Block, BlockAssembler, BlockEvent, BlockKind};
use crate::writers::{HEARTBEAT, write_event};

/// Writes each item of a stream as events. `keep` stores the response before its last event, so that the next request can
/// continue it. A failure is the last event.
pub fn write_response_stream<F: Future<Output = ()> + Send>(
    ChatStream { head, items }: ChatStream,
    settings: Arc<ResponseSettings>,
    keep: impl Fn(WrittenResponse) -> F + Clone + Send,
) -> impl Stream<Item = Bytes> {
    let mut writer = StreamWriter {
        ids: ItemIds::new(&head),
        head,
        settings,
        assembler: BlockAssembler::default(),
        sequence: 0,
        events: Vec::new(),
    };
    writer.write_state("response.created", &Ending::InProgress);
    writer.write_state("response.in_progress", &Ending::InProgress);
    let start: Bytes = std::mem::take(&mut writer.events).into();
    let rest = items.then(move |item| {
        let ended = writer.add(item);
        let events: Bytes = ended.events;
        let keep = keep.clone();
        async move {
            if let Some(response) = ended.response {
                keep(response).await;
            }
            events
        }
    });
    futures::stream::once(async { start }).chain(rest)
}

/// The events of an item of the stream, and the response if it is complete.
struct Written {
    events: Bytes,
    response: Option<WrittenResponse>,
}

struct StreamWriter {
    head: AnswerHead,
    settings: Arc<ResponseSettings>,
    ids: ItemIds,
    assembler: BlockAssembler,
    /// The number of the next event.
    sequence: u64,
    events: Vec<u8>,
}

impl StreamWriter {
    fn add(&mut self, item: StreamItem) -> Written {
        let mut response = None;
        match item {
            StreamItem::Heartbeat => return Written { events: HEARTBEAT, response },
            StreamItem::Chunks(chunks) => chunks.into_iter().for_each(|chunk| self.add_chunk(chunk)),
            StreamItem::Failed(error) => _ = self.end("response.failed", &Ending::Failed(error)),
            StreamItem::End(usage) => {
                let reason = self.assembler.finish_reason.unwrap_or(FinishReason::Stop);
                let is_cut = matches!(reason, FinishReason::Length | FinishReason::ContentFilter);
                let name = if is_cut { "response.incomplete" } else { "response.completed" };
                response = Some(self.end(name, &Ending::Finished(reason, usage)));
            }
        }
        Written { events: std::mem::take(&mut self.events).into(), response }
    }

    fn add_chunk(&mut self, chunk: AnswerChunk) {
        // This dialect has one choice.
        for choice in chunk.choices.read().iter().filter(|choice| choice.index == 0) {
            let events = self.assembler.add(choice.delta.clone());
            events.iter().for_each(|event| self.write_block_event(event));
            self.assembler.finish_reason = choice.finish_reason.or(self.assembler.finish_reason);
        }
    }

    fn end(&mut self, name: &str, ending: &Ending) -> WrittenResponse {
        let events = self.assembler.finish();
        events.iter().for_each(|event| self.write_block_event(event));
        self.write_state(name, ending)
    }

    /// Writes an event with the whole response.
    fn write_state(&mut self, name: &str, ending: &Ending) -> WrittenResponse {
        let response = WrittenResponse::new(&self.head, &self.settings, self.assembler.blocks(), ending);
        self.write(name, json!({"response": response.for_client(&self.settings)}));
        response
    }

    fn write(&mut self, name: &str, mut data: Value) {
        data["type"] = name.into();
        data["sequence_number"] = self.sequence.into();
        self.sequence += 1;
        write_event(&mut self.events, name, &data);
    }

    /// An item for the client.
    fn item(&self, place: usize, block: &Block, status: &str) -> Value {
        let mut item = write_item(&self.ids, place, block, status, &self.settings.tool_names);
        if !self.settings.wants_encrypted_reasoning {
            hide_encrypted_reasoning(&mut item);
        }
        item
    }

    fn write_block_event(&mut self, event: &BlockEvent) {
        match event {
            BlockEvent::Start(place, block) => self.start(*place, block),
            BlockEvent::More(place, kind, more) => self.more(*place, *kind, more),
            // The item has the signature when it is done.
            BlockEvent::Signature(..) => {}
            BlockEvent::Stop(place, block) => self.stop(*place, block),
        }
    }

    fn id(&self, place: usize) -> String {
        let block = &self.assembler.blocks()[place];
        self.ids.id(place, block, &self.settings.tool_names)
    }

    fn is_custom(&self, place: usize) -> bool {
        matches!(&self.assembler.blocks()[place], Block::Call(call) if self.settings.tool_names.is_custom(&call.name))
    }

    fn start(&mut self, place: usize, block: &Block) {
        let mut item = self.item(place, block, "in_progress");
        match block {
            Block::Text(_) | Block::Refusal(_) => item["content"] = json!([]),
            Block::Call(_) if self.is_custom(place) => item["input"] = "".into(),
            Block::Call(_) | Block::Reasoning(_) => {}
        }
        self.write("response.output_item.added", json!({"output_index": place, "item": item}));
        let part = json!({"item_id": self.id(place), "output_index": place});
        match block {
            Block::Text(_) | Block::Refusal(_) => {
                let content = with(part, json!({"content_index": 0, "part": write_part(block)}));
                self.write("response.content_part.added", content);
            }
            Block::Reasoning(Reasoning::Text { .. }) => {
                let summary = json!({"summary_index": 0, "part": {"type": "summary_text", "text": ""}});
                self.write("response.reasoning_summary_part.added", with(part, summary));
            }
            Block::Reasoning(_) | Block::Call(_) => {}
        }
    }

    fn more(&mut self, place: usize, kind: BlockKind, more: &str) {
        let at = json!({"item_id": self.id(place), "output_index": place, "delta": more});
        match kind {
            BlockKind::Text => {
                self.write("response.output_text.delta", with(at, json!({"content_index": 0, "logprobs": []})));
            }
            BlockKind::Refusal => self.write("response.refusal.delta", with(at, json!({"content_index": 0}))),
            BlockKind::Reasoning => {
                self.write("response.reasoning_summary_text.delta", with(at, json!({"summary_index": 0})));
            }
            // The input of a custom tool is known when its arguments are whole.
            BlockKind::Arguments if self.is_custom(place) => {}
            BlockKind::Arguments => self.write("response.function_call_arguments.delta", at),
        }
    }

    fn stop(&mut self, place: usize, block: &Block) {
        let at = json!({"item_id": self.id(place), "output_index": place});
        match block {
            Block::Text(text) => {
                let done = json!({"content_index": 0, "text": text, "logprobs": []});
                self.write("response.output_text.done", with(at.clone(), done));
                let part = json!({"content_index": 0, "part": write_part(block)});
                self.write("response.content_part.done", with(at, part));
            }
            Block::Refusal(refusal) => {
                self.write("response.refusal.done", with(at.clone(), json!({"content_index": 0, "refusal": refusal})));
                let part = json!({"content_index": 0, "part": write_part(block)});
                self.write("response.content_part.done", with(at, part));
            }
            Block::Reasoning(Reasoning::Text { text, .. }) => {
                let done = json!({"summary_index": 0, "text": text});
                self.write("response.reasoning_summary_text.done", with(at.clone(), done));
                let part = json!({"summary_index": 0, "part": {"type": "summary_text", "text": text}});
                self.write("response.reasoning_summary_part.done", with(at, part));
            }
            Block::Reasoning(_) => {}
            Block::Call(call) if self.is_custom(place) => {
                let input = custom_input(call);
                let delta = with(at.clone(), json!({"delta": input}));
                self.write("response.custom_tool_call_input.delta", delta);
                self.write("response.custom_tool_call_input.done", with(at, json!({"input": input})));
            }
            Block::Call(call) => {
                let done = json!({"arguments": call.arguments, "name": call.name});
                self.write("response.function_call_arguments.done", with(at, done));
            }
        }
        let item = self.item(place, block, "completed");
        self.write("response.output_item.done", json!({"output_index": place, "item": item}));
    }
}

fn with(mut data: Value, more: Value) -> Value {
    if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
        data.extend(more);
    }
    data
}
