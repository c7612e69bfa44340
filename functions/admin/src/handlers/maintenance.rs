//! Handlers for maintenance mode. While it is on, only requests of operators are served.

use axum::Json as Body;
use axum::extract::State;
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing};
use web::gateway::{BodyRefused, ErrorResponses, Operator, OperatorOnly};
use web::{Result, UncheckedJson};

use crate::Stores;
use crate::dto::plans::{MaintenanceIn, MaintenanceOut};
use crate::snapshot::render_snapshot;

/// Read the maintenance mode
#[utoipa::path(
    get, path = "/gateway/v1/admin/maintenance", tag = "admin",
    responses(
        (status = 200, description = "The maintenance mode", body = MaintenanceOut),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_maintenance(State(stores): State<Stores>, _: Operator) -> Result<Body<MaintenanceOut>> {
    Ok(Body(MaintenanceOut::from(&stores.catalog.read().await?.maintenance)))
}

/// Start or end maintenance
///
/// The change takes effect within 30 seconds.
#[utoipa::path(
    put, path = "/gateway/v1/admin/maintenance", tag = "admin", request_body = MaintenanceIn,
    responses(
        (status = 200, description = "The maintenance mode", body = MaintenanceOut),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_maintenance(
    State(stores): State<Stores>,
    operator: Operator,
    UncheckedJson(body): UncheckedJson<MaintenanceIn>,
) -> Result<Body<MaintenanceOut>> {
    let after = body.read()?;
    let action = operator.audit_action("maintenance.put", "maintenance");
    let entry = |it: &_| (CatalogEntry::Maintenance(Clone::clone(it)), render_snapshot(&MaintenanceOut::from(it)));
    let put =
        |listing: &Listing| Ok(CatalogChange { before: Some(entry(&listing.maintenance)), after: Some(entry(&after)) });
    stores.admin.change_catalog(&action, &stores.catalog, put).await?;
    Ok(Body(MaintenanceOut::from(&after)))
}
