//! The model catalog: models, deployments, prices and maintenance.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::guard::GuardApi;
use super::money::Money;
use super::provider::DeploymentDialect;
use super::routing::{DeploymentCost, RoutingPolicy};
use super::time::Time;
use super::usage::{Quantities, Tokens};

pub use super::optional_parameter::OptionalParameter;

/// What a model can do.
pub const CAPABILITIES: [&str; 15] = [
    "chat",
    "streaming",
    "tools",
    "vision",
    "json_mode",
    "json_schema",
    "logprobs",
    "reasoning",
    "embeddings",
    "images",
    "image_edits",
    "guard",
    "rerank",
    "transcription",
    "speech",
];
/// The output tokens that a lease reserves for a call if neither the request nor the catalog has a limit.
pub const DEFAULT_OUTPUT_TOKENS: u64 = 4_096;
const MS_IN_MINUTE: u64 = 60_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub name: String,
    pub display_name: String,
    pub r#type: ModelType,
    /// The name of the company that makes the model, for display.
    pub provider: String,
    pub capabilities: Vec<String>,
    pub context_window: Option<u64>,
    /// The maximum output. A call without a limit reserves this many tokens.
    pub max_output_tokens: Option<u64>,
    pub pricing: Pricing,
    pub deprecated_at: Option<Time>,
    pub retires_at: Option<Time>,
    /// Default values for parameters that a request omits.
    #[serde(default)]
    pub defaults: Map<String, Value>,
    /// The providers that run the model.
    #[serde(default)]
    pub deployments: Vec<ModelDeployment>,
    #[serde(default)]
    pub on_disconnect: OnDisconnect,
    /// How to handle parameters that the provider does not support.
    #[serde(default)]
    pub unsupported: Unsupported,
    /// The parameters that the model does not take, though others of its provider do.
    #[serde(default)]
    pub unsupported_parameters: Vec<OptionalParameter>,
    /// The name of the output limit in requests to `OpenAI`-compatible providers. Without it, the name in the client's
    /// request is used.
    #[serde(default)]
    pub max_tokens_parameter: Option<MaxTokensParameter>,
    #[serde(default)]
    pub max_tokens_policy: MaxTokensPolicy,
    #[serde(default)]
    pub prompt_cache: PromptCache,
    /// The cache of its answers. `None` if its providers answer every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_cache: Option<ResponseCache>,
    #[serde(default, skip_serializing_if = "RoutingPolicy::is_default")]
    pub routing: RoutingPolicy,
    /// The price of a call of a batch, in percent of its price at once. `None` if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_price_percent: Option<u8>,
    /// The names of the models that answer a chat if this one cannot, in their order.
    #[serde(default)]
    pub fallbacks: Vec<String>,
    /// Whether requests for images never wait for them, and are answered with the job instead.
    #[serde(default)]
    pub asynchronous: bool,
    /// How the model is called, if it is a guard model.
    #[serde(default)]
    pub guard_api: GuardApi,
    /// The version of the model and its prices. A call is charged at the prices of the version that its lease was
    /// granted for.
    #[serde(default)]
    pub version: u64,
}

impl Model {
    pub fn is_retired(&self, now: Time) -> bool {
        self.retires_at.is_some_and(|retires_at| retires_at <= now)
    }

    pub fn is_deprecated(&self, now: Time) -> bool {
        self.deprecated_at.is_some_and(|deprecated_at| deprecated_at <= now)
    }

    /// Whether the model can be used for this purpose.
    pub fn does(&self, purpose: Purpose) -> bool {
        match purpose {
            Purpose::Chat => self.r#type != ModelType::Embeddings && self.can("chat"),
            Purpose::Embeddings => self.r#type == ModelType::Embeddings,
            Purpose::Images => self.can("images"),
            Purpose::Guard => self.can("guard"),
            Purpose::Rerank => self.can("rerank"),
            Purpose::ImageEdits => self.can("image_edits"),
            Purpose::Transcription => self.can("transcription"),
            Purpose::Speech => self.can("speech"),
        }
    }

