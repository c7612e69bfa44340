//! Handlers for plans.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::Id;
use domain::identity::Plan;
use domain::name::PlanName;
use web::gateway::{BodyRefused, Created, ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly};
use web::{Path, Result, UncheckedJson};

use crate::Stores;
use crate::dto::plans::{PlanIn, PlanOut};
use crate::snapshot::render_snapshot;

/// List plans
#[utoipa::path(
    get, path = "/gateway/v1/admin/plans", tag = "admin",
    responses((status = 200, description = "The plans", body = List<PlanOut>), OperatorOnly, ErrorResponses),
)]
pub async fn list_plans(State(stores): State<Stores>, operator: Operator) -> Result<List<PlanOut>> {
    let (plans, listing) = futures::try_join!(stores.identities.plans(), stores.catalog.read())?;
    Ok(List::new(plans.iter().map(|plan| PlanOut::new(plan, &listing, operator.at()))))
}

/// Read a plan
#[utoipa::path(
    get, path = "/gateway/v1/admin/plans/{id}", tag = "admin", params(("id" = String, Path, description = "The plan")),
    responses(
        (status = 200, description = "The plan", body = PlanOut),
        NotFound<PlanName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_plan(
    State(stores): State<Stores>,
    operator: Operator,
    Path(PlanName(id)): Path<PlanName>,
) -> Result<Body<PlanOut>> {
    let (plan, listing) = futures::try_join!(stores.identities.find_plan(&id), stores.catalog.read())?;
    let plan = plan.ok_or(Error::NotFound { kind: PlanName::KIND })?;
    Ok(Body(PlanOut::new(&plan, &listing, operator.at())))
}

/// Create or replace a plan
///
/// The new plan applies to its organizations immediately, and to their model calls within 30 seconds. A plan with an
/// `input_guard` needs a guard model. If its last one is removed later, its calls are refused with `guard_misconfigured`,
/// until the plan has a guard model again or `input_guard` is `off`.
#[utoipa::path(
    put, path = "/gateway/v1/admin/plans/{id}", tag = "admin", params(("id" = String, Path, description = "The plan")),
    request_body = PlanIn,
    responses(
        (status = 200, description = "The replaced plan", body = PlanOut),
        Created<PlanOut>,
        (status = 404, description = "The id is not a valid plan id", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_plan(
    State(stores): State<Stores>,
    operator: Operator,
    Path(PlanName(id)): Path<PlanName>,
    UncheckedJson(body): UncheckedJson<PlanIn>,
) -> Result<(StatusCode, Body<PlanOut>)> {
    let (listing, now) = (stores.catalog.read().await?, operator.at());
    let plan = body.read(&id, &listing, now)?;
    let render = |plan: &Plan| render_snapshot(&PlanOut::new(plan, &listing, now));
    let before = stores.admin.put_plan(&operator.audit_action("plan.put", &id), &plan, render).await?;
    let status = if before.is_some() { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Body(PlanOut::new(&plan, &listing, now))))
}
