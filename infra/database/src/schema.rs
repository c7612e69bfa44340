//! The tables and their indexes, and the SQLite tables that hold them.
//!
//! Each item is a row: its key, its bytes, when it expires, and a column for each attribute that is the key of an index. An
//! index is an index of SQLite over these columns. It has only the items that have its attributes, and SQLite keeps it
//! current, so a write pays for those indexes alone that it changes.

use std::collections::HashMap;
use std::fmt::Write;

use aws_sdk_dynamodb::types::AttributeValue;
use rusqlite::{Connection, params_from_iter, types as sql};
use tables::Key;
use tables::item::Item;

use crate::codec;
use crate::error::{Error, Result};
use crate::number;

/// A table. Its key is `pk` and `sk`, both texts.
#[derive(Clone, Debug)]
pub struct TableSchema {
    pub name: String,
    pub indexes: Vec<IndexSchema>,
    /// The attribute with the second, since 1970, after which an item is deleted.
    pub expiry: Option<String>,
}

/// An index of a table. Its partitions are texts.
#[derive(Clone, Debug)]
pub struct IndexSchema {
    pub name: String,
    /// The attribute with the partition: `pk` for a local index.
    pub partition: String,
    pub sort: SortAttribute,
    pub projection: Projection,
}

#[derive(Clone, Debug)]
pub struct SortAttribute {
    pub name: String,
    pub is_number: bool,
}

/// The attributes that an index has besides the keys.
#[derive(Clone, Debug)]
pub enum Projection {
    Keys,
    Some(Vec<String>),
    All,
}

impl IndexSchema {
    pub fn is_local(&self) -> bool {
        self.partition == Key::PK
    }

    /// Whether the index has the attribute of an item.
    pub fn has(&self, attribute: &str) -> bool {
        let is_key = [Key::PK, Key::SK, &self.partition, &self.sort.name].contains(&attribute);
        is_key
            || match &self.projection {
                Projection::Keys => false,
                Projection::Some(names) => names.iter().any(|name| name == attribute),
                Projection::All => true,
            }
    }

    /// Whether the item is in the index.
    pub fn lists(&self, item: &Item) -> bool {
        item.contains_key(&self.partition) && item.contains_key(&self.sort.name)
    }
}

/// An attribute that is the key of an index, with its column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub attribute: String,
    pub is_number: bool,
}

impl Column {
    /// What the column of an item has. DynamoDB refuses a key that is empty or of another type.
    pub fn value(&self, item: &Item) -> Result<Option<Vec<u8>>> {
        item.get(&self.attribute).map(|value| self.key(value)).transpose()
    }

    /// A value as bytes that have the order of the values.
    pub fn key(&self, value: &AttributeValue) -> Result<Vec<u8>> {
        match value {
            AttributeValue::S(text) if !self.is_number && !text.is_empty() => Ok(text.clone().into_bytes()),
            AttributeValue::N(text) if self.is_number => number::sortable(text),
            _ => Err(Error::invalid(format_args!(
                "{} is the key of an index, and this is no value for it",
                self.attribute
            ))),
        }
    }
}

/// A table with the names of what holds it in SQLite.
#[derive(Debug)]
pub(crate) struct Stored {
    pub schema: TableSchema,
    pub columns: Vec<Column>,
    insert: String,
}

impl Stored {
    pub fn new(schema: TableSchema) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        for index in &schema.indexes {
            let partition = (!index.is_local()).then(|| (index.partition.clone(), false));
            for (attribute, is_number) in partition.into_iter().chain([(index.sort.name.clone(), index.sort.is_number)])
            {
                if !columns.iter().any(|column| column.attribute == attribute) {
                    columns.push(Column { attribute, is_number });
                }
            }
        }
        let names: String = columns.iter().map(|column| format!(", \"{}\"", column.attribute)).collect();
        let places = ", ?".repeat(columns.len());
        let insert =
            format!("INSERT INTO \"{}\" (pk, sk, item, expires_at{names}) VALUES (?, ?, ?, ?{places})", schema.name);
        Self { columns, insert, schema }
    }

    /// Creates the table, unless it exists.
    pub fn create_table(&self) -> String {
        let columns: String = self.columns.iter().map(|column| format!(", \"{}\" BLOB", column.attribute)).collect();
        format!(
            "CREATE TABLE IF NOT EXISTS \"{}\" (id INTEGER PRIMARY KEY, pk TEXT NOT NULL, sk TEXT NOT NULL,
                 item BLOB NOT NULL, expires_at INTEGER{columns});",
            self.schema.name
        )
    }

    /// Creates the indexes of the table, unless they exist.
    pub fn create_indexes(&self) -> String {
        let name = &self.schema.name;
        let mut sql = format!(
            "CREATE UNIQUE INDEX IF NOT EXISTS \"{name} keys\" ON \"{name}\" (pk, sk);
             CREATE INDEX IF NOT EXISTS \"{name} expiry\" ON \"{name}\" (expires_at) WHERE expires_at IS NOT NULL;"
        );
        for index in &self.schema.indexes {
            let IndexSchema { name: index_name, partition, sort, .. } = index;
            let sort = &sort.name;
            // SQLite finds no use for an index that asks whether `pk` is null, which it never is.
            let has_partition = if index.is_local() { "" } else { &format!("\"{partition}\" IS NOT NULL AND ") };
            let _ = write!(
                sql,
                "CREATE INDEX IF NOT EXISTS \"{name}.{index_name}\" ON \"{name}\" (\"{partition}\", \"{sort}\", pk, sk)
                     WHERE {has_partition}\"{sort}\" IS NOT NULL;"
            );
        }
        sql
    }

    /// Stores a new item.
    pub fn insert(&self, connection: &Connection, key: &Key, item: &Item) -> Result<()> {
        let mut values = vec![
            sql::Value::Text(key.pk.clone()),
            sql::Value::Text(key.sk.clone()),
            sql::Value::Blob(codec::encode(item)?),
            self.expires_at(item).map_or(sql::Value::Null, sql::Value::Integer),
        ];
        for column in &self.columns {
            values.push(column.value(item)?.map_or(sql::Value::Null, sql::Value::Blob));
        }
        connection.prepare_cached(&self.insert)?.execute(params_from_iter(values))?;
        Ok(())
    }

    pub fn index(&self, name: &str) -> Result<&IndexSchema> {
        let found = self.schema.indexes.iter().find(|index| index.name == name);
        found.ok_or_else(|| Error::invalid(format_args!("{} has no index {name}", self.schema.name)))
    }

    pub fn column(&self, attribute: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.attribute == attribute)
    }

    /// The second after which the item is deleted.
    pub fn expires_at(&self, item: &Item) -> Option<i64> {
        let seconds = item.get(self.schema.expiry.as_ref()?)?.as_n().ok()?;
        seconds.parse().ok()
    }
}

/// All tables of a database.
pub struct Tables {
    by_name: HashMap<String, Stored>,
    /// Whether writes report the units that they consume.
    pub count_units: bool,
}

impl Tables {
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>, count_units: bool) -> Self {
        let by_name = schemas.into_iter().map(|schema| (schema.name.clone(), Stored::new(schema)));
        Self { by_name: by_name.collect(), count_units }
    }

    pub fn get(&self, name: &str) -> Result<&Stored> {
        self.by_name.get(name).ok_or_else(|| Error::invalid(format_args!("there is no table {name}")))
    }

    pub fn all(&self) -> impl Iterator<Item = &Stored> {
        self.by_name.values()
    }
}
