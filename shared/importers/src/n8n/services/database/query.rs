//! Queries that a person has written.

use serde_json::Value;

use super::super::source::{Source, names};
use super::Sql;
use crate::notes::{Notes, note};
use crate::script::{MAX_BYTES, quote};

const MAX_STATEMENTS: usize = 20;
/// Where the values of `$1`, `$2`, … are.
const VALUES: [&str; 3] = ["options.queryReplacement", "options.queryParams", "additionalFields.queryParams"];

/// The statements of a query. Its expressions become values, and so do the texts in quotes around them.
pub fn translate(source: &Source, is_mysql: bool, notes: &mut Notes) -> Option<Vec<Sql>> {
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
    let spread = source.find_any(&VALUES).filter(|_| given == 0);
    Some(statements.into_iter().map(|statement| numbered(source, &statement, &values, spread, is_mysql)).collect())
}

/// The scripts for `$1`, `$2`, …: several expressions with commas between them. None if one expression gives all.
fn replacements(source: &Source) -> Vec<String> {
    let Some(given) = source.find_any(&VALUES) else { return Vec::new() };
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
        match open_quote(before) {
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

/// The place of the quote that ends a text with expressions.
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

/// The place of the last quote, if it opens a text that does not end here.
fn open_quote(before: &str) -> Option<usize> {
    let mut open = None;
    for (at, c) in before.char_indices() {
        if c == '\'' {
            open = if open.is_some() { None } else { Some(at) };
        }
    }
    open
}

/// Whether a name or another part of the SQL must follow, and not a value.
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

/// The pieces of SQL, each with whether it is code. The others are texts in quotes and comments.
fn pieces(text: &str) -> Vec<(&str, bool)> {
    const MARKS: [&str; 6] = ["'", "\"", "`", "--", "/*", "$$"];
    let (mut pieces, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let mark_at = |at: usize| MARKS.into_iter().find(|mark| rest[at..].starts_with(mark));
        let mut places = rest.match_indices(['\'', '"', '`', '-', '/', '$']);
        let Some((start, mark)) = places.find_map(|(at, _)| Some((at, mark_at(at)?))) else { break };
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
                Some(number) if is_mysql => {
                    used.push(number);
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
    sql.values = first_values(used.iter().map(|number| &values[number - 1]));
    if let Some(spread) = spread.filter(|_| has_foreign || values.is_empty() && statement.contains(['$', '?'])) {
        sql.values.insert(0, format!("...n8n.sqlValues({})", (source.js)(spread)));
    }
    if sql.values.is_empty() && is_mysql && has_foreign {
        sql.values = values.to_vec();
    }
    sql
}

/// Copies of the values, up to the longest script of a field. MySQL repeats a value as often as the SQL names it, so that a
/// short query with a long value could fill the memory.
fn first_values<'v>(values: impl Iterator<Item = &'v String>) -> Vec<String> {
    let mut bytes = 0;
    let fits = |value: &&String| {
        let has_room = bytes <= MAX_BYTES;
        bytes += value.len();
        has_room
    };
    values.take_while(fits).cloned().collect()
}
