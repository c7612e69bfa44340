//! Who runs models: how a provider is reached, as the catalog keeps it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The language a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// `OpenAI`, and whoever speaks as it does: vLLM, Ollama, TGI, Azure …
    OpenAi,
    Anthropic,
    Gemini,
    Bedrock,
    /// The embedded models, for development.
    Dev,
}

/// How long a provider is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Timeouts {
    /// Until a streamed answer begins. One that is not streamed begins when it is complete.
    pub first_byte_ms: u64,
    /// Between two pieces of an answer.
    pub idle_ms: u64,
    /// For a whole answer, streamed or not.
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
    fn kinds_are_stored_by_the_names_that_operators_write() {
        let kinds = [
            ProviderKind::OpenAi,
            ProviderKind::Anthropic,
            ProviderKind::Gemini,
            ProviderKind::Bedrock,
            ProviderKind::Dev,
        ];
        let names = serde_json::to_string(&kinds).unwrap();
        assert_eq!(names, r#"["openai","anthropic","gemini","bedrock","dev"]"#);
    }
}
