//! Rows of cells as data: names of columns, and the rows between two limits.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use domain::run::StepError;
use engine::value_size::{MAX_VALUE_BYTES, measure};
use serde_json::{Map, Value, json};

use crate::problems::too_large;

const TOO_MANY: &str = "its rows are larger than 1 MiB as JSON; set `maxRows`, and read the others with `skip`";
/// The limit of spreadsheets.
pub const MAX_COLUMNS: usize = 16_384;

/// Which rows are read.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// The number of the row with the names, from 1. Zero if rows are lists.
    pub header_row: u32,
    pub skip: u32,
    pub max_rows: Option<u32>,
}

impl Selection {
    pub fn new(header_row: Option<u32>, skip: Option<u32>, max_rows: Option<u32>) -> Self {
        Self { header_row: header_row.unwrap_or(1), skip: skip.unwrap_or(0), max_rows }
    }
}

pub struct Table {
    selection: Selection,
    /// None until the row with the names was read.
    columns: Option<Vec<Column>>,
    names: Names,
    skipped: u32,
    rows: Vec<Value>,
    bytes: usize,
    has_more: bool,
}

struct Column {
    /// None if the file has no name, and no row has had a value.
    name: Option<String>,
    /// Whether every row has the column.
    is_named: bool,
}

impl Table {
    pub fn new(selection: Selection) -> Self {
        let columns = (selection.header_row == 0).then(Vec::new);
        let (names, rows) = Default::default();
        Self { selection, columns, names, skipped: 0, rows, bytes: 0, has_more: false }
    }

    /// Adds a row with its number, from 1. Rows without a value are left out. Breaks if no more rows are needed.
    pub fn push(&mut self, number: u64, cells: Vec<Value>) -> Result<ControlFlow<()>, StepError> {
        if number < self.selection.header_row.into() || cells.iter().all(is_blank) {
            return Ok(ControlFlow::Continue(()));
        }
        if cells.len() > MAX_COLUMNS {
            return Err(too_large("it has more than 16,384 columns; is another delimiter used?"));
        }
        if self.columns.is_none() {
            self.columns = Some(cells.iter().map(|cell| self.names.read(cell)).collect());
            return Ok(ControlFlow::Continue(()));
        }
        if self.skipped < self.selection.skip {
            self.skipped += 1;
            return Ok(ControlFlow::Continue(()));
        }
        if self.selection.max_rows.is_some_and(|most| self.rows.len() >= most as usize) {
            self.has_more = true;
            return Ok(ControlFlow::Break(()));
        }
        let row = if self.selection.header_row == 0 { without_end(cells).into() } else { self.name(cells).into() };
        // The comma counts, too.
        self.bytes = measure(&row).and_then(|bytes| self.bytes.checked_add(bytes + 1)).unwrap_or(usize::MAX);
        if self.bytes > MAX_VALUE_BYTES {
            return Err(too_large(TOO_MANY));
        }
        self.rows.push(row);
        Ok(ControlFlow::Continue(()))
    }

    fn name(&mut self, cells: Vec<Value>) -> Map<String, Value> {
        let columns = self.columns.get_or_insert_default();
        while columns.len() < cells.len() {
            columns.push(Column { name: None, is_named: false });
        }
        let mut cells = cells.into_iter();
        let mut row = Map::new();
        for (index, column) in columns.iter_mut().enumerate() {
            let cell = cells.next().unwrap_or_default();
            if column.is_named || !is_blank(&cell) {
                let name = column.name.get_or_insert_with(|| self.names.create(&format!("column_{}", index + 1)));
                row.insert(name.clone(), cell);
            }
        }
        row
    }

    pub fn into_fields(self) -> Map<String, Value> {
        let columns = self.columns.unwrap_or_default().into_iter().filter_map(|column| column.name);
        let columns: Vec<_> = columns.collect();
        [("columns", json!(columns)), ("rows", self.rows.into()), ("hasMore", self.has_more.into())]
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect()
    }
}

fn is_blank(cell: &Value) -> bool {
    cell.is_null() || cell.as_str().is_some_and(|text| text.trim().is_empty())
}

/// A list without the empty cells at its end.
fn without_end(mut cells: Vec<Value>) -> Vec<Value> {
    while cells.last().is_some_and(Value::is_null) {
        cells.pop();
    }
    cells
}

/// The names of columns. Each is given once.
#[derive(Default)]
struct Names {
    given: HashSet<String>,
    /// How often each name was wanted.
    wanted: HashMap<String, usize>,
}

impl Names {
    fn read(&mut self, cell: &Value) -> Column {
        let text = match cell {
            Value::String(text) => text.trim().to_owned(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if text.is_empty() {
            return Column { name: None, is_named: false };
        }
        Column { name: Some(self.create(&text)), is_named: true }
    }

    /// The name, or `name_2` if it was given already.
    fn create(&mut self, wanted: &str) -> String {
        let times = self.wanted.entry(wanted.to_owned()).or_default();
        loop {
            *times += 1;
            let name = if *times == 1 { wanted.to_owned() } else { format!("{wanted}_{times}") };
            if self.given.insert(name.clone()) {
                return name;
            }
        }
    }
}
