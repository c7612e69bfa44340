//! Guard models: the calls that evaluate an input, and the scores in their answers.
//!
//! There are three ways to call a guard model, see `GuardApi`. Each has a file that makes its calls and reads its
//! answers.

mod chat_json;
mod llama_guard;
mod moderation;
mod request;

use domain::Result;
use domain::catalog::Model;
use domain::guard::{GuardApi, GuardCategory, GuardMessage, GuardResult};
use domain::usage::Tokens;

use crate::ProviderFailure;
use crate::attempt::Operation;
use crate::chat::{ChatAnswer, ChatRequest};
use crate::tokens::{self, PER_MESSAGE};

pub use llama_guard::{TextAnswer, TextRequest};
pub use moderation::ModerationAnswer;
pub use request::GuardRequest;

/// The maximum context of a call, in tokens. More messages would not change an assessment, and each call has its own copy.
const MAX_CONTEXT: u64 = 32_768;

/// What to evaluate.
#[derive(Clone, Debug)]
pub enum GuardInput {
    Conversation(Vec<GuardMessage>),
    /// Texts that have nothing to do with each other.
    Texts(Vec<GuardMessage>),
}

impl GuardInput {
    pub fn messages(&self) -> &[GuardMessage] {
        match self {
            Self::Conversation(messages) | Self::Texts(messages) => messages,
        }
    }

    pub fn has_text(&self) -> bool {
        self.messages().iter().any(GuardMessage::has_text)
    }
}

/// One call of a guard model.
#[derive(Clone, Debug)]
pub struct GuardCall {
    /// The place of each message that the call scores. None if it scores the conversation.
    indexes: Vec<Option<u32>>,
    body: CallBody,
    greatest_input: u64,
    max_output: u64,
}

#[derive(Clone, Debug)]
pub enum CallBody {
    Moderation(Vec<String>),
    LlamaGuard(TextRequest),
    ChatJson(Box<ChatRequest>),
}

impl From<&CallBody> for Operation {
    fn from(body: &CallBody) -> Self {
        match body {
            CallBody::Moderation(_) => Self::Moderate,
            CallBody::LlamaGuard(_) => Self::CompleteText,
            CallBody::ChatJson(_) => Self::Chat,
        }
    }
}

/// The scores in the answer of one call.
pub struct GuardAnswer {
    pub results: Vec<GuardResult>,
    pub usage: Option<Tokens>,
}

/// Makes the calls that evaluate the input, which has a text. Messages without a text are not judged.
pub fn make_calls(model: &Model, categories: &[GuardCategory], input: &GuardInput) -> Result<Vec<GuardCall>> {
    match (model.guard_api, input) {
        (GuardApi::Moderation, _) => Ok(moderation::make_calls(input.messages())),
        (GuardApi::LlamaGuard, GuardInput::Conversation(messages)) => {
            Ok(llama_guard::make_calls(model, categories, messages))
        }
        (GuardApi::LlamaGuard, GuardInput::Texts(texts)) => Ok(each_text(texts)
            .map(|(index, text)| llama_guard::make_call(model, categories, index, std::slice::from_ref(text)))
            .collect()),
        (GuardApi::ChatJson, GuardInput::Conversation(messages)) => chat_json::make_calls(model, categories, messages),
        (GuardApi::ChatJson, GuardInput::Texts(texts)) => each_text(texts)
            .map(|(index, text)| chat_json::make_call(model, categories, Some(index), std::slice::from_ref(text)))
            .collect(),
    }
}

/// The messages that have a text, with their places.
fn each_text(messages: &[GuardMessage]) -> impl Iterator<Item = (u32, &GuardMessage)> {
    let places = messages.iter().enumerate().filter(|(_, message)| message.has_text());
    places.filter_map(|(place, message)| Some((u32::try_from(place).ok()?, message)))
}

/// Merges the results of a conversation that took several calls. The result has the highest score of each category.
pub fn merge_parts(results: &mut Vec<GuardResult>) {
    let parts = results.extract_if(.., |result| result.index.is_none());
    let higher = |a: Option<f64>, b: Option<f64>| [a, b].into_iter().flatten().reduce(f64::max);
    let merged = parts.reduce(|mut merged, part| {
        merged.scores = merged.scores.into_iter().zip(part.scores).map(|(a, b)| higher(a, b)).collect();
        merged
    });
    results.extend(merged);
}

