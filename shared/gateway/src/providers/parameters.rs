//! The parameters of requests, and what each kind of provider gets of them.
//!
//! One table decides: a translation asks it what to send, the response headers report what it left out, and the
//! documents print it.

mod claude;
mod document;
mod table;

use serde_json::{Map, Value};

use super::failure::Failure;
use crate::chat::{self, ChatRequest};
use crate::embeddings::{self, EmbeddingsRequest};
use domain::catalog::Unsupported;
use domain::provider::ProviderKind;

pub use document::markdown;
pub use table::{CHAT, EMBEDDINGS};

/// What happens to a parameter on its way to one kind of provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It goes as it came.
    Sent,
    /// It goes under the provider's own name, which is here.
    Mapped(&'static str),
    /// It is changed into what the provider takes.
    Adapted(&'static str),
    /// The provider has nothing like it, and answers without it too: it is left out, or refused where the operator
    /// says so.
    Dropped,
    /// The answer would not be what was asked for without it: the request is refused.
    Refused(&'static str),
}

pub struct Parameter {
    pub name: &'static str,
    pub openai: Rule,
    pub anthropic: Rule,
    pub gemini: Rule,
    pub bedrock: Rule,
}

impl Parameter {
    pub fn rule(&self, kind: ProviderKind) -> Rule {
        match kind {
            // The embedded models take what OpenAI's take, and ignore most of it.
            ProviderKind::OpenAi | ProviderKind::Dev => self.openai,
            ProviderKind::Anthropic => self.anthropic,
            ProviderKind::Gemini => self.gemini,
            ProviderKind::Bedrock => self.bedrock,
        }
    }
}

/// The parameters of one request on their way to one model of a provider.
#[derive(Clone, Copy)]
pub struct Parameters<'a> {
    table: &'static [Parameter],
    /// Those that the gateway validates.
    validated: &'static [&'static str],
    body: &'a Map<String, Value>,
    kind: ProviderKind,
    model: &'a str,
}

/// What the response headers say of a request's parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterReport {
    /// Forwarded without validation.
    pub passthrough: Vec<String>,
    /// Left out, since the provider has no such parameter.
    pub dropped: Vec<String>,
}

impl<'a> Parameters<'a> {
    pub fn of_chat(request: &'a ChatRequest, kind: ProviderKind, model: &'a str) -> Self {
        Self { table: &CHAT, validated: &chat::VALIDATED, body: request.body(), kind, model }
    }

    pub fn of_embeddings(request: &'a EmbeddingsRequest, kind: ProviderKind, model: &'a str) -> Self {
        Self { table: &EMBEDDINGS, validated: &embeddings::VALIDATED, body: request.body(), kind, model }
    }

    fn rule(&self, name: &str) -> Rule {
        if claude::leaves_out(self.kind, self.model, self.body, name) {
            return Rule::Dropped;
        }
        let known = self.table.iter().find(|parameter| parameter.name == name);
        known.map_or(of_unknown(self.kind), |parameter| parameter.rule(self.kind))
    }

    /// The value of a parameter, unless this model does not get it.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.body.get(name).filter(|_| !matches!(self.rule(name), Rule::Dropped | Rule::Refused(_)))
    }

    /// What goes to the provider as it came and is not read by the gateway: its own parameters, and to `OpenAI`'s kind
    /// also those that nobody here knows.
    pub fn unread(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let unread = self.body.iter().filter(|(name, _)| !self.validated.contains(&name.as_str()));
        unread.filter(|(name, _)| self.rule(name) == Rule::Sent).map(|(name, value)| (name.as_str(), value))
    }

    /// The same as an object.
    pub fn unread_object(&self) -> Map<String, Value> {
        self.unread().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    /// Refuses what the provider cannot do.
    pub fn check(&self, unsupported: Unsupported) -> Result<(), Failure> {
        for (name, value) in self.body {
            match self.rule(name) {
                _ if asks_nothing(name, value) => {}
                Rule::Refused(why) => return Err(Failure::unsupported(name.as_str(), why)),
                Rule::Dropped if unsupported == Unsupported::Reject => {
                    let why = "the provider of this model has no such parameter; leave it out";
                    return Err(Failure::unsupported(name.as_str(), why));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub fn report(&self) -> ParameterReport {
        let mut report = ParameterReport::default();
        for (name, value) in self.body {
            match self.rule(name) {
                Rule::Dropped if !asks_nothing(name, value) => report.dropped.push(name.clone()),
                Rule::Sent | Rule::Mapped(_) | Rule::Adapted(_) if !self.validated.contains(&name.as_str()) => {
                    report.passthrough.push(name.clone());
                }
                _ => {}
            }
        }
        report
    }
}

/// The rule for what is not in the table.
pub fn of_unknown(kind: ProviderKind) -> Rule {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Dev => Rule::Sent,
        ProviderKind::Anthropic | ProviderKind::Gemini | ProviderKind::Bedrock => Rule::Dropped,
    }
}

/// A value that asks for what happens anyway: one answer, a penalty of zero, text.
fn asks_nothing(name: &str, value: &Value) -> bool {
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
