//! Tests of the memory limit and of integers in either form.

use allocation_counter::measure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::graph::Graph;

/// The largest body of a request.
const BODY_BYTES: usize = 4 * 1024 * 1024;
/// The most memory that parsing one body may use. A function has 256 MB.
const MOST_BYTES: u64 = 128 * 1024 * 1024;
const ITEMS: [&str; 12] = [
    "[[0]]",
    "[0]",
    "[]",
    "{}",
    "[{}]",
    "{\"a\":0}",
    "{\"a\":{\"a\":{}}}",
    "{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0}",
    "\"\"",
    "\"a\"",
    "0",
    "[0,0,0,0,0]",
];

/// Whether a body is accepted. Asserts that parsing it stays within the memory limit.
fn is_read(body: &str) -> bool {
    let mut read = false;
    let used = measure(|| read = parse::<Value>(body.as_bytes()).is_ok());
    let start: String = body.chars().take(40).collect();
    eprintln!("{read} {:>4} MB for {:>4} MB  {start}", used.bytes_max >> 20, size::tree_bytes(body.as_bytes()) >> 20);
    assert!(used.bytes_max <= MOST_BYTES, "{} MB for {start}", used.bytes_max >> 20);
    read
}

fn list(item: &str, count: usize) -> String {
    format!("{{\"input\":[{}]}}", vec![item; count].join(","))
}

/// A list with as many items as fit into a request.
fn list_of(item: &str) -> String {
    list(item, BODY_BYTES / (item.len() + 1))
}

/// An object with `count` fields.
fn fields(count: usize) -> String {
    let fields: Vec<String> = (0..count).map(|n| format!("\"{n:06}\":0")).collect();
    format!("{{{}}}", fields.join(","))
}

#[test]
fn body_that_takes_too_much_memory_is_refused() {
    for item in ITEMS {
        assert!(!is_read(&list_of(item)), "{item}");
    }
    assert!(!is_read(&fields(BODY_BYTES / 11)));
    let refused = parse::<Value>(list_of("[[0]]").as_bytes()).unwrap_err().to_string();
    assert_eq!(
        refused,
        "body: holds too many values for one request; send fewer objects and lists, or several requests"
    );
    assert_eq!(parse_text(&list_of("[[0]]")), None, "the limit also applies to JSON within a string");
    assert_eq!(parse_text("{\"a\": 1}"), Some(json!({"a": 1})));
    let refused = parse::<Graph>(list_of("[[0]]").as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("too many values"), "the limit applies to every type: {refused}");
}

#[test]
fn estimated_size_bounds_memory_for_every_kind_of_value() {
    for item in ITEMS {
        let each = size::tree_bytes(format!(",{item}").as_bytes()) - size_of::<Value>();
        let count = size::MOST_TREE_BYTES / each - 20;
        assert!(is_read(&list(item, count)), "{item}");
        assert!(!is_read(&list(item, count + 40)), "{item}");
    }
    let each = size::tree_bytes(fields(2).as_bytes()) - size::tree_bytes(fields(1).as_bytes());
    assert!(is_read(&fields(size::MOST_TREE_BYTES / each - 20)));
}

#[test]
fn large_realistic_bodies_are_accepted() {
    let picture = format!("{{\"messages\":[{{\"content\":\"{}\"}}]}}", "iVBORw0K".repeat(BODY_BYTES / 8 - 10));
    let escapes = format!("{{\"text\":\"{}\"}}", "\\\"[,{:".repeat(BODY_BYTES / 6 - 10));
    let message = json!({"role": "user", "content": "x".repeat(370)}).to_string();
    let node =
        json!({"id": "n", "type": "http", "config": {"url": "x".repeat(100), "headers": {"a": "b"}}}).to_string();
    for body in [
        picture,
        escapes,
        list_of("1234"),
        list_of("50256"),
        list_of("-0.012345678"),
        list_of(&message),
        list(&node, 11_000),
    ] {
        assert!(is_read(&body));
    }
}

