//! Rules about the settings of a model that need more than the schema.

use domain::body_problems::within;
use domain::catalog::{CAPABILITIES, Model, ModelDeployment, OptionalParameter, Purpose};
use domain::{Error, Result};
use gateway::chat::ChatRequest;
use serde_json::{Value, json};
use store::catalog::Listing;
use web::gateway::ModelTypeWire;

use super::model_options::OptionalParameterWire;

/// The request parameters for which an operator may set a default.
const DEFAULTS: [&str; 11] = [
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "response_format",
    "logprobs",
    "top_logprobs",
];

/// Whether a deployment gets the marks. A deployment at an unknown provider does: that provider is the problem to report.
pub fn takes_cache_marks(model: &Model, listing: &Listing) -> bool {
    model.deployments.iter().any(|ModelDeployment { provider, model, .. }| {
        listing.providers.get(provider).is_none_or(|provider| provider.kind.takes_cache_marks(model))
    })
}

pub fn read_capabilities(mut names: Vec<String>, r#type: ModelTypeWire) -> Result<Vec<String>> {
    if let Some(i) = names.iter().position(|name| !CAPABILITIES.contains(&name.as_str())) {
        let known = CAPABILITIES.join(", ");
        return Err(Error::invalid_body(
            format!("capabilities[{i}]"),
            format_args!("unknown capability; use one of {known}"),
        ));
    }
    let embeds = names.iter().any(|name| name == "embeddings");
    if names.is_empty() || embeds != matches!(r#type, ModelTypeWire::Embeddings) {
        let problem = "must have an entry, and `embeddings` exactly if the type is Embeddings";
        return Err(Error::invalid_body("capabilities", problem));
    }
    names.sort_by_key(|name| CAPABILITIES.iter().position(|known| known == name));
    names.dedup();
    Ok(names)
}

/// The fallbacks of a chat model are other chat models of the catalog.
pub fn check_fallbacks(model: &Model, listing: &Listing) -> Result<()> {
    if !model.fallbacks.is_empty() && !model.does(Purpose::Chat) {
        return Err(Error::invalid_body("fallbacks", "only chat models can have fallbacks; remove them"));
    }
    for (i, name) in model.fallbacks.iter().enumerate() {
        let is_chat = *name != model.name && listing.models.get(name).is_some_and(|other| other.does(Purpose::Chat));
        if !is_chat || model.fallbacks[..i].contains(name) {
            let problem = "must be the name of another chat model of the catalog, each once";
            return Err(Error::invalid_body(format!("fallbacks[{i}]"), problem));
        }
    }
    Ok(())
}

/// Validates the default parameters by the same rules as the parameters of a chat request.
pub fn check_defaults(model: &Model) -> Result<()> {
    if let Some(name) = model.defaults.keys().find(|name| !DEFAULTS.contains(&name.as_str())) {
        let known = DEFAULTS.join(", ");
        return Err(Error::invalid_body(
            format!("defaults.{name}"),
            format_args!("this parameter cannot have a default; use {known}"),
        ));
    }
    if !model.defaults.is_empty() && !model.can("chat") {
        return Err(Error::invalid_body("defaults", "only chat models can have defaults; remove them"));
    }
    let mut request = json!({"model": model.name, "messages": [{"role": "user", "content": "x"}]});
    json_patch::merge(&mut request, &Value::Object(model.defaults.clone()));
    let request = ChatRequest::read(request).map_err(|error| within("defaults", error))?;
    if request.max_tokens().zip(model.max_output_tokens).is_some_and(|(default, most)| default > most) {
        return Err(Error::invalid_body("defaults.max_tokens", "must not exceed `max_output_tokens`"));
    }
    Ok(())
}

/// The parameters that a model does not take, each once.
pub fn read_unsupported(given: Vec<OptionalParameterWire>) -> Vec<OptionalParameter> {
    let mut read = Vec::new();
    for parameter in given.into_iter().map(OptionalParameter::from) {
        if !read.contains(&parameter) {
            read.push(parameter);
        }
    }
    read
}
