//! What is stored of a table and of a row.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::TablePlace;
use crate::keys::Key;
use domain::data_table::{DataTable, Row};
use domain::name::TableName;
use domain::time::Time;
use domain::{Error, Result};

/// The labels of writes.
pub(super) const TABLE: &str = "table";
pub(super) const ROW: &str = "row";

/// The number of steps that a row names. Later ones are forgotten: a step is repeated soon or never.
const MAX_WRITERS: usize = 16;

/// What the platform adds to the values of a row, without the id.
const FIELDS_SET_BY_PLATFORM: &str =
    r#"{"id":"","createdAt":"2026-11-28T15:54:18.966Z","updatedAt":"2026-11-28T15:54:18.966Z"},"#;

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct TableItem {
    pk: String,
    sk: String,
    /// The number of rows.
    pub live: usize,
    created_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_deleting: Option<bool>,
}

impl TableItem {
    pub fn new(place: &TablePlace, now: Time) -> Self {
        let Key { pk, sk } = place.key();
        Self { pk, sk, live: 0, created_at: now, is_deleting: None }
    }

    pub fn name(&self) -> Result<TableName> {
        self.sk.parse().map_err(|_| Error::internal("the item of a table has an invalid name"))
    }

    pub fn read(self) -> Result<DataTable> {
        Ok(DataTable { name: self.sk, rows: self.live, created_at: self.created_at })
    }
}

#[derive(Clone, Serialize, Deserialize, Attributes)]
pub(super) struct RowItem {
    pk: String,
    sk: String,
    /// As JSON, because DynamoDB's numbers and empty texts are not those of JSON.
    values: String,
    created_at: Time,
    updated_at: Time,
    /// Another one after each write.
    pub version: Uuid,
    /// The last steps that have written the row, newest last.
    writers: Vec<String>,
}

impl RowItem {
    pub fn new(place: &TablePlace, id: &str, values: &Map<String, Value>, step: &str, now: Time) -> Result<Self> {
        let Key { pk, sk } = place.row(id);
        let values = serde_json::to_string(values).map_err(Error::internal)?;
        let writers = vec![step.to_owned()];
        Ok(Self { pk, sk, values, created_at: now, updated_at: now, version: Uuid::now_v7(), writers })
    }

    /// The row after a change of some of its values.
    pub fn changed(&self, values: &Map<String, Value>, step: &str, now: Time) -> Result<Self> {
        let mut writers = self.writers.clone();
        writers.push(step.to_owned());
        writers.drain(..writers.len().saturating_sub(MAX_WRITERS));
        let values = serde_json::to_string(values).map_err(Error::internal)?;
        Ok(Self { values, updated_at: now, version: Uuid::now_v7(), writers, ..self.clone() })
    }

    /// The row as it was when the same step added it together with `other`.
    pub fn added_with(&self, other: &Self) -> Self {
        Self { created_at: other.created_at, updated_at: other.created_at, ..self.clone() }
    }

    pub fn is_written_by(&self, step: &str) -> bool {
        self.writers.iter().any(|writer| writer == step)
    }

    pub fn id(&self) -> &str {
        &self.sk
    }

    /// The size of the row as JSON, or a little more.
    pub fn bytes(&self) -> usize {
        self.bytes_of(self.values.len())
    }

    /// The size of the row with values of this size.
    pub fn bytes_of(&self, values: usize) -> usize {
        // Quotes of an id are escaped.
        values + 2 * self.sk.len() + FIELDS_SET_BY_PLATFORM.len()
    }

    pub fn read(&self) -> Result<Row> {
        let values = serde_json::from_str(&self.values).map_err(Error::internal)?;
        Ok(Row { id: self.sk.clone(), values, created_at: self.created_at, updated_at: self.updated_at })
    }
}
