//! The handler of the activity of a workflow.

use std::cmp::Reverse;

use axum::extract::State;
use domain::Result as DomainResult;
use domain::id::WorkflowId;
use domain::page::Slice;
use store::runs::RunFilter;
use uuid::Uuid;
use web::builder::{DataSlice, ErrorResponses, NotFound, Viewer};
use web::cursor::{CursorQuery, Cursors};
use web::language::AcceptLanguageHeaders;
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::activity::WorkflowActivityOut;

const CURSORS: Cursors = Cursors("workflow-activity");

/// Show the activity of a workflow
///
/// Shows its runs and what happened to it, such as a new release or a pause, newest first.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/activity", tag = "analytics",
    params(("id" = Uuid, Path, description = "The workflow"), CursorQuery, AcceptLanguageHeaders),
    responses(
        (status = 200, description = "A page of the activity", body = DataSlice<WorkflowActivityOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_workflow_activity(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(CursorQuery { limit, cursor }): Query<CursorQuery>,
) -> Result<DataSlice<WorkflowActivityOut>> {
    let account = access.account;
    stores.workflows.get_header(account, id).await?;
    let after = CURSORS.read_id(cursor.as_deref())?;
    let newest = RunFilter::default();
    let (changes, runs) = futures::try_join!(
        stores.workflows.changes(account, id, limit, after),
        stores.runs.list(id, &newest, limit, after.map(|after| after.to_string())),
    )?;
    let slice = merge(
        changes.map(|(id, change)| (id, WorkflowActivityOut::of_change(id, &change))),
        runs.map(|run| (run.id.uuid(), WorkflowActivityOut::of_run(&run))),
        limit as usize,
    )?;
    Ok(DataSlice::new(slice, CURSORS))
}

/// Merges two lists, newest first. Where one of them goes on, the older entries of the other one belong to a later page.
fn merge<T>(first: Slice<(Uuid, T)>, second: Slice<(Uuid, T)>, limit: usize) -> DomainResult<Slice<T>> {
    let place = |next: Option<String>| next.map(|next| next.parse()).transpose().map_err(domain::Error::internal);
    let mut next: Option<Uuid> = place(first.next)?.max(place(second.next)?);
    let mut items: Vec<_> = first.items.into_iter().chain(second.items).filter(|(id, _)| Some(*id) >= next).collect();
    items.sort_by_key(|(id, _)| Reverse(*id));
    if items.len() > limit {
        items.truncate(limit);
        next = items.last().map(|(id, _)| *id);
    }
    let items = items.into_iter().map(|(_, item)| item).collect();
    Ok(Slice { items, next: next.map(|next| next.to_string()) })
}
