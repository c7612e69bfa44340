//! Handlers of the lists over all workflows that the caller may use.

use axum::extract::State;
use domain::page::{Order, Slice, SliceRequest};
use domain::sharing::TeamRole;
use store::run_rows::load_rows;
use web::builder::{Caller, DataSlice, ErrorResponses};
use web::cursor::{CursorQuery, Cursors};
use web::{Query, Result};

use crate::Stores;
use crate::dto::list::ListRuns;
use crate::dto::review::OpenReviewOut;
use crate::dto::run::SeenRunOut;

const RUNS: Cursors = Cursors("all-runs");
const REVIEWS: Cursors = Cursors("reviews");

/// List the runs of all workflows
///
/// Returns the runs of the caller's workflows, and of those that are shared with them, newest first. With `state=failed`,
/// `state=paused` or both, those that failed or paused last come first. A page can have fewer items than `limit` although
/// more pages follow: with another filter, and if workflows are shared with the caller. If more than 15 colleagues share
/// workflows with the caller, only those of 15 are included. A new run, or a new state, may appear a moment later than in
/// `GET …/runs/{runId}`. Runs that were started before this list existed are not in it.
#[utoipa::path(
    get, path = "/builder/v1/runs", tag = "runs",
    params(ListRuns),
    responses((status = 200, description = "A page of runs", body = DataSlice<SeenRunOut>), ErrorResponses),
)]
pub async fn list_all_runs(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListRuns>,
) -> Result<DataSlice<SeenRunOut>> {
    let after = RUNS.read(query.cursor.as_deref())?;
    let request = SliceRequest { order: Order::Desc, limit: query.limit, after };
    let filter = query.filter()?;
    let workflows = stores.shares.seen_by(caller.account(), TeamRole::Viewer).await?;
    let Slice { items, next } = stores.runs.list_seen(&workflows, &filter, request).await?;
    let (runs, workflows): (Vec<_>, Vec<_>) = items.into_iter().map(|seen| (seen.item, seen.workflow)).unzip();
    let rows = load_rows(&stores.runs, &stores.usage, runs, caller.at).await?;
    Ok(DataSlice::new(Slice { items: rows.into_iter().zip(workflows).collect(), next }, RUNS))
}

/// List open reviews
///
/// Returns the open reviews that the caller may resolve, over all workflows, oldest first. If workflows are shared with the
/// caller, a page can have fewer items than `limit` although more pages follow. If more than 15 colleagues share workflows with
/// the caller, only those of 15 are included. A new review may appear a moment later than in its run. Resolve a review with
/// `POST …/runs/{runId}/resolve-wait`.
#[utoipa::path(
    get, path = "/builder/v1/reviews", tag = "runs",
    params(CursorQuery),
    responses((status = 200, description = "A page of open reviews", body = DataSlice<OpenReviewOut>), ErrorResponses),
)]
pub async fn list_open_reviews(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<CursorQuery>,
) -> Result<DataSlice<OpenReviewOut>> {
    let after = REVIEWS.read(query.cursor.as_deref())?;
    let request = SliceRequest { order: Order::Asc, limit: query.limit, after };
    let workflows = stores.shares.seen_by(caller.account(), TeamRole::Operator).await?;
    Ok(DataSlice::new(stores.runs.list_open_reviews(&workflows, request).await?, REVIEWS))
}
