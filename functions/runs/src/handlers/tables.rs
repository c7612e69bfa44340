//! Handlers for the tables of a workflow, which its nodes of type `table` fill and read.

use axum::extract::State;
use axum::http::StatusCode;
use domain::data_table::{Filter, ID, INVALID, NewValues, Operator as Comparison, Row, RowFilter, RowProblem};
use domain::id::{Id, WorkflowId};
use domain::identity::Account;
use domain::name::{RowId, TableName};
use domain::time::Time;
use domain::{Error, Result as DomainResult};
use serde_json::{Map, Value};
use store::data_tables::{Change, NewRow, TablePlace};
use uuid::Uuid;
use web::builder::{
    Created, Data, DataSlice, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator, Viewer,
};
use web::cursor::{CursorQuery, Cursors};
use web::{NoBody, Path, Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::table::{RowOut, TableOut};

const CURSORS: Cursors = Cursors("rows");

/// List the tables of a workflow
///
/// The tables that nodes of the type `table` have made, by name.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/tables", tag = "tables",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses((status = 200, description = "The tables", body = Data<Vec<TableOut>>), NotFound<WorkflowId>, ErrorResponses),
)]
pub async fn list_tables(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<Vec<TableOut>>> {
    stores.workflows.get_header(access.account, id).await?;
    let tables = stores.tables.list(access.account, id).await?;
    Ok(Data { data: tables.into_iter().map(TableOut::from).collect() })
}

/// Delete a table with its rows
///
/// If the request is interrupted, the table takes no more rows, and the next request deletes the rest.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/tables/{table}", tag = "tables",
    params(("id" = Uuid, Path, description = "The workflow"), ("table" = String, Path, description = "The name of the table")),
    responses((status = 204, description = "Deleted"), NotFound<(WorkflowId, TableName)>, NotPermitted, ErrorResponses),
)]
pub async fn delete_table(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((workflow, table)): Path<(WorkflowId, TableName)>,
    _: NoBody,
) -> Result<StatusCode> {
    let place = find_place(&stores, access.account, workflow, table).await?;
    stores.tables.delete_table(&place).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the rows of a table
///
/// The rows in the order of their ids.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/tables/{table}/rows", tag = "tables",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("table" = String, Path, description = "The name of the table"),
        CursorQuery,
    ),
    responses(
        (status = 200, description = "A page of rows", body = DataSlice<RowOut>),
        NotFound<(WorkflowId, TableName)>, ErrorResponses,
    ),
)]
pub async fn list_rows(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((workflow, table)): Path<(WorkflowId, TableName)>,
    Query(CursorQuery { limit, cursor }): Query<CursorQuery>,
) -> Result<DataSlice<RowOut>> {
    let after = CURSORS.read(cursor.as_deref())?;
    let place = find_place(&stores, access.account, workflow, table).await?;
    stores.tables.get(&place).await?;
    Ok(DataSlice::new(stores.tables.page(&place, limit, after).await?, CURSORS))
}

/// Add a row
///
/// The body has the fields of the row. Without `id`, the row gets one. The first row makes the table.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/tables/{table}/rows", tag = "tables",
    params(("id" = Uuid, Path, description = "The workflow"), ("table" = String, Path, description = "The name of the table")),
    request_body = BTreeMap<String, Value>,
    responses(
        Created<RowOut>,
        (status = 409, description = "`row_exists`: the table has a row with this id; `table_full`: it has 10,000 rows; \
            `too_many_tables`: the workflow has 50; `table_deleted`: the table is being deleted; `row_too_large`: the row has \
            more than 32 KiB", body = ErrorBody),
        NotFound<(WorkflowId, TableName)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn add_row(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((workflow, table)): Path<(WorkflowId, TableName)>,
    UncheckedJson(values): UncheckedJson<Map<String, Value>>,
) -> Result<(StatusCode, Data<RowOut>)> {
    let NewValues { id, values } = read(values)?;
    let new = NewRow { id: id.unwrap_or_else(|| Uuid::now_v7().to_string()), values };
    let place = find_place(&stores, access.account, workflow, table).await?;
    let added = stores.tables.add(&place, &[new], &change(access.caller.at)).await?;
    Ok((StatusCode::CREATED, Data { data: one(added)?.into() }))
}

/// Change a row
///
/// The body has the fields that change; the others keep their values. A field that is null keeps null as its value.
#[utoipa::path(
    patch, path = "/builder/v1/workflows/{id}/tables/{table}/rows/{row_id}", tag = "tables",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("table" = String, Path, description = "The name of the table"),
        ("row_id" = String, Path, description = "The row"),
    ),
    request_body = BTreeMap<String, Value>,
    responses(
        (status = 200, description = "The changed row", body = Data<RowOut>),
        (status = 409, description = "`row_too_large`: the row would have more than 32 KiB", body = ErrorBody),
        NotFound<(WorkflowId, TableName, RowId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn change_row(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((workflow, table, RowId(row))): Path<(WorkflowId, TableName, RowId)>,
    UncheckedJson(values): UncheckedJson<Map<String, Value>>,
) -> Result<Data<RowOut>> {
    let new = read(values)?;
    if new.id.is_some_and(|id| id != row) {
        return Err(Error::invalid_body("id", "the id of a row cannot change").into());
    }
    let place = find_place(&stores, access.account, workflow, table).await?;
    let changed = stores.tables.update(&place, &of_id(row), &new.values, &change(access.caller.at)).await?;
    Ok(Data { data: one(changed)?.into() })
}

/// Delete a row
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/tables/{table}/rows/{row_id}", tag = "tables",
    params(
        ("id" = Uuid, Path, description = "The workflow"), ("table" = String, Path, description = "The name of the table"),
        ("row_id" = String, Path, description = "The row"),
    ),
    responses((status = 204, description = "Deleted"), NotFound<(WorkflowId, TableName, RowId)>, NotPermitted, ErrorResponses),
)]
pub async fn delete_row(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((workflow, table, RowId(row))): Path<(WorkflowId, TableName, RowId)>,
    _: NoBody,
) -> Result<StatusCode> {
    let place = find_place(&stores, access.account, workflow, table).await?;
    one(stores.tables.delete(&place, &of_id(row), &change(access.caller.at)).await?)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The place of a table, which need not exist, in a workflow that does.
async fn find_place(
    stores: &Stores,
    account: Account,
    workflow: WorkflowId,
    table: TableName,
) -> DomainResult<TablePlace> {
    stores.workflows.get_header(account, workflow).await?;
    Ok(TablePlace { account, workflow, table })
}

fn of_id(id: String) -> RowFilter {
    let filter = Filter { field: ID.to_owned(), operator: Comparison::Equals, value: id.into() };
    RowFilter { filters: vec![filter], ..RowFilter::default() }
}

/// The change of a person. Nobody repeats it.
fn change(at: Time) -> Change {
    Change { step: Uuid::now_v7().simple().to_string(), at }
}

fn read(values: Map<String, Value>) -> DomainResult<NewValues> {
    NewValues::read(values.into()).map_err(|RowProblem { code, message }| match code {
        INVALID => Error::invalid_body("", message),
        _ => Error::Conflict { code, message },
    })
}

fn one(rows: Vec<Row>) -> DomainResult<Row> {
    rows.into_iter().next().ok_or(Error::NotFound { kind: RowId::KIND })
}
