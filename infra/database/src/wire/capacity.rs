//! The consumed capacity that answers report.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::units::TableUnits;

/// How much of the consumed capacity an answer reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReturnCapacity {
    #[default]
    None,
    Total,
    Indexes,
}

impl ReturnCapacity {
    /// What was consumed in one table.
    pub fn report(self, table: &str, units: &TableUnits) -> Option<Value> {
        let units_of = |units: f64| json!({"CapacityUnits": units});
        let mut consumed = json!({"TableName": table, "CapacityUnits": units.total()});
        match self {
            Self::None => return None,
            Self::Total => return Some(consumed),
            Self::Indexes => consumed["Table"] = units_of(units.table),
        }
        for (kind, indexes) in
            [("LocalSecondaryIndexes", &units.local_indexes), ("GlobalSecondaryIndexes", &units.global_indexes)]
        {
            if !indexes.is_empty() {
                let indexes = indexes.iter().map(|(name, units)| (name.clone(), units_of(*units)));
                consumed[kind] = indexes.collect::<Map<_, _>>().into();
            }
        }
        Some(consumed)
    }
}
