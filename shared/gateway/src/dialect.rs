//! The dialects in which clients send conversations, and what a client sent in another one than OpenAI's chat completions.

use serde_json::{Map, Value};

/// The API that a request was written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions.
    #[default]
    ChatCompletions,
    /// Anthropic's messages.
    Messages,
    /// OpenAI's responses.
    Responses,
}

/// A request to Anthropic's API as the client sent it. A provider with this API gets it instead of a translation, so nothing in
/// it is lost or written in another form: marks of caches, signatures, the bytes of schemas.
#[derive(Clone, Debug)]
pub struct NativeMessages {
    pub body: Map<String, Value>,
    /// The features in test that the client turned on with the header `anthropic-beta`.
    pub betas: Vec<String>,
}

/// What a dialect has and OpenAI's chat completions do not.
#[derive(Clone, Debug, Default)]
pub struct Foreign {
    pub dialect: Dialect,
    /// The parameters that have no counterpart in another API.
    pub unmapped: Vec<String>,
    pub messages: Option<NativeMessages>,
    /// Whether messages may be left out if all do not fit the context window.
    pub may_truncate: bool,
    /// How the model summarizes its reasoning. Only OpenAI's Responses API has it.
    pub reasoning_summary: Option<Value>,
}
