//! The node type `read_file`: reads the content of a file as data.

use std::time::Duration;

use domain::language::Translated;
use domain::translated;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::{Category, Fields, NodeKind, NodeResult, Operation};
use crate::schema::FieldProblem;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadFileNode<V = Cel, T = Jinja> {
    /// The file: `{base64, contentType, name}`, as in the `body` of an HTTP request, or its text.
    #[schema(inline)]
    pub file: V,
    /// The format; without it, the content type, the name and the content decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub format: Option<ReadFormat<T>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum ReadFormat<T = Jinja> {
    #[serde(rename_all = "camelCase")]
    Csv {
        /// What separates the cells; found in the text if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(inline, nullable = false)]
        delimiter: Option<Delimiter>,
        /// The line with the names of the columns, from 1, which is the default. Lines before it are left out. With 0, each row
        /// is a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(maximum = 1048576, nullable = false)]
        header_row: Option<u32>,
        /// How many rows are left out at the beginning.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(maximum = 1048576, nullable = false)]
        skip: Option<u32>,
        /// The maximum number of rows. `hasMore` is true if the file has more.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 1048576, nullable = false)]
        max_rows: Option<u32>,
        /// The character set, such as `utf-8` or `windows-1252`; found in the file if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 40, nullable = false)]
        encoding: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    Xlsx {
        /// The name of the sheet; the first sheet if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(inline, nullable = false)]
        sheet: Option<T>,
        /// The row with the names of the columns, from 1, which is the default. Rows before it are left out. With 0, each row is
        /// a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(maximum = 1048576, nullable = false)]
        header_row: Option<u32>,
        /// How many rows are left out at the beginning.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(maximum = 1048576, nullable = false)]
        skip: Option<u32>,
        /// The maximum number of rows. `hasMore` is true if the file has more.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 1048576, nullable = false)]
        max_rows: Option<u32>,
    },
    #[serde(rename_all = "camelCase")]
    Pdf {
        /// The first page that is read, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 100000, nullable = false)]
        first_page: Option<u32>,
        /// The last page that is read.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 100000, nullable = false)]
        last_page: Option<u32>,
    },
    Html {
        /// The character set, such as `utf-8` or `windows-1252`; found in the file if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 40, nullable = false)]
        encoding: Option<String>,
    },
    Json {
        /// The character set, such as `utf-8` or `windows-1252`; found in the file if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 40, nullable = false)]
        encoding: Option<String>,
    },
    Text {
        /// The character set, such as `utf-8` or `windows-1252`; found in the file if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 40, nullable = false)]
        encoding: Option<String>,
    },
}

/// What separates the cells of a CSV file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Delimiter {
    #[default]
    Comma,
    Semicolon,
    Tab,
    Pipe,
}

impl Delimiter {
    pub const ALL: [Self; 4] = [Self::Comma, Self::Semicolon, Self::Tab, Self::Pipe];

    pub fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Pipe => b'|',
        }
    }
}

impl NodeKind for ReadFileNode {
    const NAME: &'static str = "read_file";
    const CATEGORY: Category = Category::Data;
    const DESCRIPTION: Translated = Translated::new(
        "Reads a file as data. Its value is {columns, rows, hasMore} for CSV, the same with {sheet, sheets} for XLSX, \
         {text, pages, pageCount} for PDF, {text, title} for HTML, {data} for JSON, and {text} for text.",
        "Lee un archivo como datos. Su valor es {columns, rows, hasMore} para CSV, lo mismo con {sheet, sheets} para XLSX, \
         {text, pages, pageCount} para PDF, {text, title} para HTML, {data} para JSON y {text} para texto.",
    );
    /// A file is not read again after a restart.
    const IS_STORED: bool = true;
    const TIMEOUT: Duration = Duration::from_secs(60);
    /// Another attempt helps only if the process could not be started.
    const ATTEMPTS: u32 = 3;
    const POLICIES: Policies = Policies::ERROR;

    fn example() -> Value {
        json!({"file": "input.report", "format": {"type": "csv"}})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let Some(format) = &self.format else { return json!({"type": "object"}) };
        let text = json!({"type": "string"});
        let list = |items: &Value| json!({"type": "array", "items": items});
        let count = json!({"type": "integer", "minimum": 0});
        let properties = match format {
            ReadFormat::Csv { header_row, .. } => {
                json!({"columns": list(&text), "rows": list(&row(*header_row, &text)), "hasMore": {"type": "boolean"}})
            }
            ReadFormat::Xlsx { header_row, .. } => {
                let cell = json!({"type": ["string", "number", "boolean", "null"]});
                json!({
                    "columns": list(&text), "rows": list(&row(*header_row, &cell)), "hasMore": {"type": "boolean"},
                    "sheet": text, "sheets": list(&text),
                })
            }
            ReadFormat::Pdf { .. } => json!({"text": text, "pages": list(&text), "pageCount": count}),
            ReadFormat::Html { .. } => json!({"text": text, "title": {"type": ["string", "null"]}}),
            ReadFormat::Json { .. } => json!({"data": {}}),
            ReadFormat::Text { .. } => json!({"text": text}),
        };
        let required = properties.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let Some(ReadFormat::Pdf { first_page: Some(first), last_page: Some(last) }) = self.format else {
            return Vec::new();
        };
        let message = translated!("is before the first page", "es anterior a la primera página");
        if last < first { vec![("format.lastPage".to_owned(), message)] } else { Vec::new() }
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::ReadFile)
    }
}

/// The schema of a row: an object by the names of the columns, or a list.
fn row(header_row: Option<u32>, cell: &Value) -> Value {
    match header_row {
        Some(0) => json!({"type": "array", "items": cell}),
        _ => json!({"type": "object", "additionalProperties": cell}),
    }
}
