//! Field types that several node types share: CEL expressions, Jinja templates and JavaScript.

use serde::Deserialize;
use serde_json::json;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::schema::{ExpressionLanguage, LANGUAGE};
use domain::expression::JS;

/// The maximum length of a template or of JavaScript.
const MAX_CHARS: usize = 65_536;

/// A CEL expression, or a JavaScript expression that gives a value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Cel {
    Cel(String),
    Js(Js),
}

/// A Jinja template, or a JavaScript expression that gives a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Jinja {
    Template(String),
    Js(Js),
}

/// A JavaScript expression.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Js {
    pub js: String,
}

/// JavaScript: the body of an async function.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JavaScript(pub String);

impl Jinja {
    /// Returns the literal text before, between and after the placeholders, as it will be rendered: without the
    /// whitespace that a `-` trims. Nothing is known about the text that JavaScript gives.
    pub fn literal_parts(&self) -> Vec<&str> {
        let Self::Template(template) = self else { return vec![""; 2] };
        let (mut parts, mut rest) = (Vec::new(), template.as_str());
        while let Some((start, close)) = opening(rest) {
            let (before, within) = (&rest[..start], &rest[start + 2..]);
            parts.push(if within.starts_with('-') { before.trim_end() } else { before });
            let end = within.find(close).unwrap_or(within.len());
            rest = within.get(end + close.len()..).unwrap_or_default();
            if within[..end].ends_with('-') {
                rest = rest.trim_start();
            }
        }
        parts.push(rest);
        parts
    }
}

/// Returns where the next placeholder begins, and the delimiter that ends it.
fn opening(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices('{').find_map(|(start, _)| match text.as_bytes().get(start + 1)? {
        b'{' => Some((start, "}}")),
        b'%' => Some((start, "%}")),
        b'#' => Some((start, "#}")),
        _ => None,
    })
}

impl PartialSchema for Cel {
    fn schema() -> RefOr<Schema> {
        RefOr::T(with_js(expression_schema(ExpressionLanguage::Cel, Some(1), 4_096, "A CEL expression.")).into())
    }
}

impl ToSchema for Cel {}

impl PartialSchema for Jinja {
    fn schema() -> RefOr<Schema> {
        RefOr::T(with_js(expression_schema(ExpressionLanguage::Jinja, None, MAX_CHARS, "A Jinja template.")).into())
    }
}

impl ToSchema for Jinja {}

impl PartialSchema for Js {
    fn schema() -> RefOr<Schema> {
        let schema = with_js(expression_schema(ExpressionLanguage::Cel, None, MAX_CHARS, "JavaScript."));
        RefOr::T(schema.schema_type(SchemaType::new(Type::Object)).into())
    }
}

impl ToSchema for Js {}

impl PartialSchema for JavaScript {
    fn schema() -> RefOr<Schema> {
        let schema = expression_schema(ExpressionLanguage::JavaScript, Some(1), MAX_CHARS, "JavaScript.");
        RefOr::T(schema.into())
    }
}

impl ToSchema for JavaScript {}

fn expression_schema(
    language: ExpressionLanguage,
    least: Option<usize>,
    most: usize,
    description: &str,
) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .description(Some(description))
        .min_length(least)
        .max_length(Some(most))
        .extensions(Some(ExtensionsBuilder::new().add(LANGUAGE, json!(language.as_str())).build()))
}

/// Also allows `{"js": "…"}`.
fn with_js(schema: ObjectBuilder) -> ObjectBuilder {
    let source = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .description(Some("A JavaScript expression."))
        .min_length(Some(1))
        .max_length(Some(MAX_CHARS));
    schema
        .schema_type(SchemaType::from_iter([Type::String, Type::Object]))
        .property(JS, source)
        .required(JS)
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
}
