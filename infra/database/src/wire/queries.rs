//! `Query` and `Scan`.

use std::borrow::Cow;

use domain::page::Order;
use serde::Deserialize;
use serde_json::{Value, json};
use tables::Key;
use tables::condition::Path;
use tables::item::Item;
use tables::query::{TableIndex, TableQuery};

use super::Api;
use super::capacity::ReturnCapacity;
use super::expressions::{Aliases, JsonNames, JsonValues, KeyCondition, Projection, parse_condition};
use super::gets::read_units;
use super::refusal::{Answer, Refusal, Result};
use super::requests::{parse, read_key};
use crate::json::{JsonItem, write_item};
use crate::reads::{Page, Scan};
use crate::schema::{self, IndexSchema};
use crate::units::TableUnits;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct QueryRequest {
    table_name: String,
    index_name: Option<String>,
    key_condition_expression: String,
    filter_expression: Option<String>,
    projection_expression: Option<String>,
    expression_attribute_names: JsonNames,
    expression_attribute_values: JsonValues,
    scan_index_forward: Option<bool>,
    limit: Option<u32>,
    exclusive_start_key: Option<JsonItem>,
    select: Option<Select>,
    consistent_read: Option<bool>,
    return_consumed_capacity: Option<ReturnCapacity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct ScanRequest {
    table_name: String,
    filter_expression: Option<String>,
    projection_expression: Option<String>,
    expression_attribute_names: JsonNames,
    expression_attribute_values: JsonValues,
    limit: Option<u32>,
    exclusive_start_key: Option<JsonItem>,
    select: Option<Select>,
    consistent_read: Option<bool>,
    return_consumed_capacity: Option<ReturnCapacity>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Select {
    AllAttributes,
    AllProjectedAttributes,
    SpecificAttributes,
    Count,
}

/// Refuses a selection that contradicts the projection, or that needs more than the index has.
fn check_select(select: Option<Select>, projection: Option<&Projection>, index: Option<&IndexSchema>) -> Result<()> {
    let has_all = index.is_none_or(|index| matches!(index.projection, schema::Projection::All));
    let is_allowed = match select {
        None => true,
        Some(Select::AllAttributes) => projection.is_none() && has_all,
        Some(Select::AllProjectedAttributes) => projection.is_none() && index.is_some(),
        Some(Select::SpecificAttributes) => projection.is_some(),
        Some(Select::Count) => projection.is_none(),
    };
    if !is_allowed {
        return Err(Refusal::invalid("Select does not fit the projection, or the index lacks attributes"));
    }
    let lacks = |index: &IndexSchema| Some(projection?.attributes().find(|name| !index.has(name))?.to_owned());
    match index.and_then(lacks) {
        None => Ok(()),
        Some(name) => Err(Refusal::invalid(format_args!("the index has no {name} to project"))),
    }
}

fn check_limit(limit: Option<u32>) -> Result<()> {
    if limit == Some(0) { Err(Refusal::invalid("Limit is at least 1")) } else { Ok(()) }
}

/// Refuses a cursor that is not in the queried partition, or that has other attributes than its key.
fn check_cursor(cursor: &Item, partition: (&str, &str), sort: &str) -> Result<()> {
    let mut names = vec![Key::PK, Key::SK, partition.0, sort];
    names.sort_unstable();
    names.dedup();
    let is_key = cursor.len() == names.len() && names.iter().all(|name| cursor.contains_key(*name));
    let is_inside = cursor.get(partition.0).and_then(|value| value.as_s().ok()).is_some_and(|text| text == partition.1);
    if is_key && is_inside {
        return Ok(());
    }
    Err(Refusal::invalid(format_args!("ExclusiveStartKey has exactly {}, and is in the partition", names.join(", "))))
}

fn answer(page: &Page, projection: Option<&Projection>, select: Option<Select>, consumed: Option<Value>) -> Value {
    let mut answer = json!({"Count": page.found.count, "ScannedCount": page.scanned});
    if select != Some(Select::Count) {
        let write = |item| match projection {
            None => write_item(item),
            Some(projection) => write_item(&projection.apply(item)),
        };
        answer["Items"] = page.found.items.iter().map(write).collect();
    }
    if let Some(next) = &page.found.next {
        answer["LastEvaluatedKey"] = write_item(next);
    }
    if let Some(consumed) = consumed {
        answer["ConsumedCapacity"] = consumed;
    }
    answer
}

impl Api {
    pub(super) fn query(&self, body: &[u8]) -> Answer {
        let request: QueryRequest = parse(body)?;
        let table = self.table(&request.table_name)?;
        let index = request.index_name.as_deref().map(|name| table.index(name)).transpose()?;
        let (partition, sort) = index.map_or((Key::PK, Key::SK), |index| (&index.partition, &index.sort.name));
        let mut aliases = Aliases::new(request.expression_attribute_names, request.expression_attribute_values)?;
        let key = KeyCondition::parse(&request.key_condition_expression, &mut aliases, partition, sort)?;
        let filter = request.filter_expression.map(|text| parse_condition(&text, &mut aliases)).transpose()?;
        let projection =
            request.projection_expression.map(|text| Projection::parse(&text, &mut aliases)).transpose()?;
        aliases.require_all_used()?;
        check_select(request.select, projection.as_ref(), index)?;
        check_limit(request.limit)?;
        let after = request.exclusive_start_key.map(|key| key.0);
        if let Some(after) = &after {
            check_cursor(after, (partition, &key.partition), sort)?;
        }
        let is_consistent = request.consistent_read.unwrap_or_default();
        let is_global = index.is_some_and(|index| !index.is_local());
        if is_consistent && is_global {
            return Err(Refusal::invalid("a global index has no consistent reads").into());
        }
        let path = |name: &str| Path { attribute: Cow::Owned(name.to_owned()), fields: Vec::new() };
        let query = TableQuery {
            index: index.map(|index| match is_global {
                false => TableIndex::Local(path(&index.name)),
                true => TableIndex::Global { name: Cow::Owned(index.name.clone()), partition: path(partition) },
            }),
            order: if request.scan_index_forward == Some(false) { Order::Desc } else { Order::Asc },
            filter,
            after,
            limit: request.limit,
            count_only: request.select == Some(Select::Count),
            ..TableQuery::partition(key.partition)
        };
        let (page, units) = self.database.query_between(&request.table_name, &query, &key.bounds)?;
        // The database halves the units of a global index itself.
        let units = read_units(units, is_consistent || is_global);
        let units = match index {
            None => units,
            Some(index) => {
                let of_index = [(index.name.clone(), units.table)].into();
                match index.is_local() {
                    true => TableUnits { local_indexes: of_index, ..TableUnits::default() },
                    false => TableUnits { global_indexes: of_index, ..TableUnits::default() },
                }
            }
        };
        let consumed = request.return_consumed_capacity.unwrap_or_default().report(&table.schema.name, &units);
        Ok(answer(&page, projection.as_ref(), request.select, consumed))
    }

    pub(super) fn scan(&self, body: &[u8]) -> Answer {
        let request: ScanRequest = parse(body)?;
        let table = self.table(&request.table_name)?;
        let mut aliases = Aliases::new(request.expression_attribute_names, request.expression_attribute_values)?;
        let filter = request.filter_expression.map(|text| parse_condition(&text, &mut aliases)).transpose()?;
        let projection =
            request.projection_expression.map(|text| Projection::parse(&text, &mut aliases)).transpose()?;
        aliases.require_all_used()?;
        check_select(request.select, projection.as_ref(), None)?;
        check_limit(request.limit)?;
        let after = request.exclusive_start_key.map(|key| read_key(&key.0)).transpose()?;
        let count_only = request.select == Some(Select::Count);
        let scan = Scan { filter, after, limit: request.limit, count_only };
        let (page, units) = self.database.scan(&request.table_name, &scan)?;
        let units = read_units(units, request.consistent_read.unwrap_or_default());
        let consumed = request.return_consumed_capacity.unwrap_or_default().report(&table.schema.name, &units);
        Ok(answer(&page, projection.as_ref(), request.select, consumed))
    }
}
