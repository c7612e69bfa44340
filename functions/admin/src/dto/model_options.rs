//! The options of a catalog model, as requests and answers spell them.

use domain::catalog::{MaxTokensParameter, MaxTokensPolicy, OnDisconnect, OptionalParameter, PromptCache};
use domain::catalog::{ResponseCache, Unsupported};
use domain::guard::GuardApi;
use domain::provider::DeploymentDialect;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::wire_enum;

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    OnDisconnectWire = OnDisconnect {
        /// The call to the provider is aborted. The tokens received so far are billed.
        #[default]
        Stop,
        /// The answer is read to the end and billed.
        Drain,
    }
}

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    #[schema(as = Unsupported)]
    UnsupportedWire = Unsupported {
        #[default]
        Drop,
        Reject,
    }
}

wire_enum! {
    /// A parameter that a model may not take. The answer is still useful without it.
    #[serde(rename_all = "snake_case")]
    #[schema(as = OptionalParameter)]
    OptionalParameterWire = OptionalParameter {
        Temperature,
        TopP,
        TopK,
        PresencePenalty,
        FrequencyPenalty,
        LogitBias,
        Seed,
        Stop,
        ParallelToolCalls,
        ReasoningEffort,
        Verbosity,
    }
}

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = DeploymentDialect)]
    DialectWire = DeploymentDialect {
        /// `/v1/chat/completions`, which every compatible server has.
        #[default]
        ChatCompletions,
        /// `/v1/responses`. It keeps the reasoning of OpenAI's models from call to call, and some models have no other API.
        Responses,
    }
}

wire_enum! {
    #[serde(rename_all = "snake_case")]
    #[schema(as = MaxTokensParameter)]
    MaxTokensParameterWire = MaxTokensParameter { MaxTokens, MaxCompletionTokens }
}

wire_enum! {
    /// How a token limit above the model's maximum is handled: lowered to the maximum (`clamp`), or refused (`reject`).
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    #[schema(as = MaxTokensPolicy)]
    MaxTokensPolicyWire = MaxTokensPolicy {
        #[default]
        Clamp,
        Reject,
    }
}

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "kebab-case")]
    #[schema(as = GuardApi)]
    GuardApiWire = GuardApi {
        /// OpenAI's API for moderation. It scores each text alone.
        #[default]
        Moderation,
        /// The prompt of Llama Guard, sent to the `completions` of an OpenAI-compatible provider.
        LlamaGuard,
        /// A chat model that answers with the scores as JSON.
        ChatJson,
    }
}

/// The parts of a conversation that are marked for the provider's cache.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = PromptCache)]
pub struct PromptCacheWire {
    /// The end of the tools.
    tools: bool,
    /// The end of the system prompt.
    system: bool,
    /// The end of the last turn, so that the next request of the conversation reads all before it from the cache.
    last_turn: bool,
    /// The cache keeps the parts for an hour instead of five minutes.
    one_hour: bool,
}

impl From<PromptCacheWire> for PromptCache {
    fn from(PromptCacheWire { tools, system, last_turn, one_hour }: PromptCacheWire) -> Self {
        Self { tools, system, last_turn, one_hour }
    }
}

impl From<PromptCache> for PromptCacheWire {
    fn from(PromptCache { tools, system, last_turn, one_hour }: PromptCache) -> Self {
        Self { tools, system, last_turn, one_hour }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ResponseCache)]
pub struct ResponseCacheWire {
    /// How many seconds an answer is kept.
    #[schema(minimum = 1, maximum = 86400)]
    seconds: u32,
    /// The price of an answer from the cache, in percent of the price of a call. Defaults to 0.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 100)]
    hit_price_percent: u8,
}

impl From<ResponseCacheWire> for ResponseCache {
    fn from(ResponseCacheWire { seconds, hit_price_percent }: ResponseCacheWire) -> Self {
        Self { seconds, hit_price_percent }
    }
}

impl From<ResponseCache> for ResponseCacheWire {
    fn from(ResponseCache { seconds, hit_price_percent }: ResponseCache) -> Self {
        Self { seconds, hit_price_percent }
    }
}
