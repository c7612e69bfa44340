//! Responses echo only a bounded part of the names and values in a request.

use domain::money::Money;
use reqwest::Method;
use serde_json::{Map, Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

/// The limit of an error that echoes a part of the request.
const MOST_BYTES: usize = 8 * 1024;
/// The limit of a list of problems.
const MOST_LIST_BYTES: usize = 64 * 1024;
const LONG: usize = 100_000;
/// The length of values in request lines and headers, which have lower limits.
const LONG_IN_HEAD: usize = 20_000;

fn long(bytes: usize) -> String {
    // Multi-byte characters, and characters that JSON escapes.
    "ñ\"\u{1}x".repeat(bytes / 5)
}

/// The problem of an answer: a server error, an echo that is too long, or a missing code.
fn problem(answer: &Answer, most: usize) -> Option<String> {
    let start: String = answer.text.chars().take(300).collect();
    let headers: usize = answer.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let is_error = !answer.status.starts_with('2');
    match answer.text.len() {
        _ if answer.status.starts_with('5') => Some(format!("{} {start}", answer.status)),
        bytes if is_error && bytes > most => Some(format!("{bytes} bytes: {start}")),
        _ if is_error && answer.code().is_empty() => Some(format!("no code: {start}")),
        _ => (headers > MOST_BYTES).then(|| format!("{headers} bytes of headers")),
    }
}

/// Resolves the reference of a schema.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#'))) {
        Some(schema) => resolved(document, schema),
        None => schema,
    }
}

/// Bodies with a long name or value in each field of a route, and one with an unknown field.
fn hostile_bodies(document: &Value, operation: &Value) -> Vec<Value> {
    let text = long(LONG);
    let content = operation["requestBody"]["content"].as_object().unwrap();
    let schema = resolved(document, &content.values().next().unwrap()["schema"]);
    let names = schema["properties"].as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    let names: Vec<String> = names;
    let mut bodies = vec![json!({(text.clone()): 1})];
    for name in names {
        let values = [json!(text), json!({(text.clone()): 1}), json!([text]), json!([{(text.clone()): text}])];
        bodies.extend(values.map(|value| json!({(name.clone()): value})));
    }
    bodies
}

fn place(path: &str, workflow: &str, agent: &str) -> String {
    let id = if path.starts_with("/builder/v1/agents") { agent } else { workflow };
    path.replacen("{id}", id, 1).replace("{template_id}", "rag-answer").replace(['{', '}'], "")
}

/// Every operation of a document, as method, path and description.
fn operations(document: &Value) -> Vec<(Method, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, methods): (&'_ String, &'_ Value)| -> Vec<(String, String)> {
        methods.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())).collect()
    };
    let all: Vec<(String, String)> = paths.iter().flat_map(of_path).collect();
    all.into_iter()
        .filter_map(|(method, path)| {
            let (path, methods) = paths.get_key_value(&path)?;
            Some((method.to_uppercase().parse().ok()?, path.as_str(), &methods[&method]))
        })
        .collect()
}

