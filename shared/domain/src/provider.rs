//! Model providers: their kinds and timeouts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The API protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// `OpenAI` and compatible servers: vLLM, Ollama, TGI, Azure …
    OpenAi,
    Anthropic,
    Gemini,
    Bedrock,
    /// The embedded development models.
    Dev,
}

/// The API of a provider of kind `openai` through which a deployment answers chats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeploymentDialect {
    /// `/v1/chat/completions`, which every compatible server has.
    #[default]
    ChatCompletions,
    /// `/v1/responses`.
    Responses,
}

/// The API through which a deployment answers chats: that of its provider's kind, in the deployment's dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpstreamApi {
    OpenAi,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Bedrock,
    Dev,
}

impl UpstreamApi {
    pub fn new(kind: ProviderKind, dialect: DeploymentDialect) -> Self {
        match (kind, dialect) {
            (ProviderKind::OpenAi, DeploymentDialect::ChatCompletions) => Self::OpenAi,
            (ProviderKind::OpenAi, DeploymentDialect::Responses) => Self::OpenAiResponses,
            (ProviderKind::Anthropic, _) => Self::Anthropic,
            (ProviderKind::Gemini, _) => Self::Gemini,
            (ProviderKind::Bedrock, _) => Self::Bedrock,
            (ProviderKind::Dev, _) => Self::Dev,
        }
    }

    pub fn kind(self) -> ProviderKind {
        match self {
            Self::OpenAi | Self::OpenAiResponses => ProviderKind::OpenAi,
            Self::Anthropic => ProviderKind::Anthropic,
            Self::Gemini => ProviderKind::Gemini,
            Self::Bedrock => ProviderKind::Bedrock,
            Self::Dev => ProviderKind::Dev,
        }
    }
}

/// The API in the kind's usual dialect.
impl From<ProviderKind> for UpstreamApi {
    fn from(kind: ProviderKind) -> Self {
        Self::new(kind, DeploymentDialect::default())
    }
}

impl ProviderKind {
    /// Whether requests to this model mark parts of the conversation for the provider's cache. `model` is the provider's name
    /// for it.
    pub fn takes_cache_marks(self, model: &str) -> bool {
        match self {
            Self::Anthropic => true,
            Self::Bedrock => ["claude", "nova"].iter().any(|family| model.contains(family)),
            Self::OpenAi | Self::Gemini | Self::Dev => false,
        }
    }
}

/// The timeouts of calls to a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Timeouts {
    /// Until the response starts. A response that is not streamed starts when it is complete.
    pub first_byte_ms: u64,
    /// Between two chunks of a response.
    pub idle_ms: u64,
    /// For the whole response, streamed or not.
    pub total_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { first_byte_ms: 60_000, idle_ms: 60_000, total_ms: 600_000 }
    }
}

impl Timeouts {
    pub fn first_byte(&self) -> Duration {
        Duration::from_millis(self.first_byte_ms)
    }

    pub fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    pub fn total(&self) -> Duration {
        Duration::from_millis(self.total_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_kinds_are_stored_by_their_api_names() {
        let kinds = [
            ProviderKind::OpenAi,
            ProviderKind::Anthropic,
            ProviderKind::Gemini,
            ProviderKind::Bedrock,
            ProviderKind::Dev,
        ];
        let names = serde_json::to_string(&kinds).unwrap();
        assert_eq!(names, r#"["openai","anthropic","gemini","bedrock","dev"]"#);
        let takes = |model: &str| kinds.map(|kind| kind.takes_cache_marks(model));
        assert_eq!(takes("anthropic.claude-sonnet-4-5-v1:0"), [false, true, false, true, false]);
        assert_eq!(takes("meta.llama3-70b"), [false, true, false, false, false]);
    }
}
