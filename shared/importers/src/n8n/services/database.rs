//! Nodes of PostgreSQL and MySQL. Texts of SQL stay as they are, except that their expressions become values of placeholders.

use serde_json::{Map, Value, json};

use super::source::{Source, located, names, quote};
use crate::lenient::{list, number, scalar_text, text};
use crate::notes::{Notes, note};
use crate::translation::Translation;

/// No such host exists. The credential of n8n has the server, so a person must choose it.
const UNKNOWN_HOST: &str = "to-be-chosen.invalid";
const UNKNOWN: &str = "to-be-chosen";
const MAX_STATEMENTS: usize = 20;
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
        "executeQuery" => (query(source, is_mysql, &mut notes)?, ROWS),
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

/// MySQL gives no rows that it changed.
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
                fields.iter().map(|(name, value)| (name.clone(), (source.js)(value))).collect::<Vec<_>>()
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
        let others: Vec<&String> = names.iter().filter(|name| !keys.contains(name)).collect();
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
    let (columns, keys) = (columns(source)?, matching(source));
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

/// The statements of a query. Its expressions become values, and so do the texts in quotes around them.
fn query(source: &Source, is_mysql: bool, notes: &mut Notes) -> Option<Vec<Sql>> {
    let written = source.text("query");
    let template = written.strip_prefix('=').unwrap_or(written);
    let mut values = replacements(source);
    let given = values.len();
    // n8n evaluates the expressions of a query also without the sign of one.
    let text = with_placeholders(source, template, &mut values)?;
    if values.len() > given {
        note(notes, "its expressions are sent as values: they cannot be names of tables or parts of the SQL");
    }
    let statements: Vec<String> = split(&text).into_iter().filter(|statement| !statement.trim().is_empty()).collect();
    if statements.is_empty() || statements.len() > MAX_STATEMENTS {
        return None;
    }
    let spread = source.find_any(&["options.queryReplacement", "options.queryParams", "additionalFields.queryParams"]);
    let spread = spread.filter(|_| given == 0);
    Some(statements.into_iter().map(|statement| numbered(source, &statement, &values, spread, is_mysql)).collect())
}

/// The scripts for `$1`, `$2`, …: several expressions with commas between them. None if one expression gives all.
fn replacements(source: &Source) -> Vec<String> {
    let paths = ["options.queryReplacement", "options.queryParams", "additionalFields.queryParams"];
    let Some(given) = source.find_any(&paths) else { return Vec::new() };
    match given {
        Value::Array(items) => items.iter().map(source.js).collect(),
        Value::String(written) if written.starts_with('=') => {
            let parts = outer_parts(&written[1..]);
            let is_one = parts.len() == 1 && parts[0].trim().starts_with("{{");
            if is_one {
                return Vec::new();
            }
            parts.into_iter().map(|part| (source.js)(&format!("={}", part.trim()).into())).collect()
        }
        other if source.version < 2.0 => {
            // The first version names fields of the item.
            names(other).iter().map(|name| format!("$json[{}]", quote(name))).collect()
        }
        other => names(other).iter().map(|name| quote(name)).collect(),
    }
}

/// The parts of a text between the commas outside of expressions.
fn outer_parts(written: &str) -> Vec<&str> {
    let (mut parts, mut start, mut from, mut is_code) = (Vec::new(), 0, 0, false);
    let bytes = written.as_bytes();
    while from < bytes.len() {
        match (&bytes[from..], is_code) {
            ([b'{', b'{', ..], false) => {
                is_code = true;
                from += 2;
            }
            ([b'}', b'}', ..], true) => {
                is_code = false;
                from += 2;
            }
            ([b',', ..], false) => {
                parts.push(&written[start..from]);
                from += 1;
                start = from;
            }
            _ => from += 1,
        }
    }
    parts.push(&written[start..]);
    parts
}

/// The SQL with placeholders for the expressions of a template. None if the SQL itself is computed.
fn with_placeholders(source: &Source, template: &str, values: &mut Vec<String>) -> Option<String> {
    let (mut sql, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        let (code, after) = after.split_once("}}")?;
        let quote_at = open_quote(before);
        match quote_at {
            // The whole text in the quotes is one value.
            Some(at) => {
                let end = closing_quote(after)?;
                let inside = format!("{}{{{{{code}}}}}{}", &before[at + 1..], &after[..end]);
                sql.push_str(&before[..at]);
                values.push((source.js)(&format!("={inside}").into()));
                sql.push_str(&format!("${}", values.len()));
                rest = &after[end + 1..];
            }
            None => {
                sql.push_str(before);
                if is_name_position(&sql) {
                    return None;
                }
                values.push((source.js)(&format!("={{{{{code}}}}}").into()));
                sql.push_str(&format!("${}", values.len()));
                rest = after;
            }
        }
    }
    sql.push_str(rest);
    Some(sql)
}

