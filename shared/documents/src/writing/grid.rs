//! Data as rows of cells, for CSV and XLSX.

use std::borrow::Cow;
use std::collections::HashMap;

use domain::run::StepError;
use serde_json::Value;

use super::{invalid, too_large};

const FORM: &str = "must be a list of objects, or of lists";
/// More would take much more memory than the data: objects of few fields, whose names all differ.
const MAX_CELLS: usize = 1_000_000;

pub struct Grid<'a> {
    /// The names of the columns; none if the rows are lists or the file has no header.
    pub header: Option<Vec<&'a str>>,
    pub rows: Vec<Vec<Cell<'a>>>,
}

pub enum Cell<'a> {
    Empty,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
}

impl<'a> Grid<'a> {
    /// Objects become rows of the fields that any of them has, in the order in which they appear. Lists are rows.
    pub fn new(data: &'a Value, has_header: bool) -> Result<Self, StepError> {
        let rows = match data {
            Value::Array(rows) => rows.as_slice(),
            Value::Object(_) => std::slice::from_ref(data),
            _ => return Err(invalid("data", FORM)),
        };
        if let Some(Value::Array(_)) = rows.first() {
            let lists = rows.iter().enumerate().map(|(index, row)| match row {
                Value::Array(cells) => Ok(cells.iter().map(Cell::new).collect()),
                _ => Err(mixed(index)),
            });
            return Ok(Self { header: None, rows: lists.collect::<Result<_, _>>()? });
        }
        let (mut names, mut columns) = (Vec::new(), HashMap::new());
        for (index, row) in rows.iter().enumerate() {
            let Value::Object(fields) = row else { return Err(mixed(index)) };
            for name in fields.keys() {
                columns.entry(name.as_str()).or_insert_with(|| {
                    names.push(name.as_str());
                    names.len() - 1
                });
            }
        }
        if names.len().saturating_mul(rows.len()) > MAX_CELLS {
            return Err(too_large(
                "the objects have too many different fields for a table; write only those that you need",
            ));
        }
        let rows = rows.iter().filter_map(Value::as_object).map(|fields| {
            let mut cells: Vec<Cell<'_>> = names.iter().map(|_| Cell::Empty).collect();
            for (name, value) in fields {
                if let Some(cell) = columns.get(name.as_str()).and_then(|index| cells.get_mut(*index)) {
                    *cell = Cell::new(value);
                }
            }
            cells
        });
        Ok(Self { rows: rows.collect(), header: (has_header && !names.is_empty()).then_some(names) })
    }
}

fn mixed(index: usize) -> StepError {
    invalid("data", &format!("{FORM}, but element {index} is something else"))
}

impl<'a> Cell<'a> {
    fn new(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Empty,
            Value::Bool(value) => Self::Bool(*value),
            Value::String(text) => Self::Text(text.as_str().into()),
            // A number that a spreadsheet would round becomes a text.
            Value::Number(number) => match number.as_f64() {
                Some(float) if number.is_f64() || float.abs() <= MAX_EXACT => Self::Number(float),
                _ => Self::Text(number.to_string().into()),
            },
            Value::Array(_) | Value::Object(_) => Self::Text(value.to_string().into()),
        }
    }
}

/// The largest number up to which all whole numbers are exact in a spreadsheet.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;
