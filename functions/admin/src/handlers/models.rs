//! Handlers for the models of the catalog.

use std::sync::Arc;

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::catalog::Model;
use domain::id::Id;
use domain::merge::MergePatch;
use domain::name::ModelName;
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::gateway::{BodyRefused, Created, ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly, Stale};
use web::{Path, Result, UncheckedJson};

use crate::Stores;
use crate::dto::models::{ModelIn, ModelOut};
use crate::snapshot::{check_version, etag, render_snapshot};

/// List the catalog's models
///
/// Returns all models, including retired ones.
#[utoipa::path(
    get, path = "/gateway/v1/admin/models", operation_id = "admin_list_models", tag = "admin",
    responses((status = 200, description = "The models", body = List<ModelOut>), OperatorOnly, ErrorResponses),
)]
pub async fn list_models(State(stores): State<Stores>, _: Operator) -> Result<List<ModelOut>> {
    let listing = stores.catalog.read().await?;
    Ok(List::new(listing.models.values().map(|model| ModelOut::from(model.as_ref()))))
}

/// Read a model of the catalog
#[utoipa::path(
    get, path = "/gateway/v1/admin/models/{name}", operation_id = "admin_get_model", tag = "admin",
    params(("name" = String, Path, description = "The name of the model")),
    responses(
        (status = 200, description = "The model", body = ModelOut,
            headers(("ETag" = String, description = "The model's version"))),
        NotFound<ModelName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_model(
    State(stores): State<Stores>,
    _: Operator,
    Path(ModelName(name)): Path<ModelName>,
) -> Result<(ETag, Body<ModelOut>)> {
    let listing = stores.catalog.read().await?;
    let out = ModelOut::from(find(&listing, &name)?);
    Ok((etag(&render_snapshot(&out)), Body(out)))
}

/// Add a model
#[utoipa::path(
    post, path = "/gateway/v1/admin/models", tag = "admin", request_body = ModelIn,
    responses(
        Created<ModelOut>,
        (status = 409, description = "`model_exists`: a model or an alias with this name exists", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn create_model(
    State(stores): State<Stores>,
    operator: Operator,
    UncheckedJson(body): UncheckedJson<ModelIn>,
) -> Result<(StatusCode, Body<ModelOut>)> {
    let action = operator.audit_action("model.create", body.name());
    let create = |listing: &Listing| add_model(&body, listing);
    let (change, work_ids) = stores.admin.change_catalog(&action, &stores.catalog, create).await?;
    stores.hints.send_all(work_ids).await;
    Ok((StatusCode::CREATED, Body(changed_model(change)?)))
}

/// Update a model
///
/// Applies a JSON merge patch (RFC 7396). New prices apply to new calls; calls in flight are billed at the old prices.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/models/{name}", tag = "admin",
    params(("name" = String, Path, description = "The name of the model"), IfMatchHeaders),
    request_body(content = Object, description = "Any subset of the fields of the create request"),
    responses(
        (status = 200, description = "The updated model", body = ModelOut,
            headers(("ETag" = String, description = "The model's version"))),
        NotFound<ModelName>, Stale, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn update_model(
    State(stores): State<Stores>,
    operator: Operator,
    Path(ModelName(name)): Path<ModelName>,
    if_match: IfMatch,
    UncheckedJson(patch): UncheckedJson<MergePatch>,
) -> Result<(ETag, Body<ModelOut>)> {
    let action = operator.audit_action("model.update", &name);
    let update = |listing: &Listing| {
        let before = find(listing, &name)?;
        let after = patch.merge(&ModelIn::from(before), &[])?;
        if after.name() != name {
            return Err(Error::invalid_body("name", "a model cannot be renamed; create another model or an alias"));
        }
        let after = after.read(listing, listing.next_version())?;
        check_version(&if_match, &render_snapshot(&ModelOut::from(before)))?;
        Ok(CatalogChange { before: Some(entry(before.clone())), after: Some(entry(after)) })
    };
    let (change, work_ids) = stores.admin.change_catalog(&action, &stores.catalog, update).await?;
    stores.hints.send_all(work_ids).await;
    let out = changed_model(change)?;
    Ok((etag(&render_snapshot(&out)), Body(out)))
}

/// Delete a model
///
/// Agents that use the model change to `needs_attention`.
#[utoipa::path(
    delete, path = "/gateway/v1/admin/models/{name}", tag = "admin",
    params(("name" = String, Path, description = "The name of the model")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "`model_in_use`: an alias points to the model, or it is a fallback of another one", body = ErrorBody),
        NotFound<ModelName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn delete_model(
    State(stores): State<Stores>,
    operator: Operator,
    Path(ModelName(name)): Path<ModelName>,
) -> Result<StatusCode> {
    let action = operator.audit_action("model.delete", &name);
    let delete = |listing: &Listing| {
        let before = find(listing, &name)?;
        if let Some((alias, _)) = listing.aliases.iter().find(|(_, model)| **model == name) {
            let message =
                format!("the alias {alias} points to this model; delete the alias or point it to another model");
            return Err(Error::Conflict { code: "model_in_use", message });
        }
        if let Some(other) = listing.models.values().find(|other| other.fallbacks.contains(&name)) {
            let message =
                format!("this model is a fallback of {}; remove it from the fallbacks of that model first", other.name);
            return Err(Error::Conflict { code: "model_in_use", message });
        }
        Ok(CatalogChange { before: Some(entry(before.clone())), after: None })
    };
    let (_, work_ids) = stores.admin.change_catalog(&action, &stores.catalog, delete).await?;
    stores.hints.send_all(work_ids).await;
    Ok(StatusCode::NO_CONTENT)
}

fn find<'a>(listing: &'a Listing, name: &str) -> domain::Result<&'a Model> {
    listing.models.get(name).map(Arc::as_ref).ok_or(Error::NotFound { kind: ModelName::KIND })
}

/// The code of the conflict with a model or an alias of the same name.
pub const MODEL_EXISTS: &str = "model_exists";

/// Validates a new model against the catalog.
pub fn add_model(model: &ModelIn, listing: &Listing) -> domain::Result<CatalogChange> {
    let model = model.clone().read(listing, listing.next_version())?;
    if has_name(listing, &model.name) {
        let message = "a model or an alias with this name exists; choose another name".to_owned();
        return Err(Error::Conflict { code: MODEL_EXISTS, message });
    }
    Ok(CatalogChange { before: None, after: Some(entry(model)) })
}

/// Whether a model or an alias has the name.
pub fn has_name(listing: &Listing, name: &str) -> bool {
    listing.models.contains_key(name) || listing.aliases.contains_key(name)
}

pub fn entry(model: Model) -> (CatalogEntry, String) {
    let snapshot = render_snapshot(&ModelOut::from(&model));
    (CatalogEntry::Model(Box::new(model)), snapshot)
}

fn changed_model(change: CatalogChange) -> domain::Result<ModelOut> {
    stored_model(change.after.as_ref()).map(ModelOut::from)
}

/// The model after a change.
pub fn stored_model(after: Option<&(CatalogEntry, String)>) -> domain::Result<&Model> {
    match after {
        Some((CatalogEntry::Model(model), _)) => Ok(model),
        _ => Err(Error::internal("the change of a model returned no model")),
    }
}
