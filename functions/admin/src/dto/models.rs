//! Request and response bodies of catalog models, and their validation.

use domain::body_problems::Problems;
use domain::catalog::{MaxTokensParameter, Model, PromptCache, ResponseCache};
use domain::model_facts::ModelFacts;
use domain::routing::RoutingPolicy;
use domain::schema::{self, Title};
use domain::time::Time;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::catalog::{Listing, StoredProvider};
use utoipa::ToSchema;
use web::gateway::{ModelTypeWire, PricingOut};

use super::deployments::{DeploymentIn, DeploymentOut, read_deployments};
use super::model_kind::guess_kind;
use super::model_options::{
    GuardApiWire, MaxTokensParameterWire, MaxTokensPolicyWire, OnDisconnectWire, OptionalParameterWire,
    PromptCacheWire, ResponseCacheWire, UnsupportedWire,
};
use super::model_rules::{check_defaults, check_fallbacks, read_capabilities, read_unsupported, takes_cache_marks};
use super::pricing::PricingIn;
use super::routing::RoutingWire;
use super::{CatalogName, check_model_name};

/// The settings of a model. An update may contain any subset of the fields.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelIn {
    /// The name that requests use. Letters, digits and `._-:/@+` are allowed.
    #[schema(value_type = CatalogName)]
    name: String,
    /// The name to display. Defaults to `name`.
    #[schema(value_type = Option<Title>)]
    display_name: Option<String>,
    r#type: ModelTypeWire,
    /// The vendor to display. Defaults to the provider of the first deployment.
    #[schema(value_type = Option<Title>)]
    provider: Option<String>,
    /// Any of `chat`, `streaming`, `tools`, `vision`, `json_mode`, `json_schema`, `logprobs`, `reasoning`, `embeddings`,
    /// `images`, `image_edits`, `guard`, `rerank`, `transcription` and `speech`.
    capabilities: Vec<String>,
    /// The size of the context window in tokens.
    #[schema(minimum = 1, maximum = 1000000000)]
    context_window: Option<u64>,
    /// The maximum number of tokens in an answer. A call without a token limit reserves quota for this number, or for
    /// 4096 tokens if it is not set. For such a call, no limit is sent to `openai`, `gemini` and `bedrock` providers. For
    /// an image model that is paid by token, it is the maximum of one image.
    #[schema(minimum = 1, maximum = 1000000000)]
    max_output_tokens: Option<u64>,
    pricing: PricingIn,
    /// When the model becomes deprecated.
    #[schema(value_type = Option<String>, format = DateTime)]
    deprecated_at: Option<Time>,
    /// When the model stops answering. Agents that use it then change to `needs_attention`.
    #[schema(value_type = Option<String>, format = DateTime)]
    retires_at: Option<Time>,
    /// Default parameters for chat requests that omit them, such as `temperature`, `top_p` and `max_tokens`.
    #[schema(value_type = Option<Object>)]
    defaults: Option<Map<String, Value>>,
    /// The providers that serve the model.
    #[schema(min_items = 1, max_items = 20)]
    deployments: Vec<DeploymentIn>,
    /// How a provider's answer is handled after the client disconnects: `stop` aborts it, `drain` reads it to the end.
    /// Defaults to `stop`.
    on_disconnect: Option<OnDisconnectWire>,
    /// How parameters that the provider does not support are handled. `drop` omits them and lists them in the response
    /// header `X-Svc-Dropped`; `reject` refuses the request. Defaults to `drop`.
    unsupported: Option<UnsupportedWire>,
    /// Parameters that this model does not take, though its provider does for other models, such as the `temperature` of a
    /// reasoning model. They are handled as `unsupported` says. Defaults to none.
    #[schema(max_items = 11)]
    unsupported_parameters: Option<Vec<OptionalParameterWire>>,
    /// The parameter in which providers of kind `openai` receive the token limit. Defaults to the client's parameter,
    /// or to `max_completion_tokens` for OpenAI's o-series, GPT-5 and newer models.
    max_tokens_parameter: Option<MaxTokensParameterWire>,
    /// How a token limit above `max_output_tokens` is handled. `clamp` lowers it to `max_output_tokens` and names the
    /// parameter in the response header `X-Svc-Adjusted`; `reject` refuses the request. Defaults to `clamp`.
    max_tokens_policy: Option<MaxTokensPolicyWire>,
    /// What the gateway marks for the provider's cache, if the client marks nothing. Only providers of kind `anthropic` and
    /// `bedrock` take marks. Defaults to nothing.
    prompt_cache: Option<PromptCacheWire>,
    /// The cache of answers. An answer is kept and returned for equal requests of the same organization: those with the same body, byte
    /// for byte. It works for chats, embeddings and rerankings. Defaults to none.
    response_cache: Option<ResponseCacheWire>,
    routing: Option<RoutingWire>,
    /// The price of a call of a batch, in percent of its price at once. Defaults to 100.
    #[schema(minimum = 0, maximum = 100)]
    batch_price_percent: Option<u8>,
    /// Models that answer a chat if this one cannot: if it does not fit the context window, if the provider's filter refuses it, or if
    /// all deployments fail. They are tried in this order, each at its own prices. A client's `models` have precedence.
    #[schema(max_items = 8)]
    fallbacks: Option<Vec<String>>,
    /// Whether requests for images are answered with a job at once, instead of waiting for the images. Defaults to false.
    asynchronous: Option<bool>,
    /// How a guard model is called. Defaults to `moderation`.
    guard_api: Option<GuardApiWire>,
}

