//! HTTP handlers: one function for each route.

pub mod members;
pub mod variables;

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use domain::id::WorkbenchId;
use domain::workbench::{Access, NewWorkbench, StopCause, Workbench, WorkbenchStatus};
use store::workbenches::CapacityLimits;
use web::cursor::{CursorQuery, Cursors};
use web::etag::{ETag, IfNoneMatch, IfNoneMatchHeaders};
use web::workbenches::{Caller, Created, ErrorBody, ErrorResponses, ItemList, NotFound, NotJson, NotOwner};
use web::{Json, NoBody, Path, Query, Result};

use crate::Stores;
use crate::dto::{EventsOut, ListWorkbenches, PlanOut, WorkbenchIn, WorkbenchOut};

/// The pause, in seconds, before a client reads a workbench again that is not ready.
const POLL_AFTER_S: &str = "10";
const EVENTS: Cursors = Cursors("workbench events");

/// Read the plan
///
/// Returns the sizes, the default size and the maximum of each resource.
#[utoipa::path(
    get, path = "/workbenches/v1/plan", tag = "workbenches",
    responses((status = 200, description = "The plan of the organization", body = PlanOut), ErrorResponses),
)]
pub async fn get_plan(Caller(caller): Caller) -> Result<Body<PlanOut>> {
    let plan = caller.plan.workbenches.read()?.unwrap_or_default();
    Ok(Body((&plan).into()))
}

/// List workbenches
///
/// Returns the workbenches that the caller owns or edits, newest first.
#[utoipa::path(
    get, path = "/workbenches/v1", tag = "workbenches", params(ListWorkbenches),
    responses((status = 200, description = "The workbenches", body = ItemList<WorkbenchOut>), ErrorResponses),
)]
pub async fn list_workbenches(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListWorkbenches>,
) -> Result<ItemList<WorkbenchOut>> {
    let page = stores.workbenches.list(caller.account(), query.ownership(), query.page()).await?;
    Ok(ItemList { items: page.items.into_iter().map(WorkbenchOut::from).collect(), total: page.total })
}

/// Create a workbench
///
/// Reserves the name and the resources. The environment is provided afterwards: read the workbench every 10 to 15
/// seconds until its status is `ready`.
#[utoipa::path(
    post, path = "/workbenches/v1", tag = "workbenches", request_body = WorkbenchIn,
    responses(
        Created<WorkbenchOut, ETag>,
        (status = 409, description = "`LAB_NAME_TAKEN`: a workbench of the organization has this name", body = ErrorBody),
        (status = 422, description = "`LAB_POLICY_UNAVAILABLE`: the plan does not have the size, or a resource exceeds its \
            maximum. `LAB_CAPACITY_UNAVAILABLE`: there is no capacity at the moment", body = ErrorBody),
        NotJson, ErrorResponses,
    ),
)]
pub async fn create_workbench(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Json(mut body): Json<WorkbenchIn>,
) -> Result<Response> {
    let requested = body.requested_resources()?;
    let variables = body.take_variables()?;
    let plan = caller.plan.workbenches.read()?.unwrap_or_default();
    let spec = plan.resolve(requested)?;
    let image = plan.image(body.image.as_deref())?;
    let id = WorkbenchId::new();
    let new = NewWorkbench { id, org: caller.org, owner: caller.user, name: body.name, spec, image };
    let new = Workbench::create(new, &plan, caller.at);
    let limits =
        CapacityLimits { org: plan.capacity, max_workbenches: plan.max_workbenches, platform: stores.capacity };
    let variables = stores.variables.seal(caller.org, id, variables).await?;
    stores.workbenches.create(&new, &variables, &limits).await?;
    Ok(respond(StatusCode::CREATED, new.after))
}

