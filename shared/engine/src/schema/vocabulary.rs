//! The keywords of JSON Schema that contain other schemas.

use serde_json::Value;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Contains {
    /// `"items": {…}`
    Schema,
    /// `"anyOf": [{…}, {…}]`
    List,
    /// `"properties": {"name": {…}}`
    Map,
}

/// Returns the form of the schemas that a keyword contains, and whether they apply to the same value as the schema
/// itself.
pub fn contains(keyword: &str) -> Option<(Contains, bool)> {
    Some(match keyword {
        "not" | "if" | "then" | "else" => (Contains::Schema, true),
        "allOf" | "anyOf" | "oneOf" => (Contains::List, true),
        "dependentSchemas" => (Contains::Map, true),
        "items" | "additionalProperties" | "contains" | "propertyNames" => (Contains::Schema, false),
        "prefixItems" => (Contains::List, false),
        "properties" | "patternProperties" | "$defs" | "definitions" => (Contains::Map, false),
        _ => return None,
    })
}

/// The position of a schema within its keyword.
#[derive(Clone, Copy)]
pub enum SchemaPosition<'s> {
    Alone,
    Index(usize),
    Name(&'s str),
}

/// Returns the schemas that a keyword contains, or none if its form is wrong.
pub fn contained<'s>(shape: Contains, operand: &'s Value) -> impl Iterator<Item = (SchemaPosition<'s>, &'s Value)> {
    let alone = (shape == Contains::Schema).then_some((SchemaPosition::Alone, operand));
    let list = operand.as_array().filter(|_| shape == Contains::List).into_iter().flatten().enumerate();
    let map = operand.as_object().filter(|_| shape == Contains::Map).into_iter().flatten();
    let list = list.map(|(index, schema)| (SchemaPosition::Index(index), schema));
    alone.into_iter().chain(list).chain(map.map(|(name, schema)| (SchemaPosition::Name(name), schema)))
}

pub const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