    /// The output tokens to reserve for a call without a limit: the maximum output, or `DEFAULT_OUTPUT_TOKENS` if the
    /// catalog has none, but at most the context window.
    pub fn reserved_output_tokens(&self) -> u64 {
        let longest = self.max_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS);
        longest.min(self.context_window.unwrap_or(u64::MAX)).max(1)
    }

    /// What a call pays: percentages of the price of its usage, one after the other.
    pub fn price_percents(&self, is_cached: bool, is_batch: bool) -> [u8; 2] {
        let cached = self.response_cache.filter(|_| is_cached).map_or(100, |cache| cache.hit_price_percent);
        [cached, self.batch_price_percent.filter(|_| is_batch).unwrap_or(100)]
    }

    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|own| own == capability)
    }
}

/// Whether `name` can be the name of a model. The maximum of 200 characters also fits a table key.
pub fn is_model_name(name: &str) -> bool {
    (1..=200).contains(&name.chars().count())
}

/// The model types, with the exact spelling of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelType {
    Embeddings,
    Others,
}

/// The kind of request a model is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Chat,
    Embeddings,
    Images,
    Guard,
    Rerank,
    ImageEdits,
    Transcription,
    Speech,
}

/// A provider that runs a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelDeployment {
    /// The name of a provider in the catalog.
    pub provider: String,
    /// The name of the model at that provider.
    pub model: String,
    /// The share of calls among deployments of the same priority.
    pub weight: u32,
    /// The deployments with the lowest number are tried first. The others are fallbacks.
    pub priority: u32,
    /// Only providers of kind `openai` have more than one.
    #[serde(default)]
    pub dialect: DeploymentDialect,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<DeploymentCost>,
}

/// How to handle the provider's response after the client disconnects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDisconnect {
    /// The connection to the provider is closed. The output received so far is billed.
    #[default]
    Stop,
    /// The response is read to its end. The usage that the provider reports is billed.
    Drain,
}

/// How to handle parameters that a provider does not support and that only influence the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unsupported {
    /// They are removed from the request to the provider and listed in the header `X-Svc-Dropped`.
    #[default]
    Drop,
    /// The request is refused.
    Reject,
}

/// How to handle an output limit above the model's own maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaxTokensPolicy {
    /// It is lowered to the maximum and listed in the header `X-Svc-Adjusted`.
    #[default]
    Clamp,
    /// The request is refused.
    Reject,
}

/// The parts of a conversation that the gateway marks for the provider's cache. Marks of the client have precedence.
/// `ProviderKind::takes_cache_marks` decides which providers get them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PromptCache {
    pub tools: bool,
    pub system: bool,
    pub last_turn: bool,
    /// The cache keeps the parts for an hour instead of five minutes.
    pub one_hour: bool,
}

impl PromptCache {
    /// Whether the gateway marks anything.
    pub fn marks(&self) -> bool {
        self.tools || self.system || self.last_turn
    }
}

/// The cache of a model's answers, which are returned for equal requests of the same organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseCache {
    /// How long an answer is kept.
    pub seconds: u32,
    /// The price of an answer from the cache, in percent of its price at the provider.
    pub hit_price_percent: u8,
}

/// The two names that the `OpenAI` API has for the output limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensParameter {
    MaxTokens,
    MaxCompletionTokens,
}

impl MaxTokensParameter {
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// Prices in whole micro-USD per million tokens, which equals pico-USD per token. A price is never a float.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pricing {
    pub input_micro_usd: u64,
    pub output_micro_usd: u64,
    /// The price of input read from a cache. Without it, the price of input applies.
    #[serde(default)]
    pub cached_input_micro_usd: Option<u64>,
    /// The price of input written to a cache. Without it, the price of input applies.
    #[serde(default)]
    pub cache_write_micro_usd: Option<u64>,
    /// The price of input written to a cache that keeps it for an hour. Without it, `cache_write_micro_usd` applies.
    #[serde(default)]
    pub cache_write_1h_micro_usd: Option<u64>,
    /// The price of one image, in micro-USD.
    #[serde(default)]
    pub image_micro_usd: Option<u64>,
    /// The price of a minute of audio that is transcribed, in micro-USD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio_minute_micro_usd: Option<u64>,
    /// The price of a million characters that are spoken, in micro-USD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters_micro_usd: Option<u64>,
}

