//! Writes of items. All conditions are checked before the first write, so that a refusal has nothing to take back.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, ToSql, params_from_iter};
use tables::Key;
use tables::item::Item;
use tables::outcome::RefusedWrite;
use tables::write::{Write, WriteOperation};

use crate::changes;
use crate::codec;
use crate::conditions::holds;
use crate::error::{Error, Result};
use crate::reads;
use crate::schema::{Stored, Tables};
use crate::units::{self, TableUnits, item_size};

/// The most bytes of an item.
const MAX_ITEM_BYTES: usize = 400 << 10;
/// The most writes of a transaction, and the most bytes of their items.
const MAX_WRITES: usize = 100;
const MAX_TRANSACTION_BYTES: usize = 4 << 20;
const MAX_PK_BYTES: usize = 2048;
const MAX_SK_BYTES: usize = 1024;

/// The units that a write consumed, by table.
pub type Consumed = BTreeMap<String, TableUnits>;

/// What a write, or the writes of a transaction, have done. All are carried out, unless one is refused.
#[derive(Debug, Default)]
pub struct Written {
    /// Whether the writes were carried out now. They were not if one is refused, or if their token is known.
    pub is_new: bool,
    /// The refused writes, with their positions.
    pub refused: Vec<(usize, RefusedWrite)>,
    /// The item of each write, before and after it. Empty if a write is refused.
    pub items: Vec<(Option<Item>, Option<Item>)>,
    pub consumed: Consumed,
}

/// The item that a write is about, as it is stored.
struct Target<'t> {
    table: &'t Stored,
    key: Key,
    /// The row of the item, if there is one.
    row: Option<i64>,
    before: Option<Item>,
}

/// A write whose condition holds.
struct Planned<'t> {
    target: Target<'t>,
    after: Option<Item>,
    /// The size of `after`.
    bytes: usize,
    is_check: bool,
}

/// Carries out all writes or none.
pub fn carry_out(
    connection: &Connection,
    tables: &Tables,
    writes: Vec<Write>,
    in_transaction: bool,
) -> Result<Written> {
    check_keys(&writes)?;
    if let ([Write { table, operation: WriteOperation::Put(item), .. }], false) = (&*writes, in_transaction) {
        check_item(tables.get(table)?, item)?;
    }
    let (mut planned, mut refused, mut invalid) = (Vec::with_capacity(writes.len()), Vec::new(), None);
    for (position, write) in writes.into_iter().enumerate() {
        let target = Target::read(connection, tables, &write)?;
        // A refusal has precedence over an update that is impossible.
        if !target.allows(&write)? {
            refused.push((position, RefusedWrite::new(&write, target.before)));
        } else if refused.is_empty() && invalid.is_none() {
            match target.plan(write) {
                Ok(plan) => planned.push(plan),
                Err(error) => invalid = Some(error),
            }
        }
    }
    if !refused.is_empty() {
        return Ok(Written { refused, ..Written::default() });
    }
    invalid.map_or(Ok(()), Err)?;
    if in_transaction && planned.iter().map(|plan| plan.bytes).sum::<usize>() > MAX_TRANSACTION_BYTES {
        return Err(Error::invalid("the items of a transaction have at most 4 MB"));
    }
    planned.iter().filter(|plan| !plan.is_check).try_for_each(|plan| plan.carry_out(connection))?;
    let consumed = if tables.count_units { count(&planned, in_transaction)? } else { Consumed::new() };
    let items = planned.into_iter().map(|plan| (plan.target.before, plan.after)).collect();
    Ok(Written { is_new: true, refused, items, consumed })
}

