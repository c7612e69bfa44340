//! `GetItem` and `BatchGetItem`.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Api;
use super::capacity::ReturnCapacity;
use super::expressions::{Aliases, JsonNames, Projection};
use super::refusal::{Answer, Refusal, Result};
use super::requests::{parse, read_key};
use crate::json::{JsonItem, write_item};
use crate::units::TableUnits;

/// The most keys of a batch.
const MAX_KEYS: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct GetItem {
    table_name: String,
    key: JsonItem,
    consistent_read: Option<bool>,
    projection_expression: Option<String>,
    expression_attribute_names: JsonNames,
    return_consumed_capacity: Option<ReturnCapacity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct BatchGetItem {
    request_items: BTreeMap<String, TableKeys>,
    return_consumed_capacity: Option<ReturnCapacity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct TableKeys {
    keys: Vec<JsonItem>,
    consistent_read: Option<bool>,
    projection_expression: Option<String>,
    expression_attribute_names: JsonNames,
}

/// Parses the projection of a call that has no other expression.
fn parse_projection(text: Option<&str>, names: JsonNames) -> Result<Option<Projection>> {
    let mut aliases = Aliases::new(names, None)?;
    let projection = text.map(|text| Projection::parse(text, &mut aliases)).transpose()?;
    aliases.require_all_used()?;
    Ok(projection)
}

/// The database counts a read as consistent. An eventually consistent one costs half.
pub fn read_units(units: f64, is_consistent: bool) -> TableUnits {
    TableUnits { table: if is_consistent { units } else { units / 2.0 }, ..TableUnits::default() }
}

impl Api {
    pub(super) fn get_item(&self, body: &[u8]) -> Answer {
        let request: GetItem = parse(body)?;
        let table = self.table(&request.table_name)?;
        let projection =
            parse_projection(request.projection_expression.as_deref(), request.expression_attribute_names)?;
        let (item, units) = self.database.get(&request.table_name, &read_key(&request.key.0)?)?;
        let mut answer = Map::new();
        if let Some(item) = item {
            let item = projection.map_or_else(|| item.clone(), |projection| projection.apply(&item));
            answer.insert("Item".to_owned(), write_item(&item));
        }
        let units = read_units(units, request.consistent_read.unwrap_or_default());
        let report = request.return_consumed_capacity.unwrap_or_default().report(&table.schema.name, &units);
        answer.extend(report.map(|report| ("ConsumedCapacity".to_owned(), report)));
        Ok(Value::Object(answer))
    }

    pub(super) fn batch_get_item(&self, body: &[u8]) -> Answer {
        let request: BatchGetItem = parse(body)?;
        let keys: usize = request.request_items.values().map(|table| table.keys.len()).sum();
        if !(1..=MAX_KEYS).contains(&keys) || request.request_items.values().any(|table| table.keys.is_empty()) {
            let message = format_args!("a batch has 1 to {MAX_KEYS} keys, and at least one of each table");
            return Err(Refusal::invalid(message).into());
        }
        let mut wanted = Vec::new();
        for (name, of_table) in request.request_items {
            let keys = of_table.keys.iter().map(|key| read_key(&key.0)).collect::<Result<Vec<_>>>()?;
            let mut seen = HashSet::new();
            if !keys.iter().all(|key| seen.insert(key)) {
                return Err(Refusal::invalid("a batch has each key only once").into());
            }
            let projection =
                parse_projection(of_table.projection_expression.as_deref(), of_table.expression_attribute_names)?;
            wanted.push((self.table(&name)?, keys, projection, of_table.consistent_read.unwrap_or_default()));
        }
        let (mut responses, mut consumed) = (Map::new(), Vec::new());
        for (table, keys, projection, is_consistent) in wanted {
            let (items, units) = self.database.batch_get(&table.schema.name, &keys)?;
            let write = |item| match &projection {
                None => write_item(item),
                Some(projection) => write_item(&projection.apply(item)),
            };
            responses.insert(table.schema.name.clone(), items.iter().map(write).collect());
            let report = request.return_consumed_capacity.unwrap_or_default();
            consumed.extend(report.report(&table.schema.name, &read_units(units, is_consistent)));
        }
        let mut answer = json!({"Responses": responses, "UnprocessedKeys": {}});
        if !consumed.is_empty() {
            answer["ConsumedCapacity"] = consumed.into();
        }
        Ok(answer)
    }
}
