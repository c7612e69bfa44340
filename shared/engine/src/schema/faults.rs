//! Validates schemas themselves: finds what prevents a document from being used as a schema. An unknown keyword is a
//! fault, because its author relies on it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::findings::FieldProblem;
use super::number::{count, is_positive};
use super::path::Path;
use super::pattern::SchemaPattern;
use super::reference::References;
use super::vocabulary::{Contains, SchemaPosition, TYPES, contained, contains};
use domain::language::Translated;
use domain::text::{shorten, shorten_to};
use domain::translated;

/// The maximum number of reported faults per schema.
const MAX_FAULTS: usize = 20;
const MAX_FIELD_CHARS: usize = 300;
/// The maximum number of patterns in a schema. Each one is compiled to validate it.
const MAX_PATTERNS: usize = 200;
/// The supported drafts. Their keywords have the same meaning here.
const DRAFTS: [&str; 4] = ["draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema"];

/// Returns the faults of a schema.
pub fn faults(schema: &Value, field: &str) -> Vec<FieldProblem> {
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
    found: Vec<FieldProblem>,
}

impl<'s> Examiner<'s> {
    fn refuse(&mut self, field: &str, problem: Translated<String>) {
        if self.found.len() < MAX_FAULTS {
            self.found.push((shorten_to(field, MAX_FIELD_CHARS).into_owned(), problem));
        }
    }

