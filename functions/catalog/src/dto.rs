//! The filter of the list of models, and the response bodies of models and aliases.

use domain::catalog::{CAPABILITIES, Model, ModelType, Purpose};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use store::catalog::Listing;
use utoipa::{IntoParams, ToSchema};
use web::gateway::{DeprecationOut, ModelTypeWire, PricingOut};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ModelsQuery {
    /// Returns only models with all of these capabilities, separated by commas: `chat`, or `chat,tools`.
    #[param(nullable = false, example = "chat")]
    capabilities: Option<String>,
    /// Returns only models of this type.
    #[param(nullable = false)]
    r#type: Option<ModelTypeWire>,
}

/// The models that a request wants to see.
pub struct ModelFilter {
    capabilities: Vec<String>,
    r#type: Option<ModelType>,
}

impl ModelsQuery {
    pub fn read(self) -> Result<ModelFilter> {
        let names =
            self.capabilities.as_deref().map_or_else(Vec::new, |names| names.split(',').map(str::trim).collect());
        if let Some(name) = names.iter().find(|name| !CAPABILITIES.contains(name)) {
            let known = CAPABILITIES.join(", ");
            let problem = format_args!("unknown capability `{name}`; use {known}");
            return Err(Error::invalid_query("capabilities", problem));
        }
        let capabilities = names.into_iter().map(str::to_owned).collect();
        Ok(ModelFilter { capabilities, r#type: self.r#type.map(Into::into) })
    }
}

impl ModelFilter {
    pub fn matches(&self, model: &Model) -> bool {
        self.r#type.is_none_or(|of_type| of_type == model.r#type)
            && self.capabilities.iter().all(|capability| model.can(capability))
    }
}

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
    /// The name that many clients show in their list of chat models. For a model that cannot chat, it says
    /// what the model is for.
    #[schema(example = "Development chat")]
    name: String,
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
            name: shown_name(model),
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

/// The display name, with the purpose of a model that cannot chat: `Development guard (guard, not for chat)`.
fn shown_name(model: &Model) -> String {
    let purposes = ["embeddings", "images", "image_edits", "guard", "rerank", "transcription", "speech"];
    let name = &model.display_name;
    if model.does(Purpose::Chat) {
        return name.clone();
    }
    let purposes: String =
        purposes.into_iter().filter(|purpose| model.can(purpose)).flat_map(|it| [it, ", "]).collect();
    format!("{name} ({purposes}not for chat)")
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
