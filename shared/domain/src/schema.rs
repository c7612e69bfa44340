//! Checks documents against the limits of the published schema of their type: lengths, ranges, counts, patterns. So a limit
//! is written once, in the `#[schema(…)]` of its field. Types and the names of fields are checked by serde.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use regex_lite::Regex;
use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, ArrayItems, Object, ObjectBuilder, OneOfBuilder, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{Number, PartialSchema, ToSchema};

use crate::body_problem::{BodyProblem, MOST_PROBLEMS};
use crate::body_problems::within;
use crate::{Error, Result};

/// The pattern of a text that has more than whitespace.
pub const NOT_BLANK: &str = r"[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";
/// The pattern of a text without control characters, such as a value of a header.
pub const ONE_LINE: &str = r"^[^\x00-\x1f\x7f-\x9f]*$";
/// The pattern of a text to display: one line that has more than whitespace.
pub const TITLE: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00-\x1f\x7f-\x9f]*$";

/// Refuses a value that is outside of the limits of its schema. The error lists the fields.
pub fn check<T: Serialize + ToSchema + 'static>(value: &T) -> Result<()> {
    check_document::<T>(&serde_json::to_value(value).map_err(Error::internal)?)
}

/// Refuses a document that is outside of the limits of the schema of `T`.
pub fn check_document<T: ToSchema + 'static>(document: &Value) -> Result<()> {
    let definition = definition::<T>();
    let found = definition.check(&definition.root, document, "").limits;
    if found.is_empty() { Ok(()) } else { Err(Error::invalid_fields(found)) }
}

/// Refuses a text that is outside of the limits of the schema of `T`, such as a name in a path.
pub fn check_text<T: ToSchema + 'static>(field: &str, text: &str) -> Result<()> {
    check_document::<T>(&text.into()).map_err(|error| within(field, error))
}

/// Declares the schemas of texts that several types have, or whose limits are constants: the minimum and maximum number of
/// characters, and a pattern with its meaning. A field names its schema by `value_type`.
#[macro_export]
macro_rules! text_schemas {
    ($($(#[$doc:meta])* $name:ident($least:expr, $most:expr $(, $pattern:expr, $meaning:literal)?);)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let text = utoipa::openapi::ObjectBuilder::new().schema_type(utoipa::openapi::Type::String);
                let text = text.min_length(Some($least)).max_length(Some($most));
                $(let text = text.pattern(Some($pattern)).title(Some($meaning));)?
                text.into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+};
}

text_schemas! {
    /// A text to display.
    Title(1, 200, TITLE, "one line that is not blank");
    LongTitle(1, 500, TITLE, "one line that is not blank");
}

/// The schema of an object with at most `MOST` fields, whose values are `T`.
pub struct MapOf<T, const MOST: usize>(PhantomData<T>);

impl<T: ToSchema, const MOST: usize> PartialSchema for MapOf<T, MOST> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().max_properties(Some(MOST)).additional_properties(Some(T::schema())).into()
    }
}

impl<T: ToSchema, const MOST: usize> ToSchema for MapOf<T, MOST> {
    fn name() -> Cow<'static, str> {
        format!("{}Map", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

/// The schema of a merge patch for an object: every field may be omitted, and null resets it.
pub struct PatchOf<T>(PhantomData<T>);

impl<T: PartialSchema> PartialSchema for PatchOf<T> {
    fn schema() -> RefOr<Schema> {
        let RefOr::T(Schema::Object(mut object)) = T::schema() else { return T::schema() };
        object.title = object.title.map(|title| format!("{title}Patch"));
        object.description = Some("The fields to change. Null resets a field to its default.".to_owned());
        object.required.clear();
        for (_, field) in &mut object.properties {
            match field {
                RefOr::T(Schema::Object(Object { schema_type, .. }) | Schema::Array(Array { schema_type, .. })) => {
                    if let SchemaType::Type(of) = schema_type {
                        *schema_type = SchemaType::Array(vec![of.clone(), Type::Null]);
                    }
                }
                RefOr::Ref(_) => {
                    let null = ObjectBuilder::new().schema_type(Type::Null);
                    *field = OneOfBuilder::new().item(null).item(field.clone()).into();
                }
                RefOr::T(_) => {}
            }
        }
        object.into()
    }
}

impl<T: ToSchema> ToSchema for PatchOf<T> {
    fn name() -> Cow<'static, str> {
        format!("{}PatchIn", T::name().trim_end_matches("In")).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

/// The schema of a type, and the schemas that it refers to by name.
struct Definition {
    root: RefOr<Schema>,
    named: HashMap<String, RefOr<Schema>>,
}

/// The definition of a type. It is built once for each type, of which there are few.
fn definition<T: ToSchema + 'static>() -> &'static Definition {
    static BUILT: Mutex<Option<HashMap<TypeId, &'static Definition>>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    built.get_or_insert_default().entry(TypeId::of::<T>()).or_insert_with(|| {
        let mut named = Vec::new();
        T::schemas(&mut named);
        Box::leak(Box::new(Definition { root: T::schema(), named: named.into_iter().collect() }))
    })
}

/// What is wrong with a value.
#[derive(Default)]
struct Found {
    limits: Vec<BodyProblem>,
    /// The value has another type or other fields, so another variant of its schema describes it.
    is_other: bool,
}

impl Found {
    fn other() -> Self {
        Self { is_other: true, ..Self::default() }
    }

