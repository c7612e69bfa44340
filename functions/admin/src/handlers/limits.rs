//! Handlers for own rate limits: limits of an organization, a user or an API key that replace those of the plan.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::audit::Deed;
use domain::limits::Limits;
use shared::http::gateway::LimitsIn;
use shared::http::openai::{BodyRefused, ErrorBody, Json, Operator, OperatorOnly, Query, Refused, Result};
use shared::store::meters::{Meter, MeterOwner};

use crate::Stores;
use crate::dto::meters::{OwnLimitsOut, ScopeQuery, scope};
use crate::snapshot::render_audit;

/// Read own limits
///
/// Returns the rate limits that are set for an organization, a user or an API key itself.
#[utoipa::path(
    get, path = "/gateway/v1/admin/limits", tag = "admin", params(ScopeQuery), security(("bearer" = [])),
    responses(
        (status = 200, description = "The own limits", body = OwnLimitsOut),
        (status = 404, description = "The organization, user or key does not exist", body = ErrorBody),
        OperatorOnly, Refused,
    ),
)]
pub async fn get_limits(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<ScopeQuery>,
) -> Result<Body<OwnLimitsOut>> {
    let of = query.read()?;
    Ok(Body(OwnLimitsOut::new(of, &stores.admin.meter(of).await?)))
}

/// Set own limits
///
/// Own limits replace those of the plan from the next quota lease. A limit that is omitted comes from the plan.
#[utoipa::path(
    put, path = "/gateway/v1/admin/limits", tag = "admin", params(ScopeQuery), security(("bearer" = [])),
    request_body = LimitsIn,
    responses(
        (status = 200, description = "The own limits", body = OwnLimitsOut),
        (status = 404, description = "The organization, user or key does not exist", body = ErrorBody),
        BodyRefused, OperatorOnly, Refused,
    ),
)]
pub async fn put_limits(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
    Json(body): Json<LimitsIn>,
) -> Result<Body<OwnLimitsOut>> {
    let of = query.read()?;
    let limits = body.read("")?;
    let meter = set(&stores, &deed(&operator, "limits.put", of), of, Some(limits)).await?;
    Ok(Body(OwnLimitsOut::new(of, &meter)))
}

/// Remove own limits
///
/// Only the limits of the plan apply afterwards.
#[utoipa::path(
    delete, path = "/gateway/v1/admin/limits", tag = "admin", params(ScopeQuery), security(("bearer" = [])),
    responses(
        (status = 204, description = "The own limits are removed"),
        (status = 404, description = "The organization, user or key does not exist", body = ErrorBody),
        OperatorOnly, Refused,
    ),
)]
pub async fn delete_limits(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
) -> Result<StatusCode> {
    let of = query.read()?;
    set(&stores, &deed(&operator, "limits.delete", of), of, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn set(stores: &Stores, deed: &Deed, of: MeterOwner, limits: Option<Limits>) -> domain::Result<Meter> {
    let tell = |meter: &Meter| Some(render_audit(&OwnLimitsOut::new(of, meter)));
    stores.admin.set_limits(deed, of, limits, tell).await
}

fn deed(operator: &Operator, action: &'static str, of: MeterOwner) -> Deed {
    operator.deed(action, scope(of).1)
}
