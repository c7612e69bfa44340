//! The handler that lists the exchanges of a record.

use axum::extract::State;
use domain::id::{RecordId, WorkflowId};
use domain::page::Slice;
use runner::{RunTrace, ValueRoom};
use web::builder::{DataSlice, ErrorBody, ErrorResponses, NotFound, Viewer};
use web::cursor::{CursorQuery, Cursors};
use web::{Path, Query, Result};

use super::records::load_recorded_run;
use crate::Stores;
use crate::dto::exchange::ExchangeOut;

/// A position is the number of exchanges before it. New ones are added at the end, so positions never move.
const CURSORS: Cursors = Cursors("exchanges");

/// List the exchanges of a record
///
/// Returns what the run exchanged with models, other systems and people, in the order in which the exchanges began. Each
/// attempt of a step is an exchange. While the run is in progress, the list shows the exchanges so far. Masked values are
/// hidden.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/records/{record_id}/exchanges", tag = "records",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("record_id" = Uuid, Path, description = "The record"),
        CursorQuery,
    ),
    responses(
        (status = 200, description = "A page of exchanges", body = DataSlice<ExchangeOut>),
        (status = 409, description = "`invalid_state`: the run was erased", body = ErrorBody),
        NotFound<(WorkflowId, RecordId)>, ErrorResponses,
    ),
)]
pub async fn list_exchanges(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, record_id)): Path<(WorkflowId, RecordId)>,
    Query(CursorQuery { limit, cursor }): Query<CursorQuery>,
) -> Result<DataSlice<ExchangeOut>> {
    let run = load_recorded_run(&stores, access.account, id, record_id).await?;
    let after = CURSORS.read_number(cursor.as_deref())?.unwrap_or(0);
    let RunTrace { spans, plan } = RunTrace::load(&stores.plans, &stores.runs, &run).await?;
    let (from, to) = (after as usize, after as usize + limit as usize);
    let exchanges: Vec<_> = spans.into_iter().filter(|span| span.is_exchange).collect();
    let next = (exchanges.len() > to).then(|| to.to_string());
    let mut room = ValueRoom::default();
    let page = exchanges.into_iter().skip(from).take(limit as usize);
    let items: Vec<_> = page.map(|span| ExchangeOut::new(span, &plan, &mut room)).collect();
    Ok(DataSlice::new(Slice { items, next }, CURSORS))
}
