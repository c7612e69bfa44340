//! Tests of node configurations: expressions are collected, UUIDs are enforced, and whole numbers are converted.

use super::*;

fn config(schema: &Value, value: &Value) -> Findings {
    check_config(schema, value, "config")
}

#[test]
fn expressions_of_the_matching_variant_are_collected() {
    let text = |language: &str| json!({"type": "string", "x-language": language});
    let schema = json!({"properties": {
        "url": text("jinja"),
        "body": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "json"}, "value": text("cel")}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"const": "text"}, "value": text("jinja")}, "required": ["kind"]},
        ]},
        "headers": {"additionalProperties": text("jinja")},
    }});
    let long = "h".repeat(300);
    let found = config(
        &schema,
        &json!({"url": "a", "body": {"kind": "text", "value": "b"}, "headers": {(format!("{long}1")): "c", (format!("{long}2")): "d"}}),
    );
    let expected = [
        ("config.url".to_owned(), ExpressionLanguage::Jinja, "a".to_owned()),
        ("config.body.value".to_owned(), ExpressionLanguage::Jinja, "b".to_owned()),
        (format!("config.headers.{long}1"), ExpressionLanguage::Jinja, "c".to_owned()),
        (format!("config.headers.{long}2"), ExpressionLanguage::Jinja, "d".to_owned()),
    ];
    assert!(found.is_valid());
    assert_eq!(found.expressions, expected, "fields have their full names");
    assert_eq!(
        check_value(&schema, &json!({"url": "a"}), "value").expressions,
        [],
        "schemas of users have no expressions"
    );
}

#[test]
fn formats_are_enforced_in_configurations_only() {
    let schema = json!({"format": "uuid"});
    assert_eq!(lines(config(&schema, &json!("x")).violations), ["config: must be a UUID"]);
    assert_eq!(violations(&schema, &json!("x")), [""; 0]);
}

#[test]
fn whole_floats_become_integers_where_the_schema_is_integer() {
    let schema = json!({
        "$defs": {"count": {"type": "integer"}, "tree": {"properties": {"n": {"$ref": "#/$defs/count"}, "next": {"$ref": "#/$defs/tree"}}}},
        "allOf": [{"properties": {"a": {"type": ["integer", "null"]}}}],
        "properties": {
            "b": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/count"}]},
            "c": {"type": "number"},
            "d": {"prefixItems": [{"type": "number"}, {"type": "integer"}], "items": {"oneOf": [{"type": "integer"}, {"type": "null"}]}},
            "e": {"$ref": "#/$defs/tree"},
        },
        "additionalProperties": {"type": "integer"},
    });
    let mut value = json!({"a": 1.0, "b": -2.0, "c": 3.0, "d": [4.0, 5.0, 6.0], "e": {"n": 7.0, "next": {"n": 8.0}}, "f": 9.0, "g": 1.5});
    convert_whole_floats(&schema, &mut value);
    // `==` of JSON values distinguishes 1 from 1.0.
    assert_eq!(
        value,
        json!({"a": 1, "b": -2, "c": 3.0, "d": [4.0, 5, 6], "e": {"n": 7, "next": {"n": 8}}, "f": 9, "g": 1.5})
    );
}