#[tokio::test]
async fn no_route_echoes_a_long_name_or_value() {
    let app = TestApp::start().await;
    let (ada, operator) = (app.person("ada"), app.operator());
    let customer = app.customer("long", Money::from_usd(5)).await;
    let workflow = ada.post_json("/builder/v1/workflows", json!({"name": "x"})).await.id().to_owned();
    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let (mut refused, mut problems) = (0, Vec::new());
    for document in ["/builder/v1/openapi.json", "/gateway/v1/openapi.json"] {
        let document = ada.get(document).await.json;
        for (method, path, operation) in operations(&document) {
            let caller = match path {
                _ if path.contains("/admin") => &operator,
                _ if path.starts_with("/gateway/v1/me") => &ada,
                _ if path.starts_with("/gateway") => &customer.person,
                _ => &ada,
            };
            let at = place(path, &workflow, &agent);
            let mut answers = Vec::new();
            if operation["requestBody"].is_object() {
                for body in hostile_bodies(&document, operation) {
                    answers.push(send(caller.request(method.clone(), &at).json(&body)).await);
                }
                refused += answers.iter().filter(|answer| answer.status == "400 Bad Request").count();
            }
            if method == Method::GET {
                answers.extend(in_query(caller, &at, operation).await);
            }
            // The maintenance route is left out: it could stop the platform.
            if method != Method::DELETE && !path.ends_with("/maintenance") {
                answers.extend(in_headers(caller, method.clone(), &at).await);
            }
            let found = answers.iter().filter_map(|answer| problem(answer, MOST_BYTES));
            problems.extend(found.map(|problem| format!("{method} {path}: {problem}")));
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(refused > 200, "{refused}");
}

async fn in_query(caller: &Person, at: &str, operation: &Value) -> Vec<Answer> {
    let text = "n".repeat(LONG_IN_HEAD);
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let names = parameters.filter(|parameter| parameter["in"] == "query").filter_map(|one| one["name"].as_str());
    let mut answers = Vec::new();
    for (name, value) in names.map(|name| (name, text.as_str())).chain([(text.as_str(), "1")]) {
        answers.push(send(caller.request(Method::GET, at).query(&[(name, value)])).await);
    }
    answers
}

async fn in_headers(caller: &Person, method: Method, at: &str) -> Vec<Answer> {
    let text = "h".repeat(LONG_IN_HEAD);
    let mut answers = Vec::new();
    for name in ["Idempotency-Key", "If-Match", "X-Request-Id", "Content-Type", "Origin"] {
        let request = caller.request(method.clone(), at).header(name, &text).body("{}");
        answers.push(send(request).await);
    }
    let mut stranger = caller.clone();
    stranger.token = Some(text);
    answers.push(send(stranger.request(method, at)).await);
    answers
}

#[tokio::test]
async fn an_error_truncates_long_names() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let name = "n".repeat(3_900_000);
    let refused = ada.post_json("/builder/v1/workflows", json!({(name.clone()): 1})).await;
    assert_eq!(refused.status, "400 Bad Request");
    let shown = format!("{}…", "n".repeat(100));
    let expected = format!("{shown}: unknown field `{shown}`, expected one of `name`, `description`, `graph`");
    let message = refused.json["error"]["message"].as_str().unwrap();
    assert!(message.starts_with(&expected), "{message}");
    let refused = ada.post_json("/builder/v1/workflows/expression/preview", json!({"language": name})).await;
    let message = refused.json["error"]["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("language: unknown variant `{shown}`, expected")), "{message}");
    let refused = ada.get(&format!("/builder/v1/agents?{}=1", &name[..20_000])).await;
    assert!(refused.json["error"]["message"].as_str().unwrap().starts_with(&format!("{shown}: ")), "{}", refused.text);
}

/// A graph in which every value is long and invalid.
fn wrong_graph() -> Value {
    let text = "t".repeat(600);
    let nodes = (0..300).map(|n| {
        let kind = ["http", "condition", "template", "input"][n % 4];
        let config = json!({
            (text.clone()): 1, "url": text, "expression": format!("nodes.{text}.output + {text}"),
            "template": format!("{{{{ {text} | {text} }}}}"), "schema": {(text.clone()): text, "pattern": text},
        });
        json!({"id": format!("n{n}"), "type": kind, "name": "", "config": config})
    });
    json!({"nodes": nodes.collect::<Vec<_>>(), "connections": []})
}

#[tokio::test]
async fn the_problems_of_a_graph_are_bounded_each_and_in_total() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let created = ada.post_json("/builder/v1/workflows", json!({"name": "x", "graph": wrong_graph()})).await;
    let at = format!("/builder/v1/workflows/{}", created.id());
    let validated = ada.post(&format!("{at}/validate")).await;
    let problems = validated.json["data"]["problems"].as_array().unwrap();
    assert!(problems.len() > 100, "{}", problems.len());
    for problem in problems {
        assert!(problem.to_string().len() < 2_500, "{problem}");
    }
    let refused = ada.post(&format!("{at}/publish")).await;
    assert_eq!(refused.status, "400 Bad Request");
    assert_eq!(problem(&refused, MOST_LIST_BYTES), None);
    assert!(refused.json["error"]["details"].as_array().unwrap().len() >= 10);
}

#[tokio::test]
async fn a_schema_of_a_user_is_checked_within_a_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let graph = |schema: Value, example: Value| {
        json!({
            "nodes": [
                {"id": "start", "type": "input", "name": "", "config": {"schema": schema, "example": example}},
                {"id": "end", "type": "send_result", "name": "", "config": {"output": "input"}},
            ],
            "connections": [{"from": {"node": "start", "port": "out"}, "to": {"node": "end", "port": "in"}}],
        })
    };
    let problems = async |schema: Value, example: Value| {
        let created =
            ada.post_json("/builder/v1/workflows", json!({"name": "x", "graph": graph(schema, example)})).await;
        let validated = ada.post(&format!("/builder/v1/workflows/{}/validate", created.id())).await;
        let problems = validated.json["data"]["problems"].as_array().unwrap();
        problems.iter().map(|problem| problem["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let values: Vec<String> = (0..500).map(|n| format!("value {n} {}", "v".repeat(500))).collect();
    let found = problems(json!({"items": {"enum": values}}), json!((0..100_000).collect::<Vec<_>>())).await;
    assert_eq!(found.len(), 100);
    assert!(found.iter().all(|message| message.len() < 3_000), "{}", found[0]);
    let doubled = json!({"items": {"pattern": "(a?){30}a{30}"}});
    assert_eq!(
        problems(doubled, json!(vec!["a".repeat(1_000); 1_000])).await,
        [
            "node `start`, config.example: takes too much work to check against its schema; send less data or simplify the schema"
        ]
    );
    let pydantic = json!({
        "$defs": {"Item": {"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}},
        "type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
    });
    assert_eq!(problems(pydantic.clone(), json!({"items": [{"n": 1.0}, {"n": null}]})).await, [""; 0]);
    assert_eq!(
        problems(pydantic, json!({"items": [{"n": "1"}]})).await,
        ["node `start`, config.example.items[0].n: must be a whole number or null"]
    );
    assert_eq!(
        problems(json!({"unevaluatedProperties": false}), json!({})).await,
        [
            "node `start`, config.schema.unevaluatedProperties: is not supported here; use `additionalProperties` or `items`"
        ]
    );
}

#[tokio::test]
async fn provider_messages_are_bounded() {
    let app = TestApp::start().await;
    let provider = FakeProvider::start().await;
    ModelBuilder::new("wordy").with_deployment(&app, &provider).await.insert(&app).await;
    let customer = app.customer("wordy", Money::from_usd(1)).await;
    let text = long(4_000);
    let error = json!({"error": {"message": text, "code": text, "param": text, "type": text}});
    provider.then_respond(Behaviour::json(400, error));
    let body = json!({"model": "wordy", "messages": [{"role": "user", "content": "x"}]});
    let refused = customer.person.post_json("/gateway/v1/chat/completions", body).await;
    assert_eq!(refused.status, "400 Bad Request");
    assert_eq!(problem(&refused, 16 * 1024), None);
    let error: &Map<String, Value> = refused.json["error"].as_object().unwrap();
    assert!(error["code"].as_str().unwrap().chars().count() <= 101);
    assert!(error["param"].as_str().unwrap().chars().count() <= 101);
}
