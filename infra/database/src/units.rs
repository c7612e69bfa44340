//! Sizes and capacity units, by the rules of DynamoDB.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use tables::item::Item;

use crate::conditions::equal_items;
use crate::error::Result;
use crate::number;
use crate::schema::{IndexSchema, TableSchema};

/// The bytes of one unit of a read.
const READ_UNIT: usize = 4096;
/// The bytes of one unit of a write.
const WRITE_UNIT: usize = 1024;

/// What writes consumed in one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableUnits {
    pub table: f64,
    /// Of each index that was written, by its name.
    pub local_indexes: BTreeMap<String, f64>,
    pub global_indexes: BTreeMap<String, f64>,
}

impl TableUnits {
    pub fn add(&mut self, other: Self) {
        self.table += other.table;
        let add = |sums: &mut BTreeMap<String, f64>, others: BTreeMap<String, f64>| {
            others.into_iter().for_each(|(index, units)| *sums.entry(index).or_default() += units);
        };
        add(&mut self.local_indexes, other.local_indexes);
        add(&mut self.global_indexes, other.global_indexes);
    }

    pub fn total(&self) -> f64 {
        self.table + self.local_indexes.values().chain(self.global_indexes.values()).sum::<f64>()
    }
}

pub fn item_size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(text) => number::size(text),
        AttributeValue::B(blob) => blob.as_ref().len(),
        AttributeValue::L(items) => 3 + items.iter().map(|item| 1 + value_size(item)).sum::<usize>(),
        AttributeValue::M(fields) => {
            3 + fields.iter().map(|(name, field)| 1 + name.len() + value_size(field)).sum::<usize>()
        }
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|text| number::size(text)).sum(),
        AttributeValue::Bs(blobs) => blobs.iter().map(|blob| blob.as_ref().len()).sum(),
        _ => 1,
    }
}

/// The size of what an index has of an item.
pub fn projected_size(index: &IndexSchema, item: &Item) -> usize {
    let fields = item.iter().filter(|(name, _)| index.has(name));
    fields.map(|(name, value)| name.len() + value_size(value)).sum()
}

/// The units of a read. A read of an index that lags costs half.
pub fn read(bytes: usize, is_consistent: bool) -> f64 {
    let units = bytes.div_ceil(READ_UNIT).max(1) as f64;
    if is_consistent { units } else { units / 2.0 }
}

fn write(bytes: usize) -> f64 {
    bytes.div_ceil(WRITE_UNIT).max(1) as f64
}

/// What the write of one item consumes. In a transaction, the item itself costs twice, and its indexes do not.
pub fn of_write(
    schema: &TableSchema,
    before: Option<&Item>,
    after: Option<&Item>,
    in_transaction: bool,
) -> Result<TableUnits> {
    let larger = before.map(item_size).max(after.map(item_size)).unwrap_or(0);
    let factor = if in_transaction { 2.0 } else { 1.0 };
    let mut units = TableUnits { table: factor * write(larger), ..TableUnits::default() };
    for index in &schema.indexes {
        if let Some(consumed) = of_index(index, before, after)? {
            let indexes = if index.is_local() { &mut units.local_indexes } else { &mut units.global_indexes };
            indexes.insert(index.name.clone(), consumed);
        }
    }
    Ok(units)
}

/// What a write consumes in one index: nothing if the index has the same of the item before and after.
fn of_index(index: &IndexSchema, before: Option<&Item>, after: Option<&Item>) -> Result<Option<f64>> {
    let entry = |item: Option<&Item>| {
        let item = item.filter(|item| index.lists(item))?;
        let fields = item.iter().filter(|(name, _)| index.has(name));
        Some(fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Item>())
    };
    let units = |entry: &Item| write(item_size(entry));
    Ok(match (entry(before), entry(after)) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(units(&one)),
        (Some(before), Some(after)) if equal_items(&before, &after)? => None,
        (Some(before), Some(after)) => {
            let key = |entry: &Item| [&index.partition, &index.sort.name].map(|name| entry.get(name).cloned());
            let is_moved = key(&before) != key(&after);
            Some(if is_moved { units(&before) + units(&after) } else { units(&before).max(units(&after)) })
        }
    })
}
