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
use crate::chat::{ChatAnswer, ChatRequest};
use crate::tokens::{self, PER_MESSAGE};

pub use llama_guard::{TextAnswer, TextRequest};
pub use moderation::ModerationAnswer;
pub use request::GuardRequest;

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

/// The scores in the answer of one call.
pub struct GuardAnswer {
    pub results: Vec<GuardResult>,
    pub usage: Option<Tokens>,
}

/// Makes the calls that evaluate the input, which has a text. Messages without a text are not sent.
pub fn make_calls(model: &Model, categories: &[GuardCategory], input: &GuardInput) -> Result<Vec<GuardCall>> {
    if model.guard_api == GuardApi::Moderation {
        return Ok(moderation::make_calls(input.messages()));
    }
    let make_call = |index, messages: &[GuardMessage]| match model.guard_api {
        GuardApi::LlamaGuard => Ok(llama_guard::make_call(model, categories, index, messages)),
        GuardApi::ChatJson | GuardApi::Moderation => chat_json::make_call(model, categories, index, messages),
    };
    match input {
        GuardInput::Conversation(messages) => Ok(vec![make_call(None, messages)?]),
        GuardInput::Texts(texts) => {
            let each = texts.chunks(1).enumerate().filter(|(_, text)| text.iter().any(GuardMessage::has_text));
            each.map(|(index, text)| make_call(u32::try_from(index).ok(), text)).collect()
        }
    }
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

    pub fn read_text(&self, answer: &TextAnswer, categories: &[GuardCategory]) -> Result<GuardAnswer, ProviderFailure> {
        Ok(self.answer([llama_guard::read(answer, categories)?], answer.usage))
    }

    pub fn read_chat(&self, answer: &ChatAnswer, categories: &[GuardCategory]) -> Result<GuardAnswer, ProviderFailure> {
        Ok(self.answer([chat_json::read(answer.choices.get(), categories)?], answer.usage))
    }

    fn answer(&self, scores: impl IntoIterator<Item = Vec<Option<f64>>>, usage: Option<Tokens>) -> GuardAnswer {
        let results = self.indexes.iter().zip(scores).map(|(index, scores)| GuardResult { index: *index, scores });
        GuardAnswer { results: results.collect(), usage }
    }
}

/// The last messages that fit the context window beside `other` tokens. At least one message is returned.
fn last_that_fit<'a>(model: &Model, other: u64, messages: &'a [GuardMessage]) -> &'a [GuardMessage] {
    let Some(window) = model.context_window else { return messages };
    let mut room = window.saturating_sub(tokens::likely(other));
    let fits = messages.iter().rev().take_while(|message| {
        let takes = tokens::likely(greatest_tokens(&message.content));
        let fits = takes <= room;
        room = room.saturating_sub(takes);
        fits
    });
    let count = fits.count().max(1).min(messages.len());
    &messages[messages.len() - count..]
}

fn greatest_tokens(text: &str) -> u64 {
    tokens::count(text) + PER_MESSAGE
}

/// A score with four decimals, which no one needs more of.
fn round(score: f64) -> f64 {
    (score.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0
}
