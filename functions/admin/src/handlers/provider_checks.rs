//! Handler for provider test calls: an operator checks a provider before a model depends on it.

use axum::Json as Body;
use axum::extract::State;
use domain::Error;
use domain::id::Id;
use domain::name::ProviderName;
use gateway::providers::{Probe, ProviderSettings, connect};
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
    let settings = ProviderSettings::open(provider, &stores.secrets).await?;
    let provider = connect(&settings, &stores.outbound, &stores.aws)?;
    let tested = TestCallOutcome::run(async {
        let Probe { status, error } = provider.probe(model.as_deref()).await?;
        Ok((status, error.map(|(code, message)| TestCallError { code, message })))
    });
    Ok(Body(tested.await?.into()))
}