/// Where the quote is that ends a text with expressions.
fn closing_quote(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut is_code) = (0, false);
    while at < bytes.len() {
        match (&bytes[at..], is_code) {
            ([b'\'', ..], false) => return Some(at),
            ([b'{', b'{', ..], false) | ([b'}', b'}', ..], true) => {
                is_code = !is_code;
                at += 2;
            }
            _ => at += 1,
        }
    }
    None
}

/// Where a text in quotes begins that the SQL before an expression does not end.
fn open_quote(before: &str) -> Option<usize> {
    let mut open = None;
    for (at, c) in before.char_indices() {
        if c == '\'' {
            open = if open.is_some() { None } else { Some(at) };
        }
    }
    open
}

/// Whether what follows must be a name or a part of the SQL, so that it cannot be a value.
fn is_name_position(sql: &str) -> bool {
    let trimmed = sql.trim_end();
    let word = trimmed.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_glued = sql.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '"' | '`'));
    trimmed.is_empty()
        || is_glued
        || matches!(
            word.to_ascii_uppercase().as_str(),
            "FROM" | "INTO" | "TABLE" | "UPDATE" | "JOIN" | "SELECT" | "WHERE" | "BY" | "SET" | "VALUES" | "AND" | "OR"
        )
}

/// The statements of a text, which end with semicolons.
fn split(text: &str) -> Vec<String> {
    let mut statements = vec![String::new()];
    for (piece, is_code) in pieces(text) {
        let mut parts = if is_code { piece.split(';').collect::<Vec<_>>() } else { vec![piece] }.into_iter();
        if let Some(first) = parts.next()
            && let Some(last) = statements.last_mut()
        {
            last.push_str(first);
        }
        statements.extend(parts.map(str::to_owned));
    }
    statements.into_iter().map(|statement| statement.trim().to_owned()).collect()
}

/// The pieces of SQL: code, or texts in quotes and comments.
fn pieces(text: &str) -> Vec<(&str, bool)> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let start =
            ["'", "\"", "`", "--", "/*", "$$"].into_iter().filter_map(|mark| Some((rest.find(mark)?, mark))).min();
        let Some((start, mark)) = start else { break };
        let end = match mark {
            "--" => "\n",
            "/*" => "*/",
            mark => mark,
        };
        let from = start + mark.len();
        let until = rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
        pieces.push((&rest[..start], true));
        pieces.push((&rest[start..until], false));
        rest = &rest[until..];
    }
    pieces.push((rest, true));
    pieces
}

/// A statement whose placeholders have the numbers of its own values.
fn numbered(source: &Source, statement: &str, values: &[String], spread: Option<&Value>, is_mysql: bool) -> Sql {
    let mut sql = Sql::default();
    let mut used: Vec<usize> = Vec::new();
    let mut has_foreign = false;
    for (piece, is_code) in pieces(statement) {
        if !is_code {
            sql.text.push_str(piece);
            continue;
        }
        let mut rest = piece;
        while let Some((before, after)) = rest.split_once('$') {
            sql.text.push_str(before);
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number: Option<usize> = after[..digits].parse().ok();
            rest = &after[digits..];
            match number.filter(|number| (1..=values.len()).contains(number)) {
                Some(_) if is_mysql => {
                    used.push(number.unwrap_or_default());
                    sql.text.push('?');
                }
                Some(number) => {
                    let place = used.iter().position(|other| *other == number).unwrap_or_else(|| {
                        used.push(number);
                        used.len() - 1
                    });
                    sql.text.push_str(&format!("${}", place + 1));
                }
                None => {
                    has_foreign |= number.is_some();
                    sql.text.push('$');
                    sql.text.push_str(&after[..digits]);
                }
            }
        }
        has_foreign |= is_mysql && rest.contains('?');
        sql.text.push_str(rest);
    }
    sql.values = used.iter().map(|number| values[number - 1].clone()).collect();
    if let Some(spread) = spread.filter(|_| has_foreign || values.is_empty() && statement.contains(['$', '?'])) {
        sql.values.insert(0, format!("...n8n.sqlValues({})", (source.js)(spread)));
    }
    if sql.values.is_empty() && is_mysql && has_foreign {
        sql.values = values.to_vec();
    }
    sql
}
