//! Holds a document to the JSON Schemas that node types publish, and finds the expressions in it. It knows the keywords
//! that our own schemas use and no others, which a test sees to, and the schemas of triggers are held to: a validator for
//! any schema would add 2.8 MB to functions of five.

use serde_json::{Map, Value};

use super::expression::{Expression, Problem, Template};

/// The keyword that says a string is an expression.
pub const LANGUAGE: &str = "x-language";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Cel,
    Jinja,
}

impl Language {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cel => "cel",
            Self::Jinja => "jinja",
        }
    }

    fn of(schema: &Value) -> Option<Self> {
        match schema[LANGUAGE].as_str()? {
            "cel" => Some(Self::Cel),
            "jinja" => Some(Self::Jinja),
            _ => None,
        }
    }
}

/// A text that is read.
#[derive(Debug)]
pub enum Program {
    Condition(Expression),
    Text(Template),
}

impl Program {
    pub fn parse(language: Language, text: &str) -> Result<Self, Problem> {
        match language {
            Language::Cel => Expression::parse(text).map(Self::Condition),
            Language::Jinja => Template::parse(text).map(Self::Text),
        }
    }
}

/// What was found in a document.
#[derive(Debug, Default)]
pub struct Findings {
    /// Field and message.
    pub violations: Vec<(String, String)>,
    /// Field, language and text.
    pub expressions: Vec<(String, Language, String)>,
}

/// All that is wrong with a document, and all expressions in it.
pub fn check(schema: &Value, document: &Value, field: &str, found: &mut Findings) {
    if let Some(variants) = schema["oneOf"].as_array() {
        return one_of(variants, document, field, found);
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(document)
    {
        return found.refuse(field, format!("one of {}", listed(allowed)));
    }
    if let Some(only) = schema.get("const")
        && only != document
    {
        return found.refuse(field, format!("one of {}", listed(std::slice::from_ref(only))));
    }
    if !is_type(&schema["type"], document) {
        return found.refuse(field, format!("must be {}", types(&schema["type"])));
    }
    match document {
        Value::String(text) => string(schema, text, field, found),
        Value::Number(number) => {
            let value = number.as_f64().unwrap_or(f64::NAN);
            if schema["minimum"].as_f64().is_some_and(|least| value < least) {
                found.refuse(field, format!("at least {}", schema["minimum"]));
            }
            if schema["maximum"].as_f64().is_some_and(|most| value > most) {
                found.refuse(field, format!("at most {}", schema["maximum"]));
            }
        }
        Value::Array(items) => {
            counted(schema, "minItems", "maxItems", items.len(), "entries", field, found);
            if schema["items"].is_object() {
                let items = items.iter().enumerate();
                items.for_each(|(index, item)| check(&schema["items"], item, &format!("{field}[{index}]"), found));
            }
        }
        Value::Object(entries) => object(schema, entries, field, found),
        Value::Null | Value::Bool(_) => {}
    }
}

impl Findings {
    fn refuse(&mut self, field: &str, problem: impl Into<String>) {
        self.violations.push((field.to_owned(), problem.into()));
    }
}

fn string(schema: &Value, text: &str, field: &str, found: &mut Findings) {
    counted(schema, "minLength", "maxLength", text.chars().count(), "characters", field, found);
    if schema["format"] == "uuid" && uuid::Uuid::try_parse(text).is_err() {
        found.refuse(field, "must be a UUID");
    }
    if let Some(language) = Language::of(schema) {
        found.expressions.push((field.to_owned(), language, text.to_owned()));
    }
}

fn counted(schema: &Value, least: &str, most: &str, count: usize, what: &str, field: &str, found: &mut Findings) {
    let (least, most) = (schema[least].as_u64(), schema[most].as_u64());
    if least.is_some_and(|least| (count as u64) < least) {
        let least = least.unwrap_or_default();
        let problem =
            if count == 0 && least == 1 { "must not be empty".to_owned() } else { format!("at least {least} {what}") };
        found.refuse(field, problem);
    }
    if most.is_some_and(|most| count as u64 > most) {
        found.refuse(field, format!("at most {} {what}", most.unwrap_or_default()));
    }
}

fn object(schema: &Value, entries: &Map<String, Value>, field: &str, found: &mut Findings) {
    let within = |name: &str| format!("{field}.{name}");
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    for name in required.iter().filter_map(Value::as_str).filter(|name| !entries.contains_key(*name)) {
        found.refuse(&within(name), "is missing");
    }
    counted(schema, "minProperties", "maxProperties", entries.len(), "entries", field, found);
    for (name, value) in entries {
        let known = &schema["properties"][name];
        match &schema["additionalProperties"] {
            _ if known.is_object() => check(known, value, &within(name), found),
            Value::Bool(false) => found.refuse(&within(name), "is not a field of this type"),
            others if others.is_object() => check(others, value, &within(name), found),
            _ => {}
        }
    }
}

/// The variants are told apart by a field that is fixed in each, `type` mostly; else the first that fits is meant.
fn one_of(variants: &[Value], document: &Value, field: &str, found: &mut Findings) {
    let tag = variants.first().and_then(|variant| {
        variant["properties"].as_object()?.iter().find(|(_, schema)| fixed(schema).is_some()).map(|(name, _)| name)
    });
    if let Some(tag) = tag {
        let meant = variants.iter().find(|variant| fixed(&variant["properties"][tag]) == document.get(tag));
        return match meant {
            Some(variant) if document.get(tag).is_some() => check(variant, document, field, found),
            _ => {
                let known: Vec<Value> =
                    variants.iter().filter_map(|variant| fixed(&variant["properties"][tag]).cloned()).collect();
                found.refuse(&format!("{field}.{tag}"), format!("one of {}", listed(&known)));
            }
        };
    }
    let mut first = None;
    for variant in variants {
        let mut tried = Findings::default();
        check(variant, document, field, &mut tried);
        if tried.violations.is_empty() {
            return found.expressions.append(&mut tried.expressions);
        }
        // Null is never what was meant by a document that is something else.
        if variant["type"] != "null" {
            first.get_or_insert(tried);
        }
    }
    found.violations.extend(first.unwrap_or_default().violations);
}

/// The one value a schema allows.
fn fixed(schema: &Value) -> Option<&Value> {
    match schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => Some(only),
        _ => schema.get("const"),
    }
}

