//! The requests of the catalogue of services: every operation as an `http` node that the engine accepts, and what it sends.
//! The snapshots have the requests of the examples. `tests/clients/vendors.sh` validates the recorded ones against the API
//! descriptions and SDKs of the services.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use domain::graph::Graph;
use domain::time::Time;
use effects::build_request;
use engine::compile::compile;
use engine::nodes::{DueWork, Operation as EngineOperation};
use engine::run::{Execution, History, RunFacts, RunStart};
use http::Request;
use insta::assert_snapshot;
use serde_json::{Map, Value, json};
use services::{Arguments, Operation, Service, build_node};

/// A compilation, and a run until its first effect.
fn send(config: &Map<String, Value>, input: &Map<String, Value>) -> Request<Bytes> {
    let graph: Graph = serde_json::from_value(json!({
        "nodes": [
            {"id": "start", "type": "input", "name": "", "config": {}},
            {"id": "call", "type": "http", "name": "", "config": config},
            {"id": "end", "type": "send_result", "name": "", "config": {"output": "nodes.call.output"}},
        ],
        "connections": [
            {"from": {"node": "start", "port": "out"}, "to": {"node": "call", "port": "in"}},
            {"from": {"node": "call", "port": "out"}, "to": {"node": "end", "port": "in"}},
        ],
    }))
    .expect("a graph");
    let (plan, problems) = compile(&graph).finish();
    assert!(problems.is_empty(), "{problems:?}\n{config:?}");
    let facts = RunFacts::new("run-1", Time::from_millis(0));
    let start = RunStart { facts, trigger: 0, input: input.clone().into() };
    let mut execution = Execution::new(Arc::new(plan.expect("a plan")), start, History::default());
    execution.settle(u64::MAX);
    let due = execution.take_due();
    let [effect] = &due[..] else { panic!("{:?}\n{config:?}", execution.take_events()) };
    let DueWork::Perform(operation) = &effect.work else { panic!("{effect:?}") };
    let EngineOperation::Http(call) = &**operation else { panic!("{operation:?}") };
    build_request(&call.request, "key").expect("a request")
}

/// The arguments as expressions that read the input, except settings, which have values.
fn as_expressions(service: &Service, operation: &Operation, values: &Map<String, Value>) -> Arguments {
    let mut arguments = Arguments::default();
    for (name, value) in values {
        if operation.language(name).is_some() {
            arguments.expressions.insert(name.clone(), format!("input.{name}"));
        } else {
            assert!(service.settings.contains_key(name), "{name}");
            arguments.values.insert(name.clone(), value.clone());
        }
    }
    arguments
}

fn as_values(values: &Map<String, Value>) -> Arguments {
    Arguments { values: values.clone(), ..Arguments::default() }
}