impl Pricing {
    /// The cost of the tokens and of what else is paid. Tokens that were read from a cache or written to it are part of the input and are
    /// not charged twice.
    pub fn cost(&self, tokens: &Tokens, quantities: &Quantities) -> Money {
        let cached = tokens.cached.min(tokens.input);
        let written = tokens.written.min(tokens.input - cached);
        let written_1h = tokens.written_1h.min(written);
        let write = self.cache_write_micro_usd.unwrap_or(self.input_micro_usd);
        let price = Money::from_pico_usd;
        price(self.input_micro_usd).times(tokens.input - cached - written)
            + price(self.cached_input_micro_usd.unwrap_or(self.input_micro_usd)).times(cached)
            + price(write).times(written - written_1h)
            + price(self.cache_write_1h_micro_usd.unwrap_or(write)).times(written_1h)
            + price(self.output_micro_usd).times(tokens.output)
            + self.quantity_cost(quantities)
    }

    /// The cost of images, audio and characters.
    pub fn quantity_cost(&self, &Quantities { images, audio_ms, characters }: &Quantities) -> Money {
        let price = |micro_usd: Option<u64>| Money::from_micro_usd(micro_usd.unwrap_or_default());
        // A price for a million characters in micro-USD is one for a character in pico-USD.
        let character = Money::from_pico_usd(self.characters_micro_usd.unwrap_or_default());
        price(self.image_micro_usd).times(images)
            + price(self.audio_minute_micro_usd).prorated(audio_ms, MS_IN_MINUTE)
            + character.times(characters)
    }

    /// Whether tokens have a price.
    pub fn has_token_price(&self) -> bool {
        self.input_micro_usd > 0 || self.output_micro_usd > 0
    }

    /// The maximum cost of these tokens, for any share of input that is read from a cache or written to it.
    pub fn greatest_cost(&self, input: u64, output: u64) -> Money {
        let special = [self.cached_input_micro_usd, self.cache_write_micro_usd, self.cache_write_1h_micro_usd];
        let dearest = special.into_iter().flatten().fold(self.input_micro_usd, u64::max);
        let price = Money::from_pico_usd;
        price(dearest).times(input) + price(self.output_micro_usd).times(output)
    }
}

