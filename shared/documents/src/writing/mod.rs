//! Writes data as a file: `{base64, contentType, name}`.

mod delimited;
mod grid;
mod workbook;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::run::StepError;
use engine::nodes::write_file::{WriteFileNode, WriteFormat};
use engine::value_size::MAX_VALUE_BYTES;
use serde_json::{Value, json};

use grid::Grid;

/// What fits in a value, with some space for the name.
const MAX_BYTES: usize = MAX_VALUE_BYTES / 4 * 3 - 1_024;
const MAX_NAME_CHARS: usize = 200;
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

pub fn write(node: &WriteFileNode<Value, String>) -> Result<Value, StepError> {
    let WriteFileNode { data, format, name } = node;
    let (bytes, content_type, ending) = match format {
        WriteFormat::Csv { delimiter, header, escape_formulas, byte_order_mark } => {
            let options = delimited::Options {
                delimiter: delimiter.unwrap_or_default(),
                escape_formulas: escape_formulas.unwrap_or_default(),
                byte_order_mark: byte_order_mark.unwrap_or_default(),
            };
            let grid = Grid::new(data, header.unwrap_or(true))?;
            (delimited::write(&grid, options)?, "text/csv; charset=utf-8", "csv")
        }
        WriteFormat::Xlsx { sheet, header } => {
            (workbook::write(&Grid::new(data, header.unwrap_or(true))?, sheet.as_deref())?, XLSX, "xlsx")
        }
        WriteFormat::Json => (data.to_string().into_bytes(), "application/json", "json"),
        WriteFormat::Html => (text(data)?, "text/html; charset=utf-8", "html"),
        WriteFormat::Text => (text(data)?, "text/plain; charset=utf-8", "txt"),
    };
    if bytes.len() > MAX_BYTES {
        return Err(too_large("the file would be larger than 767 KiB; write less, or several files"));
    }
    let name = name.as_deref().map(to_file_name).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| format!("file.{ending}"));
    Ok(json!({"base64": BASE64_STANDARD.encode(bytes), "contentType": content_type, "name": name}))
}

fn text(data: &Value) -> Result<Vec<u8>, StepError> {
    let refused =
        || invalid("data", "must be a text; write other values as JSON, or make a text with a `template` node");
    data.as_str().map(|text| text.as_bytes().to_vec()).ok_or_else(refused)
}

/// A name without folders and line breaks, in one line.
fn to_file_name(name: &str) -> String {
    let kept = name.trim().chars().map(|c| if c.is_control() || matches!(c, '/' | '\\') { '_' } else { c });
    kept.take(MAX_NAME_CHARS).collect()
}

fn invalid(field: &str, problem: &str) -> StepError {
    StepError::new("data_invalid", format!("config.{field}: {problem}"))
}

fn too_large(problem: &str) -> StepError {
    StepError::new("file_too_large", format!("config.data: {problem}"))
}
