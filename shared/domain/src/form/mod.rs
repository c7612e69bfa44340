//! Forms: pages with fields that people fill in. A form starts a run, and the pages after it continue it.

mod answers;
mod link;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::language::Translated;
use crate::translated;

pub use answers::{Given, GivenFile, Problems};
pub use link::is_link;

const MAX_OPTIONS: usize = 500;
const MAX_OPTION_CHARS: usize = 200;

/// A page as a person sees it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FormPage {
    pub title: String,
    pub description: Option<String>,
    pub fields: Vec<FormField>,
    /// The text of the button that sends the page.
    pub button: Option<String>,
}

// `V` is the initial value, and `O` the options: a form that starts a run has texts, as its link has, and a later page has
// expressions.
/// A field of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormField<V = Value, O = Vec<String>> {
    /// The name of the field in the value of the node.
    #[schema(min_length = 1, max_length = 64, pattern = "^[A-Za-z][A-Za-z0-9_]*$", example = "email")]
    pub name: String,
    /// The name that people see; by default the name of the field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 200)]
    pub label: String,
    #[schema(inline)]
    pub r#type: FormFieldType,
    /// Whether people must fill it in.
    #[serde(default)]
    pub required: bool,
    /// A text that explains the field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 1000)]
    pub help: String,
    /// The initial value. A text at the first page, where `?name=value` in the link sets it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub value: Option<V>,
    /// What people choose from: a list of texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub options: Option<O>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormFieldType {
    Text,
    LongText,
    Email,
    Number,
    /// A day, as in `2026-03-02`
    Date,
    /// One of the options
    Choice,
    /// Any number of the options
    Choices,
    /// A box to check
    Boolean,
    File,
    /// A text that people do not see, from the link or the initial value
    Hidden,
}

impl FormFieldType {
    pub fn has_options(self) -> bool {
        matches!(self, Self::Choice | Self::Choices)
    }

    /// The value of a field that is not filled in.
    pub fn empty(self) -> Value {
        match self {
            Self::Boolean => Value::Bool(false),
            Self::Choices => Value::Array(Vec::new()),
            _ => Value::Null,
        }
    }
}

impl<V, O> FormField<V, O> {
    /// The name that people see.
    pub fn shown_name(&self) -> &str {
        if self.label.is_empty() { &self.name } else { &self.label }
    }

    /// The field without an initial value.
    pub fn without_value<W>(self) -> FormField<W, O> {
        let Self { name, label, r#type, required, help, options, value: _ } = self;
        FormField { name, label, r#type, required, help, options, value: None }
    }

    /// The JSON Schema of the value. `options` are those that are known before a run.
    pub fn schema(&self, options: Option<&[String]>) -> Value {
        let text = match options {
            Some(options) if self.r#type.has_options() => json!({"type": "string", "enum": options}),
            _ => json!({"type": "string"}),
        };
        let mut schema = match self.r#type {
            FormFieldType::Boolean if self.required => return json!({"const": true}),
            FormFieldType::Boolean => return json!({"type": "boolean"}),
            FormFieldType::Choices if self.required => return json!({"type": "array", "items": text, "minItems": 1}),
            FormFieldType::Choices => return json!({"type": "array", "items": text}),
            FormFieldType::Number => json!({"type": "number"}),
            FormFieldType::File => json!({
                "type": "object", "required": ["base64", "contentType", "name"],
                "properties": {
                    "base64": {"type": "string"}, "contentType": {"type": "string"}, "name": {"type": "string"},
                },
            }),
            _ => text,
        };
        if !self.required {
            schema = json!({"anyOf": [schema, {"type": "null"}]});
        } else if schema["type"] == "string" && schema.get("enum").is_none() {
            schema["minLength"] = 1.into();
        }
        schema
    }
}

/// The JSON Schema of the values of several fields.
pub fn values_schema<'a>(fields: impl Iterator<Item = (&'a str, Value)>) -> Value {
    let properties: serde_json::Map<_, _> = fields.map(|(name, schema)| (name.to_owned(), schema)).collect();
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

/// A problem of fields that a schema cannot express, with the place of the field: `fields[2].name`.
pub fn field_problems<V, O>(fields: &[FormField<V, O>]) -> Vec<(String, Translated<String>)> {
    let (mut problems, mut names) = (Vec::new(), BTreeSet::new());
    for (index, field) in fields.iter().enumerate() {
        if !names.insert(&field.name) {
            let name = &field.name;
            let message = translated!("another field has the name `{name}`", "otro campo tiene el nombre `{name}`");
            problems.push((format!("fields[{index}].name"), message));
        }
        if field.r#type == FormFieldType::Hidden && field.required {
            let message = translated!(
                "a hidden field cannot be required: nobody could fill it in",
                "un campo oculto no puede ser obligatorio: nadie podría rellenarlo"
            );
            problems.push((format!("fields[{index}].required"), message));
        }
        let message = match (field.r#type.has_options(), &field.options) {
            (true, None) => translated!(
                "is missing; list the options that people choose from",
                "falta; indique las opciones entre las que se elige"
            ),
            (false, Some(_)) => translated!(
                "only fields of the types choice and choices have options",
                "solo los campos de los tipos choice y choices tienen opciones"
            ),
            _ => continue,
        };
        problems.push((format!("fields[{index}].options"), message));
    }
    problems
}

impl<V> FormField<V, Vec<String>> {
    /// What is wrong with the options.
    pub fn options_problem(&self) -> Option<Translated<String>> {
        let options = self.options.as_deref()?;
        let is_good = |option: &String| !option.trim().is_empty() && option.chars().count() <= MAX_OPTION_CHARS;
        if !(1..=MAX_OPTIONS).contains(&options.len()) || !options.iter().all(is_good) {
            return Some(translated!(
                "must be 1 to {MAX_OPTIONS} texts of 1 to {MAX_OPTION_CHARS} characters",
                "deben ser de 1 a {MAX_OPTIONS} textos de 1 a {MAX_OPTION_CHARS} caracteres"
            ));
        }
        let unique: BTreeSet<_> = options.iter().collect();
        (unique.len() < options.len()).then(|| translated!("has an option twice", "tiene dos veces una opción"))
    }

    pub(crate) fn has_option(&self, text: &str) -> bool {
        self.options.iter().flatten().any(|option| option == text)
    }
}

impl FormField {
    /// What is wrong with the initial value.
    pub fn value_problem(&self) -> Option<Translated<String>> {
        let value = self.value.as_ref().filter(|value| !value.is_null())?;
        let is_option = |value: &Value| value.as_str().is_some_and(|text| self.has_option(text));
        let (fits, problem) = match self.r#type {
            FormFieldType::Number => (value.is_number(), translated!("must be a number", "debe ser un número")),
            FormFieldType::Boolean => {
                (value.is_boolean(), translated!("must be true or false", "debe ser true o false"))
            }
            FormFieldType::Choice => {
                (is_option(value), translated!("must be one of the options", "debe ser una de las opciones"))
            }
            FormFieldType::Choices => (
                value.as_array().is_some_and(|values| values.iter().all(is_option)),
                translated!("must be a list of options", "debe ser una lista de opciones"),
            ),
            FormFieldType::File => {
                (false, translated!("a file has no initial value", "un archivo no tiene valor inicial"))
            }
            _ => (value.is_string(), translated!("must be a text", "debe ser un texto")),
        };
        (!fits).then_some(problem)
    }
}
