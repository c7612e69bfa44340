//! Handler for provider test calls: an operator checks a provider before a model depends on it.

use axum::Json as Body;
use axum::extract::State;
use domain::Error;
use domain::id::Id;
use domain::name::ProviderName;
use domain::provider::DeploymentDialect;
use gateway::providers::{Probe, ProviderSettings, connect};
use store::catalog::Listing;
use web::builder::test_call::{TestCallError, TestCallOutcome};
use web::gateway::{BodyRefused, ErrorResponses, NotFound, Operator, OperatorOnly};
use web::{OptionalJson, Path, Result};

use crate::Stores;
use crate::dto::provider_checks::{ProviderTestIn, ProviderTestOut};

/// Test a provider
///
/// Calls the provider with its API key. Lists the provider's models, or asks a model for a few tokens. The result
/// contains the provider's error message.
#[utoipa::path(
    post, path = "/gateway/v1/admin/providers/{name}/test", tag = "admin",
    params(("name" = String, Path, description = "The provider")), request_body = Option<ProviderTestIn>,
    responses(
        (status = 200, description = "The result of the test call", body = ProviderTestOut),
        NotFound<ProviderName>, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn test_provider(
    State(stores): State<Stores>,
    _: Operator,
    Path(ProviderName(name)): Path<ProviderName>,
    OptionalJson(body): OptionalJson<ProviderTestIn>,
) -> Result<Body<ProviderTestOut>> {
    let model = body.read_model()?;
    let listing = stores.catalog.read().await?;
    let provider = listing.providers.get(&name).ok_or(Error::NotFound { kind: ProviderName::KIND })?;
    let mut settings = ProviderSettings::open(provider, &stores.secrets).await?;
    settings.dialect = model.as_deref().and_then(|model| find_dialect(&listing, &name, model)).unwrap_or_default();
    let provider = connect(&settings, &stores.outbound, &stores.aws)?;
    let tested = TestCallOutcome::run(async {
        let Probe { status, error } = provider.probe(model.as_deref()).await?;
        Ok((status, error.map(|(code, message)| TestCallError { code, message })))
    });
    Ok(Body(tested.await?.into()))
}

/// The dialect in which the catalog calls this model of the provider. Some models have only one.
fn find_dialect(listing: &Listing, provider: &str, model: &str) -> Option<DeploymentDialect> {
    let mut deployments = listing.models.values().flat_map(|known| &known.deployments);
    deployments.find(|known| known.provider == provider && known.model == model).map(|known| known.dialect)
}
