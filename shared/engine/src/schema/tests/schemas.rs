//! Tests of schemas that common tools generate, and of schemas that are refused.

use super::*;

/// A schema as Pydantic 2 generates it, for a model with an optional field, a nested model, a recursive one and a
/// tagged union.
fn pydantic() -> Value {
    json!({
        "$defs": {
            "Cat": {
                "properties": {"kind": {"const": "cat", "title": "Kind", "type": "string"}, "lives": {"type": "integer"}},
                "required": ["kind", "lives"], "title": "Cat", "type": "object",
            },
            "Dog": {
                "properties": {"kind": {"const": "dog", "title": "Kind", "type": "string"}, "good": {"default": true, "type": "boolean"}},
                "required": ["kind"], "title": "Dog", "type": "object",
            },
            "Node": {
                "properties": {
                    "value": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.1},
                    "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}], "default": null},
                },
                "required": ["value"], "title": "Node", "type": "object",
            },
        },
        "properties": {
            "name": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}], "default": null, "title": "Name"},
            "pet": {
                "discriminator": {"mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}, "propertyName": "kind"},
                "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
            },
            "chain": {"$ref": "#/$defs/Node", "description": "A linked list"},
            "pair": {"maxItems": 2, "minItems": 2, "prefixItems": [{"type": "integer"}, {"type": "string"}], "type": "array"},
            "tags": {"items": {"type": "string"}, "type": "array", "uniqueItems": true},
            "at": {"format": "date-time", "type": "string"},
        },
        "required": ["pet"], "title": "Owner", "type": "object",
    })
}

#[test]
fn schemas_of_pydantic_are_supported() {
    let schema = pydantic();
    let sound = json!({
        "name": null, "pet": {"kind": "cat", "lives": 9.0}, "pair": [1, "a"], "tags": ["a", "b"], "at": "whenever",
        "chain": {"value": 0.3, "next": {"value": 7, "next": null}},
    });
    assert_eq!(violations(&schema, &sound), [""; 0]);
    let wrong = json!({
        "name": "too long", "pet": {"kind": "cat"}, "pair": ["a", 1], "tags": ["a", "b", "a"],
        "chain": {"value": 0.3, "next": {"value": 0.25, "next": {"value": 0}}},
    });
    assert_eq!(
        violations(&schema, &wrong),
        [
            "value.name: at most 5 characters",
            "value.pet.lives: is missing",
            "value.pair[0]: must be a whole number",
            "value.pair[1]: must be a string",
            "value.tags: must not repeat an entry: [0] and [2] are equal",
            "value.chain.next.value: must be a multiple of 0.1",
            "value.chain.next.next.value: more than 0",
        ]
    );
    assert_eq!(violations(&schema, &json!({"pet": {"kind": "cow"}})), ["value.pet.kind: one of cat, dog"]);
    assert_eq!(violations(&schema, &json!({"pet": {}})), ["value.pet.kind: one of cat, dog"]);
    assert_eq!(violations(&schema, &json!({"pet": 1})), ["value.pet: must be an object"]);
}

#[test]
fn schemas_of_zod_and_structured_outputs_are_supported() {
    let zod = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
        "properties": {
            "id": {"type": "string", "format": "uuid", "pattern": "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$"},
            "count": {"type": "integer", "exclusiveMinimum": 0, "maximum": 9_007_199_254_740_991_i64},
            "by_name": {"type": "object", "propertyNames": {"type": "string", "minLength": 2}, "additionalProperties": {"type": "number"}},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "role": {"type": "string", "const": "admin"},
        },
        "required": ["id", "count"],
    });
    let sound =
        json!({"id": "0199a2c4-7b1e-7c52-9d3f-000000000001", "count": 2.0, "by_name": {"ab": 1.5}, "either": 1});
    assert_eq!(violations(&zod, &sound), [""; 0]);
    assert_eq!(
        violations(&zod, &json!({"id": "x", "count": 0, "by_name": {"a": "b"}, "either": true, "more": 1})),
        [
            "value.more: is not a field of this type; remove it",
            "value.id: must match the pattern ^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-…",
            "value.count: more than 0",
            "value.by_name.a: this name is not allowed here",
            "value.by_name.a: must be a number",
            "value.either: must be a string or a number",
        ]
    );
    let older = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/Root",
        "definitions": {"Root": {"type": "object", "properties": {"self": {"$ref": "#/definitions/Root"}}}},
    });
    assert_eq!(violations(&older, &json!({"self": {"self": 1}})), ["value.self.self: must be an object"]);
}

