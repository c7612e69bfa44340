//! Nodes of PostgreSQL and MySQL. Texts of SQL stay as they are, except that their expressions become values of placeholders.

mod query;

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::call::{UNKNOWN, UNKNOWN_HOST};
use super::source::{Source, located, names};
use crate::lenient::{list, number, scalar_text, text};
use crate::notes::Notes;
use crate::script::quote;
use crate::translation::Translation;

const ROWS: &str = "output.rows";

/// A statement with the scripts of its values.
#[derive(Default)]
struct Sql {
    text: String,
    values: Vec<String>,
}

struct Writer<'s> {
    source: &'s Source<'s>,
    is_mysql: bool,
    sql: Sql,
}

pub fn translate(source: &Source) -> Option<Translation> {
    let operation = source.operation("insert");
    let mut notes = Notes::new();
    let is_mysql = source.kind == "mySql";
    let (statements, result) = match operation {
        "executeQuery" => (query::translate(source, is_mysql, &mut notes)?, ROWS),
        "select" => (vec![select(source, is_mysql)?], ROWS),
        "insert" => (vec![insert(source, is_mysql, false)?], changed(is_mysql)),
        "upsert" => (vec![insert(source, is_mysql, true)?], changed(is_mysql)),
        "update" => (vec![update(source, is_mysql)?], changed(is_mysql)),
        "deleteTable" => (vec![delete(source, is_mysql)?], "({ success: true })"),
        _ => return None,
    };
    let statements = statements.into_iter().map(|sql| {
        let mut statement = Map::from_iter([("sql".to_owned(), json!(sql.text))]);
        if !sql.values.is_empty() {
            statement.insert("parameters".to_owned(), json!({"js": format!("[{}]", sql.values.join(", "))}));
        }
        Value::Object(statement)
    });
    let config = json!({
        "server": if is_mysql { "mysql" } else { "postgresql" }, "host": UNKNOWN_HOST, "database": UNKNOWN,
        "statements": statements.collect::<Vec<_>>(), "itemMode": {"result": {"js": result}},
    });
    let what = format!("the server and the database of {}, and a credential for it", source.kind);
    Some(Translation::new("database", config).with_notes(notes).with_reconnects([what]))
}

/// What a changing statement gives. MySQL does not give the rows that it changed.
fn changed(is_mysql: bool) -> &'static str {
    if is_mysql {
        "({ success: true, affectedRows: output.affectedRows, insertId: output.lastInsertId })"
    } else {
        ROWS
    }
}

impl<'s> Writer<'s> {
    fn new(source: &'s Source<'s>, is_mysql: bool) -> Self {
        Self { source, is_mysql, sql: Sql::default() }
    }

    fn name(&mut self, name: &str) {
        let mark = if self.is_mysql { '`' } else { '"' };
        self.sql.text.push(mark);
        self.sql.text.push_str(&name.replace(mark, &format!("{mark}{mark}")));
        self.sql.text.push(mark);
    }

    fn push(&mut self, text: &str) {
        self.sql.text.push_str(text);
    }

    fn names(&mut self, names: &[String]) {
        for (index, name) in names.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            self.name(name);
        }
    }

    fn value(&mut self, script: String) {
        self.sql.values.push(script);
        match self.is_mysql {
            true => self.push("?"),
            false => self.push(&format!("${}", self.sql.values.len())),
        }
    }

    /// The schema and the name of the table; none if one is computed.
    fn table(&mut self) -> Option<()> {
        let (schema, table) = (scalar_text(self.source.get("schema")), scalar_text(self.source.get("table")));
        if schema.starts_with('=') || table.starts_with('=') || table.is_empty() {
            return None;
        }
        if !schema.is_empty() && !self.is_mysql {
            self.name(&schema);
            self.push(".");
        }
        self.name(&table);
        Some(())
    }

    fn conditions(&mut self) -> Option<()> {
        let join = if self.source.text("combineConditions") == "OR" { " OR " } else { " AND " };
        let source = self.source;
        for (index, condition) in list(source.get("where.values")).iter().enumerate() {
            let column = scalar_text(located(&condition["column"]));
            if column.starts_with('=') {
                return None;
            }
            self.push(if index == 0 { " WHERE " } else { join });
            self.name(&column);
            match text(&condition["condition"]) {
                "" | "equal" | "=" => self.push(" = "),
                "IS NULL" | "IS NOT NULL" => {
                    self.push(&format!(" {}", text(&condition["condition"])));
                    continue;
                }
                "LIKE" | "like" => self.push(" LIKE "),
                operator @ ("!=" | ">" | "<" | ">=" | "<=") => self.push(&format!(" {operator} ")),
                _ => return None,
            }
            self.value((source.js)(&condition["value"]));
        }
        Some(())
    }

    fn returning(&mut self) {
        if !self.is_mysql {
            self.push(" RETURNING *");
        }
    }
}

fn select(source: &Source, is_mysql: bool) -> Option<Sql> {
    let mut writer = Writer::new(source, is_mysql);
    writer.push("SELECT ");
    let columns = names(source.get("options.outputColumns"));
    match columns.is_empty() || columns.iter().any(|column| column == "*" || column.starts_with('=')) {
        true => writer.push("*"),
        false => writer.names(&columns),
    }
    writer.push(" FROM ");
    writer.table()?;
    writer.conditions()?;
    for (index, sort) in list(source.get("sort.values")).iter().enumerate() {
        let column = scalar_text(located(&sort["column"]));
        if column.starts_with('=') {
            return None;
        }
        writer.push(if index == 0 { " ORDER BY " } else { ", " });
        writer.name(&column);
        writer.push(if text(&sort["direction"]) == "DESC" { " DESC" } else { " ASC" });
    }
    if !source.is_true("returnAll") {
        writer.push(" LIMIT ");
        match source.get("limit") {
            limit if text(limit).starts_with('=') => writer.value(format!("Number({})", (source.js)(limit))),
            limit => writer.push(&(number(limit).unwrap_or(50.0).max(0.0) as u64).to_string()),
        }
    }
    Some(writer.sql)
}

