//! Parameter support: what happens to each request parameter for each kind of provider.
//!
//! One table decides this. The translations, the response headers (`X-Svc-Dropped`, `X-Svc-Passthrough`) and the
//! documents all read it.

mod claude;
mod document;
mod families;
mod rule;
mod table;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::failure::ProviderFailure;
use domain::catalog::{OptionalParameter, Unsupported};
use domain::provider::UpstreamApi;

pub use claude::ClaudeReasoning;
pub use document::markdown;
pub use families::is_reasoning_family;
use families::{OF_OTHER_VENDORS, gemini_thinking};
pub use rule::{Parameter, Rule};
use table::MIN_RESPONSE_TOKENS;
pub use table::{CHAT, EMBEDDINGS, IMAGES, RERANK, SPEECH, TRANSCRIPTIONS};

/// The end of the scale of `temperature` for Anthropic and Bedrock. OpenAI's ends at 2.
const MAX_TEMPERATURE: f64 = 1.0;

/// The parameters of one request to one model of a provider.
#[derive(Clone, Copy)]
pub struct Parameters<'a> {
    pub(super) table: &'static [Parameter],
    /// The parameters that the gateway validates.
    pub(super) validated: &'static [&'static str],
    pub(super) body: &'a Map<String, Value>,
    pub(super) api: UpstreamApi,
    /// The provider's name for the model.
    pub(super) model: &'a str,
    pub(super) facts: ConversationFacts<'a>,
}

/// What decides about the parameters of a chat besides the provider and the model.
#[derive(Clone, Copy, Default)]
pub struct ConversationFacts<'a> {
    pub dialect: Dialect,
    /// The parameters of the client's dialect that are in no body of another API.
    pub unmapped: &'a [String],
    pub has_cache_marks: bool,
    /// Whether the model called tools without reasoning before, so that it must not begin to reason now.
    pub lacks_reasoning: bool,
    /// Whether the catalog's model has the capability `reasoning`.
    pub reasons: bool,
    /// The parameters that the catalog's model does not take.
    pub unsupported: &'a [OptionalParameter],
}

/// The parameters that the response headers report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterReport {
    /// Forwarded without validation.
    pub passthrough: Vec<String>,
    /// Left out, because the provider does not support them.
    pub dropped: Vec<String>,
    /// Sent with the nearest value that the provider takes.
    pub adjusted: Vec<String>,
}

