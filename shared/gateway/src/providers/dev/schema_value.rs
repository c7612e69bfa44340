//! Generates a value that is valid for a JSON schema, with a given text for its strings.

use serde_json::{Map, Number, Value, json};

use domain::text::shorten;

/// Maximum nesting depth, because schemas may refer to themselves.
const MAX_DEPTH: usize = 24;
/// From this depth on, optional properties and items are left out.
const SHALLOW: usize = 4;
/// Unsupported keywords: their values cannot be generated keyword by keyword.
const UNSUPPORTED_KEYWORDS: [&str; 9] = [
    "pattern",
    "not",
    "if",
    "contains",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "unevaluatedProperties",
];

/// Generates the value, or returns why it cannot.
pub fn generate_value(schema: &Value, text: &str) -> Result<Value, String> {
    Generator { root: schema, text }.make(schema, 0)
}

struct Generator<'a> {
    root: &'a Value,
    text: &'a str,
}

impl Generator<'_> {
    fn make(&self, schema: &Value, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err("the schema nests too deep".to_owned());
        }
        let fields = match schema {
            Value::Bool(true) => return Ok(json!(self.text)),
            Value::Object(fields) => fields,
            _ => return Err("the schema accepts no value".to_owned()),
        };
        if let Some(keyword) = UNSUPPORTED_KEYWORDS.iter().find(|name| fields.contains_key(**name)) {
            return Err(format!("the development model does not support the keyword `{keyword}`"));
        }
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            let target = target.ok_or_else(|| format!("{} is not defined in the schema", shorten(reference)))?;
            return self.make(target, depth + 1);
        }
        if let Some(value) = fields.get("const") {
            return Ok(value.clone());
        }
        if let Some(value) = fields.get("enum").and_then(Value::as_array) {
            return value.first().cloned().ok_or_else(|| "an empty enum accepts no value".to_owned());
        }
        if let Some(all) = fields.get("allOf").and_then(Value::as_array) {
            return self.make(&merged(fields, all), depth + 1);
        }
        let choices = ["anyOf", "oneOf"].iter().find_map(|name| fields.get(*name)?.as_array());
        if let Some(choices) = choices {
            let made = choices.iter().map(|choice| self.make(choice, depth + 1));
            return made.reduce(Result::or).unwrap_or_else(|| Err("an empty choice accepts no value".to_owned()));
        }
        match kind(fields) {
            "object" => self.object(fields, depth),
            "array" => self.array(fields, depth),
            "string" => Ok(Value::String(self.string(fields))),
            "integer" => number(fields, true),
            "number" => number(fields, false),
            "boolean" => Ok(Value::Bool(true)),
            "null" => Ok(Value::Null),
            other => Err(format!("{} is not a type", shorten(other))),
        }
    }

    fn object(&self, fields: &Map<String, Value>, depth: usize) -> Result<Value, String> {
        let required = fields.get("required").and_then(Value::as_array);
        let required: Vec<_> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let mut object = Map::new();
        for (name, property) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_required = required.contains(&name.as_str());
            if !is_required && depth >= SHALLOW {
                continue;
            }
            match self.make(property, depth + 1) {
                Ok(value) => object.insert(name.clone(), value),
                Err(why) if is_required => return Err(why),
                Err(_) => None,
            };
        }
        let others = fields.get("additionalProperties").unwrap_or(&Value::Bool(true));
        for name in required {
            if !object.contains_key(name) {
                object.insert(name.to_owned(), self.make(others, depth + 1)?);
            }
        }
        Ok(Value::Object(object))
    }

    fn array(&self, fields: &Map<String, Value>, depth: usize) -> Result<Value, String> {
        let least = size(fields, "minItems").unwrap_or(usize::from(depth < SHALLOW));
        let most = size(fields, "maxItems").unwrap_or(usize::MAX);
        let firsts = fields.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let wanted = least.max(firsts.len()).min(most);
        if wanted > 1_000 || (wanted > 1 && fields.get("uniqueItems") == Some(&Value::Bool(true))) {
            return Err("the development model does not support long lists or lists of unique items".to_owned());
        }
        let others = fields.get("items").unwrap_or(&Value::Bool(true));
        let items = (0..wanted).map(|i| self.make(firsts.get(i).unwrap_or(others), depth + 1));
        match items.collect() {
            Err(_) if size(fields, "minItems").unwrap_or(0) == 0 => Ok(json!([])),
            made => made.map(Value::Array),
        }
    }

    fn string(&self, fields: &Map<String, Value>) -> String {
        let fixed = match fields.get("format").and_then(Value::as_str) {
            Some("date-time") => "2026-01-01T00:00:00Z",
            Some("date") => "2026-01-01",
            Some("time") => "00:00:00Z",
            Some("duration") => "PT1H",
            Some("email" | "idn-email") => "dev@example.com",
            Some("hostname" | "idn-hostname") => "example.com",
            Some("ipv4") => "192.0.2.1",
            Some("ipv6") => "2001:db8::1",
            Some("uri" | "iri" | "uri-reference" | "iri-reference") => "https://example.com/",
            Some("uuid") => "00000000-0000-4000-8000-000000000000",
            _ => self.text,
        };
        let most = size(fields, "maxLength").unwrap_or(usize::MAX);
        let mut text: String = fixed.chars().take(most).collect();
        let least = size(fields, "minLength").unwrap_or(0).min(10_000);
        text.extend(std::iter::repeat_n('.', least.saturating_sub(text.chars().count())));
        text
    }
}

