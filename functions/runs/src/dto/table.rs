//! Response bodies of the tables of a workflow.

use domain::data_table::{DataTable, Row};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A table of a workflow, without its rows
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Table")]
pub struct TableOut {
    #[schema(example = "orders")]
    name: String,
    /// The number of rows
    rows: usize,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<DataTable> for TableOut {
    fn from(table: DataTable) -> Self {
        Self { name: table.name, rows: table.rows, created_at: table.created_at.to_string() }
    }
}

/// A row of a table, with the fields that the workflow gave it
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Row")]
pub struct RowOut {
    #[schema(example = "A-17")]
    id: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    #[serde(flatten)]
    #[schema(value_type = BTreeMap<String, Value>)]
    values: Map<String, Value>,
}

impl From<Row> for RowOut {
    fn from(Row { id, values, created_at, updated_at }: Row) -> Self {
        Self { id, created_at: created_at.to_string(), updated_at: updated_at.to_string(), values }
    }
}
