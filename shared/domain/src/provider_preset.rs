//! Presets of well-known model providers: how each is reached, so that an operator only adds a key and chooses models.

use crate::provider::ProviderKind;

/// How a provider is reached. The operator may override every part.
#[derive(Debug, PartialEq, Eq)]
pub struct ProviderPreset {
    /// The id, which is also the name of a provider that has no other.
    pub id: &'static str,
    /// The name to display.
    pub name: &'static str,
    pub kind: ProviderKind,
    /// None if each customer has its own URL, or if the kind has none.
    pub base_url: Option<&'static str>,
    /// A base URL to follow, if `base_url` is None and the provider needs one.
    pub base_url_example: Option<&'static str>,
    /// The header that carries the key, if it is not the header of the kind.
    pub auth_header: Option<&'static str>,
    /// The header that carries the key and the text before it, for people who set up the provider.
    pub key_format: &'static str,
    pub key: KeyNeed,
    /// The environment variable in which the vendor's own tools expect the key.
    pub key_variable: Option<&'static str>,
    /// The path below the base URL that lists the models. None if the models must be named.
    pub models_path: Option<&'static str>,
    pub hint: &'static str,
}

/// Whether a provider needs an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNeed {
    Required,
    Optional,
    None,
}

/// All presets, in the order in which they are shown.
pub const PRESETS: [ProviderPreset; 11] = [
    openai("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "A key of platform.openai.com."),
    ProviderPreset {
        id: "anthropic",
        name: "Anthropic",
        kind: ProviderKind::Anthropic,
        base_url: Some("https://api.anthropic.com/v1"),
        key_format: "x-api-key: <key>",
        key_variable: Some("ANTHROPIC_API_KEY"),
        hint: "A key of console.anthropic.com.",
        ..BASE
    },
    ProviderPreset {
        id: "gemini",
        name: "Google Gemini",
        kind: ProviderKind::Gemini,
        base_url: Some("https://generativelanguage.googleapis.com/v1beta"),
        key_format: "x-goog-api-key: <key>",
        key_variable: Some("GEMINI_API_KEY"),
        hint: "A key of aistudio.google.com.",
        ..BASE
    },
    ProviderPreset {
        id: "bedrock",
        name: "Amazon Bedrock",
        kind: ProviderKind::Bedrock,
        key: KeyNeed::Optional,
        key_variable: Some("AWS_BEARER_TOKEN_BEDROCK"),
        models_path: None,
        hint: "A Bedrock API key; without one, the AWS credentials of the platform. Set `region`, and name the models or \
            inference profiles.",
        ..BASE
    },
    ProviderPreset {
        base_url: None,
        base_url_example: Some("https://my-resource.openai.azure.com/openai/v1"),
        auth_header: Some("api-key"),
        key_format: "api-key: <key>",
        models_path: None,
        ..openai("azure", "Azure OpenAI", "", "AZURE_OPENAI_API_KEY", "Name your deployments as the models.")
    },
    openai("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "A key of console.mistral.ai."),
    openai("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "A key of console.groq.com."),
    openai("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "A key of openrouter.ai."),
    on_this_machine("vllm", "vLLM", "http://127.0.0.1:8000/v1", "The key of `--api-key`, if the server has one."),
    ProviderPreset {
        key: KeyNeed::None,
        ..on_this_machine("ollama", "Ollama", "http://127.0.0.1:11434/v1", "Start it with `ollama serve`.")
    },
    on_this_machine("llama-cpp", "llama.cpp", "http://127.0.0.1:8080/v1", "Start it with `llama-server`."),
];

/// Finds a preset by its id.
pub fn find_preset(id: &str) -> Option<&'static ProviderPreset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

const BASE: ProviderPreset = ProviderPreset {
    id: "",
    name: "",
    kind: ProviderKind::OpenAi,
    base_url: None,
    base_url_example: None,
    auth_header: None,
    key_format: "Authorization: Bearer <key>",
    key: KeyNeed::Required,
    key_variable: None,
    models_path: Some("/models"),
    hint: "",
};

const fn openai(
    id: &'static str,
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
    hint: &'static str,
) -> ProviderPreset {
    ProviderPreset { id, name, base_url: Some(base_url), key_variable: Some(key_variable), hint, ..BASE }
}

/// A server that speaks OpenAI's API on this machine.
const fn on_this_machine(
    id: &'static str,
    name: &'static str,
    base_url: &'static str,
    hint: &'static str,
) -> ProviderPreset {
    ProviderPreset { id, name, base_url: Some(base_url), key: KeyNeed::Optional, hint, ..BASE }
}