#[test]
fn one_of_needs_exactly_one_match_and_keeps_its_siblings() {
    let schema = json!({"oneOf": [{"type": "integer"}, {"minimum": 2}], "maximum": 9});
    assert_eq!(violations(&schema, &json!(1)), [""; 0]);
    assert_eq!(violations(&schema, &json!(2.5)), [""; 0]);
    assert_eq!(
        violations(&schema, &json!(3)),
        ["value: matches oneOf[0] and oneOf[1] of its schema, but must match exactly one"]
    );
    assert_eq!(violations(&schema, &json!(9.5)), ["value: at most 9"]);
}

#[test]
fn numbers_are_equal_by_value() {
    for schema in [json!({"enum": [1, "a"]}), json!({"const": 1.0}), json!({"enum": [[1.0], {"a": 1}, 1]})] {
        for value in [json!(1), json!(1.0)] {
            assert_eq!(violations(&schema, &value), [""; 0], "{schema}");
        }
    }
    assert_eq!(violations(&json!({"const": 0}), &json!(-0.0)), [""; 0]);
    assert_eq!(violations(&json!({"const": {"a": [1, 2.0]}}), &json!({"a": [1.0, 2]})), [""; 0]);
    assert!(!violations(&json!({"const": 9_007_199_254_740_993_i64}), &json!(9_007_199_254_740_992.0)).is_empty());
    assert!(!violations(&json!({"uniqueItems": true}), &json!([1, 1.0])).is_empty());
    assert_eq!(violations(&json!({"uniqueItems": true}), &json!([1, true, "1", [1], 0, false])), [""; 0]);
}

#[test]
fn unsupported_schemas_are_refused() {
    let refused = |schema: Value| lines(faults(&schema, "schema")).join("; ");
    for (schema, expected) in [
        (json!(1), "schema: must be a schema: an object, true or false"),
        (
            json!({"unevaluatedProperties": false}),
            "schema.unevaluatedProperties: is not supported here; use `additionalProperties` or `items`",
        ),
        (json!({"$dynamicRef": "#a"}), "schema.$dynamicRef: dynamic references are not supported here; use `$ref`"),
        (
            json!({"$ref": "https://example.com/a"}),
            "schema.$ref: `https://example.com/a` must begin with `#`: schemas outside of this one are not loaded",
        ),
        (json!({"$ref": "#/$defs/a"}), "schema.$ref: `#/$defs/a` refers to nothing in this schema"),
        (json!({"$ref": "#/const", "const": {}}), "schema.$ref: `#/const` must refer to a schema"),
        (json!({"$ref": "#"}), "schema.$ref: `#` refers back to itself without end"),
        (json!({"items": [{}]}), "schema.items: must be a schema; write `prefixItems` for a list of schemas"),
        (
            json!({"pattern": "^(?!a)b"}),
            "schema.pattern: patterns cannot look ahead or behind here; remove `(?=`, `(?!`, `(?<=` and `(?<!`",
        ),
        (
            json!({"pattern": "\\p{L}"}),
            "schema.pattern: patterns have no Unicode classes here; write the characters instead of `\\p{…}`",
        ),
        (
            json!({"pattern": "(((a{99}){99}){99})"}),
            "schema.pattern: this pattern cannot be read, or is too large; simplify it",
        ),
        (
            json!({"patternProperties": {"(": {}}}),
            "schema.patternProperties: `(`: this pattern cannot be read, or is too large; simplify it",
        ),
        (json!({"exclusiveMinimum": true}), "schema.exclusiveMinimum: must be a number"),
        (json!({"multipleOf": 0}), "schema.multipleOf: must be a number above 0"),
        (
            json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
            "schema.$schema: must be JSON Schema draft 2020-12, 2019-09, 7 or 6",
        ),
        (
            json!({"properties": {"a": {"$id": "b"}}}),
            "schema.properties.a.$id: schemas within a schema cannot have an `$id` here; move them to `$defs` and remove it",
        ),
        (
            json!({"minimun": 1}),
            "schema.minimun: is not a keyword of JSON Schema that is supported here; remove it, or begin its name with `x-`",
        ),
        (json!({"allOf": []}), "schema.allOf: must not be empty"),
    ] {
        assert_eq!(refused(schema), expected);
    }
    let circle = json!({"$defs": {"a": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}});
    assert_eq!(refused(circle), "schema.$defs.a.anyOf[1].$ref: `#/$defs/b` refers back to itself without end");
    let chain: serde_json::Map<_, _> =
        (0..20_000).map(|n| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", n + 1)}))).collect();
    let mut chain = json!({"$defs": chain});
    chain["$defs"]["d20000"] = json!({"type": "string"});
    assert_eq!(refused(chain), "", "a long chain of references that ends");
    let many = json!({"allOf": (0..300).map(|n| json!({"pattern": format!("a{n}")})).collect::<Vec<_>>()});
    assert!(refused(many).contains("allOf[200].pattern: a schema can have at most 200 patterns; remove some"));
}
