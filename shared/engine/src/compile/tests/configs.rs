//! Tests of node configurations.

use serde_json::json;

use super::*;

#[test]
fn references_of_invalid_configurations_are_not_looked_up() {
    let credential = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
    let nodes = [
        ("long", "model", json!({"model": "m".repeat(1_025), "prompt": "hi"})),
        ("call", "http", json!({"url": "https://example.com", "credentialId": credential, "timeoutMs": 5})),
    ];
    let graph = graph(&nodes, "");
    let mut compiled = crate::compile::compile(&graph);
    assert_eq!((compiled.references(), compiled.credentials()), Default::default());
    compiled.require_references(&BTreeSet::new());
    let codes: Vec<_> = compiled.finish().1.into_iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["unreachable", "invalid_config", "unreachable", "invalid_config", "missing_trigger"]);
}

#[test]
fn field_problems_name_the_field() {
    let credential = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
    let nodes = [("call", "http", json!({"url": "https://example.com", "credentialId": credential}))];
    let graph = graph(&nodes, "");
    let mut compiled = crate::compile::compile(&graph);
    compiled.report_fields(Severity::Error, "credential_gone", |step| {
        Some((step.credential?.1, Translated::untranslated("it does not exist")))
    });
    let problem = compiled.finish().1.into_iter().find(|problem| problem.code == "credential_gone").unwrap();
    assert_eq!(problem.field.as_deref(), Some("config.credentialId"));
    assert_eq!(problem.message.en, "node `call`, config.credentialId: it does not exist");
}

#[test]
fn constant_conditions_must_be_bools() {
    let reported = |text: &str| {
        let nodes =
            [("start", "input", json!({})), ("if", "condition", expression(text)), ("end", "send_result", json!({}))];
        found(&nodes, "start>if if.true>end")
    };
    let problem = "invalid_expression: node `if`, config.expression, line 1, column 1: a condition must be true or false, but this is always a";
    for (text, kind) in [("\"yes\"", "string"), ("1", "int"), ("null", "null"), ("[input.x]", "list"), ("{}", "map")] {
        assert_eq!(reported(text), [format!("{problem} {kind}")]);
    }
    for text in ["true", "input.x", "input.x == 'yes'"] {
        assert_eq!(reported(text), Vec::<String>::new());
    }
}

#[test]
fn http_nodes_need_a_valid_url_and_headers_without_line_breaks() {
    let reported = |url: &str, header: &str| {
        let call = json!({"url": url, "headers": {"x-a": header}});
        let nodes = [("start", "input", json!({})), ("call", "http", call), ("end", "send_result", json!({}))];
        found(&nodes, "start>call call>end")
            .into_iter()
            .map(|line| line.replace("invalid_config: node `call`, config.", ""))
            .collect::<Vec<_>>()
    };
    let invalid = [
        "http://",
        "http:// x",
        "https://x ",
        "http:// {{ input.a }}",
        "https://?{{ input.a }}",
        "",
        "ftp://x",
        "example.com/{{ input.a }}",
    ];
    for url in invalid {
        let problem = "url: must be a valid URL that begins with http:// or https://";
        assert_eq!(reported(url, "a"), [problem], "{url}");
    }
    for url in [
        "{{ input.a }}",
        "{% if input.a %}https://a{% else %}https://b{% endif %}",
        "https://{{ input.a }}/x",
        "https://a.b/{{ input.a }} c",
    ] {
        assert_eq!(
            reported(url, "a\t{{ input.b\n }}{%- if input.c -%}\n c {%- endif %}"),
            Vec::<String>::new(),
            "{url}"
        );
    }
    assert_eq!(
        reported("https://a.b/{order}/{{ input.a }}", "a"),
        [
            "literal_braces: node `call`, config.url: `{order}` is sent as it is; a placeholder is an expression in double \
             braces, such as `{{ input.order }}`"
        ]
    );
    assert_eq!(
        reported("https://a.b/bot{credential}/x", "a"),
        ["literal_braces: node `call`, config.url: `{credential}` is the place for a credential of the type `path`; \
             select one"]
    );
    for header in ["a\nb", "a\r", "{{ input.a }}\nx-b: c", "\0"] {
        assert_eq!(
            reported("https://a.b", header),
            ["headers.x-a: contains a control character; remove line breaks"],
            "{header:?}"
        );
    }
}

