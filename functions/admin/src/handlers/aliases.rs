//! Handlers for aliases: public names that point to models.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::Id;
use domain::name::AliasName;
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing};
use web::gateway::{BodyRefused, ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly};
use web::{Path, Result, UncheckedJson};

use crate::Stores;
use crate::dto::aliases::{AliasIn, AliasOut};
use crate::dto::check_model_name;
use crate::snapshot::render_snapshot;

/// List the catalog's aliases
#[utoipa::path(
    get, path = "/gateway/v1/admin/aliases", operation_id = "admin_list_aliases", tag = "admin",
    responses((status = 200, description = "The aliases", body = List<AliasOut>), OperatorOnly, ErrorResponses),
)]
pub async fn list_aliases(State(stores): State<Stores>, _: Operator) -> Result<List<AliasOut>> {
    let listing = stores.catalog.read().await?;
    Ok(List::new(listing.aliases.into_iter().map(|(alias, model)| AliasOut { alias, model })))
}

/// Create or update an alias
///
/// Points the alias to a model. Creates the alias if it does not exist.
#[utoipa::path(
    put, path = "/gateway/v1/admin/aliases/{name}", tag = "admin",
    params(("name" = String, Path, description = "The alias")), request_body = AliasIn,
    responses(
        (status = 200, description = "The alias", body = AliasOut),
        (status = 404, description = "The name is not a valid alias", body = ErrorBody),
        (status = 409, description = "`model_exists`: a model with this name exists", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_alias(
    State(stores): State<Stores>,
    operator: Operator,
    Path(AliasName(alias)): Path<AliasName>,
    UncheckedJson(body): UncheckedJson<AliasIn>,
) -> Result<Body<AliasOut>> {
    let action = operator.audit_action("alias.put", &alias);
    let put = |listing: &Listing| change_alias(&alias, &body.model, listing);
    stores.admin.change_catalog(&action, &stores.catalog, put).await?;
    Ok(Body(AliasOut { alias, model: body.model }))
}

/// Delete an alias
#[utoipa::path(
    delete, path = "/gateway/v1/admin/aliases/{name}", tag = "admin",
    params(("name" = String, Path, description = "The alias")),
    responses((status = 204, description = "Deleted"), NotFound<AliasName>, OperatorOnly, ErrorResponses),
)]
pub async fn delete_alias(
    State(stores): State<Stores>,
    operator: Operator,
    Path(AliasName(alias)): Path<AliasName>,
) -> Result<StatusCode> {
    let action = operator.audit_action("alias.delete", &alias);
    let delete = |listing: &Listing| {
        let model = listing.aliases.get(&alias).ok_or(Error::NotFound { kind: AliasName::KIND })?;
        Ok(CatalogChange { before: Some(entry(&alias, model)), after: None })
    };
    stores.admin.change_catalog(&action, &stores.catalog, delete).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Points an alias to a model.
pub fn change_alias(alias: &str, model: &str, listing: &Listing) -> domain::Result<CatalogChange> {
    check_model_name("alias", alias)?;
    if listing.models.contains_key(alias) {
        let message = "a model with this name exists; choose another alias".to_owned();
        return Err(Error::Conflict { code: "model_exists", message });
    }
    if !listing.models.contains_key(model) {
        return Err(Error::invalid_body("model", "no such model"));
    }
    let before = listing.aliases.get(alias).map(|model| entry(alias, model));
    Ok(CatalogChange { before, after: Some(entry(alias, model)) })
}

fn entry(alias: &str, model: &str) -> (CatalogEntry, String) {
    let (alias, model) = (alias.to_owned(), model.to_owned());
    let snapshot = render_snapshot(&AliasOut { alias: alias.clone(), model: model.clone() });
    (CatalogEntry::Alias { alias, model }, snapshot)
}