impl ModelIn {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A model that a provider offers, under the provider's name of it. A model that exists keeps its settings, except for
    /// prices that are given.
    pub fn offered(name: &str, provider: &str, pricing: Option<PricingIn>, listing: &Listing) -> Result<Self> {
        if let Some(model) = listing.models.get(name) {
            if !model.deployments.iter().any(|it| it.provider == provider && it.model == name) {
                let problem = format!("the model {name} has no deployment on this provider; add one in `models`");
                return Err(Error::invalid_body("", problem));
            }
            let model = Self::from(model.as_ref());
            return Ok(Self { pricing: pricing.unwrap_or(model.pricing), ..model });
        }
        if guess_kind(name).is_none() {
            let problem = format!("the kind of {name} is not known; declare the model in `models`");
            return Err(Error::invalid_body("", problem));
        }
        Ok(Self { pricing: pricing.unwrap_or_default(), ..Self::unknown(name, provider, name) })
    }

    /// A model that `provider` names `id`. Its type and capabilities are guessed from that name, and it costs nothing.
    pub fn unknown(name: &str, provider: &str, id: &str) -> Self {
        let (r#type, capabilities) = guess_kind(id).unwrap_or((ModelTypeWire::Others, &[]));
        Self {
            name: name.to_owned(),
            display_name: None,
            r#type,
            provider: None,
            capabilities: capabilities.iter().map(|&capability| capability.to_owned()).collect(),
            context_window: None,
            max_output_tokens: None,
            pricing: PricingIn::default(),
            deprecated_at: None,
            retires_at: None,
            defaults: None,
            deployments: vec![DeploymentIn::new(provider, id)],
            on_disconnect: None,
            unsupported: None,
            unsupported_parameters: None,
            max_tokens_parameter: None,
            max_tokens_policy: None,
            prompt_cache: None,
            response_cache: None,
            routing: None,
            batch_price_percent: None,
            fallbacks: None,
            asynchronous: None,
            guard_api: None,
        }
    }

    /// A well-known model that `provider` names `id`.
    pub fn well_known(name: &str, provider: &StoredProvider, id: &str, facts: &ModelFacts) -> Self {
        let dialect = facts.dialect_at(provider.kind, provider.base_url.as_deref());
        let refused = facts.unsupported_parameters.iter().copied().map(OptionalParameterWire::from);
        Self {
            display_name: Some(facts.display_name.clone()),
            r#type: facts.model_type().into(),
            provider: Some(facts.vendor.clone()),
            capabilities: facts.capabilities.clone(),
            context_window: facts.context_window,
            max_output_tokens: facts.max_output_tokens,
            pricing: facts.prices.into(),
            deployments: vec![DeploymentIn::new(&provider.name, id).with_dialect(dialect)],
            unsupported_parameters: Some(refused.collect()),
            max_tokens_parameter: facts.max_tokens_parameter.map(MaxTokensParameterWire::from),
            ..Self::unknown(name, &provider.name, id)
        }
    }

    /// Validates the settings against the catalog and returns the model.
    pub fn read(self, listing: &Listing, version: u64) -> Result<Model> {
        let mut problems = Problems::default();
        problems.take(schema::check(&self));
        problems.take(check_model_name("name", &self.name));
        let display_name = self.display_name.unwrap_or_else(|| self.name.clone());
        let routing = self.routing.map(RoutingPolicy::from).unwrap_or_default();
        let deployments = problems.or_default(read_deployments(self.deployments, routing, listing));
        let first = deployments.first().map(|first| first.provider.clone());
        let provider = self.provider.or(first).unwrap_or_default();
        if let (Some(deprecated_at), Some(retires_at)) = (self.deprecated_at, self.retires_at)
            && retires_at < deprecated_at
        {
            problems.add("retires_at", "must not be before `deprecated_at`");
        }
        let model = Model {
            name: self.name,
            display_name,
            r#type: self.r#type.into(),
            provider,
            capabilities: problems.or_default(read_capabilities(self.capabilities, self.r#type)),
            context_window: self.context_window,
            max_output_tokens: self.max_output_tokens,
            pricing: problems.or_default(self.pricing.read()),
            deprecated_at: self.deprecated_at,
            retires_at: self.retires_at,
            defaults: self.defaults.unwrap_or_default(),
            deployments,
            on_disconnect: self.on_disconnect.unwrap_or_default().into(),
            unsupported: self.unsupported.unwrap_or_default().into(),
            unsupported_parameters: read_unsupported(self.unsupported_parameters.unwrap_or_default()),
            max_tokens_parameter: self.max_tokens_parameter.map(MaxTokensParameter::from),
            max_tokens_policy: self.max_tokens_policy.unwrap_or_default().into(),
            prompt_cache: self.prompt_cache.map(PromptCache::from).unwrap_or_default(),
            response_cache: self.response_cache.map(ResponseCache::from),
            routing,
            batch_price_percent: self.batch_price_percent,
            fallbacks: self.fallbacks.unwrap_or_default(),
            asynchronous: self.asynchronous.unwrap_or_default(),
            guard_api: self.guard_api.unwrap_or_default().into(),
            version,
        };
        if model.prompt_cache.marks() && !takes_cache_marks(&model, listing) {
            let problem = "none of the model's deployments takes marks; leave it out, or add a deployment at a provider of \
                           kind anthropic, or one of Claude or Nova at a provider of kind bedrock";
            problems.add("prompt_cache", problem);
        }
        problems.take(check_fallbacks(&model, listing));
        // Which defaults a model takes depends on its capabilities.
        if !model.capabilities.is_empty() {
            problems.take(check_defaults(&model));
        }
        problems.finish().map(|()| model)
    }
}

impl From<&Model> for ModelIn {
    fn from(model: &Model) -> Self {
        Self {
            name: model.name.clone(),
            display_name: Some(model.display_name.clone()),
            r#type: model.r#type.into(),
            provider: Some(model.provider.clone()),
            capabilities: model.capabilities.clone(),
            context_window: model.context_window,
            max_output_tokens: model.max_output_tokens,
            pricing: model.pricing.into(),
            deprecated_at: model.deprecated_at,
            retires_at: model.retires_at,
            defaults: Some(model.defaults.clone()),
            deployments: model.deployments.iter().map(DeploymentIn::from).collect(),
            on_disconnect: Some(model.on_disconnect.into()),
            unsupported: Some(model.unsupported.into()),
            unsupported_parameters: Some(model.unsupported_parameters.iter().copied().map(Into::into).collect()),
            max_tokens_parameter: model.max_tokens_parameter.map(MaxTokensParameterWire::from),
            max_tokens_policy: Some(model.max_tokens_policy.into()),
            prompt_cache: (model.prompt_cache != PromptCache::default()).then(|| model.prompt_cache.into()),
            response_cache: model.response_cache.map(ResponseCacheWire::from),
            routing: (!model.routing.is_default()).then(|| model.routing.into()),
            batch_price_percent: model.batch_price_percent,
            fallbacks: Some(model.fallbacks.clone()),
            asynchronous: Some(model.asynchronous),
            guard_api: Some(model.guard_api.into()),
        }
    }
}

/// A model of the catalog, with its deployments and provider settings.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminModel)]
pub struct ModelOut {
    name: String,
    display_name: String,
    r#type: ModelTypeWire,
    /// The vendor to display.
    provider: String,
    capabilities: Vec<String>,
    #[schema(required)]
    context_window: Option<u64>,
    #[schema(required)]
    max_output_tokens: Option<u64>,
    pricing: PricingOut,
    #[schema(required, format = DateTime)]
    deprecated_at: Option<String>,
    #[schema(required, format = DateTime)]
    retires_at: Option<String>,
    #[schema(value_type = Object)]
    defaults: Map<String, Value>,
    deployments: Vec<DeploymentOut>,
    on_disconnect: OnDisconnectWire,
    unsupported: UnsupportedWire,
    unsupported_parameters: Vec<OptionalParameterWire>,
    #[schema(required)]
    max_tokens_parameter: Option<MaxTokensParameterWire>,
    max_tokens_policy: MaxTokensPolicyWire,
    /// What the gateway marks for the provider's cache, if the client marks nothing.
    prompt_cache: PromptCacheWire,
    /// The cache of answers. Null if its providers answer every request.
    #[schema(required)]
    response_cache: Option<ResponseCacheWire>,
    routing: RoutingWire,
    /// The price of a call of a batch, in percent of its price at once. Null if it is the same.
    #[schema(required)]
    batch_price_percent: Option<u8>,
    /// The models that answer a chat if this one cannot.
    fallbacks: Vec<String>,
    asynchronous: bool,
    guard_api: GuardApiWire,
    /// The version of the model and its prices. A call is billed at the prices of the version at its start.
    version: u64,
}

impl From<&Model> for ModelOut {
    fn from(model: &Model) -> Self {
        let Model { name, display_name, r#type, provider, capabilities, context_window, max_output_tokens, .. } = model;
        let Model { pricing, deprecated_at, retires_at, defaults, deployments, on_disconnect, version, .. } = model;
        let Model { unsupported, unsupported_parameters, max_tokens_parameter, max_tokens_policy, .. } = model;
        let Model { prompt_cache, response_cache, routing, batch_price_percent, .. } = model;
        let Model { fallbacks, asynchronous, guard_api, .. } = model;
        Self {
            name: name.clone(),
            display_name: display_name.clone(),
            r#type: (*r#type).into(),
            provider: provider.clone(),
            capabilities: capabilities.clone(),
            context_window: *context_window,
            max_output_tokens: *max_output_tokens,
            pricing: (*pricing).into(),
            deprecated_at: deprecated_at.map(|at| at.to_string()),
            retires_at: retires_at.map(|at| at.to_string()),
            defaults: defaults.clone(),
            deployments: deployments.iter().map(DeploymentOut::from).collect(),
            on_disconnect: (*on_disconnect).into(),
            unsupported: (*unsupported).into(),
            unsupported_parameters: unsupported_parameters.iter().copied().map(Into::into).collect(),
            max_tokens_parameter: max_tokens_parameter.map(MaxTokensParameterWire::from),
            max_tokens_policy: (*max_tokens_policy).into(),
            prompt_cache: (*prompt_cache).into(),
            response_cache: response_cache.map(ResponseCacheWire::from),
            routing: (*routing).into(),
            batch_price_percent: *batch_price_percent,
            fallbacks: fallbacks.clone(),
            asynchronous: *asynchronous,
            guard_api: (*guard_api).into(),
            version: *version,
        }
    }
}