/// Adds a score of 0 for the messages without a text, which no call scored.
pub fn score_blank(results: &mut Vec<GuardResult>, input: &GuardInput, categories: usize) {
    if results.iter().any(|result| result.index.is_none()) {
        return;
    }
    let blank = input.messages().iter().enumerate().filter(|(_, message)| !message.has_text());
    let blank =
        blank.map(|(index, _)| GuardResult { index: u32::try_from(index).ok(), scores: vec![Some(0.0); categories] });
    results.extend(blank);
    results.sort_by_key(|result| result.index);
}

impl GuardCall {
    pub fn body(&self) -> &CallBody {
        &self.body
    }

    /// The maximum tokens of the input.
    pub fn greatest_input(&self) -> u64 {
        self.greatest_input
    }

    pub fn max_output(&self) -> u64 {
        self.max_output
    }

    /// Reads the answer of a moderation: a result for each text.
    pub fn read_moderation(
        &self,
        ModerationAnswer { scores, usage }: ModerationAnswer,
        categories: &[GuardCategory],
    ) -> Result<GuardAnswer, ProviderFailure> {
        if scores.len() != self.indexes.len() {
            return Err(ProviderFailure::malformed_answer("a moderation with a wrong number of results"));
        }
        Ok(self.answer(scores.iter().map(|scores| moderation::read(scores, categories)), usage))
    }

    pub fn read_llama_guard(
        &self,
        answer: &TextAnswer,
        categories: &[GuardCategory],
    ) -> Result<GuardAnswer, ProviderFailure> {
        Ok(self.answer([llama_guard::read(answer, categories)?], answer.usage))
    }

    pub fn read_chat_json(
        &self,
        answer: &ChatAnswer,
        categories: &[GuardCategory],
    ) -> Result<GuardAnswer, ProviderFailure> {
        Ok(self.answer([chat_json::read(answer, categories)?], answer.usage))
    }

    fn answer(&self, scores: impl IntoIterator<Item = Vec<Option<f64>>>, usage: Option<Tokens>) -> GuardAnswer {
        let results = self.indexes.iter().zip(scores).map(|(index, scores)| GuardResult { index: *index, scores });
        GuardAnswer { results: results.collect(), usage }
    }
}

/// The tokens that one call has for messages.
#[derive(Clone, Copy)]
struct Room(u64);

impl Room {
    /// The context window without the prompt and the answer.
    fn new(model: &Model, prompt: u64, max_output: u64) -> Self {
        let window = model.context_window.unwrap_or(MAX_CONTEXT).min(MAX_CONTEXT);
        Self(window.saturating_sub(tokens::likely(prompt)).saturating_sub(max_output))
    }

    /// The last messages that fit. At least one message is returned, also if it does not fit.
    fn last_that_fit(self, messages: &[GuardMessage], size: impl Fn(&GuardMessage) -> u64) -> &[GuardMessage] {
        let mut left = self.0;
        let fits = messages.iter().rev().take_while(|message| {
            let takes = tokens::likely(size(message));
            let fits = takes <= left;
            left = left.saturating_sub(takes);
            fits
        });
        let count = fits.count().max(1).min(messages.len());
        &messages[messages.len() - count..]
    }

    /// Divides the messages into parts that fit. A message that does not fit is a part of its own.
    fn divide(self, mut messages: &[GuardMessage], size: impl Fn(&GuardMessage) -> u64) -> Vec<&[GuardMessage]> {
        let mut parts = Vec::new();
        while !messages.is_empty() {
            let part = self.last_that_fit(messages, &size);
            messages = &messages[..messages.len() - part.len()];
            parts.push(part);
        }
        parts.reverse();
        parts
    }
}

fn greatest_tokens(text: &str) -> u64 {
    tokens::count(text) + PER_MESSAGE
}

/// Rounds a score to four decimals.
fn round(score: f64) -> f64 {
    (score.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod fixtures {
    use domain::guard::{GuardCategory, GuardSeverity};

    pub fn category(code: &str) -> GuardCategory {
        let (code, label) = (code.to_owned(), code.to_owned());
        GuardCategory { code, label, severity: GuardSeverity::High, threshold: 0.5, active: true }
    }
}