    fn add(&mut self, at: &str, problem: impl std::fmt::Display) {
        self.limits.push(BodyProblem::new(at, &problem.to_string()));
    }

    fn extend(&mut self, found: Self) {
        self.is_other |= found.is_other;
        self.limits.extend(found.limits);
        self.limits.truncate(MOST_PROBLEMS);
    }
}

impl Definition {
    fn check(&'static self, schema: &'static RefOr<Schema>, value: &Value, at: &str) -> Found {
        match schema {
            RefOr::Ref(reference) => {
                let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
                let named = self.named.get(name);
                named.map_or_else(Found::default, |schema| self.check(schema, value, at))
            }
            RefOr::T(Schema::Object(object)) => self.check_object(object, value, at),
            RefOr::T(Schema::Array(array)) => self.check_array(array, value, at),
            RefOr::T(Schema::AllOf(all)) => all.items.iter().fold(Found::default(), |mut found, schema| {
                found.extend(self.check(schema, value, at));
                found
            }),
            RefOr::T(Schema::OneOf(one)) => self.check_variants(&one.items, value, at),
            RefOr::T(Schema::AnyOf(any)) => self.check_variants(&any.items, value, at),
            RefOr::T(_) => Found::default(),
        }
    }

    /// What is wrong with a value by the variant that describes it.
    fn check_variants(&'static self, variants: &'static [RefOr<Schema>], value: &Value, at: &str) -> Found {
        let mut found = variants.iter().map(|variant| self.check(variant, value, at)).filter(|found| !found.is_other);
        let first = found.next().unwrap_or_else(Found::other);
        if first.limits.is_empty() || found.any(|other| other.limits.is_empty()) {
            Found { limits: Vec::new(), ..first }
        } else {
            first
        }
    }

    fn check_array(&'static self, array: &'static Array, value: &Value, at: &str) -> Found {
        let Value::Array(items) = value else {
            return Found { is_other: !allows(&array.schema_type, value), ..Found::default() };
        };
        let mut found = Found::default();
        if let Some(problem) = count_problem(items.len(), array.min_items, array.max_items, ["entry", "entries"]) {
            found.add(at, problem);
            return found;
        }
        if let ArrayItems::RefOrSchema(schema) = &array.items {
            for (index, item) in items.iter().enumerate() {
                found.extend(self.check(schema, item, &format!("{at}[{index}]")));
            }
        }
        found
    }

    fn check_object(&'static self, object: &'static Object, value: &Value, at: &str) -> Found {
        let is_listed = object.enum_values.as_ref().is_none_or(|values| values.contains(value));
        if !allows(&object.schema_type, value) || !is_listed {
            return Found::other();
        }
        let mut found = Found::default();
        match value {
            Value::String(text) => {
                let length = text.chars().count();
                if let Some(problem) =
                    count_problem(length, object.min_length, object.max_length, ["character", "characters"])
                {
                    found.add(at, problem);
                } else if let Some(pattern) = object.pattern.as_deref().filter(|pattern| !matches(pattern, text)) {
                    match &object.title {
                        Some(meaning) => found.add(at, format_args!("must be {meaning}")),
                        None => found.add(at, format_args!("must match the pattern {pattern}")),
                    }
                }
            }
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                if let Some(problem) = range_problem(number, object.minimum.as_ref(), object.maximum.as_ref()) {
                    found.add(at, problem);
                }
            }
            Value::Object(fields) => {
                found.is_other = object.required.iter().any(|name| !fields.contains_key(name));
                if let Some(problem) =
                    count_problem(fields.len(), object.min_properties, object.max_properties, ["field", "fields"])
                {
                    found.add(at, problem);
                    return found;
                }
                for (name, value) in fields {
                    match (object.properties.get(name), object.additional_properties.as_deref()) {
                        (Some(schema), _) | (None, Some(AdditionalProperties::RefOr(schema))) => {
                            let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                            found.extend(self.check(schema, value, &at))
                        }
                        (None, Some(AdditionalProperties::FreeForm(false))) => found.is_other = true,
                        (None, _) => {}
                    }
                }
            }
            _ => {}
        }
        found
    }
}

/// Whether a text matches a pattern, which is compiled once.
fn matches(pattern: &'static str, text: &str) -> bool {
    static COMPILED: Mutex<BTreeMap<&str, Regex>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || Regex::new(pattern).expect("a pattern of our schemas");
    let pattern = compiled.entry(pattern).or_insert_with(compile).clone();
    drop(compiled);
    pattern.is_match(text)
}