fn required_only(service: &Service, operation: &Operation) -> Map<String, Value> {
    let is_setting = |name: &String| service.settings.contains_key(name);
    let is_required = |name: &String| operation.required.contains(name);
    let needed = operation.example.iter().filter(|(name, _)| is_setting(name) || is_required(name));
    needed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn build(service: &Service, operation: &Operation, arguments: &Arguments) -> Map<String, Value> {
    build_node(service, operation, arguments)
        .unwrap_or_else(|problems| panic!("{}/{}: {problems:?}", service.id, operation.id))
}

/// The request as a text. The media type of JSON and the idempotency key are those of every node.
fn describe(request: &Request<Bytes>) -> String {
    let mut text = format!("{} {}\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        let value = value.to_str().expect("a text");
        if !matches!(
            (name.as_str(), value),
            ("idempotency-key" | "content-length", _) | ("content-type", "application/json")
        ) {
            text += &format!("{name}: {value}\n");
        }
    }
    let body = str::from_utf8(request.body()).expect("a text");
    if !body.is_empty() {
        text += &format!("{}\n", body.replace('\r', ""));
    }
    text
}

#[test]
fn every_operation_sends_the_request_of_its_example() {
    let recordings = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("service-requests");
    std::fs::create_dir_all(&recordings).unwrap();
    for service in services::all() {
        let (mut requests, mut recorded) = (String::new(), Vec::new());
        for operation in &service.operations {
            let input = &operation.example;
            let request = send(&build(service, operation, &as_values(input)), &Map::new());
            let computed = send(&build(service, operation, &as_expressions(service, operation, input)), input);
            assert_eq!(describe(&computed), describe(&request), "{}/{}", service.id, operation.id);

            let needed = required_only(service, operation);
            let small = send(&build(service, operation, &as_values(&needed)), &Map::new());
            assert_nothing_is_empty(&small);
            requests += &format!("# {}\n{}\n", operation.id, describe(&request));
            for (request, is_whole) in [(request, true), (small, false)] {
                recorded.push(record(operation, &request, is_whole));
            }
        }
        assert_snapshot!(service.id.as_str(), requests);
        let file = recordings.join(format!("{}.json", service.id));
        std::fs::write(file, Value::from(recorded).to_string()).unwrap();
    }
}

/// What is left out leaves neither an empty parameter nor a null.
fn assert_nothing_is_empty(request: &Request<Bytes>) {
    let query = request.uri().query().unwrap_or_default();
    assert!(query.split('&').all(|pair| pair.is_empty() || !pair.ends_with('=')), "{request:?}");
    let body = str::from_utf8(request.body()).expect("a text");
    assert!(!body.contains("null") && !body.contains("none"), "{request:?}");
}

fn record(operation: &Operation, request: &Request<Bytes>, is_whole: bool) -> Value {
    json!({
        "operation": operation.id,
        "isWhole": is_whole,
        "template": operation.path,
        "method": request.method().as_str(),
        "url": request.uri().to_string(),
        "headers": request.headers().iter().map(|(name, value)| (name.to_string(), value.to_str().expect("a text").into())).collect::<Map<_, _>>(),
        "body": str::from_utf8(request.body()).expect("a text"),
        "items": operation.returns.as_ref().and_then(|returns| returns.items.clone()),
        "paging": operation.paging,
    })
}

/// Texts that would be syntax in a URL, in CEL, in Jinja or in a header.
#[test]
fn values_are_never_syntax() {
    let nasty = "a/b?c=d&e#f %2F{{ 1 + 1 }}{% if %}{#'\"\\\r\nü";
    let sheets = services::find("google-sheets").unwrap();
    let append = sheets.find_operation("append-rows").unwrap();
    let values = json!({"spreadsheetId": "1", "range": nasty, "values": [[nasty]]});
    let request = send(&build(sheets, append, &as_values(values.as_object().unwrap())), &Map::new());
    let segment = request.uri().path().rsplit('/').next().unwrap();
    assert_eq!(
        segment,
        "a%2Fb%3Fc%3Dd%26e%23f%20%252F%7B%7B%201%20%2B%201%20%7D%7D%7B%25%20if%20%25%7D%7B%23%27%22%5C%0D%0A%C3%BC:append"
    );
    assert_eq!(serde_json::from_slice::<Value>(request.body()).unwrap(), json!({"values": [[nasty]]}));
    let expressions = send(
        &build(sheets, append, &as_expressions(sheets, append, values.as_object().unwrap())),
        values.as_object().unwrap(),
    );
    assert_eq!((expressions.uri(), expressions.body()), (request.uri(), request.body()));

    let gmail = services::find("gmail").unwrap();
    let search = gmail.find_operation("list-messages").unwrap();
    let values = json!({"q": nasty});
    let request = send(&build(gmail, search, &as_values(values.as_object().unwrap())), &Map::new());
    let query: Vec<_> = form_urlencoded::parse(request.uri().query().unwrap().as_bytes()).into_owned().collect();
    assert_eq!(query, [("q".to_owned(), nasty.to_owned())]);

    let mail = gmail.find_operation("send-message").unwrap();
    let values = json!({"to": "ada@example.com\r\nBcc: eve@example.com", "subject": nasty, "text": "Hi"});
    let request = send(&build(gmail, mail, &as_values(values.as_object().unwrap())), &Map::new());
    let text = str::from_utf8(request.body()).expect("a text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("To: ada@example.comBcc: eve@example.com\r\nSubject: =?UTF-8?Q?a=2Fb=3Fc?=\r\n =?UTF-8?Q?"),
        "{head}"
    );
    let names: Vec<&str> =
        head.split("\r\n").filter(|line| !line.starts_with(' ')).map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(names, ["To", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"]);
    assert_eq!(body, "Hi");
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let drive = services::find("google-drive").unwrap();
    let operation = drive.find_operation("get-file").unwrap();
    let refused = |arguments: Arguments| -> Vec<String> {
        let problems = build_node(drive, operation, &arguments).unwrap_err();
        problems.into_iter().map(|(field, problem)| format!("{field}: {}", problem.en)).collect()
    };
    let of = |values: Value, expressions: Value| Arguments {
        values: serde_json::from_value(values).unwrap(),
        expressions: serde_json::from_value(expressions).unwrap(),
        ..Arguments::default()
    };
    let problems = [
        of(json!({}), json!({})),
        of(json!({"fileId": 7}), json!({})),
        of(json!({"fileId": "x", "size": 1}), json!({})),
        of(json!({"fileId": ".."}), json!({})),
        of(json!({"fileId": ""}), json!({})),
        of(json!({"fileId": "x"}), json!({"fileId": "input.x", "size": "1"})),
        of(json!({}), json!({"fileId": "input.x |"})),
        of(json!({}), json!({"fileId": "input.x) }} {{ (input.y"})),
        of(json!({}), json!({"fileId": ""})),
    ];
    let problems: Vec<String> = problems.into_iter().map(|arguments| refused(arguments).join("; ")).collect();
    assert_snapshot!("wrong_arguments", problems.join("\n"));
}