/// Maintenance mode: while it is on, the gateway serves only operators.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Maintenance {
    pub on: bool,
    pub message: String,
    pub retry_after_s: u32,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cached_tokens_are_charged_once_at_their_own_price() {
        let pricing = Pricing {
            input_micro_usd: 100,
            output_micro_usd: 400,
            cached_input_micro_usd: Some(10),
            ..Pricing::default()
        };
        let tokens = Tokens { input: 1_000, cached: 600, output: 50, reasoning: 20, ..Tokens::default() };
        assert_eq!(
            pricing.cost(&tokens, &Quantities::default()),
            Money::from_pico_usd(400 * 100 + 600 * 10 + 50 * 400)
        );
        let without = Pricing { cached_input_micro_usd: None, ..pricing };
        assert_eq!(without.cost(&tokens, &Quantities::default()), Money::from_pico_usd(1_000 * 100 + 50 * 400));
        assert!(pricing.greatest_cost(1_000, 50) >= pricing.cost(&tokens, &Quantities::default()));
    }

    #[test]
    fn tokens_written_to_a_cache_have_a_price_for_each_duration() {
        // Anthropic's prices: a write costs 1.25 times the input, or twice the input for an hour, and a read a tenth.
        let pricing = Pricing {
            input_micro_usd: 3_000_000,
            output_micro_usd: 15_000_000,
            cached_input_micro_usd: Some(300_000),
            cache_write_micro_usd: Some(3_750_000),
            cache_write_1h_micro_usd: Some(6_000_000),
            ..Pricing::default()
        };
        let tokens = Tokens { input: 3_010, cached: 2_000, written: 1_000, written_1h: 400, output: 5, reasoning: 0 };
        let expected = 10 * 3_000_000 + 2_000 * 300_000 + 600 * 3_750_000 + 400 * 6_000_000 + 5 * 15_000_000;
        assert_eq!(pricing.cost(&tokens, &Quantities::default()), Money::from_pico_usd(expected));
        let without = Pricing { cache_write_1h_micro_usd: None, ..pricing };
        assert_eq!(
            without.cost(&Tokens { input: 7, written: 7, written_1h: 7, ..Tokens::default() }, &Quantities::default()),
            Money::from_pico_usd(7 * 3_750_000)
        );
    }

    #[test]
    fn images_are_charged_beside_tokens() {
        let pricing = Pricing { input_micro_usd: 5, image_micro_usd: Some(40_000), ..Pricing::default() };
        let tokens = Tokens { input: 10, ..Tokens::default() };
        let images = Quantities::of_images(3);
        assert_eq!(pricing.cost(&tokens, &images), Money::from_micro_usd(120_000) + Money::from_pico_usd(50));
        assert_eq!(Pricing { image_micro_usd: None, ..pricing }.quantity_cost(&images), Money::ZERO);
    }

    #[test]
    fn audio_is_charged_by_the_millisecond_and_speech_by_the_character() {
        // 0.006 USD a minute, and 15 USD for a million characters.
        let pricing = Pricing {
            audio_minute_micro_usd: Some(6_000),
            characters_micro_usd: Some(15_000_000),
            ..Pricing::default()
        };
        let audio = |audio_ms| pricing.quantity_cost(&Quantities { audio_ms, ..Quantities::default() });
        assert_eq!(audio(60_000), Money::from_micro_usd(6_000));
        assert_eq!(audio(1_500), Money::from_micro_usd(150));
        // A part of a pico-dollar is rounded up.
        let odd = Pricing { audio_minute_micro_usd: Some(1), ..Pricing::default() };
        let one = Quantities { audio_ms: 1, ..Quantities::default() };
        assert_eq!(odd.quantity_cost(&one), Money::from_pico_usd(17));
        let spoken = Quantities { characters: 4_096, ..Quantities::default() };
        assert_eq!(pricing.cost(&Tokens::default(), &spoken), Money::from_micro_usd(61_440));
    }

    fn pricing() -> impl Strategy<Value = Pricing> {
        let price = 0..=100_000_000u64;
        let special = || proptest::option::of(0..=100_000_000u64);
        (price.clone(), price, special(), special(), special()).prop_map(|(input, output, cached, write, write_1h)| {
            Pricing {
                input_micro_usd: input,
                output_micro_usd: output,
                cached_input_micro_usd: cached,
                cache_write_micro_usd: write,
                cache_write_1h_micro_usd: write_1h,
                ..Pricing::default()
            }
        })
    }

    proptest! {
        #[test]
        fn no_call_within_its_limits_costs_more_than_the_greatest_cost(
            pricing in pricing(), input in 0..=10_000_000u64, output in 0..=1_000_000u64,
            used: (u64, u64), cached: u64, written: u64, written_1h: u64, reasoning: u64,
        ) {
            let greatest = pricing.greatest_cost(input, output);
            // A provider may report any number of cached, written and reasoning tokens.
            let (input, output) = (used.0 % (input + 1), used.1 % (output + 1));
            let tokens = Tokens { input, cached, written, written_1h, output, reasoning };
            prop_assert!(pricing.cost(&tokens, &Quantities::default()) <= greatest);
        }

        #[test]
        fn cached_tokens_are_not_charged_as_fresh_input(pricing in pricing(), fresh in 0..=1_000_000u64, cached in 0..=1_000_000u64) {
            let cost = |input, cached| pricing.cost(&Tokens { input, cached, ..Tokens::default() }, &Quantities::default());
            prop_assert_eq!(cost(fresh + cached, cached), cost(fresh, 0) + cost(cached, cached));
        }
    }
}
