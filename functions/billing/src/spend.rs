//! The HTTP handler of the spend by day, for an organization.

use axum::extract::State;
use web::gateway::{Administrator, AdministratorOnly, CursorList, DailySpendOut, ErrorResponses, SpendQuery};
use web::{Query, Result};

use crate::Stores;

/// List the spend by day
///
/// Returns what the calls of each API key, model, tag or end user of the organization used and cost on each day, oldest first. Calls
/// appear when their lease is closed, after some seconds.
#[utoipa::path(
    get, path = "/gateway/v1/billing/spend", tag = "billing", params(SpendQuery),
    responses(
        (status = 200, description = "A page of days", body = CursorList<DailySpendOut>), AdministratorOnly, ErrorResponses,
    ),
)]
pub async fn list_spend(
    State(stores): State<Stores>,
    administrator: Administrator,
    Query(query): Query<SpendQuery>,
) -> Result<CursorList<DailySpendOut>> {
    query.read(&stores.spend, administrator.org(), administrator.at()).await
}
