//! Response bodies of models and aliases.

use serde::Serialize;
use shared::domain::catalog::Model;
use shared::http::gateway::{DeprecationOut, ModelTypeWire, PricingOut};
use shared::store::catalog::Listing;
use utoipa::ToSchema;

/// A model of the catalog. The first fields are those of OpenAI's model object.
#[derive(Serialize, ToSchema)]
#[schema(as = Model)]
pub struct ModelOut {
    #[schema(example = "dev-chat")]
    id: String,
    #[schema(example = "model")]
    object: &'static str,
    /// When the model was added, in Unix seconds. 0 for a model that is part of the installation.
    created: i64,
    owned_by: String,
    /// The date on which the model retires.
    #[schema(required, format = Date)]
    shutdown_date: Option<String>,
    display_name: String,
    r#type: ModelTypeWire,
    provider: String,
    capabilities: Vec<String>,
    #[schema(required)]
    context_window: Option<u64>,
    #[schema(required)]
    max_output_tokens: Option<u64>,
    pricing: PricingOut,
    #[schema(required)]
    deprecation: Option<DeprecationOut>,
}

impl ModelOut {
    pub fn new(model: &Model, listing: &Listing) -> Self {
        let Model { name, display_name, r#type, provider, capabilities, pricing, .. } = model;
        Self {
            id: name.clone(),
            object: "model",
            created: listing.added_at.get(name).map_or(0, |at| at.as_seconds()),
            owned_by: provider.clone(),
            shutdown_date: model.retires_at.map(|at| at.day()),
            display_name: display_name.clone(),
            r#type: (*r#type).into(),
            provider: provider.clone(),
            capabilities: capabilities.clone(),
            context_window: model.context_window,
            max_output_tokens: model.max_output_tokens,
            pricing: (*pricing).into(),
            deprecation: DeprecationOut::of(model),
        }
    }
}

/// An alias: a public name that points to a model.
#[derive(Serialize, ToSchema)]
#[schema(as = Alias)]
pub struct AliasOut {
    pub alias: String,
    pub model: String,
}
