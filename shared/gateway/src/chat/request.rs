//! The request of a chat completion, whichever dialect the client speaks. `openai.rs` reads it from OpenAI's.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::dialect::{Dialect, Foreign, NativeMessages};
use crate::parameters::{CHAT, ConversationFacts, Parameters};
use domain::catalog::{MaxTokensParameter, OptionalParameter, PromptCache, Unsupported};
use domain::chat::{ChatPrompt, ChatRole, ContentPart, Message, Tool, ToolChoice, Vendor};
use domain::provider::UpstreamApi;
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 20] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "n",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "logprobs",
    "top_logprobs",
    "guard",
];
/// The names of the output limit. The first one has precedence.
const MAX_TOKENS_NAMES: [&str; 2] = ["max_completion_tokens", "max_tokens"];

/// A validated request.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// The parameters, with the names and values of OpenAI's format, which the table of `parameters` uses. `messages` and
    /// `tools` are null here: they only keep their places.
    body: Map<String, Value>,
    messages: Vec<Message>,
    tools: Vec<Tool>,
    /// The models that the client wants if the first one cannot answer.
    fallbacks: Vec<String>,
    is_fallback: bool,
    /// None if the client speaks the dialect of chat completions.
    foreign: Option<Arc<Foreign>>,
    terms: Terms,
}

/// The settings of the catalog's model for the translation of a request.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    pub unsupported: Unsupported,
    pub unsupported_parameters: Vec<OptionalParameter>,
    pub max_tokens_parameter: Option<MaxTokensParameter>,
    /// Whether the model has the capability `reasoning`.
    pub reasons: bool,
    /// What is marked for the provider's cache, if the client marks nothing.
    pub prompt_cache: PromptCache,
    /// The output limit for providers that require one, when the client sets none.
    pub max_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub enum ResponseFormat<'a> {
    Text,
    /// The answer is any JSON object.
    Json,
    /// The answer matches a JSON schema, given as `{name, schema, strict}`.
    Schema(&'a Value),
}

impl ChatRequest {
    /// `body` has null in the places of `messages` and `tools`.
    pub(super) fn from_parts(body: Map<String, Value>, messages: Vec<Message>, tools: Vec<Tool>) -> Self {
        let (fallbacks, foreign, terms) = (Vec::new(), None, Terms::default());
        Self { body, messages, tools, fallbacks, is_fallback: false, foreign, terms }
    }

    #[must_use]
    pub(super) fn with_fallbacks(self, fallbacks: Vec<String>) -> Self {
        Self { fallbacks, ..self }
    }

    pub fn fallbacks(&self) -> &[String] {
        &self.fallbacks
    }

    /// Whether an earlier model could not answer the request.
    pub fn is_fallback(&self) -> bool {
        self.is_fallback
    }

    /// The request to another model.
    pub fn for_fallback(&self, model: &str) -> Self {
        let mut request = Self { is_fallback: true, ..self.clone() };
        request.body.insert("model".to_owned(), model.into());
        request
    }

    #[must_use]
    pub(super) fn with_foreign(self, foreign: Foreign) -> Self {
        Self { foreign: Some(Arc::new(foreign)), ..self }
    }

    pub fn dialect(&self) -> Dialect {
        self.foreign.as_ref().map_or(Dialect::ChatCompletions, |foreign| foreign.dialect)
    }

    /// What the answer depends on, besides the body and the model.
    pub fn cache_scope(&self) -> String {
        let betas = self.native_messages().map(|native| native.betas.join(",")).unwrap_or_default();
        format!("{:?}#{betas}", self.dialect())
    }

    /// What the client sent, if it speaks Anthropic's dialect.
    pub fn native_messages(&self) -> Option<&NativeMessages> {
        self.foreign.as_ref()?.messages.as_ref()
    }

    /// The form of the summary of its reasoning that the client wants, if its dialect has one.
    pub fn reasoning_summary(&self) -> Option<&Value> {
        self.foreign.as_ref()?.reasoning_summary.as_ref()
    }

