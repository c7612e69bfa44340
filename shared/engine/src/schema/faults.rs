//! Validates schemas themselves: finds what prevents a document from being used as a schema. An unknown keyword is a
//! fault, because its author relies on it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::number::{count, is_positive};
use super::path::Path;
use super::pattern::SchemaPattern;
use super::reference::References;
use super::vocabulary::{Contains, SchemaPosition, TYPES, contained, contains};
use domain::text::{shorten, shorten_to};

/// The maximum number of reported faults per schema.
const MAX_FAULTS: usize = 20;
const MAX_FIELD_CHARS: usize = 300;
/// The maximum number of patterns in a schema. Each one is compiled to validate it.
const MAX_PATTERNS: usize = 200;
/// The supported drafts. Their keywords have the same meaning here.
const DRAFTS: [&str; 4] = ["draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema"];

/// Returns the faults of a schema, each as a field and a message.
pub fn faults(schema: &Value, field: &str) -> Vec<(String, String)> {
    let mut examiner = Examiner {
        root: schema,
        references: References::new(schema),
        schemas: HashSet::new(),
        referring: Vec::new(),
        patterns: 0,
        found: Vec::new(),
    };
    examiner.examine(schema, &Path::Root(field));
    examiner.examine_references();
    examiner.found
}

struct Examiner<'s> {
    root: &'s Value,
    references: References<'s>,
    /// Every schema within the document, by address.
    schemas: HashSet<*const Value>,
    /// The schemas that have a `$ref`, each with the field of that keyword.
    referring: Vec<(&'s Value, String)>,
    patterns: usize,
    found: Vec<(String, String)>,
}

impl<'s> Examiner<'s> {
    fn refuse(&mut self, field: &str, problem: impl Into<String>) {
        if self.found.len() < MAX_FAULTS {
            self.found.push((shorten_to(field, MAX_FIELD_CHARS).into_owned(), problem.into()));
        }
    }

    fn examine(&mut self, schema: &'s Value, at: &Path) {
        self.schemas.insert(schema);
        match schema {
            Value::Bool(_) => {}
            Value::Object(keywords) => self.examine_keywords(schema, keywords, at),
            _ => self.refuse(&at.display(), "must be a schema: an object, true or false"),
        }
    }

    fn examine_keywords(&mut self, schema: &'s Value, keywords: &'s Map<String, Value>, at: &Path) {
        for (keyword, operand) in keywords {
            if self.found.len() >= MAX_FAULTS {
                return;
            }
            let at = at.name(keyword);
            if let Some(problem) = self.problem(schema, keyword, operand) {
                self.refuse(&at.display(), problem);
            } else if keyword == "$ref" {
                self.referring.push((schema, at.display()));
            } else if let Some((shape, _)) = contains(keyword) {
                for (place, schema) in contained(shape, operand) {
                    match place {
                        SchemaPosition::Alone => self.examine(schema, &at),
                        SchemaPosition::Index(index) => self.examine(schema, &at.index(index)),
                        SchemaPosition::Name(name) => self.examine(schema, &at.name(name)),
                    }
                }
            }
        }
    }

    /// Returns what is wrong with one keyword. The schemas within it are checked separately.
    fn problem(&mut self, schema: &Value, keyword: &str, operand: &Value) -> Option<String> {
        if keyword == "items" && operand.is_array() {
            return Some("must be a schema; write `prefixItems` for a list of schemas".to_owned());
        }
        if let Some((shape, _)) = contains(keyword) {
            let problem = match (shape, operand) {
                (Contains::List, Value::Array(schemas)) if schemas.is_empty() => "must not be empty",
                (Contains::List, Value::Array(_)) | (Contains::Map, Value::Object(_)) | (Contains::Schema, _) => {
                    return self.names_problem(keyword, operand);
                }
                (Contains::List, _) => "must be a list of schemas",
                (Contains::Map, _) => "must be an object of schemas",
            };
            return Some(problem.to_owned());
        }
        let problem = match keyword {
            "type" => return type_problem(operand),
            "enum" => (!operand.is_array()).then_some("must be a list"),
            "required" => (!are_names(operand)).then_some("must be a list of names"),
            "dependentRequired" => {
                let is_map = operand.as_object().is_some_and(|fields| fields.values().all(are_names));
                (!is_map).then_some("must be an object whose values are lists of names")
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                (!operand.is_number()).then_some("must be a number")
            }
            "multipleOf" => (!is_positive(operand)).then_some("must be a number above 0"),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
            | "maxContains" => count(operand).is_none().then_some("must be a whole number"),
            "uniqueItems" => (!operand.is_boolean()).then_some("must be true or false"),
            "pattern" => match operand.as_str() {
                Some(pattern) => return self.pattern_problem(pattern).map(str::to_owned),
                None => Some("must be a string"),
            },
            "$ref" | "$anchor" => (!operand.is_string()).then_some("must be a string"),
            "$schema" => (!is_known_draft(operand)).then_some("must be JSON Schema draft 2020-12, 2019-09, 7 or 6"),
            "$id" if std::ptr::eq(schema, self.root) => (!operand.is_string()).then_some("must be a string"),
            "$id" => Some("schemas within a schema cannot have an `$id` here; move them to `$defs` and remove it"),
            "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef" | "$recursiveAnchor" => {
                Some("dynamic references are not supported here; use `$ref`")
            }
            "unevaluatedProperties" | "unevaluatedItems" => {
                Some("is not supported here; use `additionalProperties` or `items`")
            }
            "dependencies" => Some("is not supported here; use `dependentRequired` or `dependentSchemas`"),
            "additionalItems" => Some("is not supported here; use `prefixItems` with `items`"),
            "nullable" => Some("is not supported here; write `\"type\": [\"string\", \"null\"]` or `anyOf`"),
            // These keywords do not affect validation.
            "const" | "format" | "title" | "description" | "default" | "example" | "examples" | "$comment"
            | "$vocabulary" | "deprecated" | "readOnly" | "writeOnly" | "contentMediaType" | "contentEncoding"
            | "contentSchema" | "discriminator" => None,
            extension if extension.starts_with("x-") => None,
            _ => Some("is not a keyword of JSON Schema that is supported here; remove it, or begin its name with `x-`"),
        };
        problem.map(str::to_owned)
    }

