//! Query parameters, request bodies and response bodies of agents and models.

use domain::Error;
use domain::agent::{AgentStatus, AgentType};
use domain::catalog::{Model, ModelType, Pricing};
use domain::page::{Page, PageRequest};
use domain::sharing::Ownership;
use domain::text;
use serde::{Deserialize, Serialize};
use store::agents::AgentFilter;
use utoipa::{IntoParams, ToSchema};
use web::builder::agent::AgentSortIn;
use web::paging::{CommaList, OrderIn, check_search, default_per_page, first_page, page_number, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListAgents {
    /// `mine`: those that the caller owns. `shared`: those that others share with the caller. `all`: both.
    #[serde(default)]
    #[param(inline)]
    pub ownership: Ownership,
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    per_page: u32,
    /// Returns only agents whose name contains this text. The search is case-insensitive.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// Returns only agents in one of these states. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<AgentStatus>, style = Form, explode = false, min_items = 1)]
    status: CommaList<AgentStatus>,
    /// Returns only agents of one of these types. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<AgentType>, style = Form, explode = false, min_items = 1)]
    r#type: CommaList<AgentType>,
    /// The field to sort by. Defaults to `updatedAt`. Ties are sorted by creation time.
    #[serde(default)]
    #[param(inline)]
    pub sort: AgentSortIn,
    /// The sort order. Defaults to `desc`.
    #[serde(default)]
    #[param(inline)]
    pub order: OrderIn,
}

impl ListAgents {
    pub fn page(&self) -> PageRequest {
        PageRequest { page: self.page, per_page: self.per_page }
    }

    pub fn filter(self) -> Result<AgentFilter, Error> {
        check_search(self.search.as_deref())?;
        Ok(AgentFilter { search: self.search, statuses: self.status.0, types: self.r#type.0 })
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListModels {
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    per_page: u32,
    /// Returns only models whose name or display name contains this text. The search is case-insensitive.
    #[param(nullable = false)]
    search: Option<String>,
    /// Returns only models of one of these types. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<ModelTypeOut>, style = Form, explode = false, min_items = 1)]
    r#type: CommaList<ModelType>,
    /// The field to sort by. Defaults to `name`.
    #[serde(default)]
    #[param(inline)]
    sort: ModelSortIn,
    /// The sort order. Defaults to `asc`.
    #[serde(default = "ascending")]
    #[param(inline)]
    order: OrderIn,
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModelSortIn {
    #[default]
    Name,
    DisplayName,
}

fn ascending() -> OrderIn {
    OrderIn::Asc
}

impl ListModels {
    pub fn page(self, mut models: Vec<Model>) -> Page<Model> {
        if let Some(search) = self.search.as_deref().map(text::folded) {
            let found = |text: &str| text::folded(text).contains(&search);
            models.retain(|model| found(&model.name) || found(&model.display_name));
        }
        if !self.r#type.0.is_empty() {
            models.retain(|model| self.r#type.0.contains(&model.r#type));
        }
        models.sort_by_cached_key(|model| match self.sort {
            ModelSortIn::Name => (text::sort_key(&model.name), model.name.clone()),
            ModelSortIn::DisplayName => (text::sort_key(&model.display_name), model.name.clone()),
        });
        if let OrderIn::Desc = self.order {
            models.reverse();
        }
        PageRequest { page: self.page, per_page: self.per_page }.slice(models)
    }
}

/// A model that an agent can use.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Model")]
pub struct ModelOut {
    /// The name that the configuration of an agent uses.
    #[schema(example = "dev-chat")]
    name: String,
    /// The name to display.
    display_name: String,
    r#type: ModelTypeOut,
    /// The vendor of the model.
    provider: String,
    /// The capabilities of the model, such as `chat` or `tools`.
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

#[derive(Serialize, ToSchema)]
pub enum ModelTypeOut {
    Embeddings,
    Others,
}

/// The prices of a model in US dollars. Token prices are per million tokens.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PricingOut {
    /// The price of input tokens.
    input: f64,
    /// The price of output tokens.
    output: f64,
    /// The price of input that the provider reads from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cached_input: Option<f64>,
    /// The price of input that the provider writes to its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cache_write: Option<f64>,
    /// The price of input that the provider writes to its cache for an hour.
    #[serde(rename = "cacheWrite1h", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cache_write_1h: Option<f64>,
    /// The price of one image.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    per_image: Option<f64>,
    /// The price of a minute of audio that is transcribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    per_minute: Option<f64>,
    /// The price of a million characters that are spoken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    per_million_characters: Option<f64>,
    /// The unit of the token prices.
    #[schema(example = "1M_tokens")]
    unit: &'static str,
    #[schema(example = "USD")]
    currency: &'static str,
}

/// When a model becomes deprecated and when it retires.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeprecationOut {
    /// When the model becomes deprecated.
    #[schema(required, format = DateTime)]
    deprecated_at: Option<String>,
    /// When the model stops answering.
    #[schema(required, format = DateTime)]
    retires_at: Option<String>,
}

impl From<Model> for ModelOut {
    fn from(model: Model) -> Self {
        let Model { name, display_name, r#type, provider, capabilities, .. } = model;
        let Model { context_window, max_output_tokens, pricing, deprecated_at, retires_at, .. } = model;
        let Pricing { input_micro_usd, output_micro_usd, cached_input_micro_usd, image_micro_usd, .. } = pricing;
        let usd = |micro_usd: u64| micro_usd as f64 / 1e6;
        let is_deprecated = deprecated_at.is_some() || retires_at.is_some();
        Self {
            name,
            display_name,
            r#type: match r#type {
                ModelType::Embeddings => ModelTypeOut::Embeddings,
                ModelType::Others => ModelTypeOut::Others,
            },
            provider,
            capabilities,
            context_window,
            max_output_tokens,
            pricing: PricingOut {
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
            },
            deprecation: is_deprecated.then(|| DeprecationOut {
                deprecated_at: deprecated_at.map(|at| at.to_string()),
                retires_at: retires_at.map(|at| at.to_string()),
            }),
        }
    }
}
