//! The prices of a model in request bodies, and their validation.

use domain::body_problems::Problems;
use domain::catalog::Pricing;
use domain::model_facts::ModelPrices;
use domain::money::Money;
use domain::usd::UsdIn;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const MAX_PRICE: Money = Money::from_usd(10_000);

/// Prices in US dollars, at most 10,000 and with at most 6 decimals. Token prices are per million tokens.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PricingIn {
    /// The price of input tokens.
    input: UsdIn,
    /// The price of output tokens.
    output: UsdIn,
    /// The price of input that the provider reads from its cache. Defaults to `input`.
    cached_input: Option<UsdIn>,
    /// The price of input that the provider writes to its cache. Defaults to `input`.
    cache_write: Option<UsdIn>,
    /// The price of input that the provider writes to its cache for an hour. Defaults to `cache_write`.
    cache_write_1h: Option<UsdIn>,
    /// The price of one image.
    per_image: Option<UsdIn>,
    /// The price of a minute of audio that is transcribed.
    per_minute: Option<UsdIn>,
    /// The price of a million characters that are spoken.
    per_million_characters: Option<UsdIn>,
}

impl Default for PricingIn {
    fn default() -> Self {
        let free = UsdIn(Money::ZERO);
        Self {
            input: free,
            output: free,
            cached_input: None,
            cache_write: None,
            cache_write_1h: None,
            per_image: None,
            per_minute: None,
            per_million_characters: None,
        }
    }
}

impl From<Pricing> for PricingIn {
    fn from(pricing: Pricing) -> Self {
        let usd = |micro| UsdIn(Money::from_micro_usd(micro));
        Self {
            input: usd(pricing.input_micro_usd),
            output: usd(pricing.output_micro_usd),
            cached_input: pricing.cached_input_micro_usd.map(usd),
            cache_write: pricing.cache_write_micro_usd.map(usd),
            cache_write_1h: pricing.cache_write_1h_micro_usd.map(usd),
            per_image: pricing.image_micro_usd.map(usd),
            per_minute: pricing.audio_minute_micro_usd.map(usd),
            per_million_characters: pricing.characters_micro_usd.map(usd),
        }
    }
}

/// The published prices of a well-known model.
impl From<ModelPrices> for PricingIn {
    fn from(ModelPrices { input, output, cached_input, cache_write, cache_write_1h }: ModelPrices) -> Self {
        Self { input, output, cached_input, cache_write, cache_write_1h, ..Self::default() }
    }
}

impl PricingIn {
    /// Validates the prices. A problem names its field of a model.
    pub fn read(self) -> Result<Pricing> {
        let Self { input, output, cached_input, cache_write, cache_write_1h, .. } = self;
        let Self { per_image, per_minute, per_million_characters, .. } = self;
        let mut problems = Problems::default();
        let mut read = |field, price: UsdIn| problems.or_default(micro_usd(field, price));
        let pricing = Pricing {
            input_micro_usd: read("pricing.input", input),
            output_micro_usd: read("pricing.output", output),
            cached_input_micro_usd: cached_input.map(|price| read("pricing.cached_input", price)),
            cache_write_micro_usd: cache_write.map(|price| read("pricing.cache_write", price)),
            cache_write_1h_micro_usd: cache_write_1h.map(|price| read("pricing.cache_write_1h", price)),
            image_micro_usd: per_image.map(|price| read("pricing.per_image", price)),
            audio_minute_micro_usd: per_minute.map(|price| read("pricing.per_minute", price)),
            characters_micro_usd: per_million_characters.map(|price| read("pricing.per_million_characters", price)),
        };
        problems.finish().map(|()| pricing)
    }
}

/// Validates a price.
pub(super) fn micro_usd(field: &str, UsdIn(price): UsdIn) -> Result<u64> {
    const PICO_IN_MICRO: u64 = 1_000_000;
    if price > MAX_PRICE || !price.pico_usd().is_multiple_of(PICO_IN_MICRO) {
        return Err(Error::invalid_body(
            field,
            format_args!("at most {MAX_PRICE} US dollars, with at most 6 decimals"),
        ));
    }
    Ok(price.pico_usd() / PICO_IN_MICRO)
}