    /// Whether messages may be left out if all do not fit the context window.
    pub fn may_truncate(&self) -> bool {
        self.foreign.as_ref().is_some_and(|foreign| foreign.may_truncate)
    }

    pub(super) fn messages_mut(&mut self) -> &mut Vec<Message> {
        &mut self.messages
    }

    /// The request with other URLs of images and documents, by the present ones.
    pub fn with_urls(&self, urls: &BTreeMap<String, String>) -> Self {
        let mut changed = self.clone();
        for part in changed.messages.iter_mut().flat_map(|message| &mut message.parts) {
            let url = match part {
                ContentPart::Image(url) => url,
                ContentPart::File(file) => &mut file.url,
                _ => continue,
            };
            if let Some(other) = urls.get(url) {
                url.clone_from(other);
            }
        }
        changed
    }

    /// Whether any part of the conversation is marked for the provider's cache.
    pub fn has_cache_marks(&self) -> bool {
        let mut parts = self.messages.iter().flat_map(|message| &message.parts);
        parts.any(|part| matches!(part, ContentPart::CacheMark(_)))
            || self.tools.iter().any(|tool| tool.cache_mark().is_some())
    }

    /// Whether the model called tools in this turn without the reasoning that Claude wants to see before its calls.
    fn lacks_reasoning(&self) -> bool {
        let turn = self.messages.iter().rev().take_while(|message| message.role != ChatRole::User);
        let first_call = turn.filter(|message| !message.tool_calls.is_empty()).last();
        first_call.is_some_and(|message| !message.reasoning().any(|reasoning| reasoning.is_of(Vendor::Anthropic)))
    }

    /// The request for a question of the platform itself, which is valid.
    pub fn new(mut prompt: ChatPrompt) -> Result<Self> {
        let (messages, tools) = (std::mem::take(&mut prompt.messages), std::mem::take(&mut prompt.tools));
        let Value::Object(mut body) = serde_json::to_value(prompt).map_err(Error::internal)? else {
            return Err(Error::internal("a prompt is an object"));
        };
        body.insert("messages".to_owned(), Value::Null);
        if !tools.is_empty() {
            body.insert("tools".to_owned(), Value::Null);
        }
        Ok(Self::from_parts(body, messages, tools.into_iter().map(Tool::Function).collect()))
    }

    /// Requests the answer as a stream, with its usage.
    #[must_use]
    pub fn streamed(mut self) -> Self {
        self.body.insert("stream".to_owned(), true.into());
        self.body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        self
    }

