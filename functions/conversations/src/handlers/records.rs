//! Handlers that list and show records.

use std::collections::BTreeSet;

use axum::extract::State;
use domain::id::{Id, ParticipantId, RecordId, RunId, WorkflowId};
use domain::identity::Account;
use domain::page::Slice;
use domain::run::Run;
use domain::{Error, Result as DomainResult};
use web::builder::{Data, DataSlice, ErrorResponses, NotFound, Viewer};
use web::cursor::Cursors;
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::filters::RecordFiltersOut;
use crate::dto::list::ListRecords;
use crate::dto::record::RecordOut;

const CURSORS: Cursors = Cursors("records");

/// List the records of a workflow
///
/// Returns the records that match all filters, newest first. With several filters, a page can have fewer items than `limit`
/// although more pages follow. A new record, or a new state, may appear a moment later than in `GET …/records/{recordId}`.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/records", tag = "records",
    params(("id" = Uuid, Path, description = "The workflow"), ListRecords),
    responses(
        (status = 200, description = "A page of records", body = DataSlice<RecordOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_records(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<ListRecords>,
) -> Result<DataSlice<RecordOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let after = CURSORS.read(query.cursor.as_deref())?;
    let (limit, filter) = (query.limit, query.filter());
    let page = stores.runs.list(id, &filter, limit, after).await?;
    Ok(DataSlice::new(Slice { items: describe(&stores, id, page.items).await?, next: page.next }, CURSORS))
}

/// List the filters of records
///
/// Returns the values that `channel`, `origin` and `state` can have for this workflow.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/records/filters", tag = "records",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The values of each filter", body = Data<RecordFiltersOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_record_filters(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<RecordFiltersOut>> {
    let channels = stores.workflows.get_channels(access.account, id).await?;
    Ok(Data { data: RecordFiltersOut::new(&channels) })
}

/// Read a record
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/records/{record_id}", tag = "records",
    params(("id" = Uuid, Path, description = "The workflow"), ("record_id" = Uuid, Path, description = "The record")),
    responses(
        (status = 200, description = "The record", body = Data<RecordOut>),
        NotFound<(WorkflowId, RecordId)>, ErrorResponses,
    ),
)]
pub async fn get_record(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, record_id)): Path<(WorkflowId, RecordId)>,
) -> Result<Data<RecordOut>> {
    let run = load_recorded_run(&stores, access.account, id, record_id).await?;
    match describe(&stores, id, vec![run]).await?.pop() {
        Some(data) => Ok(Data { data }),
        None => Err(Error::NotFound { kind: RecordId::KIND }.into()),
    }
}

/// The records of runs, with the names of their participants.
async fn describe(stores: &Stores, workflow: WorkflowId, runs: Vec<Run>) -> DomainResult<Vec<RecordOut>> {
    let ids: BTreeSet<ParticipantId> =
        runs.iter().filter_map(|run| run.thread.as_ref()).map(|thread| thread.participant).collect();
    let ids: Vec<ParticipantId> = ids.into_iter().collect();
    let names = stores.deliveries.threads.participants_of(workflow, &ids).await?;
    Ok(runs.into_iter().map(|run| RecordOut::new(run, &names)).collect())
}

/// Reads the run of a record, if its workflow still exists.
pub async fn load_recorded_run(
    stores: &Stores,
    account: Account,
    workflow: WorkflowId,
    id: RecordId,
) -> DomainResult<Run> {
    stores.workflows.get_header(account, workflow).await?;
    let run = stores.runs.find_of(account, workflow, RunId::from(id.uuid())).await?;
    run.ok_or(Error::NotFound { kind: RecordId::KIND })
}
