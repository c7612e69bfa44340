//! Presets of providers, and the models that a provider offers.

use domain::model_facts::find_facts;
use domain::provider_preset::{KeyNeed, ProviderPreset};
use serde::Serialize;
use store::catalog::{Listing, StoredProvider};
use utoipa::ToSchema;
use web::gateway::ModelTypeWire;
use web::wire_enum;

use super::model_facts::ModelFactsOut;
use super::model_kind::guess_kind;
use super::providers::KindWire;

wire_enum! {
    #[serde(rename_all = "lowercase")]
    #[schema(as = KeyNeed)]
    KeyNeedWire = KeyNeed { Required, Optional, None }
}

/// How a well-known provider is reached. `POST /gateway/v1/admin/providers` takes its id as `preset`.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderPreset)]
pub struct ProviderPresetOut {
    #[schema(example = "openai")]
    id: &'static str,
    #[schema(example = "OpenAI")]
    name: &'static str,
    kind: KindWire,
    /// Null if each customer has its own URL, or if the kind needs none.
    #[schema(required)]
    base_url: Option<&'static str>,
    /// A base URL to follow. Null if `base_url` is set, or if the kind needs none.
    #[schema(required)]
    base_url_example: Option<&'static str>,
    key: KeyNeedWire,
    /// How the key is sent.
    #[schema(example = "Authorization: Bearer <key>")]
    key_format: &'static str,
    /// The environment variable in which the vendor's tools expect the key.
    #[schema(required)]
    key_variable: Option<&'static str>,
    /// The path that lists the models, below the base URL. Null if the models must be named.
    #[schema(required)]
    models_path: Option<&'static str>,
    hint: &'static str,
}

impl From<&ProviderPreset> for ProviderPresetOut {
    fn from(preset: &ProviderPreset) -> Self {
        let ProviderPreset { id, name, kind, base_url, base_url_example, auth_header: _, .. } = *preset;
        let ProviderPreset { key_format, key, key_variable, models_path, hint, .. } = *preset;
        let (kind, key) = (kind.into(), key.into());
        Self { id, name, kind, base_url, base_url_example, key, key_format, key_variable, models_path, hint }
    }
}

/// A model that a provider offers.
#[derive(Serialize, ToSchema)]
#[schema(as = OfferedModel)]
pub struct OfferedModelOut {
    /// The provider's name of the model.
    #[schema(example = "gpt-5-mini")]
    id: String,
    /// The type that the setup gives it, guessed from its name. Null if its kind must be declared.
    #[schema(required)]
    r#type: Option<ModelTypeWire>,
    /// The capabilities that the setup gives it.
    capabilities: Vec<&'static str>,
    /// The models of the catalog that this model serves.
    catalog: Vec<String>,
    /// What the vendor publishes about the model. Null if the platform does not know it.
    #[schema(required)]
    known: Option<ModelFactsOut>,
}

impl OfferedModelOut {
    pub fn new(provider: &StoredProvider, id: String, listing: &Listing) -> Self {
        let kind = guess_kind(&id);
        let serves = listing.models.values().filter(|model| {
            model.deployments.iter().any(|deployment| deployment.provider == provider.name && deployment.model == id)
        });
        let catalog = serves.map(|model| model.name.clone()).collect();
        let capabilities = kind.map(|(_, capabilities)| capabilities.to_vec()).unwrap_or_default();
        let known = find_facts(&id, provider.base_url.as_deref()).map(ModelFactsOut::from);
        Self { r#type: kind.map(|(r#type, _)| r#type), capabilities, catalog, known, id }
    }
}
