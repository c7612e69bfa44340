//! Changes rows. A call names the step that makes it, so that a repeated step changes nothing.

use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Map, Value};

use super::items::RowItem;
use super::{CONCURRENCY, DataTables, TablePlace};
use crate::backoff::Backoff;
use crate::table::WriteOutcome;
use domain::data_table::{MAX_BYTES_AT_ONCE, MAX_ROWS_AT_ONCE, Row, RowFilter, RowProblem, measure_values};
use domain::time::Time;
use domain::{Error, Result};

/// Who changes rows, and when.
#[derive(Clone, Debug)]
pub struct Change {
    /// Identifies the step. It is the same when the step is repeated.
    pub step: String,
    pub at: Time,
}

impl DataTables {
    /// Changes the values of all rows that match. A value of null is kept as null. The changed rows are returned. Nothing
    /// changes if one of them would be too large.
    pub async fn update(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        values: &Map<String, Value>,
        change: &Change,
    ) -> Result<Vec<Row>> {
        let found = self.all_matching(place, filter, change).await?;
        let mut bytes = 0;
        for item in &found {
            bytes += if item.is_written_by(&change.step) { item.bytes() } else { item.bytes_with(values)? };
        }
        require_few_bytes(bytes)?;
        let changes = found.into_iter().map(|item| self.update_row(place, filter, item, values, change));
        let changed: Vec<_> = stream::iter(changes).buffered(CONCURRENCY).try_collect().await?;
        Ok(changed.into_iter().flatten().collect())
    }

    /// None if the row was deleted or does not match any more.
    async fn update_row(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        mut item: RowItem,
        values: &Map<String, Value>,
        change: &Change,
    ) -> Result<Option<Row>> {
        let mut backoff = Backoff::default();
        loop {
            let row = item.read()?;
            if item.is_written_by(&change.step) {
                return Ok(Some(row));
            }
            if !filter.matches(&row) {
                return Ok(None);
            }
            let merged = merge(row.values, values);
            measure_values(&merged).map_err(refuse)?;
            let changed = item.changed(&merged, &change.step, change.at)?;
            let write = self.entities.put(&changed).require_is(RowItem::VERSION, item.version);
            match self.entities.write(write).await? {
                WriteOutcome::Written => return changed.read().map(Some),
                WriteOutcome::Refused(refused) => match refused.parse_item()? {
                    Some(now) => item = now,
                    None => return Ok(None),
                },
            }
            backoff.next(&format!("others change a row of the table {}", place.table.0)).await?;
        }
    }

    /// The rows that match, and those that the step has written before.
    pub(super) async fn all_matching(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        change: &Change,
    ) -> Result<Vec<RowItem>> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        self.read_candidates(place, filter, |item, row| {
            if filter.matches(&row) || item.is_written_by(&change.step) {
                bytes += item.bytes();
                found.push(item);
            }
            found.len() <= MAX_ROWS_AT_ONCE && bytes <= MAX_BYTES_AT_ONCE
        })
        .await?;
        require_few_bytes(bytes)?;
        if found.len() <= MAX_ROWS_AT_ONCE {
            return Ok(found);
        }
        let message = format!("more than {MAX_ROWS_AT_ONCE} rows match, the maximum of one step; add filters");
        Err(Error::Conflict { code: "too_many_rows", message })
    }
}

impl RowItem {
    /// The size of the row after a change of some of its values.
    fn bytes_with(&self, values: &Map<String, Value>) -> Result<usize> {
        let changed = measure_values(&merge(self.read()?.values, values)).map_err(refuse)?;
        Ok(self.bytes_of(changed))
    }
}

fn merge(mut before: Map<String, Value>, values: &Map<String, Value>) -> Map<String, Value> {
    before.extend(values.clone());
    before
}

/// The rows are the output of a step, whose size is limited. So this is checked before any of them is written.
pub(super) fn require_few_bytes(bytes: usize) -> Result<()> {
    if bytes <= MAX_BYTES_AT_ONCE {
        return Ok(());
    }
    let message = "the rows have more than 1 MiB as JSON, the maximum of one step; add filters, or lower `limit`";
    Err(Error::Conflict { code: "rows_too_large", message: message.to_owned() })
}

/// The error of a row that is too large or too deep.
pub(super) fn refuse(RowProblem { code, message }: RowProblem) -> Error {
    Error::Conflict { code, message }
}