/// Returns the type of a schema: the declared one, the first declared one that is not null, or one inferred from the
/// keywords.
fn kind(fields: &Map<String, Value>) -> &str {
    let has = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
    match fields.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if has(&["properties", "required", "additionalProperties"]) => "object",
        _ if has(&["items", "prefixItems", "minItems"]) => "array",
        _ if has(&["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"]) => "number",
        _ => "string",
    }
}

/// Returns a number that satisfies the schema: zero if possible, else one near a bound.
fn number(fields: &Map<String, Value>, is_whole: bool) -> Result<Value, String> {
    let bound = |name: &str| fields.get(name).and_then(Value::as_f64);
    let step = bound("multipleOf").unwrap_or(if is_whole { 1.0 } else { 0.0 });
    let above = bound("exclusiveMinimum").unwrap_or(f64::NEG_INFINITY);
    let below = bound("exclusiveMaximum").unwrap_or(f64::INFINITY);
    let (least, most) = (bound("minimum").unwrap_or(f64::NEG_INFINITY), bound("maximum").unwrap_or(f64::INFINITY));
    let fits = |number: &f64| {
        (least..=most).contains(number) && *number > above && *number < below && (!is_whole || number.fract() == 0.0)
    };
    let (low, high) = (least.max(above), most.min(below));
    let candidates = if step > 0.0 {
        let (up, down) = ((low / step).ceil(), (high / step).floor());
        [0.0, up * step, (up + 1.0) * step, down * step, (down - 1.0) * step]
    } else {
        [0.0, low, high, low + 1.0, low.midpoint(high)]
    };
    let found = candidates.into_iter().find(fits).ok_or("no number is valid for the schema")?;
    if found.fract() == 0.0 && found.abs() < 9e15 {
        return Ok(json!(found as i64));
    }
    Number::from_f64(found).map(Value::Number).ok_or_else(|| "no number is valid for the schema".to_owned())
}

fn size(fields: &Map<String, Value>, name: &str) -> Option<usize> {
    fields.get(name).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok())
}

/// Merges the schemas of `allOf`. Properties and required names are united; of other keywords the last one wins.
fn merged(fields: &Map<String, Value>, all: &[Value]) -> Value {
    let mut merged_schema = fields.clone();
    merged_schema.remove("allOf");
    for (name, value) in all.iter().filter_map(Value::as_object).flatten() {
        match (merged_schema.get_mut(name), value) {
            (Some(Value::Object(own)), Value::Object(more)) if name == "properties" => own.extend(more.clone()),
            (Some(Value::Array(own)), Value::Array(more)) if name == "required" => own.extend(more.iter().cloned()),
            _ => _ = merged_schema.insert(name.clone(), value.clone()),
        }
    }
    Value::Object(merged_schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(schema: Value) -> Value {
        generate_value(&schema, "hello").unwrap()
    }

    #[test]
    fn generated_values_satisfy_each_keyword() {
        let cases = [
            (json!({"type": "string"}), json!("hello")),
            (json!({"type": "string", "maxLength": 2}), json!("he")),
            (json!({"type": "string", "minLength": 7}), json!("hello..")),
            (json!({"type": ["null", "integer"], "minimum": 3}), json!(3)),
            (json!({"type": "integer", "exclusiveMinimum": 3, "multipleOf": 5}), json!(5)),
            (json!({"type": "integer", "maximum": -7}), json!(-7)),
            (json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}), json!(0.5)),
            (json!({"enum": ["red", "blue"]}), json!("red")),
            (json!({"const": [1]}), json!([1])),
            (json!({"type": "array", "items": {"type": "boolean"}, "minItems": 2}), json!([true, true])),
            (json!({"anyOf": [{"type": "string", "pattern": "x"}, {"type": "null"}]}), Value::Null),
            (json!({"type": "string", "format": "date"}), json!("2026-01-01")),
            (json!(true), json!("hello")),
        ];
        for (schema, expected) in cases {
            assert_eq!(made(schema.clone()), expected, "{schema}");
        }
    }

    #[test]
    fn objects_references_and_recursion_are_generated() {
        let schema = json!({
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}},
            "required": ["tree", "n"],
            "$defs": {"node": {
                "type": "object",
                "properties": {
                    "value": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
                "required": ["value", "children"],
            }},
        });
        let value = made(schema);
        assert_eq!((&value["n"], &value["tree"]["value"]), (&json!(0), &json!("hello")));
        assert!(value["tree"]["children"].is_array());
        let all = json!({"allOf": [
            {"properties": {"a": {"type": "null"}}, "required": ["a"]},
            {"properties": {"b": {"type": "boolean"}}, "required": ["b"]},
        ]});
        assert_eq!(made(all), json!({"a": null, "b": true}));
    }

    #[test]
    fn unsupported_schemas_are_refused() {
        let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
        for schema in
            [json!({"pattern": "^a+$"}), json!(false), endless, json!({"type": "integer", "minimum": 2, "maximum": 1})]
        {
            assert!(generate_value(&schema, "hello").is_err(), "{schema}");
        }
    }
}