/// Read a workbench
///
/// While the workbench is not ready, the answer has the header `Retry-After`. Send the last `ETag` as `If-None-Match`, so
/// that the answer has no body if nothing has changed.
#[utoipa::path(
    get, path = "/workbenches/v1/{id}", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench"), IfNoneMatchHeaders),
    responses(
        (status = 200, description = "The workbench", body = WorkbenchOut,
            headers(("ETag" = String, description = "The version"))),
        (status = 304, description = "The workbench is unchanged"),
        NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn get_workbench(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
    known: IfNoneMatch,
) -> Result<Response> {
    let (workbench, _) = stores.workbenches.get(caller.account(), id).await?;
    let etag = ETag::from_revision(workbench.revision);
    if known.includes(&etag) {
        return Ok(with_pause(&workbench, (StatusCode::NOT_MODIFIED, etag)));
    }
    Ok(respond(StatusCode::OK, workbench))
}

/// Delete a workbench
///
/// Only the owner can delete a workbench, and only if it is ready or failed. Its environment and its storage are removed,
/// then its name is free again.
#[utoipa::path(
    delete, path = "/workbenches/v1/{id}", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")),
    responses(
        (status = 202, description = "The deletion has begun", body = WorkbenchOut),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`, or `LAB_INVALID_STATE` if the workbench is neither ready \
            nor failed", body = ErrorBody),
        NotOwner, NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn delete_workbench(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
) -> Result<Response> {
    let change = |workbench: &Workbench| workbench.delete(caller.user, caller.at).map(Some);
    let workbench = stores.workbenches.change(caller.account(), id, Access::Owner, change).await?;
    Ok(respond(StatusCode::ACCEPTED, workbench))
}

/// Start a workbench
///
/// Starts a stopped workbench, or tries again to provide a failed one. Owner and editors can start a workbench.
#[utoipa::path(
    post, path = "/workbenches/v1/{id}/start", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")),
    responses(
        (status = 202, description = "The workbench is starting, or runs already", body = WorkbenchOut),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`", body = ErrorBody),
        NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn start_workbench(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
    _: NoBody,
) -> Result<Response> {
    let change = |workbench: &Workbench| workbench.start(caller.user, caller.at);
    let workbench = stores.workbenches.change(caller.account(), id, Access::Editor, change).await?;
    Ok(respond(StatusCode::ACCEPTED, workbench))
}

/// Stop a workbench
///
/// Ends the environment and keeps its storage. The status stays `ready`, and `runState` becomes `stopped`. Only the owner
/// can stop a workbench.
#[utoipa::path(
    post, path = "/workbenches/v1/{id}/stop", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")),
    responses(
        (status = 202, description = "The workbench is stopping, or is stopped already", body = WorkbenchOut),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`, or `LAB_INVALID_STATE` if the workbench is not ready",
            body = ErrorBody),
        NotOwner, NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn stop_workbench(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
    _: NoBody,
) -> Result<Response> {
    let change = |workbench: &Workbench| workbench.stop(StopCause::User, Some(caller.user), caller.at);
    let workbench = stores.workbenches.change(caller.account(), id, Access::Owner, change).await?;
    Ok(respond(StatusCode::ACCEPTED, workbench))
}

/// List the events of a workbench
///
/// Returns what happened to the workbench, oldest first. Events are kept for 90 days.
#[utoipa::path(
    get, path = "/workbenches/v1/{id}/events", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench"), CursorQuery),
    responses(
        (status = 200, description = "A page of events", body = EventsOut),
        NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn list_events(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<CursorQuery>,
    Path(id): Path<WorkbenchId>,
) -> Result<Body<EventsOut>> {
    let after = EVENTS.read(query.cursor.as_deref())?;
    let (workbench, _) = stores.workbenches.get(caller.account(), id).await?;
    let page = stores.workbenches.events(id, query.limit, after).await?;
    Ok(Body(EventsOut {
        items: page.items.into_iter().map(Into::into).collect(),
        total: workbench.events,
        next_cursor: page.next.map(|place| EVENTS.write(&place)),
    }))
}

/// The workbench with its version.
fn respond(status: StatusCode, workbench: Workbench) -> Response {
    let etag = ETag::from_revision(workbench.revision);
    with_pause(&workbench.clone(), (status, etag, Body(WorkbenchOut::from(workbench))))
}

/// Adds the pause until the next read, while the workbench is not ready.
fn with_pause(workbench: &Workbench, response: impl IntoResponse) -> Response {
    match workbench.status {
        WorkbenchStatus::Ready => response.into_response(),
        _ => ([(RETRY_AFTER, POLL_AFTER_S)], response).into_response(),
    }
}