fn allows(allowed: &SchemaType, value: &Value) -> bool {
    let is_of = |of: &Type| match of {
        Type::Object => value.is_object(),
        Type::String => value.is_string(),
        Type::Integer | Type::Number => value.is_number(),
        Type::Boolean => value.is_boolean(),
        Type::Array => value.is_array(),
        Type::Null => value.is_null(),
    };
    match allowed {
        SchemaType::Type(of) => is_of(of),
        SchemaType::Array(of) => of.iter().any(is_of),
        SchemaType::AnyValue => true,
    }
}

fn count_problem(count: usize, least: Option<usize>, most: Option<usize>, [one, many]: [&str; 2]) -> Option<String> {
    let is_within = least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most);
    let least = least.filter(|least| *least > 0);
    match (least, most) {
        _ if is_within => None,
        (Some(least), Some(most)) => Some(format!("{least} to {most} {many}")),
        (None, Some(most)) => Some(format!("at most {most} {many}")),
        (Some(1), None) => Some(format!("at least 1 {one}")),
        (least, None) => Some(format!("at least {} {many}", least.unwrap_or_default())),
    }
}

fn range_problem(number: f64, least: Option<&Number>, most: Option<&Number>) -> Option<String> {
    let value = |limit: &Number| match limit {
        Number::Int(limit) => *limit as f64,
        Number::UInt(limit) => *limit as f64,
        Number::Float(limit) => *limit,
    };
    let (least, most) = (least.map(value), most.map(value));
    match (least, most) {
        _ if least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most) => None,
        (Some(least), Some(most)) => Some(format!("between {least} and {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, most) => Some(format!("at most {}", most.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    type Labels = MapOf<Title, 1>;

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Order {
        #[schema(value_type = Title)]
        name: String,
        #[schema(minimum = 1, maximum = 3)]
        count: Option<u32>,
        #[schema(min_items = 1, max_items = 2, max_length = 2, pattern = "^[a-z]+$")]
        tags: Option<Vec<String>>,
        #[schema(value_type = Option<Labels>)]
        labels: Option<BTreeMap<String, String>>,
        pay: Option<Pay>,
    }

    #[derive(ToSchema)]
    #[serde(tag = "type", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Pay {
        Card {
            #[schema(max_length = 4)]
            code: String,
        },
        Cash {
            #[schema(max_length = 8)]
            code: String,
        },
    }

    fn problems(document: Value) -> String {
        check_document::<Order>(&document).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn values_outside_of_their_limits_are_named_and_others_are_not() {
        let fine = json!({"name": "x", "count": 3, "tags": ["ab", "c"], "labels": {"a": "b"}, "pay": {"type": "cash", "code": "12345678"}});
        assert_eq!(problems(fine), "");
        for (document, expected) in [
            (json!({"name": ""}), "name: 1 to 200 characters"),
            (json!({"name": " \u{2003}"}), "name: must be one line that is not blank"),
            (json!({"name": "a\nb"}), "name: must be one line that is not blank"),
            (json!({"name": "x", "count": 0}), "count: between 1 and 3"),
            (json!({"name": "x", "count": 4}), "count: between 1 and 3"),
            (json!({"name": "x", "tags": []}), "tags: 1 to 2 entries"),
            (json!({"name": "x", "tags": ["a", "abc"]}), "tags[1]: at most 2 characters"),
            (json!({"name": "x", "tags": ["A"]}), "tags[0]: must match the pattern ^[a-z]+$"),
            (json!({"name": "x", "labels": {"a": "b", "c": "d"}}), "labels: at most 1 fields"),
            (json!({"name": "x", "labels": {"a": ""}}), "labels.a: 1 to 200 characters"),
            (json!({"name": "x", "pay": {"type": "card", "code": "12345"}}), "pay.code: at most 4 characters"),
            (json!({"name": "", "count": 0}), "name: 1 to 200 characters; count: between 1 and 3"),
        ] {
            assert_eq!(problems(document.clone()), expected, "{document}");
        }
        assert_eq!(problems(json!({"name": "x", "count": null, "pay": {"type": "coin"}})), "", "serde checks types");
    }

    #[test]
    fn a_patch_may_omit_and_reset_every_field_within_the_limits() {
        let schema = serde_json::to_value(PatchOf::<Order>::schema()).unwrap();
        assert_eq!(schema["properties"]["count"]["type"], json!(["integer", "null"]));
        assert!(schema.get("required").is_none(), "{schema}");
        let check = |document: Value| check_document::<PatchOf<Order>>(&document).map_err(|error| error.to_string());
        assert_eq!(check(json!({"name": null, "tags": null})), Ok(()));
        assert_eq!(check(json!({"name": ""})), Err("name: 1 to 200 characters".to_owned()));
    }
}
