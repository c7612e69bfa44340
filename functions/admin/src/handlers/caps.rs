//! Handlers for the monthly spending caps of organizations, users and API keys.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::time::Time;
use store::meters::{Meter, MeterOwner};
use web::gateway::SpendingCapOut;
use web::gateway::{BodyRefused, ErrorBody, ErrorResponses, NotFound, Operator, OperatorOnly};
use web::{Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::meters::{CapIn, ScopeQuery, meter_scope, spending_cap};
use crate::snapshot::render_snapshot;

/// Read a spending cap
#[utoipa::path(
    get, path = "/gateway/v1/billing/admin/caps", tag = "admin", params(ScopeQuery),
    responses(
        (status = 200, description = "The cap", body = SpendingCapOut),
        (status = 404, description = "The organization, user or key does not exist or has no cap", body = ErrorBody),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_cap(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
) -> Result<Body<SpendingCapOut>> {
    let of = query.read()?;
    cap_response(of, &stores.admin.meter(of).await?, operator.at())
}

/// Set a spending cap
///
/// Calls that could exceed the cap are refused before they start.
#[utoipa::path(
    put, path = "/gateway/v1/billing/admin/caps", tag = "admin", params(ScopeQuery), request_body = CapIn,
    responses(
        (status = 200, description = "The cap", body = SpendingCapOut),
        NotFound<(OrgId, UserId, ApiKeyId)>, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_cap(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
    UncheckedJson(body): UncheckedJson<CapIn>,
) -> Result<Body<SpendingCapOut>> {
    let of = query.read()?;
    let action = operator.audit_action("cap.put", meter_scope(of).1);
    let render = |meter: &Meter| spending_cap(of, meter, action.at).map(|cap| render_snapshot(&cap));
    cap_response(of, &stores.admin.set_cap(&action, of, Some(body.limit.0), render).await?, operator.at())
}

/// Remove a spending cap
#[utoipa::path(
    delete, path = "/gateway/v1/billing/admin/caps", tag = "admin", params(ScopeQuery),
    responses(
        (status = 204, description = "The cap is removed"),
        NotFound<(OrgId, UserId, ApiKeyId)>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn delete_cap(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<ScopeQuery>,
) -> Result<StatusCode> {
    let of = query.read()?;
    let action = operator.audit_action("cap.delete", meter_scope(of).1);
    let render = |meter: &Meter| spending_cap(of, meter, action.at).map(|cap| render_snapshot(&cap));
    stores.admin.set_cap(&action, of, None, render).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn cap_response(of: MeterOwner, meter: &Meter, now: Time) -> Result<Body<SpendingCapOut>> {
    Ok(Body(spending_cap(of, meter, now).ok_or(Error::NotFound { kind: "spending cap" })?))
}