/// The columns of a row with the scripts of their values; none if they are not known before the run.
fn columns(source: &Source) -> Option<Vec<(String, String)>> {
    let of_item = |name: &String| (name.clone(), format!("$json[{}]", quote(name)));
    let columns = match source.version {
        version if version < 2.0 => {
            let columns = ["columns", "updateKey"].iter().flat_map(|path| names(source.get(path)));
            // A cast may follow a name.
            let columns = columns.map(|name| name.split(':').next().unwrap_or_default().to_owned());
            columns.map(|name| of_item(&name)).collect()
        }
        _ if matches!(source.text("columns.mappingMode"), "autoMapInputData")
            || source.text("dataMode") == "autoMapInputData" =>
        {
            let schema = list(source.get("columns.schema")).iter().filter(|column| column["removed"] != true);
            schema.map(|column| scalar_text(&column["id"])).filter(|id| !id.is_empty()).map(|id| of_item(&id)).collect()
        }
        _ => match source.raw("columns.value") {
            Value::Object(fields) => {
                let value =
                    |(name, value): (&String, &Value)| (name.clone(), source.column(name, value).script(source.js));
                fields.iter().map(value).collect::<Vec<_>>()
            }
            _ => {
                let values = ["valuesToSend.values", "columns.mappings"].iter().flat_map(|path| list(source.get(path)));
                let values = values.map(|value| (scalar_text(located(&value["column"])), (source.js)(&value["value"])));
                let mut values: Vec<_> = values.collect();
                if let (Some(column), Some(value)) = (source.find("columnToMatchOn"), source.find("valueToMatchOn")) {
                    values.insert(0, (scalar_text(column), (source.js)(value)));
                }
                values
            }
        },
    };
    let is_known = !columns.is_empty() && columns.iter().all(|(name, _)| !name.is_empty() && !name.starts_with('='));
    is_known.then_some(columns)
}

fn matching(source: &Source) -> Vec<String> {
    let given = ["columns.matchingColumns", "columnToMatchOn", "updateKey"].map(|path| names(source.get(path)));
    let given = given.into_iter().find(|names| !names.is_empty()).unwrap_or_default();
    given.into_iter().map(|name| name.split(':').next().unwrap_or_default().to_owned()).collect()
}

fn insert(source: &Source, is_mysql: bool, updates: bool) -> Option<Sql> {
    let columns = columns(source)?;
    let mut writer = Writer::new(source, is_mysql);
    writer.push("INSERT INTO ");
    writer.table()?;
    writer.push(" (");
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    writer.names(&names);
    writer.push(") VALUES (");
    for (index, (_, value)) in columns.iter().enumerate() {
        writer.push(if index > 0 { ", " } else { "" });
        writer.value(value.clone());
    }
    writer.push(")");
    if updates {
        let keys = matching(source);
        let known: HashSet<&String> = keys.iter().collect();
        let others: Vec<&String> = names.iter().filter(|name| !known.contains(name)).collect();
        if keys.is_empty() && !is_mysql {
            return None;
        }
        match is_mysql {
            true => writer.push(" ON DUPLICATE KEY UPDATE "),
            false => {
                writer.push(" ON CONFLICT (");
                writer.names(&keys);
                writer.push(if others.is_empty() { ") DO NOTHING" } else { ") DO UPDATE SET " });
            }
        }
        let others = if others.is_empty() && is_mysql { names.iter().collect() } else { others };
        for (index, name) in others.into_iter().enumerate() {
            writer.push(if index > 0 { ", " } else { "" });
            writer.name(name);
            writer.push(if is_mysql { " = VALUES(" } else { " = EXCLUDED." });
            writer.name(name);
            writer.push(if is_mysql { ")" } else { "" });
        }
    } else if source.is_true("options.skipOnConflict") && !is_mysql {
        writer.push(" ON CONFLICT DO NOTHING");
    }
    writer.returning();
    Some(writer.sql)
}

fn update(source: &Source, is_mysql: bool) -> Option<Sql> {
    let (columns, keys) = (columns(source)?, HashSet::<String>::from_iter(matching(source)));
    let mut writer = Writer::new(source, is_mysql);
    let (found, set): (Vec<_>, Vec<_>) = columns.into_iter().partition(|(name, _)| keys.contains(name));
    if found.is_empty() || set.is_empty() {
        return None;
    }
    writer.push("UPDATE ");
    writer.table()?;
    for (begin, separator, columns) in [(" SET ", ", ", set), (" WHERE ", " AND ", found)] {
        for (index, (name, value)) in columns.into_iter().enumerate() {
            writer.push(if index == 0 { begin } else { separator });
            writer.name(&name);
            writer.push(" = ");
            writer.value(value);
        }
    }
    writer.returning();
    Some(writer.sql)
}

fn delete(source: &Source, is_mysql: bool) -> Option<Sql> {
    let mut writer = Writer::new(source, is_mysql);
    match source.text("deleteCommand") {
        "delete" => {
            writer.push("DELETE FROM ");
            writer.table()?;
            writer.conditions()?;
        }
        "drop" => {
            writer.push("DROP TABLE IF EXISTS ");
            writer.table()?;
        }
        _ => {
            writer.push("TRUNCATE TABLE ");
            writer.table()?;
        }
    }
    Some(writer.sql)
}
