//! Handler for imports: adds models that a provider offers to the catalog, from the facts that are known of them.

use axum::extract::State;
use domain::Error;
use domain::id::Id;
use domain::merge::MergePatch;
use domain::name::ProviderName;
use store::admin::PendingWork;
use store::catalog::{Listing, StoredProvider};
use web::gateway::{BodyRefused, ErrorResponses, List, NotFound, Operator, OperatorOnly};
use web::{Result, UncheckedJson};

use crate::Stores;
use crate::dto::model_imports::{ImportOutcome, ImportedModelIn, ImportedModelOut, ModelImportIn};
use crate::handlers::models::{MODEL_EXISTS, add_model, has_name};

/// Import models of a provider
///
/// Adds each model with a deployment on the provider, and with the limits, capabilities and prices of its facts: see
/// `GET /gateway/v1/admin/models/facts`. Each model is added alone, as if by `POST /gateway/v1/admin/models`, and has its own
/// entry in the audit log. A name that exists is reported and never overwritten, so a repetition adds what is missing. The
/// provider is not called: `GET /gateway/v1/admin/providers/{name}/models` lists what it offers.
#[utoipa::path(
    post, path = "/gateway/v1/admin/models/import", tag = "admin", request_body = ModelImportIn,
    responses(
        (status = 200, description = "What happened to each model, in the order of the request", body = List<ImportedModelOut>),
        NotFound<ProviderName>, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn import_models(
    State(stores): State<Stores>,
    operator: Operator,
    UncheckedJson(body): UncheckedJson<ModelImportIn>,
) -> Result<List<ImportedModelOut>> {
    body.check()?;
    let listing = stores.catalog.read().await?;
    let provider = listing.providers.get(&body.provider).ok_or(Error::NotFound { kind: ProviderName::KIND })?;
    let mut import = Import {
        stores: &stores,
        operator: &operator,
        listing: &listing,
        provider,
        overrides: body.overrides.as_ref(),
        works: Vec::new(),
    };
    let mut results = Vec::new();
    let mut failure = None;
    for model in &body.models {
        match import.add(model).await {
            Ok(result) => results.push(result),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    // The models that were added before a failure have dependents, too.
    stores.hints.send_all(import.works).await;
    failure.map_or_else(|| Ok(List::new(results)), |error| Err(error.into()))
}

struct Import<'a> {
    stores: &'a Stores,
    operator: &'a Operator,
    /// The catalog before the import. It decides about most refused models without another read.
    listing: &'a Listing,
    provider: &'a StoredProvider,
    overrides: Option<&'a MergePatch>,
    works: PendingWork,
}

impl Import<'_> {
    /// Adds one model. Fails only if no further model can be added either.
    async fn add(&mut self, model: &ImportedModelIn) -> domain::Result<ImportedModelOut> {
        if has_name(self.listing, model.name()) {
            return Ok(ImportedModelOut::new(model, ImportOutcome::Exists));
        }
        match self.try_add(model).await {
            Ok(()) => Ok(ImportedModelOut::created(model, self.provider)),
            Err(Error::Conflict { code: MODEL_EXISTS, .. }) => Ok(ImportedModelOut::new(model, ImportOutcome::Exists)),
            Err(error @ (Error::InvalidBody { .. } | Error::Unsound { .. })) => {
                Ok(ImportedModelOut::refused(model, &error))
            }
            Err(error) => Err(error),
        }
    }

    async fn try_add(&mut self, model: &ImportedModelIn) -> domain::Result<()> {
        let settings = model.settings(self.provider, self.overrides)?;
        add_model(&settings, self.listing)?;
        let action = self.operator.audit_action("model.create", model.name());
        let create = |listing: &Listing| add_model(&settings, listing);
        let (_, works) = self.stores.admin.change_catalog(&action, &self.stores.catalog, create).await?;
        self.works.extend(works);
        Ok(())
    }
}
