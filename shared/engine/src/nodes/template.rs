//! The node type `template`: renders a Jinja template.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, StepError};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateNode {
    #[schema(inline)]
    pub template: Jinja,
    /// Whether the text is parsed as JSON; `text` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Text,
    Json,
}

impl NodeKind for TemplateNode {
    const NAME: &'static str = "template";
    const CATEGORY: Category = Category::Data;
    const DESCRIPTION: Translated = Translated::new(
        "Renders a Jinja template: {{ }} prints a value, {% for %} and {% if %} control the text, and \
         there are filters such as default, join, map, date, tojson.",
        "Genera un texto con una plantilla Jinja: {{ }} escribe un valor, {% for %} y {% if %} controlan \
         el texto, y hay filtros como default, join, map, date, tojson.",
    );

    fn example() -> Value {
        json!({"template": "Dear {{ input.name }},\n{% for line in input.lines %}- {{ line.title }}\n{% endfor %}"})
    }

    fn output_schema(&self, _port: &str) -> Value {
        match self.format {
            None | Some(Format::Text) => json!({"type": "string"}),
            Some(Format::Json) => json!({}),
        }
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let text = fields.text("template")?;
        match self.format {
            None | Some(Format::Text) => Ok(NodeAction::Return(text.into())),
            Some(Format::Json) => serde_json::from_str(&text).map(NodeAction::Return).map_err(|error| {
                let message = format!("the text is not JSON: line {}, column {}", error.line(), error.column());
                StepError::new("invalid_json", message)
            }),
        }
    }
}