impl<'a> Parameters<'a> {
    pub(super) fn new(
        table: &'static [Parameter],
        validated: &'static [&'static str],
        body: &'a Map<String, Value>,
        api: UpstreamApi,
        model: &'a str,
    ) -> Self {
        Self { table, validated, body, api, model, facts: ConversationFacts::default() }
    }

    fn rule(&self, name: &str) -> Rule {
        if self.is_left_out(name) {
            return Rule::Dropped;
        }
        let known = self.table.iter().find(|parameter| parameter.name == name);
        known.map_or(rule_for_unknown(self.api), |parameter| parameter.rule(self.api))
    }

    /// Whether this model does not take a parameter that others of its provider take.
    fn is_left_out(&self, name: &str) -> bool {
        if self.is_unsupported(name) {
            return true;
        }
        match self.api {
            UpstreamApi::Anthropic if self.facts.dialect == Dialect::Messages => false,
            UpstreamApi::Anthropic | UpstreamApi::Bedrock => {
                let is_reasoning = self.reasoning().is_some();
                (name == "reasoning_effort" && !is_reasoning)
                    || claude::leaves_out(self.model, self.body, is_reasoning, name)
            }
            UpstreamApi::Gemini => name == "reasoning_effort" && gemini_thinking(self.model, "low").is_none(),
            // Clients of other dialects send these to every model.
            UpstreamApi::OpenAi | UpstreamApi::OpenAiResponses => match (self.facts.dialect, name) {
                (Dialect::ChatCompletions, _) => false,
                (_, "reasoning_effort") => !self.facts.reasons && !is_reasoning_family(self.model),
                (_, "verbosity") => !is_reasoning_family(self.model),
                (_, name) => OF_OTHER_VENDORS.contains(&name),
            },
            UpstreamApi::Dev => false,
        }
    }

    /// Whether the catalog says that the model does not take a parameter.
    fn is_unsupported(&self, name: &str) -> bool {
        self.facts.unsupported.iter().any(|parameter| parameter.name() == name)
    }

    /// How Claude is asked to reason, if the client wants it and the model can.
    pub fn reasoning(&self) -> Option<ClaudeReasoning> {
        let effort = self.body.get("reasoning_effort").and_then(Value::as_str)?;
        let is_forced = self.body.get("tool_choice").is_some_and(|choice| choice != "auto" && choice != "none");
        let is_impossible = self.facts.lacks_reasoning || is_forced || self.is_unsupported("reasoning_effort");
        if is_impossible || self.body.contains_key("thinking") {
            return None;
        }
        ClaudeReasoning::new(self.model, effort)
    }

    /// The field `thinkingConfig` of Gemini for the client's effort.
    pub fn gemini_thinking(&self) -> Option<Value> {
        gemini_thinking(self.model, self.get("reasoning_effort")?.as_str()?)
    }

    /// Returns the value of a parameter, unless it is dropped or refused for this model.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.body.get(name).filter(|_| !matches!(self.rule(name), Rule::Dropped | Rule::Refused(_)))
    }

    /// The value that is sent, for parameters of which the provider takes a smaller range than OpenAI's chat completions.
    pub fn get_within_range(&self, name: &str) -> Option<Cow<'a, Value>> {
        let value = self.get(name)?;
        Some(self.nearest(name, value).map_or(Cow::Borrowed(value), Cow::Owned))
    }

    /// The nearest value that the provider takes, if it does not take this one.
    fn nearest(&self, name: &str, value: &Value) -> Option<Value> {
        match (self.api, name) {
            // What a client of Anthropic's own dialect sent stays as it is.
            (UpstreamApi::Anthropic, _) if self.facts.dialect == Dialect::Messages => None,
            (UpstreamApi::Anthropic | UpstreamApi::Bedrock, "temperature") => {
                (value.as_f64()? > MAX_TEMPERATURE).then(|| MAX_TEMPERATURE.into())
            }
            (UpstreamApi::OpenAiResponses, "max_tokens" | "max_completion_tokens") => {
                (value.as_u64()? < MIN_RESPONSE_TOKENS).then(|| MIN_RESPONSE_TOKENS.into())
            }
            _ => None,
        }
    }

    /// The parameters that are forwarded unchanged and not validated: the provider's own, and for `OpenAI`-compatible
    /// providers also unknown ones.
    pub fn forwarded(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let forwarded = self.body.iter().filter(|(name, _)| !self.validated.contains(&name.as_str()));
        forwarded.filter(|(name, _)| self.rule(name) == Rule::Sent).map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the parameters of `forwarded` as a JSON object.
    pub fn forwarded_object(&self) -> Map<String, Value> {
        self.forwarded().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    /// Refuses parameters that the provider does not support.
    pub fn check(&self, unsupported: Unsupported) -> Result<(), ProviderFailure> {
        for (name, value) in self.body {
            match self.rule(name) {
                _ if is_default(name, value) => {}
                Rule::Refused(why) => return Err(ProviderFailure::unsupported(name.as_str(), why)),
                Rule::Dropped if unsupported == Unsupported::Reject => {
                    let why = "this model's provider does not support the parameter; leave it out";
                    return Err(ProviderFailure::unsupported(name.as_str(), why));
                }
                Rule::Sent | Rule::Mapped(_) | Rule::Adapted(_) if unsupported == Unsupported::Reject => {
                    if let Some(nearest) = self.nearest(name, value) {
                        let why = format_args!("this model's provider does not take {value}; send {nearest}");
                        return Err(ProviderFailure::unsupported(name.as_str(), why));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub fn report(&self) -> ParameterReport {
        let mut report = ParameterReport::default();
        for (name, value) in self.body {
            if self.get(name).is_some() && self.nearest(name, value).is_some() {
                report.adjusted.push(name.clone());
            }
            match self.rule(name) {
                Rule::Dropped if !is_default(name, value) => report.dropped.push(name.clone()),
                Rule::Sent | Rule::Mapped(_) | Rule::Adapted(_) if !self.validated.contains(&name.as_str()) => {
                    report.passthrough.push(name.clone());
                }
                _ => {}
            }
        }
        let is_native = self.api == UpstreamApi::Anthropic && self.facts.dialect == Dialect::Messages;
        if !is_native {
            report.dropped.extend(self.facts.unmapped.iter().cloned());
        }
        if self.facts.has_cache_marks
            && !self.caches_marks()
            && !report.dropped.iter().any(|name| name == "cache_control")
        {
            report.dropped.push("cache_control".to_owned());
        }
        report
    }

    /// Whether the provider gets the marks of a conversation.
    pub fn caches_marks(&self) -> bool {
        match self.api {
            // The messages of a client of this dialect are forwarded unchanged.
            UpstreamApi::OpenAi | UpstreamApi::Dev => self.facts.dialect == Dialect::ChatCompletions,
            api => api.kind().takes_cache_marks(self.model),
        }
    }
}

/// The rule for a parameter that is not in the table.
pub fn rule_for_unknown(api: UpstreamApi) -> Rule {
    match api {
        UpstreamApi::OpenAi | UpstreamApi::Dev => Rule::Sent,
        // The Responses API refuses what it does not know, such as parameters of chat completions.
        UpstreamApi::OpenAiResponses | UpstreamApi::Anthropic | UpstreamApi::Gemini | UpstreamApi::Bedrock => {
            Rule::Dropped
        }
    }
}

/// Whether a value requests the default behaviour: one choice, a penalty of zero, text only.
fn is_default(name: &str, value: &Value) -> bool {
    match name {
        "n" | "temperature" | "top_p" => value.as_f64() == Some(1.0),
        "presence_penalty" | "frequency_penalty" => value.as_f64() == Some(0.0),
        "logprobs" | "store" => value == false,
        "parallel_tool_calls" => value == true,
        "service_tier" => value == "auto" || value == "default",
        "verbosity" => value == "medium",
        "modalities" => value.as_array().is_some_and(|list| list.iter().all(|modality| modality == "text")),
        "function_call" => value == "none" || value == "auto",
        "logit_bias" | "metadata" => value.as_object().is_some_and(Map::is_empty),
        "functions" => value.as_array().is_some_and(Vec::is_empty),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