fn count(planned: &[Planned<'_>], in_transaction: bool) -> Result<Consumed> {
    let mut consumed = Consumed::new();
    for Planned { target: Target { table, before, .. }, after, .. } in planned {
        let units = units::of_write(&table.schema, before.as_ref(), after.as_ref(), in_transaction)?;
        consumed.entry(table.schema.name.clone()).or_default().add(units);
    }
    Ok(consumed)
}

/// What DynamoDB refuses before it reads an item.
fn check_keys(writes: &[Write]) -> Result<()> {
    let mut items = HashSet::new();
    if writes.len() > MAX_WRITES {
        return Err(Error::invalid(format_args!("a transaction has at most {MAX_WRITES} writes")));
    }
    for write in writes {
        let key = write.key().ok_or_else(|| Error::invalid("an item has a pk and an sk, both texts"))?;
        check_key(&key)?;
        if !items.insert((&write.table, key)) {
            return Err(Error::invalid("a transaction writes each item only once"));
        }
    }
    Ok(())
}

pub fn check_key(key: &Key) -> Result<()> {
    let is_allowed = |text: &str, most: usize| (1..=most).contains(&text.len());
    if is_allowed(&key.pk, MAX_PK_BYTES) && is_allowed(&key.sk, MAX_SK_BYTES) {
        return Ok(());
    }
    Err(Error::invalid(format_args!("a key is not empty, and has at most {MAX_PK_BYTES} and {MAX_SK_BYTES} bytes")))
}

/// Returns the size of the item.
fn check_item(table: &Stored, item: &Item) -> Result<usize> {
    let bytes = item_size(item);
    if bytes > MAX_ITEM_BYTES {
        return Err(Error::invalid("an item has at most 400 KB"));
    }
    table.columns.iter().try_for_each(|column| column.value(item).map(drop))?;
    Ok(bytes)
}

impl<'t> Target<'t> {
    fn read(connection: &Connection, tables: &'t Tables, write: &Write) -> Result<Self> {
        let table = tables.get(&write.table)?;
        let key = write.key().ok_or_else(|| Error::invalid("an item has a pk and an sk, both texts"))?;
        let stored = reads::get(connection, table, &key)?;
        let (row, before) = stored.map_or((None, None), |stored| (Some(stored.id), Some(stored.item)));
        Ok(Self { table, key, row, before })
    }

    /// Whether the condition of the write holds.
    fn allows(&self, write: &Write) -> Result<bool> {
        let nothing = Item::new();
        let Some(condition) = &write.condition else { return Ok(true) };
        holds(condition, self.before.as_ref().unwrap_or(&nothing))
    }

    /// Computes what the write makes of the item.
    fn plan(self, write: Write) -> Result<Planned<'t>> {
        let is_check = matches!(write.operation, WriteOperation::Check(_));
        let after = match write.operation {
            WriteOperation::Put(item) => Some(item),
            WriteOperation::Update { key, changes } => Some(match &self.before {
                Some(before) => changes::apply(&changes, before)?,
                None => changes::apply(&changes, &key.attributes())?,
            }),
            WriteOperation::Delete(_) => None,
            WriteOperation::Check(_) => self.before.clone(),
        };
        let mut bytes = 0;
        if let Some(after) = &after {
            if Key::from_item(after).as_ref() != Some(&self.key) {
                return Err(Error::invalid(format_args!("{} and {} of an item never change", Key::PK, Key::SK)));
            }
            bytes = check_item(self.table, after)?;
        }
        Ok(Planned { target: self, after, bytes, is_check })
    }
}

impl Planned<'_> {
    fn carry_out(&self, connection: &Connection) -> Result<()> {
        let name = &self.target.table.schema.name;
        match (self.target.row, &self.after) {
            (None, None) => Ok(()),
            (Some(row), None) => {
                connection.prepare_cached(&format!("DELETE FROM \"{name}\" WHERE id = ?"))?.execute([row])?;
                Ok(())
            }
            (None, Some(after)) => self.target.table.insert(connection, &self.target.key, after),
            (Some(row), Some(after)) => self.target.update(connection, row, after),
        }
    }
}

impl Target<'_> {
    /// Sets only the columns that change, so that SQLite leaves the other indexes alone.
    fn update(&self, connection: &Connection, row: i64, after: &Item) -> Result<()> {
        let before = self.before.as_ref().ok_or(Error::Damaged("a row has no item"))?;
        let mut sql = format!("UPDATE \"{}\" SET item = ?", self.table.schema.name);
        let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(codec::encode(after)?)];
        let expires_at = self.table.expires_at(after);
        if expires_at != self.table.expires_at(before) {
            sql += ", expires_at = ?";
            values.push(Box::new(expires_at));
        }
        for column in &self.table.columns {
            if before.get(&column.attribute) != after.get(&column.attribute) {
                sql += &format!(", \"{}\" = ?", column.attribute);
                values.push(Box::new(column.value(after)?));
            }
        }
        sql += " WHERE id = ?";
        values.push(Box::new(row));
        connection.prepare_cached(&sql)?.execute(params_from_iter(values))?;
        Ok(())
    }
}