    /// The property names of `patternProperties` are patterns.
    fn names_problem(&mut self, keyword: &str, operand: &Value) -> Option<String> {
        let patterns = operand.as_object().filter(|_| keyword == "patternProperties")?;
        patterns.keys().find_map(|pattern| {
            self.pattern_problem(pattern).map(|problem| format!("`{}`: {problem}", shorten(pattern)))
        })
    }

    fn pattern_problem(&mut self, pattern: &str) -> Option<&'static str> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            return Some("a schema can have at most 200 patterns; remove some");
        }
        SchemaPattern::parse(pattern).err()
    }

    fn examine_references(&mut self) {
        let mut finished = HashSet::new();
        for (schema, field) in std::mem::take(&mut self.referring) {
            if self.found.len() >= MAX_FAULTS {
                return;
            }
            let reference = schema["$ref"].as_str().unwrap_or_default();
            let problem = match self.references.resolve(reference) {
                Some(target) if !self.schemas.contains(&std::ptr::from_ref(target)) => "must refer to a schema",
                Some(_) if self.is_endless(schema, &mut finished) => "refers back to itself without end",
                Some(_) => continue,
                None if reference.starts_with('#') => "refers to nothing in this schema",
                None => "must begin with `#`: schemas outside of this one are not loaded",
            };
            self.refuse(&field, format!("`{}` {problem}", shorten(reference)));
        }
    }

    /// Whether the schemas that apply to the same value, by references and combinations, form a cycle. Finished schemas
    /// are not searched again.
    fn is_endless(&self, start: &'s Value, finished: &mut HashSet<*const Value>) -> bool {
        let mut path = vec![(start, self.applied(start))];
        let mut on_path = HashSet::from([std::ptr::from_ref(start)]);
        while let Some((schema, open)) = path.last_mut() {
            match open.pop().map(|next| (next, std::ptr::from_ref(next))) {
                Some((_, place)) if on_path.contains(&place) => {
                    finished.extend(on_path);
                    return true;
                }
                Some((next, place)) => {
                    if !finished.contains(&place) {
                        on_path.insert(place);
                        path.push((next, self.applied(next)));
                    }
                }
                None => {
                    let place = std::ptr::from_ref(*schema);
                    on_path.remove(&place);
                    finished.insert(place);
                    path.pop();
                }
            }
        }
        false
    }

    /// Returns the schemas that a schema applies to its own value.
    fn applied(&self, schema: &'s Value) -> Vec<&'s Value> {
        let keywords = schema.as_object().into_iter().flatten();
        keywords
            .flat_map(|(keyword, operand)| match contains(keyword) {
                Some((shape, true)) => contained(shape, operand).map(|(_, schema)| schema).collect(),
                _ if keyword == "$ref" => {
                    operand.as_str().and_then(|reference| self.references.resolve(reference)).into_iter().collect()
                }
                _ => Vec::new(),
            })
            .collect()
    }
}

fn type_problem(operand: &Value) -> Option<String> {
    let names = operand.as_array().map_or(std::slice::from_ref(operand), Vec::as_slice);
    let are_known = names.iter().all(|name| name.as_str().is_some_and(|name| TYPES.contains(&name)));
    (!are_known || names.is_empty()).then(|| format!("one of {}", TYPES.join(", ")))
}

fn are_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

fn is_known_draft(operand: &Value) -> bool {
    let address = operand.as_str().unwrap_or_default().trim_end_matches('#');
    let path = address.strip_prefix("https://").or(address.strip_prefix("http://")).unwrap_or_default();
    path.strip_prefix("json-schema.org/").is_some_and(|draft| DRAFTS.contains(&draft))
}