#[test]
fn duplicate_and_reserved_case_names_are_refused() {
    let case = |name: &str| json!({"name": name, "expression": "true"});
    let cases = json!({"cases": [case("a"), case("b"), case("a"), case("error")]});
    let nodes = [("start", "input", json!({})), ("way", "switch", cases), ("end", "send_result", json!({}))];
    let reported = [
        "invalid_config: node `way`, config.cases[2].name: there is already a case `a`; rename this one",
        "invalid_config: node `way`, config.cases[3].name: `error` is the name of another port; rename the case",
    ];
    assert_eq!(found(&nodes, "start>way way.a>end way.b>end way.default>end"), reported);
}

#[test]
fn integers_may_be_written_as_floats() {
    let end = ("end", "send_result", json!({}));
    let of = |seconds: Value, attempts: Value| {
        let call = json!({"url": "https://a.b", "retry": {"maxAttempts": attempts, "backoffMs": 0, "maxBackoffMs": 0}});
        [
            ("start", "input", json!({})),
            ("wait", "delay", json!({"seconds": seconds})),
            ("call", "http", call),
            end.clone(),
        ]
    };
    let connections = "start>wait wait>call call>end";
    let plan = compile(&graph(&of(json!(60.0), json!(3.0)), connections)).0.unwrap();
    assert_eq!(plan.steps[1].config["seconds"], json!(60));
    assert_eq!(plan.steps[2].config["retry"]["maxAttempts"], json!(3));
    let reported = found(&of(json!(60.5), json!(11.0)), connections);
    let expected = ["wait`, config.seconds: must be a whole number", "call`, config.retry.maxAttempts: at most 10"];
    assert_eq!(reported, expected.map(|reported| format!("invalid_config: node `{reported}")));
    assert_eq!(
        found(&of(json!(1e300), json!(1)), connections),
        ["invalid_config: node `wait`, config.seconds: at most 2592000"]
    );
}

#[test]
fn invalid_input_schemas_are_reported() {
    let reported = |schema: Value| {
        let nodes = [("start", "input", json!({"schema": schema})), ("end", "send_result", json!({}))];
        let reported = found(&nodes, "start>end").into_iter();
        reported.map(|line| line.replace("invalid_config: node `start`, config.schema", "")).collect::<Vec<_>>()
    };
    let types = "one of null, boolean, integer, number, string, array, object";
    assert_eq!(
        reported(json!({"type": "nope", "pattern": "(", "minimumLength": 1})),
        [
            ".minimumLength: is not a keyword of JSON Schema that is supported here; remove it, or begin its name with `x-`".to_owned(),
            ".pattern: this pattern cannot be read, or is too large; simplify it".to_owned(),
            format!(".type: {types}"),
        ]
    );
    assert_eq!(reported(json!({"type": []})), [format!(".type: {types}")]);
    assert_eq!(
        reported(
            json!({"properties": {"a": {"items": 1, "minimum": "x"}, "b": []}, "required": "a", "oneOf": {}, "maxItems": -1})
        ),
        [
            ".maxItems: must be a whole number",
            ".oneOf: must be a list of schemas",
            ".properties.a.items: must be a schema: an object, true or false",
            ".properties.a.minimum: must be a number",
            ".properties.b: must be a schema: an object, true or false",
            ".required: must be a list of names",
        ]
    );
    let sound = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": ["object", "null"], "required": ["a"],
        "properties": {"a": {"type": "string", "enum": ["x"], "format": "date", "title": "A"}, "b": {"items": {"type": "integer"}}},
        "additionalProperties": {"oneOf": [{"type": "null"}, {}]},
    });
    assert_eq!(reported(sound), Vec::<String>::new());
    let many: serde_json::Map<_, _> = (0..1_000).map(|n| (format!("k{n}"), json!(1))).collect();
    assert!(reported(Value::Object(many)).len() < 25);
}
