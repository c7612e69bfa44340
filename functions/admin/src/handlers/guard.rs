//! Handlers for the risk categories of the guard.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::guard::GuardCategory;
use domain::id::Id;
use domain::name::GuardCategoryName;
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing};
use web::gateway::{BodyRefused, ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly};
use web::{Path, Result, UncheckedJson};

use crate::Stores;
use crate::dto::guard::{GuardCategoryIn, GuardCategoryOut};
use crate::snapshot::render_snapshot;

/// The scores of all categories are in every event, and in the prompts of some models.
const MAX_CATEGORIES: usize = 50;

/// List the risk categories
#[utoipa::path(
    get, path = "/gateway/v1/admin/guard/categories", tag = "admin",
    responses(
        (status = 200, description = "The categories", body = List<GuardCategoryOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_guard_categories(State(stores): State<Stores>, _: Operator) -> Result<List<GuardCategoryOut>> {
    let listing = stores.catalog.read().await?;
    Ok(List::new(listing.guard_categories.values().map(GuardCategoryOut::from)))
}

/// Create or update a risk category
///
/// Evaluations use the new settings within 30 seconds.
#[utoipa::path(
    put, path = "/gateway/v1/admin/guard/categories/{code}", tag = "admin",
    params(("code" = String, Path, description = "The code of the category")), request_body = GuardCategoryIn,
    responses(
        (status = 200, description = "The category", body = GuardCategoryOut),
        (status = 404, description = "The code is longer than 64 characters, or has characters other than lowercase letters, digits, `_` and `-`", body = ErrorBody),
        (status = 409, description = "`too_many_guard_categories`: there are 50 categories already", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_guard_category(
    State(stores): State<Stores>,
    operator: Operator,
    Path(GuardCategoryName(code)): Path<GuardCategoryName>,
    UncheckedJson(body): UncheckedJson<GuardCategoryIn>,
) -> Result<Body<GuardCategoryOut>> {
    let action = operator.audit_action("guard_category.put", &code);
    let category = body.read(&code)?;
    let put = |listing: &Listing| {
        let before = listing.guard_categories.get(&code);
        if before.is_none() && listing.guard_categories.len() >= MAX_CATEGORIES {
            let message = format!("there are {MAX_CATEGORIES} categories already; delete one first");
            return Err(Error::Conflict { code: "too_many_guard_categories", message });
        }
        Ok(CatalogChange { before: before.map(entry), after: Some(entry(&category)) })
    };
    stores.admin.change_catalog(&action, &stores.catalog, put).await?;
    Ok(Body(GuardCategoryOut::from(&category)))
}

/// Delete a risk category
#[utoipa::path(
    delete, path = "/gateway/v1/admin/guard/categories/{code}", tag = "admin",
    params(("code" = String, Path, description = "The code of the category")),
    responses((status = 204, description = "Deleted"), NotFound<GuardCategoryName>, OperatorOnly, ErrorResponses),
)]
pub async fn delete_guard_category(
    State(stores): State<Stores>,
    operator: Operator,
    Path(GuardCategoryName(code)): Path<GuardCategoryName>,
) -> Result<StatusCode> {
    let action = operator.audit_action("guard_category.delete", &code);
    let delete = |listing: &Listing| {
        let category = listing.guard_categories.get(&code).ok_or(Error::NotFound { kind: GuardCategoryName::KIND })?;
        Ok(CatalogChange { before: Some(entry(category)), after: None })
    };
    stores.admin.change_catalog(&action, &stores.catalog, delete).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn entry(category: &GuardCategory) -> (CatalogEntry, String) {
    (CatalogEntry::GuardCategory(category.clone()), render_snapshot(&GuardCategoryOut::from(category)))
}