#[test]
fn integers_are_read_with_and_without_a_fraction() {
    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
    struct Limits {
        timeout_ms: u64,
        least: Option<i8>,
        counts: Vec<u16>,
        by_name: std::collections::BTreeMap<String, usize>,
        choice: Option<Choice>,
        share: Option<f64>,
        any: Value,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        One(u8),
        Two { n: i64 },
    }

    let read = |body: &str| parse::<Limits>(body.as_bytes()).map_err(|error| error.to_string());
    assert_eq!(
        read(
            r#"{"timeoutMs": 24604.0, "least": -1e0, "counts": [1.0, 2], "byName": {"a": 3.0}, "choice": {"one": 4.0},
                "share": 5.0, "any": [6.0, 7]}"#
        ),
        Ok(Limits {
            timeout_ms: 24_604,
            least: Some(-1),
            counts: vec![1, 2],
            by_name: [("a".to_owned(), 3)].into(),
            choice: Some(Choice::One(4)),
            share: Some(5.0),
            any: json!([6.0, 7]),
        })
    );
    assert_eq!(read(r#"{"choice": {"two": {"n": -8.0}}}"#).unwrap().choice, Some(Choice::Two { n: -8 }));
    for (body, field) in [
        (r#"{"timeoutMs": 1.5}"#, "timeoutMs: invalid type: floating point `1.5`, expected u64"),
        (r#"{"timeoutMs": -1.0}"#, "timeoutMs: invalid value: integer `-1`, expected u64"),
        (r#"{"timeoutMs": 1e300}"#, "timeoutMs: invalid type: floating point `1e+300`, expected u64"),
        (r#"{"least": 128.0}"#, "least: invalid value: integer `128`, expected i8"),
        (r#"{"counts": [1, "a"]}"#, "counts[1]: invalid type: string \"a\", expected u16"),
        (r#"{"more": 1}"#, "more: unknown field `more`"),
    ] {
        let refused = read(body).unwrap_err();
        assert!(refused.starts_with(field), "{refused}");
    }
}

#[test]
fn all_problems_of_a_body_are_found_at_once() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    struct Model {
        name: String,
        kind: Kind,
        price: crate::usd::UsdIn,
        ends_at: crate::time::Time,
        deployments: Vec<Deployment>,
        weight: Option<u32>,
        limits: Option<Limits>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Chat,
        Image,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    struct Deployment {
        provider: String,
        model: String,
        priority: u8,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    struct Limits {
        rpm: u64,
        id: crate::id::AgentId,
    }

    let read = |body: Value| match parse::<Model>(body.to_string().as_bytes()).unwrap_err() {
        Error::InvalidBody { problems, .. } => problems,
        other => panic!("{other:?}"),
    };
    let fields = |body: Value| read(body).into_iter().map(|problem| problem.field).collect::<Vec<_>>();
    assert_eq!(fields(json!({})), ["name", "kind", "price", "ends_at", "deployments"]);
    let problems = read(json!({
        "colour": 1, "name": 7, "kind": "video", "weight": "heavy", "limits": {"rpm": "x"},
        "deployments": [{"provider": 1, "priority": -1}, 5, {"provider": "a", "model": "b", "priority": 1, "x": 2}],
    }));
    let found: std::collections::BTreeMap<_, _> =
        problems.iter().map(|problem| (problem.field.as_str(), problem.message.as_str())).collect();
    let expected = [
        "colour",
        "deployments[0].model",
        "deployments[0].priority",
        "deployments[0].provider",
        "deployments[1]",
        "deployments[2].x",
        "ends_at",
        "kind",
        "limits.id",
        "limits.rpm",
        "name",
        "price",
        "weight",
    ];
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected, "{found:?}");
    assert_eq!(found["price"], "is missing");
    assert!(found["kind"].starts_with("unknown variant `video`, expected `chat`"), "{found:?}");
    assert!(found["weight"].contains("invalid type: string \"heavy\", expected u32"), "{found:?}");
    let whole = json!({"name": "a", "kind": "chat", "price": 1, "ends_at": "2030-01-01T00:00:00Z", "deployments": []});
    assert_eq!(parse::<Model>(whole.to_string().as_bytes()).map(|model| model.name).unwrap(), "a");
    let many = Value::Object((0..50).map(|n| (format!("unknown{n}"), json!(n))).collect());
    assert_eq!(read(many).len(), crate::body_problem::MOST_PROBLEMS);
}