    /// The rules for the parameters when `model` of a provider gets the request.
    pub fn parameters<'a>(&'a self, api: impl Into<UpstreamApi>, model: &'a str) -> Parameters<'a> {
        let api = api.into();
        // A request of OpenAI's dialect reaches a server with its API as it is, so its messages are not searched.
        let is_openai = matches!(api, UpstreamApi::OpenAi | UpstreamApi::Dev);
        let is_forwarded = is_openai && self.dialect() == Dialect::ChatCompletions;
        let facts = ConversationFacts {
            dialect: self.dialect(),
            unmapped: self.foreign.as_ref().map_or(&[], |foreign| &foreign.unmapped),
            has_cache_marks: !is_forwarded && self.has_cache_marks(),
            lacks_reasoning: !is_forwarded && self.lacks_reasoning(),
            reasons: self.terms.reasons,
            unsupported: &self.terms.unsupported_parameters,
        };
        Parameters { facts, ..Parameters::new(&CHAT, &VALIDATED, &self.body, api, model) }
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    /// The requested name of a model or an alias.
    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub fn is_streamed(&self) -> bool {
        self.flag("stream")
    }

    /// Whether the client requested the usage chunk at the end of the stream.
    pub fn wants_usage(&self) -> bool {
        self.body.get("stream_options").is_some_and(|options| options["include_usage"] == true)
    }

    pub fn wants_guard(&self) -> bool {
        self.flag("guard")
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    pub fn set_terms(&mut self, terms: Terms) {
        self.terms = terms;
    }

    /// The number of choices to generate.
    pub fn choices(&self) -> u64 {
        self.body.get("n").and_then(Value::as_u64).unwrap_or(1)
    }

    /// The client's output limit for each choice.
    pub fn max_tokens(&self) -> Option<u64> {
        MAX_TOKENS_NAMES.iter().find_map(|name| self.body.get(*name)?.as_u64())
    }

    /// The output limit for providers that require one: the client's, or else the one of the model's terms.
    pub fn required_max_tokens(&self) -> Option<u64> {
        self.max_tokens().or(self.terms.max_tokens)
    }

    pub fn flag(&self, name: &str) -> bool {
        self.body.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    pub fn stops(&self) -> Vec<&str> {
        match self.supported(OptionalParameter::Stop) {
            Some(Value::String(stop)) => vec![stop],
            Some(Value::Array(stops)) => stops.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// `Err` has a choice of a type that only providers with OpenAI's API know.
    pub fn tool_choice(&self) -> Result<Option<ToolChoice>, &Value> {
        let Some(choice) = self.body.get("tool_choice") else { return Ok(None) };
        ToolChoice::read(choice).map(Some).ok_or(choice)
    }

    /// Whether an answer may have at most one tool call.
    pub fn forbids_parallel_calls(&self) -> bool {
        self.supported(OptionalParameter::ParallelToolCalls) == Some(&Value::Bool(false))
    }

    /// The value of a parameter, unless the model does not take it.
    fn supported(&self, parameter: OptionalParameter) -> Option<&Value> {
        self.body.get(parameter.name()).filter(|_| !self.terms.unsupported_parameters.contains(&parameter))
    }

    pub fn response_format(&self) -> ResponseFormat<'_> {
        match self.body.get("response_format") {
            Some(format) if format["type"] == "json_object" => ResponseFormat::Json,
            Some(format) if format["type"] == "json_schema" => ResponseFormat::Schema(&format["json_schema"]),
            _ => ResponseFormat::Text,
        }
    }

    /// The values of the parameters that the gateway does not validate.
    pub fn unvalidated(&self) -> impl Iterator<Item = &Value> {
        self.body.iter().filter(|(name, _)| !VALIDATED.contains(&name.as_str())).map(|(_, value)| value)
    }

    /// Sets a parameter that the request leaves out. Returns whether it was set.
    pub fn set_default(&mut self, name: &str, value: &Value) -> bool {
        if self.body.contains_key(name) {
            return false;
        }
        self.body.insert(name.to_owned(), value.clone());
        true
    }

    /// Lowers each output limit above `most` to it. Returns the names of the lowered ones.
    pub fn lower_max_tokens(&mut self, most: u64) -> Vec<String> {
        let is_above = |name: &&str| self.body.get(*name).and_then(Value::as_u64).is_some_and(|asked| asked > most);
        let names: Vec<String> =
            MAX_TOKENS_NAMES.iter().filter(|name| is_above(name)).map(|it| (*it).to_owned()).collect();
        for name in &names {
            self.body.insert(name.clone(), most.into());
        }
        names
    }

    /// Sets the output limit of each choice, under the name that the client uses.
    pub fn set_max_tokens(&mut self, tokens: u64) {
        self.body.insert(self.max_tokens_name().to_owned(), tokens.into());
    }

    /// The name that the client uses for its output limit.
    pub fn max_tokens_name(&self) -> &'static str {
        if self.body.contains_key("max_completion_tokens") { "max_completion_tokens" } else { "max_tokens" }
    }
}

/// The request in OpenAI's format.
impl Serialize for ChatRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.body {
            self.serialize_parameter(&mut map, name, value)?;
        }
        map.end()
    }
}

impl ChatRequest {
    /// Writes a parameter in OpenAI's format. What a client sent is written unchanged.
    pub fn serialize_parameter<M: SerializeMap>(&self, map: &mut M, name: &str, value: &Value) -> Result<(), M::Error> {
        match name {
            "messages" => map.serialize_entry(name, &self.messages),
            "tools" => map.serialize_entry(name, &self.tools),
            _ => map.serialize_entry(name, value),
        }
    }
}
