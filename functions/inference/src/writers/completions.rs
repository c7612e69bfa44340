//! Writes the answers of chats in the format of OpenAI's legacy completions: as JSON, or as server-sent events. Only the text
//! of an answer has a place in it: reasoning and calls of tools do not appear.

use axum::body::Bytes;
use domain::Result;
use futures::{Stream, StreamExt};
use gateway::chat::{Choice, Choices, DeltaChoice, FinishReason};
use gateway::{AnswerChunk, AnswerHead, ChatStream, Completion, StreamItem};
use serde::Serialize;

use super::chat::DONE;
use super::{HEARTBEAT, to_json, write_data};
use crate::dto::UsageOut;

#[derive(Serialize)]
struct CompletionOut<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: Vec<TextChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'a str>,
    /// Absent from a chunk unless the client requests usage. Then it is null in every chunk except the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<UsageOut>>,
}

#[derive(Serialize)]
struct TextChoice {
    text: String,
    index: u32,
    logprobs: Option<()>,
    finish_reason: Option<FinishReason>,
}

impl TextChoice {
    fn new(index: u32, texts: [Option<&str>; 2], finish_reason: Option<FinishReason>) -> Self {
        let text = texts.into_iter().flatten().collect();
        // The reason of calls is unknown to clients of this API.
        let finish_reason = finish_reason.map(|reason| match reason {
            FinishReason::ToolCalls => FinishReason::Stop,
            other => other,
        });
        Self { text, index, logprobs: None, finish_reason }
    }
}

pub fn write_text_completion(completion: &Completion) -> Result<Vec<u8>> {
    let Completion { head, choices, usage, system_fingerprint } = completion;
    let writer = TextWriter::new(head.clone());
    let usage = Some(Some(UsageOut::of_chat(usage)));
    to_json(&writer.completion(read_choices(choices), system_fingerprint.as_deref(), usage))
}

/// Writes each item of a stream as events. A failure is an event too, after which there is no `[DONE]`.
pub fn write_text_stream(
    ChatStream { head, items }: ChatStream,
    wants_usage: bool,
    request_id: String,
) -> impl Stream<Item = Bytes> + use<> {
    let writer = TextWriter::new(head);
    items.map(move |item| match item {
        StreamItem::Chunks(chunks) => {
            let mut events = Vec::new();
            for AnswerChunk { choices, system_fingerprint } in &chunks {
                let choices = read_deltas(choices);
                if !choices.is_empty() {
                    let usage = wants_usage.then_some(None);
                    write_data(&mut events, &writer.completion(choices, system_fingerprint.as_deref(), usage));
                }
            }
            events.into()
        }
        StreamItem::Heartbeat => HEARTBEAT,
        StreamItem::Failed(error) => format!("data: {}\n\n", web::gateway::event(&error, &request_id)).into(),
        StreamItem::End(usage) => {
            let mut last = Vec::new();
            if wants_usage {
                let usage = Some(Some(UsageOut::of_chat(&usage)));
                write_data(&mut last, &writer.completion(Vec::new(), None, usage));
            }
            last.extend_from_slice(DONE);
            last.into()
        }
    })
}

struct TextWriter {
    id: String,
    head: AnswerHead,
}

impl TextWriter {
    fn new(head: AnswerHead) -> Self {
        Self { id: format!("cmpl-{}", head.id.uuid().simple()), head }
    }

    fn completion<'a>(
        &'a self,
        choices: Vec<TextChoice>,
        system_fingerprint: Option<&'a str>,
        usage: Option<Option<UsageOut>>,
    ) -> CompletionOut<'a> {
        CompletionOut {
            id: &self.id,
            object: "text_completion",
            created: self.head.created,
            model: &self.head.model,
            choices,
            system_fingerprint,
            usage,
        }
    }
}

fn read_choices(choices: &Choices<Choice>) -> Vec<TextChoice> {
    let write = |choice: &Choice| {
        let texts = [choice.message.content.as_deref(), choice.message.refusal.as_deref()];
        TextChoice::new(choice.index, texts, Some(choice.finish_reason))
    };
    choices.read().iter().map(write).collect()
}

/// The changes of the texts, without those of other parts of the answer.
fn read_deltas(choices: &Choices<DeltaChoice>) -> Vec<TextChoice> {
    let write = |choice: &DeltaChoice| {
        let texts = [choice.delta.content.as_deref(), choice.delta.refusal.as_deref()];
        TextChoice::new(choice.index, texts, choice.finish_reason)
    };
    let has_news = |choice: &TextChoice| !choice.text.is_empty() || choice.finish_reason.is_some();
    choices.read().iter().map(write).filter(has_news).collect()
}