fn listed(values: &[Value]) -> String {
    let values: Vec<String> =
        values.iter().map(|value| value.as_str().map_or(value.to_string(), str::to_owned)).collect();
    values.join(", ")
}

fn is_type(types: &Value, document: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => document.is_null(),
        "boolean" => document.is_boolean(),
        "integer" => document.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => document.is_number(),
        "string" => document.is_string(),
        "array" => document.is_array(),
        "object" => document.is_object(),
        _ => false,
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        // A schema without a type takes anything.
        _ => true,
    }
}

/// Writes every whole number as one where the schema says so: `60.0` is one, but none to whoever reads it into a field.
pub fn settle(schema: &Value, document: &mut Value) {
    const EXACT: f64 = 9e15;
    for variant in schema["oneOf"].as_array().into_iter().flatten() {
        settle(variant, document);
    }
    match document {
        Value::Number(number) if number.is_f64() && may_be(&schema["type"], "integer") => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < EXACT);
            if let Some(whole) = whole {
                *document = Value::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| settle(&schema["items"], item)),
        Value::Object(entries) => {
            for (name, value) in entries {
                let known = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                settle(known, value);
            }
        }
        _ => {}
    }
}

fn may_be(types: &Value, name: &str) -> bool {
    types == name || types.as_array().is_some_and(|types| types.iter().any(|known| known == name))
}

fn types(types: &Value) -> String {
    let name = |name: &str| match name {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    };
    match types {
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(name).collect::<Vec<_>>().join(" or "),
        other => name(other.as_str().unwrap_or_default()).to_owned(),
    }
}

const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
/// Of faults: nobody reads more of one schema.
const MOST_FAULTS: usize = 20;

/// What keeps a document from being a schema that others can be held to: field and message. A keyword that is not
/// known is one: who wrote it counts on it.
pub fn faults(schema: &Value, field: &str, found: &mut Vec<(String, String)>) {
    let Some(keywords) = schema.as_object() else {
        return found.push((field.to_owned(), "must be an object".to_owned()));
    };
    for (keyword, value) in keywords {
        if found.len() >= MOST_FAULTS {
            return;
        }
        let at = format!("{field}.{keyword}");
        let problem = match keyword.as_str() {
            "properties" => match value.as_object() {
                Some(fields) => {
                    fields.iter().for_each(|(name, schema)| faults(schema, &format!("{at}.{name}"), found));
                    None
                }
                None => Some("must be an object"),
            },
            "oneOf" => match value.as_array() {
                Some(variants) => {
                    variants
                        .iter()
                        .enumerate()
                        .for_each(|(index, schema)| faults(schema, &format!("{at}[{index}]"), found));
                    None
                }
                None => Some("must be a list"),
            },
            "additionalProperties" if value.is_boolean() => None,
            "items" | "additionalProperties" => {
                faults(value, &at, found);
                None
            }
            "type" => {
                let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let unknown = names.iter().find(|name| !name.as_str().is_some_and(|name| TYPES.contains(&name)));
                if unknown.is_some() || names.is_empty() {
                    found.push((at.clone(), format!("one of {}", TYPES.join(", "))));
                }
                None
            }
            "enum" => (!value.is_array()).then_some("must be a list"),
            "required" => {
                let are_names = value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
                (!are_names).then_some("must be a list of names")
            }
            "minimum" | "maximum" => (!value.is_number()).then_some("must be a number"),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                (!value.is_u64()).then_some("must be a whole number")
            }
            "const" => None,
            // They tell people and programs what is meant, and hold nothing to it. Of formats only `uuid` does.
            LANGUAGE | "format" | "title" | "description" | "default" | "example" | "examples" | "$schema" | "$id"
            | "$comment" | "deprecated" | "readOnly" | "writeOnly" => None,
            _ => Some("is no keyword that anything is held to here"),
        };
        found.extend(problem.map(|problem| (at, problem.to_owned())));
    }
}
