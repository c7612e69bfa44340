//! The schemas of arguments and answers. Arguments are checked against them, so the schemas are all that tools need to know of wrong
//! input.

use domain::language::Language;
use engine::schema::check_value;
use serde_json::{Map, Value, json};
use utoipa::PartialSchema;

use crate::refusal::Refusal;

/// The field under which wrong arguments are reported.
const ARGUMENTS: &str = "arguments";

/// The schema of an object. Required fields have a `!` after their name.
pub fn arguments(fields: &[(&str, Value)]) -> Value {
    let name_of = |name: &&str| name.trim_end_matches('!').to_owned();
    let properties: Map<_, _> = fields.iter().map(|(name, schema)| (name_of(name), schema.clone())).collect();
    let required: Vec<_> =
        fields.iter().filter(|(name, _)| name.ends_with('!')).map(|(name, _)| name_of(name)).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The schema of the values of an answer. No field is required, because errors and parts of answers have others.
pub fn answer(fields: &[(&str, Value)]) -> Value {
    let properties: Map<_, _> = fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties})
}

pub fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// The id of a resource. A text of another form could be a part of a path that leads to another route.
pub fn id(description: &str) -> Value {
    json!({"type": "string", "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "description": description})
}

/// A readable id.
pub fn slug(description: &str) -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9-]{1,64}$", "description": description})
}

pub fn whole_number(description: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "description": description})
}

pub fn list(description: &str) -> Value {
    json!({"type": "array", "description": description})
}

pub fn object(description: &str) -> Value {
    json!({"type": "object", "description": description})
}

pub fn any(description: &str) -> Value {
    json!({"description": description})
}

pub fn truth(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// One of the values of an enum.
pub fn choice<T: PartialSchema>(description: &str) -> Value {
    let schema = serde_json::to_value(T::schema()).unwrap_or_default();
    json!({"type": "string", "enum": schema["enum"], "description": description})
}

/// Checks the arguments of a call.
pub fn check_arguments(schema: &Value, given: &Value, language: Language) -> Result<(), Refusal> {
    let found = check_value(schema, given, ARGUMENTS);
    if found.is_valid() {
        return Ok(());
    }
    let problems: Vec<_> =
        found.violations.into_iter().map(|(field, problem)| (field, problem.get(language).clone())).collect();
    Err(Refusal::invalid_arguments(&problems))
}
