//! Handlers for presets of providers, and for the models that a provider offers.

use axum::Json as Body;
use axum::extract::State;
use domain::id::Id;
use domain::name::ProviderName;
use domain::provider_preset::PRESETS;
use domain::{Error, ProviderTrouble};
use gateway::providers::{ProviderSettings, connect};
use web::gateway::{ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly};
use web::{Path, Result};

use crate::Stores;
use crate::dto::provider_presets::{OfferedModelOut, ProviderPresetOut};

/// List presets of providers
///
/// Returns well-known providers with their kind, base URL and header of the key.
#[utoipa::path(
    get, path = "/gateway/v1/admin/provider-presets", tag = "admin",
    responses(
        (status = 200, description = "The presets", body = List<ProviderPresetOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_provider_presets(_: Operator) -> Body<List<ProviderPresetOut>> {
    Body(List::new(PRESETS.iter().map(ProviderPresetOut::from)))
}

/// List the models that a provider offers
///
/// Calls the provider with its API key, and waits for at most 15 seconds. Returns at most 2,000 models. The names are those of
/// the provider; a model of the catalog refers to them in its `deployments`. `POST /gateway/v1/admin/models/import` adds them
/// to the catalog.
#[utoipa::path(
    get, path = "/gateway/v1/admin/providers/{name}/models", tag = "admin",
    params(("name" = String, Path, description = "The provider")),
    responses(
        (status = 200, description = "The models, ordered by name", body = List<OfferedModelOut>),
        (status = 400, description = "`parameter_not_supported`: the provider has no list of models", body = ErrorBody),
        (status = 502, description = "The provider refused the call or could not be reached. The message is the provider's",
            body = ErrorBody),
        NotFound<ProviderName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_provider_models(
    State(stores): State<Stores>,
    _: Operator,
    Path(ProviderName(name)): Path<ProviderName>,
) -> Result<List<OfferedModelOut>> {
    let listing = stores.catalog.read().await?;
    let stored = listing.providers.get(&name).ok_or(Error::NotFound { kind: ProviderName::KIND })?;
    let settings = ProviderSettings::open(stored, &stores.secrets).await?;
    let offered = connect(&settings, &stores.outbound, &stores.aws)?.list_models().await?;
    if let Some((code, message)) = offered.probe.error {
        let trouble = ProviderTrouble::Failed;
        return Err(Error::Provider { trouble, code, message, param: None, retry_after_s: None }.into());
    }
    Ok(List::new(offered.models.into_iter().map(|id| OfferedModelOut::new(stored, id, &listing))))
}
