//! Which format a text is in.

use serde_json::Value;

use super::{Imported, Result, atelier, dify, n8n, yaml};
use crate::Error;

const KNOWN: &str = "an export of Atelier (JSON), a workflow of n8n (JSON), an app of Dify (YAML)";

/// Reads a workflow, whatever known format it is in. How long a text may be is said where it is taken in.
pub fn read(text: &str) -> Result<Imported> {
    let document = parse(text.trim_start_matches('\u{feff}'))?;
    let document = match &document {
        // The command line of n8n exports lists.
        Value::Array(items) => match &items[..] {
            [one] => one,
            items => {
                let problem = format!("holds {} workflows; import them one by one", items.len());
                return Err(Error::invalid_body("", problem));
            }
        },
        one => one,
    };
    let imported = if document["format"].as_str().is_some_and(|format| format.starts_with(atelier::PREFIX)) {
        atelier::read(document)
    } else if document["nodes"].is_array() && document["connections"].is_object() {
        n8n::read(document)
    } else if document["kind"] == "app" && document["app"].is_object() {
        dify::read(document)
    } else {
        Err(Error::invalid_body("", format!("is in no format that is known here; known are: {KNOWN}")))
    }?;
    imported.graph.check()?;
    Ok(imported)
}

fn parse(text: &str) -> Result<Value> {
    let json = match serde_json::from_str(text) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    let refused = |what: &str, line: u64, column: u64| {
        Error::invalid_body("", format!("is not {what} (line {line}, column {column}); known are: {KNOWN}"))
    };
    // What begins as JSON was meant as JSON, or is YAML that looks like it; its mistake is told as JSON's.
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    yaml::read(text).map_err(|(line, column)| match looks_like_json {
        true => refused("JSON", json.line() as u64, json.column() as u64),
        false => refused("JSON, nor YAML", line, column),
    })
}
