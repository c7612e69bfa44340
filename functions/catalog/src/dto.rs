//! Response bodies of models and aliases.

use domain::catalog::Model;
use serde::Serialize;
use shared::http::gateway::{DeprecationOut, ModelTypeWire, PricingOut};
use shared::store::catalog::Listing;
use utoipa::ToSchema;

/// A model of the catalog. The first fields are those of OpenAI's model object.
#[derive(Serialize, ToSchema)]
#[schema(as = Model)]
pub struct ModelOut {
    /// The name that requests use.
    #[schema(example = "dev-chat")]
    id: String,
    #[schema(example = "model")]
    object: &'static str,
    /// When the model was added, in Unix seconds. 0 for a model that is part of the installation.
    created: i64,
    /// The vendor of the model.
    owned_by: String,
    /// The date on which the model retires.
    #[schema(required, format = Date)]
    shutdown_date: Option<String>,
    /// The name to display.
    display_name: String,
    r#type: ModelTypeWire,
    /// The vendor of the model.
    provider: String,
    /// The capabilities of the model, such as `chat` or `embeddings`.
    capabilities: Vec<String>,
    /// The size of the context window in tokens. Null if it is unknown.
    #[schema(required)]
    context_window: Option<u64>,
    /// The maximum number of tokens in an answer. Null if it is unknown.
    #[schema(required)]
    max_output_tokens: Option<u64>,
    pricing: PricingOut,
    /// The deprecation dates. Null if the model is not deprecated.
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
            deprecation: DeprecationOut::from_model(model),
        }
    }
}

/// An alias: a public name that points to a model.
#[derive(Serialize, ToSchema)]
#[schema(as = Alias)]
pub struct AliasOut {
    /// The public name.
    pub alias: String,
    /// The name of the model.
    pub model: String,
}
