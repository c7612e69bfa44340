//! The wire types of models, shared by the catalog and the operator routes.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wire_enum;
use domain::catalog::{Model, ModelType, Pricing};
use domain::money::Money;
use domain::usd::Usd;

wire_enum! {
    #[schema(as = ModelType)]
    ModelTypeWire = ModelType { Embeddings, Others }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Pricing)]
pub struct PricingOut {
    input: Usd,
    output: Usd,
    /// The price of input that the provider reads from its cache
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cached_input: Option<Usd>,
    /// The price of input that the provider writes to its cache
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cache_write: Option<Usd>,
    /// The price of input that the provider writes to its cache for an hour
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cache_write_1h: Option<Usd>,
    /// The price of one image
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    per_image: Option<Usd>,
    /// The price of a minute of audio that is transcribed
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    per_minute: Option<Usd>,
    /// The price of a million characters that are spoken
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    per_million_characters: Option<Usd>,
    #[schema(example = "1M_tokens")]
    unit: &'static str,
    #[schema(example = "USD")]
    currency: &'static str,
}

impl From<Pricing> for PricingOut {
    fn from(pricing: Pricing) -> Self {
        let Pricing { input_micro_usd, output_micro_usd, cached_input_micro_usd, image_micro_usd, .. } = pricing;
        let usd = |micro_usd| Usd::from(Money::from_micro_usd(micro_usd));
        Self {
            input: usd(input_micro_usd),
            output: usd(output_micro_usd),
            cached_input: cached_input_micro_usd.map(usd),
            cache_write: pricing.cache_write_micro_usd.map(usd),
            cache_write_1h: pricing.cache_write_1h_micro_usd.map(usd),
            per_image: image_micro_usd.map(usd),
            per_minute: pricing.audio_minute_micro_usd.map(usd),
            per_million_characters: pricing.characters_micro_usd.map(usd),
            unit: "1M_tokens",
            currency: "USD",
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Deprecation)]
pub struct DeprecationOut {
    #[schema(required, format = DateTime)]
    deprecated_at: Option<String>,
    /// The model cannot be called from this time on
    #[schema(required, format = DateTime)]
    retires_at: Option<String>,
}

impl DeprecationOut {
    pub fn from_model(model: &Model) -> Option<Self> {
        let Model { deprecated_at, retires_at, .. } = model;
        let is_announced = deprecated_at.is_some() || retires_at.is_some();
        is_announced.then(|| Self {
            deprecated_at: deprecated_at.map(|at| at.to_string()),
            retires_at: retires_at.map(|at| at.to_string()),
        })
    }
}
