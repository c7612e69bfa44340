//! The facts of well-known models, as operators read them.

use domain::Result;
use domain::model_facts::{ModelFacts, ModelPrices};
use domain::usd::{Usd, UsdIn};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use web::gateway::ModelTypeWire;
use web::paging::{check_search, default_per_page, per_page};

use super::model_options::{DialectWire, MaxTokensParameterWire, OptionalParameterWire};

/// The query parameters of the list of facts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ModelFactsQuery {
    /// A part of the id, the name or the vendor, in any case.
    #[param(nullable = false, max_length = 200)]
    search: Option<String>,
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

impl ModelFactsQuery {
    pub fn read_search(&self) -> Result<&str> {
        check_search(self.search.as_deref())?;
        Ok(self.search.as_deref().unwrap_or_default())
    }
}

/// What the vendor of a well-known model publishes about it.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelFacts)]
pub struct ModelFactsOut {
    /// The vendor's name of the model.
    #[schema(example = "gpt-5-mini")]
    id: &'static str,
    /// Other names of the same model. A `#` is one digit.
    #[schema(example = json!(["gpt-5-mini-####-##-##"]))]
    variants: &'static [String],
    /// The only host whose prices these are. Null if they are the vendor's own.
    #[schema(required, example = json!(null))]
    host: Option<&'static str>,
    #[schema(example = "GPT-5 mini")]
    display_name: &'static str,
    #[schema(example = "OpenAI")]
    vendor: &'static str,
    r#type: ModelTypeWire,
    capabilities: &'static [String],
    #[schema(required)]
    context_window: Option<u64>,
    #[schema(required)]
    max_output_tokens: Option<u64>,
    pricing: ModelPricesOut,
    #[schema(required)]
    max_tokens_parameter: Option<MaxTokensParameterWire>,
    /// The parameters that the model refuses, though others of its vendor take them.
    unsupported_parameters: Vec<OptionalParameterWire>,
    /// The dialect in which the vendor's own API serves the model best.
    dialect: DialectWire,
    /// The date at which the facts were valid. Compare the prices with the source before you rely on them.
    #[schema(format = Date, example = "2026-11-01")]
    as_of: &'static str,
    /// The publication that states the facts.
    #[schema(example = "OpenAI API pricing")]
    source: &'static str,
    /// What the prices do not express, such as a higher price of long prompts.
    #[schema(required)]
    note: Option<&'static str>,
}

/// Prices per million tokens.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelPrices)]
struct ModelPricesOut {
    input: Usd,
    output: Usd,
    /// The price of input that the provider reads from its cache.
    #[schema(required)]
    cached_input: Option<Usd>,
    /// The price of input that the provider writes to its cache.
    #[schema(required)]
    cache_write: Option<Usd>,
    /// The price of input that the provider writes to its cache for one hour.
    #[schema(required)]
    cache_write_1h: Option<Usd>,
    #[schema(example = "1M_tokens")]
    unit: &'static str,
    #[schema(example = "USD")]
    currency: &'static str,
}

impl From<&'static ModelFacts> for ModelFactsOut {
    fn from(facts: &'static ModelFacts) -> Self {
        let ModelFacts { id, variants, host, display_name, vendor, capabilities, context_window, .. } = facts;
        let ModelFacts { max_output_tokens, prices, max_tokens_parameter, unsupported_parameters, .. } = facts;
        let ModelFacts { dialect, as_of, source, note, .. } = facts;
        Self {
            id,
            variants,
            host: host.as_deref(),
            display_name,
            vendor,
            r#type: facts.model_type().into(),
            capabilities,
            context_window: *context_window,
            max_output_tokens: *max_output_tokens,
            pricing: (*prices).into(),
            max_tokens_parameter: max_tokens_parameter.map(Into::into),
            unsupported_parameters: unsupported_parameters.iter().copied().map(Into::into).collect(),
            dialect: (*dialect).into(),
            as_of,
            source,
            note: note.as_deref(),
        }
    }
}

impl From<ModelPrices> for ModelPricesOut {
    fn from(prices: ModelPrices) -> Self {
        let ModelPrices { input, output, cached_input, cache_write, cache_write_1h } = prices;
        let usd = |UsdIn(price)| Usd::from(price);
        Self {
            input: usd(input),
            output: usd(output),
            cached_input: cached_input.map(usd),
            cache_write: cache_write.map(usd),
            cache_write_1h: cache_write_1h.map(usd),
            unit: "1M_tokens",
            currency: "USD",
        }
    }
}
