//! Fields that several types have.

use serde::Deserialize;
use serde_json::json;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::schema::{LANGUAGE, Language};

/// An expression, in CEL.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Cel(pub String);

/// A text with places to fill, in Jinja.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Jinja(pub String);

impl Jinja {
    /// What is written out in it, before, between and behind the places to fill: as it is printed, without the blanks
    /// that a `-` takes away.
    pub fn plain(&self) -> Vec<&str> {
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

/// Where the next place begins, and what ends it.
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
        written_in(Language::Cel, Some(1), 4_096, "An expression, in CEL.")
    }
}

impl ToSchema for Cel {}

impl PartialSchema for Jinja {
    fn schema() -> RefOr<Schema> {
        written_in(Language::Jinja, None, 65_536, "A text with places to fill, in Jinja.")
    }
}

impl ToSchema for Jinja {}

fn written_in(language: Language, least: Option<usize>, most: usize, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new()
        .schema_type(SchemaType::new(Type::String))
        .description(Some(description))
        .min_length(least)
        .max_length(Some(most))
        .extensions(Some(ExtensionsBuilder::new().add(LANGUAGE, json!(language.as_str())).build()));
    RefOr::T(schema.into())
}
