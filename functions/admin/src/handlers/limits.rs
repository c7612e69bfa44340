//! Handlers for own rate limits: limits of an organization, a user or an API key that replace those of the plan.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::audit::AuditAction;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::limits::Limits;
use domain::schema;
use store::meters::{Meter, MeterOwner};
use web::gateway::LimitsIn;
use web::gateway::{BodyRefused, ErrorResponses, NotFound, Operator, OperatorOnly};
use web::{Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::meters::{OwnLimitsOut, ScopeQuery, meter_scope};
use crate::snapshot::render_snapshot;

/// Read own limits
///
/// Returns the rate limits that are set for an organization, a user or an API key itself.
#[utoipa::path(
    get, path = "/gateway/v1/admin/limits", tag = "admin", params(ScopeQuery),
    responses(
        (status = 200, description = "The own limits", body = OwnLimitsOut),
        NotFound<(OrgId, UserId, ApiKeyId)>, OperatorOnly, ErrorResponses,
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
    put, path = "/gateway/v1/admin/limits", tag = "admin", params(ScopeQuery), request_body = LimitsIn,
    responses(
        (status = 200, description = "The own limits", body = OwnLimitsOut),
        NotFound<(OrgId, UserId, ApiKeyId)>, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_limits(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
    UncheckedJson(body): UncheckedJson<LimitsIn>,
) -> Result<Body<OwnLimitsOut>> {
    let of = query.read()?;
    schema::check(&body)?;
    let limits = Limits::from(body);
    let meter = set(&stores, &audit_action(&operator, "limits.put", of), of, Some(limits)).await?;
    Ok(Body(OwnLimitsOut::new(of, &meter)))
}

/// Remove own limits
///
/// Only the limits of the plan apply afterwards.
#[utoipa::path(
    delete, path = "/gateway/v1/admin/limits", tag = "admin", params(ScopeQuery),
    responses(
        (status = 204, description = "The own limits are removed"),
        NotFound<(OrgId, UserId, ApiKeyId)>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn delete_limits(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
) -> Result<StatusCode> {
    let of = query.read()?;
    set(&stores, &audit_action(&operator, "limits.delete", of), of, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn set(stores: &Stores, action: &AuditAction, of: MeterOwner, limits: Option<Limits>) -> domain::Result<Meter> {
    let render = |meter: &Meter| Some(render_snapshot(&OwnLimitsOut::new(of, meter)));
    stores.admin.set_limits(action, of, limits, render).await
}

fn audit_action(operator: &Operator, action: &'static str, of: MeterOwner) -> AuditAction {
    operator.audit_action(action, meter_scope(of).1)
}
