//! Models that can be called, as the catalog describes them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::money::Money;
use super::time::Time;
use super::usage::Tokens;

/// What a call is held for when neither the client nor the catalog limits the answer.
pub const DEFAULT_OUTPUT_TOKENS: u64 = 4_096;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub name: String,
    pub display_name: String,
    pub r#type: ModelType,
    /// Who makes it, for people to read.
    pub provider: String,
    pub capabilities: Vec<String>,
    pub context_window: Option<u64>,
    /// The longest answer. A call that sets no limit is held for it.
    pub max_output_tokens: Option<u64>,
    pub pricing: Pricing,
    pub deprecated_at: Option<Time>,
    pub retires_at: Option<Time>,
    /// What the operator sets for parameters that a request leaves out.
    #[serde(default)]
    pub defaults: Map<String, Value>,
    /// Where it runs.
    #[serde(default)]
    pub deployments: Vec<Deployment>,
    #[serde(default)]
    pub on_disconnect: OnDisconnect,
    /// What happens to parameters that the provider does not have.
    #[serde(default)]
    pub unsupported: Unsupported,
    /// The name under which `OpenAI`-kind providers take the limit of an answer; the client's name when there is none.
    #[serde(default)]
    pub max_tokens_parameter: Option<MaxTokensParameter>,
    /// Prices carry the version of their model: a call is priced as its lease was made.
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

    /// Whether it does what is asked of models for that.
    pub fn does(&self, purpose: Purpose) -> bool {
        match purpose {
            Purpose::Chat => self.r#type != ModelType::Embeddings && self.can("chat"),
            Purpose::Embeddings => self.r#type == ModelType::Embeddings,
        }
    }

    /// The output that a call without a limit is held for: the longest answer, or `DEFAULT_OUTPUT_TOKENS` where the
    /// catalog does not know it. No answer is longer than the context window.
    pub fn held_output_tokens(&self) -> u64 {
        let longest = self.max_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS);
        longest.min(self.context_window.unwrap_or(u64::MAX)).max(1)
    }

    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|own| own == capability)
    }
}

/// What can be a model's name at all: 1 to 200 characters, so that it also fits a key of the table.
pub fn is_model_name(name: &str) -> bool {
    (1..=200).contains(&name.chars().count())
}

/// The contract's literal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelType {
    Embeddings,
    Others,
}

/// What a model is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Chat,
    Embeddings,
}

/// One place a model runs at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deployment {
    /// The name of a provider in the catalog.
    pub provider: String,
    /// What that provider calls the model.
    pub model: String,
    /// Its share of the calls, among those of its priority.
    pub weight: u32,
    /// The lowest number is tried first; the others are there to fall back on.
    pub priority: u32,
}

/// What happens upstream when a client hangs up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDisconnect {
    /// The provider is cut off; what it delivered is billed.
    #[default]
    Stop,
    /// The answer is read to its end; what the provider counts is billed.
    Drain,
}

/// What happens to parameters that a provider does not have and that only steer its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unsupported {
    /// They are left out of the provider's request and named in `X-Svc-Dropped`.
    #[default]
    Drop,
    /// The request is refused.
    Reject,
}

/// The two names that `OpenAI` has given to the limit of an answer.
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

/// Whole micro-USD for a million tokens, so that a price is never a float: one micro-USD a million tokens is one
/// pico-USD a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pricing {
    pub input_micro_usd: u64,
    pub output_micro_usd: u64,
    /// Of input read from a cache; the price of input where there is none.
    #[serde(default)]
    pub cached_input_micro_usd: Option<u64>,
    /// Of one picture, in micro-USD.
    #[serde(default)]
    pub image_micro_usd: Option<u64>,
}

impl Pricing {
    /// What the tokens cost. Cached ones are part of the input, and are priced once.
    pub fn cost(&self, tokens: &Tokens) -> Money {
        let cached = tokens.cached.min(tokens.input);
        let price = Money::from_pico_usd;
        price(self.input_micro_usd).times(tokens.input - cached)
            + price(self.cached_input_micro_usd.unwrap_or(self.input_micro_usd)).times(cached)
            + price(self.output_micro_usd).times(tokens.output)
    }

    /// The most that so many tokens can cost, whatever part of them a cache serves.
    pub fn greatest_cost(&self, input: u64, output: u64) -> Money {
        let dearest = self.input_micro_usd.max(self.cached_input_micro_usd.unwrap_or_default());
        let price = Money::from_pico_usd;
        price(dearest).times(input) + price(self.output_micro_usd).times(output)
    }
}

/// While it is on, only operators are served.
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
    fn cached_tokens_are_priced_once_and_at_their_own_price() {
        let pricing = Pricing {
            input_micro_usd: 100,
            output_micro_usd: 400,
            cached_input_micro_usd: Some(10),
            ..Pricing::default()
        };
        let tokens = Tokens { input: 1_000, cached: 600, output: 50, reasoning: 20 };
        assert_eq!(pricing.cost(&tokens), Money::from_pico_usd(400 * 100 + 600 * 10 + 50 * 400));
        let without = Pricing { cached_input_micro_usd: None, ..pricing };
        assert_eq!(without.cost(&tokens), Money::from_pico_usd(1_000 * 100 + 50 * 400));
        assert!(pricing.greatest_cost(1_000, 50) >= pricing.cost(&tokens));
    }

    fn pricing() -> impl Strategy<Value = Pricing> {
        let price = 0..=100_000_000u64;
        (price.clone(), price.clone(), proptest::option::of(price)).prop_map(|(input, output, cached)| Pricing {
            input_micro_usd: input,
            output_micro_usd: output,
            cached_input_micro_usd: cached,
            image_micro_usd: None,
        })
    }

    proptest! {
        #[test]
        fn no_call_within_its_bounds_costs_more_than_the_greatest_cost(
            pricing in pricing(), input in 0..=10_000_000u64, output in 0..=1_000_000u64,
            used: (u64, u64), cached: u64, reasoning: u64,
        ) {
            let greatest = pricing.greatest_cost(input, output);
            // A provider may count anything as cached or as reasoning.
            let tokens = Tokens { input: used.0 % (input + 1), cached, output: used.1 % (output + 1), reasoning };
            prop_assert!(pricing.cost(&tokens) <= greatest);
        }

        #[test]
        fn a_cached_token_is_priced_once(pricing in pricing(), fresh in 0..=1_000_000u64, cached in 0..=1_000_000u64) {
            let cost = |input, cached| pricing.cost(&Tokens { input, cached, ..Tokens::default() });
            prop_assert_eq!(cost(fresh + cached, cached), cost(fresh, 0) + cost(cached, cached));
        }
    }
}
