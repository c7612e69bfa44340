//! Opens what earlier versions have written: tables without the columns of newer indexes, and the files of dynoxide, which
//! the platform used before.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use tables::Key;

use crate::codec;
use crate::error::{Error, Result};
use crate::json::JsonItem;
use crate::schema::{Stored, Tables};

/// The format of the file, and of what the platform stores in it. A change that older programs cannot read increases it.
pub const FORMAT: u32 = 1;
/// The tag that holds the format.
const FORMAT_TAG: &str = "format";
/// The table that holds the names and the texts of tags.
const CREATE_TAGS: &str = "CREATE TABLE IF NOT EXISTS tags (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID";

/// Creates the tables, their indexes and the columns that are missing, and converts a file of dynoxide. All of it is one
/// transaction: a process that is killed meanwhile has changed nothing.
pub fn create(connection: &Connection, tables: &Tables) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let created = create_all(connection, tables);
    connection.execute_batch(if created.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    created
}

fn create_all(connection: &Connection, tables: &Tables) -> Result<()> {
    connection.execute_batch(CREATE_TAGS)?;
    let format = tag(connection, FORMAT_TAG)?.and_then(|format| format.parse().ok()).unwrap_or(FORMAT);
    if format > FORMAT {
        return Err(Error::Newer(format));
    }
    set_tag(connection, FORMAT_TAG, &FORMAT.to_string())?;
    let is_of_dynoxide = has_table(connection, "_tables")?;
    if is_of_dynoxide {
        tracing::info!("the tables of an earlier version are converted; older versions cannot open them afterwards");
    }
    for table in tables.all() {
        let name = &table.schema.name;
        let old = format!("{name} of dynoxide");
        if is_of_dynoxide && has_table(connection, name)? {
            connection.execute_batch(&format!("ALTER TABLE \"{name}\" RENAME TO \"{old}\""))?;
        }
        connection.execute_batch(&table.create_table())?;
        add_columns(connection, table)?;
        connection.execute_batch(&table.create_indexes())?;
        if has_table(connection, &old)? {
            convert(connection, table, &old)?;
        }
    }
    if is_of_dynoxide {
        convert_tags(connection)?;
        drop_others(connection, tables)?;
    }
    Ok(())
}

/// Whether the database has any table.
pub fn has_tables(connection: &Connection) -> Result<bool> {
    let found = connection.query_row("SELECT 1 FROM sqlite_master WHERE type = 'table'", [], |_| Ok(()));
    Ok(found.optional()?.is_some())
}

fn has_table(connection: &Connection, name: &str) -> Result<bool> {
    let found =
        connection.query_row("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name], |_| Ok(()));
    Ok(found.optional()?.is_some())
}

/// Adds the columns of indexes that the table does not have yet, and fills them.
fn add_columns(connection: &Connection, table: &Stored) -> Result<()> {
    let name = &table.schema.name;
    let mut info = connection.prepare(&format!("PRAGMA table_info(\"{name}\")"))?;
    let existing = info.query_map([], |row| row.get::<_, String>(1))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for column in table.columns.iter().filter(|column| !existing.contains(&column.attribute)) {
        let attribute = &column.attribute;
        connection.execute_batch(&format!("ALTER TABLE \"{name}\" ADD COLUMN \"{attribute}\" BLOB"))?;
        let mut select = connection.prepare(&format!("SELECT id, pk, sk, item FROM \"{name}\""))?;
        let mut update = connection.prepare(&format!("UPDATE \"{name}\" SET \"{attribute}\" = ? WHERE id = ?"))?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let key = Key { pk: row.get(1)?, sk: row.get(2)? };
            let item = codec::decode(key, &row.get::<_, Vec<u8>>(3)?)?;
            // As in DynamoDB, an item whose attribute is no key is not in a new index.
            if let Ok(Some(value)) = column.value(&item) {
                update.execute(params![value, row.get::<_, i64>(0)?])?;
            }
        }
    }
    Ok(())
}

/// Copies the items of a table of dynoxide, which are DynamoDB's JSON there.
fn convert(connection: &Connection, table: &Stored, old: &str) -> Result<()> {
    let mut select = connection.prepare(&format!("SELECT item_json FROM \"{old}\""))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let JsonItem(item) = serde_json::from_str(&row.get::<_, String>(0)?).map_err(|_| UNREADABLE)?;
        let key = Key::from_item(&item).ok_or(UNREADABLE)?;
        table.insert(connection, &key, &item)?;
    }
    Ok(())
}

const UNREADABLE: Error = Error::Damaged("an item of an earlier version cannot be read");

/// dynoxide had the tags in a list for each table: `[{"Key": "name", "Value": "text"}]`.
fn convert_tags(connection: &Connection) -> Result<()> {
    let mut select = connection.prepare("SELECT tags FROM _tables WHERE tags IS NOT NULL")?;
    let lists = select.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for list in lists {
        let tags: Value = serde_json::from_str(&list).map_err(|_| UNREADABLE)?;
        for tag in tags.as_array().into_iter().flatten() {
            let [name, text] = ["Key", "Value"].map(|field| tag[field].as_str().unwrap_or_default());
            set_tag(connection, name, text)?;
        }
    }
    Ok(())
}

fn drop_others(connection: &Connection, tables: &Tables) -> Result<()> {
    let mut select =
        connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?;
    let names = select.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for name in names.iter().filter(|name| *name != "tags" && tables.get(name).is_err()) {
        connection.execute_batch(&format!("DROP TABLE \"{name}\""))?;
    }
    Ok(())
}

pub fn set_tag(connection: &Connection, name: &str, text: &str) -> Result<()> {
    connection.execute("INSERT OR REPLACE INTO tags (name, text) VALUES (?, ?)", [name, text])?;
    Ok(())
}

pub fn tag(connection: &Connection, name: &str) -> Result<Option<String>> {
    Ok(connection.query_row("SELECT text FROM tags WHERE name = ?", [name], |row| row.get(0)).optional()?)
}