    fn examine(&mut self, schema: &'s Value, at: &Path) {
        self.schemas.insert(schema);
        match schema {
            Value::Bool(_) => {}
            Value::Object(keywords) => self.examine_keywords(schema, keywords, at),
            _ => {
                let problem = translated!(
                    "must be a schema: an object, true or false",
                    "debe ser un esquema: un objeto, true o false"
                );
                self.refuse(&at.display(), problem);
            }
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
    fn problem(&mut self, schema: &Value, keyword: &str, operand: &Value) -> Option<Translated<String>> {
        if keyword == "items" && operand.is_array() {
            return Some(translated!(
                "must be a schema; write `prefixItems` for a list of schemas",
                "debe ser un esquema; escriba `prefixItems` para una lista de esquemas"
            ));
        }
        if let Some((shape, _)) = contains(keyword) {
            let problem = match (shape, operand) {
                (Contains::List, Value::Array(schemas)) if schemas.is_empty() => {
                    translated!("must not be empty", "no debe estar vacío")
                }
                (Contains::List, Value::Array(_)) | (Contains::Map, Value::Object(_)) | (Contains::Schema, _) => {
                    return self.names_problem(keyword, operand);
                }
                (Contains::List, _) => translated!("must be a list of schemas", "debe ser una lista de esquemas"),
                (Contains::Map, _) => translated!("must be an object of schemas", "debe ser un objeto de esquemas"),
            };
            return Some(problem);
        }
        let problem = match keyword {
            "type" => return type_problem(operand),
            "enum" => (!operand.is_array()).then_some(Translated::new("must be a list", "debe ser una lista")),
            "required" => (!are_names(operand))
                .then_some(Translated::new("must be a list of names", "debe ser una lista de nombres")),
            "dependentRequired" => {
                let is_map = operand.as_object().is_some_and(|fields| fields.values().all(are_names));
                (!is_map).then_some(Translated::new(
                    "must be an object whose values are lists of names",
                    "debe ser un objeto cuyos valores sean listas de nombres",
                ))
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                (!operand.is_number()).then_some(Translated::new("must be a number", "debe ser un número"))
            }
            "multipleOf" => (!is_positive(operand))
                .then_some(Translated::new("must be a number above 0", "debe ser un número mayor que 0")),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
            | "maxContains" => count(operand)
                .is_none()
                .then_some(Translated::new("must be a whole number", "debe ser un número entero")),
            "uniqueItems" => {
                (!operand.is_boolean()).then_some(Translated::new("must be true or false", "debe ser true o false"))
            }
            "pattern" => match operand.as_str() {
                Some(pattern) => self.pattern_problem(pattern),
                None => Some(MUST_BE_STRING),
            },
            "$ref" | "$anchor" => (!operand.is_string()).then_some(MUST_BE_STRING),
            "$schema" => (!is_known_draft(operand)).then_some(Translated::new(
                "must be JSON Schema draft 2020-12, 2019-09, 7 or 6",
                "debe ser JSON Schema draft 2020-12, 2019-09, 7 o 6",
            )),
            "$id" if std::ptr::eq(schema, self.root) => (!operand.is_string()).then_some(MUST_BE_STRING),
            "$id" => Some(Translated::new(
                "schemas within a schema cannot have an `$id` here; move them to `$defs` and remove it",
                "aquí los esquemas dentro de un esquema no pueden tener `$id`; muévalos a `$defs` y quítelo",
            )),
            "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef" | "$recursiveAnchor" => Some(Translated::new(
                "dynamic references are not supported here; use `$ref`",
                "aquí no se admiten referencias dinámicas; use `$ref`",
            )),
            "unevaluatedProperties" | "unevaluatedItems" => Some(Translated::new(
                "is not supported here; use `additionalProperties` or `items`",
                "no se admite aquí; use `additionalProperties` o `items`",
            )),
            "dependencies" => Some(Translated::new(
                "is not supported here; use `dependentRequired` or `dependentSchemas`",
                "no se admite aquí; use `dependentRequired` o `dependentSchemas`",
            )),
            "additionalItems" => Some(Translated::new(
                "is not supported here; use `prefixItems` with `items`",
                "no se admite aquí; use `prefixItems` con `items`",
            )),
            "nullable" => Some(Translated::new(
                "is not supported here; write `\"type\": [\"string\", \"null\"]` or `anyOf`",
                "no se admite aquí; escriba `\"type\": [\"string\", \"null\"]` o `anyOf`",
            )),
            // These keywords do not affect validation.
            "const" | "format" | "title" | "description" | "default" | "example" | "examples" | "$comment"
            | "$vocabulary" | "deprecated" | "readOnly" | "writeOnly" | "contentMediaType" | "contentEncoding"
            | "contentSchema" | "discriminator" => None,
            extension if extension.starts_with("x-") => None,
            _ => Some(Translated::new(
                "is not a keyword of JSON Schema that is supported here; remove it, or begin its name with `x-`",
                "no es una palabra clave de JSON Schema que se admita aquí; quítela, o empiece su nombre por `x-`",
            )),
        };
        problem.map(Into::into)
    }

    /// The property names of `patternProperties` are patterns.
    fn names_problem(&mut self, keyword: &str, operand: &Value) -> Option<Translated<String>> {
        let patterns = operand.as_object().filter(|_| keyword == "patternProperties")?;
        patterns.keys().find_map(|pattern| {
            self.pattern_problem(pattern).map(|problem| problem.map(|text| format!("`{}`: {text}", shorten(pattern))))
        })
    }

    fn pattern_problem(&mut self, pattern: &str) -> Option<Translated> {
        self.patterns += 1;
        if self.patterns > MAX_PATTERNS {
            return Some(Translated::new(
                "a schema can have at most 200 patterns; remove some",
                "un esquema puede tener como máximo 200 patrones; quite algunos",
            ));
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
                Some(target) if !self.schemas.contains(&std::ptr::from_ref(target)) => {
                    Translated::new("must refer to a schema", "debe referirse a un esquema")
                }
                Some(_) if self.is_endless(schema, &mut finished) => {
                    Translated::new("refers back to itself without end", "se refiere a sí mismo sin fin")
                }
                Some(_) => continue,
                None if reference.starts_with('#') => {
                    Translated::new("refers to nothing in this schema", "no se refiere a nada de este esquema")
                }
                None => Translated::new(
                    "must begin with `#`: schemas outside of this one are not loaded",
                    "debe empezar por `#`: no se cargan esquemas de fuera de este",
                ),
            };
            self.refuse(&field, problem.map(|text| format!("`{}` {text}", shorten(reference))));
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

const MUST_BE_STRING: Translated = Translated::new("must be a string", "debe ser una cadena");

fn type_problem(operand: &Value) -> Option<Translated<String>> {
    let names = operand.as_array().map_or(std::slice::from_ref(operand), Vec::as_slice);
    let are_known = names.iter().all(|name| name.as_str().is_some_and(|name| TYPES.contains(&name)));
    (!are_known || names.is_empty()).then(|| translated!("one of {}", "uno de {}", TYPES.join(", ")))
}

fn are_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

fn is_known_draft(operand: &Value) -> bool {
    let address = operand.as_str().unwrap_or_default().trim_end_matches('#');
    let path = address.strip_prefix("https://").or(address.strip_prefix("http://")).unwrap_or_default();
    path.strip_prefix("json-schema.org/").is_some_and(|draft| DRAFTS.contains(&draft))
}
