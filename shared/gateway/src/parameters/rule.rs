//! A rule of the parameter table, and a row of it.

use domain::provider::UpstreamApi;

/// What happens to a parameter for one API of providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is forwarded unchanged.
    Sent,
    /// It is forwarded under the provider's name, given here.
    Mapped(&'static str),
    /// It is translated for the provider. The text describes how.
    Adapted(&'static str),
    /// The provider does not support it, and the answer is still useful without it. It is left out, or refused if the
    /// model has `unsupported: "reject"`.
    Dropped,
    /// The answer would be wrong without it, so the request is refused with this message.
    Refused(&'static str),
}

pub struct Parameter {
    pub name: &'static str,
    pub openai: Rule,
    /// OpenAI's Responses API. Only chats have rules of their own there.
    pub responses: Rule,
    pub anthropic: Rule,
    pub gemini: Rule,
    pub bedrock: Rule,
}

impl Parameter {
    pub fn rule(&self, api: UpstreamApi) -> Rule {
        match api {
            // The embedded models accept the same parameters as OpenAI, and ignore most of them.
            UpstreamApi::OpenAi | UpstreamApi::Dev => self.openai,
            UpstreamApi::OpenAiResponses => self.responses,
            UpstreamApi::Anthropic => self.anthropic,
            UpstreamApi::Gemini => self.gemini,
            UpstreamApi::Bedrock => self.bedrock,
        }
    }
}
