//! Field types that several node types share: CEL expressions, Jinja templates and JavaScript.

use serde::Deserialize;
use serde_json::json;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::schema::{ExpressionLanguage, LANGUAGE};

/// A CEL expression.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Cel(pub String);

/// A Jinja template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Jinja(pub String);

/// JavaScript: the body of an async function.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JavaScript(pub String);

impl Jinja {
    /// Returns the literal text before, between and after the placeholders, as it will be rendered: without the
    /// whitespace that a `-` trims.
    pub fn literal_parts(&self) -> Vec<&str> {
        let (mut parts, mut rest) = (Vec::new(), self.0.as_str());
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
        expression_schema(ExpressionLanguage::Cel, Some(1), 4_096, "A CEL expression.")
    }
}

impl ToSchema for Cel {}

impl PartialSchema for Jinja {
    fn schema() -> RefOr<Schema> {
        expression_schema(ExpressionLanguage::Jinja, None, 65_536, "A Jinja template.")
    }
}

impl ToSchema for Jinja {}

impl PartialSchema for JavaScript {
    fn schema() -> RefOr<Schema> {
        expression_schema(ExpressionLanguage::JavaScript, Some(1), 65_536, "JavaScript.")
    }
}

impl ToSchema for JavaScript {}

fn expression_schema(
    language: ExpressionLanguage,
    least: Option<usize>,
    most: usize,
    description: &str,
) -> RefOr<Schema> {
    let schema = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .description(Some(description))
        .min_length(least)
        .max_length(Some(most))
        .extensions(Some(ExtensionsBuilder::new().add(LANGUAGE, json!(language.as_str())).build()));
    RefOr::T(schema.into())
}
