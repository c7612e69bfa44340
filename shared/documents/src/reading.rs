//! Reads a file by its format. It runs in a process of its own: see [`crate::processes`].

use domain::json::{is_deeper_than, parse_text};
use domain::run::StepError;
use engine::nodes::read_file::{ReadFileNode, ReadFormat};
use engine::value_size::{MAX_VALUE_DEPTH, measure};
use serde_json::{Value, json};

use crate::content::{Content, File};
use crate::problems::{TOO_MUCH_TEXT, invalid, too_large};
use crate::table::Selection;
use crate::{delimited, html, pdf, workbook};

pub fn read(node: ReadFileNode<Value, String>) -> Result<Value, StepError> {
    let file = File::from_value(node.file).map_err(invalid)?;
    let format = match node.format {
        Some(format) => format,
        None => recognize(&file)?,
    };
    let value = read_as(file, &format)?;
    if is_deeper_than(&value, MAX_VALUE_DEPTH) {
        return Err(invalid("its lists and objects are nested more than 100 levels deep"));
    }
    if measure(&value).is_none() {
        return Err(too_large(&format!("{TOO_MUCH_TEXT}; read less of it, or split the file")));
    }
    Ok(value)
}

fn read_as(file: File, format: &ReadFormat<String>) -> Result<Value, StepError> {
    let nothing = |_: &[u8]| None;
    match format {
        ReadFormat::Csv { delimiter, header_row, skip, max_rows, encoding } => {
            let text = file.into_text(encoding.as_deref(), nothing)?;
            delimited::read(&text, *delimiter, Selection::new(*header_row, *skip, *max_rows))
        }
        ReadFormat::Xlsx { sheet, header_row, skip, max_rows } => {
            workbook::read(file.into_bytes(), sheet.as_deref(), Selection::new(*header_row, *skip, *max_rows))
        }
        ReadFormat::Pdf { first_page, last_page } => pdf::read(&file.into_bytes(), *first_page, *last_page),
        ReadFormat::Html { encoding } => {
            let page = file.into_text(encoding.as_deref(), html::declared_charset)?;
            Ok(json!({"text": html::extract_text(&page), "title": html::extract_title(&page)}))
        }
        ReadFormat::Json { encoding } => {
            let text = file.into_text(encoding.as_deref(), nothing)?;
            let data = parse_text(&text).ok_or_else(|| invalid("is not valid JSON"))?;
            Ok(json!({"data": data}))
        }
        ReadFormat::Text { encoding } => Ok(json!({"text": file.into_text(encoding.as_deref(), nothing)?})),
    }
}

/// The format of a file by its content, which does not lie, or else by its type and its name.
fn recognize(file: &File) -> Result<ReadFormat<String>, StepError> {
    let (media_type, extension) = (file.media_type().unwrap_or_default(), file.extension().unwrap_or_default());
    let start = match &file.content {
        Content::Bytes(bytes) if bytes.starts_with(b"%PDF-") => return Ok(of_pdf()),
        Content::Bytes(bytes) => String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).into_owned(),
        Content::Text(text) => text.chars().take(64).collect(),
    };
    let named = by_name(media_type.rsplit(['/', '+']).next().unwrap_or_default()).or_else(|| by_name(&extension));
    let start = start.trim_start().to_ascii_lowercase();
    let by_content = || match &*start {
        page if page.starts_with("<!doctype html") || page.starts_with("<html") => by_name("html"),
        text if !text.contains(['\0', char::REPLACEMENT_CHARACTER]) => by_name("plain"),
        _ => None,
    };
    let found = match named {
        // Servers call many things a plain text.
        Some(text @ ReadFormat::Text { .. }) => by_name(&extension).or_else(by_content).or(Some(text)),
        Some(format) => Some(format),
        None => by_content(),
    };
    found.ok_or_else(|| invalid("its format is not known; set `format`"))
}

fn by_name(name: &str) -> Option<ReadFormat<String>> {
    let encoding = None;
    Some(match name {
        "csv" | "tsv" | "tab-separated-values" => {
            ReadFormat::Csv { delimiter: None, header_row: None, skip: None, max_rows: None, encoding }
        }
        "xlsx" | "xlsm" | "vnd.openxmlformats-officedocument.spreadsheetml.sheet" => {
            ReadFormat::Xlsx { sheet: None, header_row: None, skip: None, max_rows: None }
        }
        "pdf" => of_pdf(),
        "html" | "htm" | "xhtml" => ReadFormat::Html { encoding },
        "json" | "geojson" => ReadFormat::Json { encoding },
        "plain" | "txt" | "md" | "markdown" | "xml" | "yaml" | "yml" | "log" => ReadFormat::Text { encoding },
        _ => return None,
    })
}

fn of_pdf() -> ReadFormat<String> {
    ReadFormat::Pdf { first_page: None, last_page: None }
}
