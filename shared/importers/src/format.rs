//! Recognizes the format of an imported file.

use serde_json::Value;

use super::{Imported, Result, atelier, dify, n8n, yaml};
use domain::Error;
use domain::json::check_size;

const KNOWN: &str = "an export of Atelier (JSON), a workflow of n8n (JSON), an app of Dify (YAML)";

/// Imports a workflow in any known format. The caller bounds the length of the text.
pub fn read(text: &str) -> Result<Imported> {
    let document = parse(text.trim_start_matches('\u{feff}'))?;
    let document = match &document {
        // The command line of n8n exports a list of workflows.
        Value::Array(items) => match &items[..] {
            [one] => one,
            items => {
                let problem = format!("the file holds {} workflows: import them one by one", items.len());
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
        Err(Error::invalid_body("", format!("unknown format; the known formats are {KNOWN}")))
    }?;
    imported.graph.check()?;
    Ok(imported)
}

fn parse(text: &str) -> Result<Value> {
    // YAML has a limit of its own.
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    if looks_like_json {
        check_size(text.as_bytes())?;
    }
    let json = match serde_json::from_str(text) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    let refused = |what: &str, line: u64, column: u64| {
        Error::invalid_body(
            "",
            format!("the file is not {what} (line {line}, column {column}); the known formats are {KNOWN}"),
        )
    };
    // A text that starts like JSON gets the JSON parser's error, also when YAML was tried.
    yaml::read(text).map_err(|(line, column)| match looks_like_json {
        true => refused("valid JSON", json.line() as u64, json.column() as u64),
        false => refused("valid JSON or YAML", line, column),
    })
}
