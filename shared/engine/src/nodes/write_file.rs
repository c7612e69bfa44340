//! The node type `write_file`: writes data as a file.

use std::time::Duration;

use domain::language::Translated;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::read_file::Delimiter;
use super::{Category, Fields, NodeKind, NodeResult, Operation};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteFileNode<V = Cel, T = Jinja> {
    /// The content: a list of objects or of lists for CSV and XLSX, a text for text and HTML, any value for JSON.
    #[schema(inline)]
    pub data: V,
    #[schema(inline)]
    pub format: WriteFormat<T>,
    /// The name of the file; `file` with the ending of the format if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub name: Option<T>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum WriteFormat<T = Jinja> {
    #[serde(rename_all = "camelCase")]
    Csv {
        /// What separates the cells; `comma` by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(inline, nullable = false)]
        delimiter: Option<Delimiter>,
        /// Whether the first line has the names of the columns; true by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        header: Option<bool>,
        /// Puts a `'` before texts that a spreadsheet would take for a formula. Set it if strangers write the texts and people
        /// open the file in a spreadsheet.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        escape_formulas: Option<bool>,
        /// Begins the file with a byte order mark, by which Excel recognizes UTF-8.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        byte_order_mark: Option<bool>,
    },
    Xlsx {
        /// The name of the sheet; `Sheet1` if omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(inline, nullable = false)]
        sheet: Option<T>,
        /// Whether the first row has the names of the columns; true by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        header: Option<bool>,
    },
    Json,
    Html,
    Text,
}

impl NodeKind for WriteFileNode {
    const NAME: &'static str = "write_file";
    const CATEGORY: Category = Category::Data;
    const DESCRIPTION: Translated = Translated::new(
        "Writes data as a CSV, XLSX, JSON, HTML or text file; its value is {base64, contentType, name}. An email takes it as \
         an attachment.",
        "Escribe datos como archivo CSV, XLSX, JSON, HTML o de texto; su valor es {base64, contentType, name}. Un correo lo \
         admite como adjunto.",
    );
    /// As `read_file`.
    const IS_STORED: bool = true;
    const TIMEOUT: Duration = Duration::from_secs(60);
    const ATTEMPTS: u32 = 3;
    const POLICIES: Policies = Policies::ERROR;

    fn example() -> Value {
        json!({"data": "input.rows", "format": {"type": "xlsx"}, "name": "orders-{{ input.month }}.xlsx"})
    }

    fn output_schema(&self, _port: &str) -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object", "required": ["base64", "contentType", "name"], "additionalProperties": false,
            "properties": {"base64": text, "contentType": text, "name": text},
        })
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::WriteFile)
    }
}
