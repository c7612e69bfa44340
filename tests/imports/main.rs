//! Small workflows that n8n's own engine has run: `tests/clients/n8n` records what each node gave. Imported, each node gives
//! the same, or the report of the import says that it may not (`reported.txt`), or `differences.txt` gives the reason.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod mail;
mod services;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use base64::prelude::{BASE64_STANDARD, Engine};
use domain::identity::Role;
use domain::time::{Clock, Time};
use futures::future::join_all;
use platform::Context;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::binaries::folder;
use tests::client::{Person, send};

const WORKFLOWS: &str = "/builder/v1/workflows";
/// The credential of the cases in the path of a URL.
const PATH_CREDENTIAL: &str = "123:secret";
/// How many cases are compared at the same time, each of them with a stub of its own.
const LANES: usize = 3;
/// The time of the cases, 2026-03-14T15:09:26.535Z.
const NOW_MS: i64 = 1_773_500_966_535;

/// How an imported workflow compares with the original.
#[derive(Clone, Debug, PartialEq)]
enum Comparison {
    Same,
    /// The report or a problem of the draft says that something is missing.
    Reported(String),
    Different(String),
}

/// The answers of the current case, and the requests so far.
#[derive(Default)]
struct Stub {
    answers: Vec<Value>,
    requests: Vec<Value>,
}

/// Serves the HTTP answers of the cases: `https://example.com/x` is the path `/example.com/x` here.
async fn start_stub() -> (String, Arc<Mutex<Stub>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let stub = Arc::<Mutex<Stub>>::default();
    let router = Router::new().fallback(answer).with_state(stub.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, stub)
}

async fn answer(State(stub): State<Arc<Mutex<Stub>>>, request: Request) -> axum::response::Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let url = format!("https:/{}", parts.uri);
    let own = format!("http://{}", parts.headers[HOST].to_str().unwrap());
    let mut stub = stub.lock().unwrap();
    stub.requests.push(json!({"method": parts.method.as_str(), "url": url, "body": String::from_utf8_lossy(&body)}));
    let fits = |answer: &&mut Value| {
        let method = answer["method"].as_str().unwrap_or(parts.method.as_str());
        let part = answer["url"].as_str().or(answer["path"].as_str()).unwrap_or_default();
        let part = part.split_once("://").map_or(part, |(_, rest)| rest);
        method.eq_ignore_ascii_case(parts.method.as_str()) && url.contains(part) && answer["times"].as_i64() != Some(0)
    };
    let Some(found) = stub.answers.iter_mut().find(fits) else {
        return (StatusCode::IM_A_TEAPOT, format!("no answer for {url}")).into_response();
    };
    if found["drop"] == true {
        // The server closes the connection when it cannot read the body.
        let broken = std::future::ready(Err::<String, _>(std::io::Error::other("the case breaks the connection")));
        return Body::from_stream(futures::stream::once(broken)).into_response();
    }
    if let Some(times) = found["times"].as_i64() {
        found["times"] = json!(times - 1);
    }
    let status = StatusCode::from_u16(found["status"].as_u64().unwrap_or(200) as u16).unwrap();
    let mut headers = HeaderMap::new();
    for (name, value) in found["headers"].as_object().into_iter().flatten() {
        let name: HeaderName = name.parse().unwrap();
        for value in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // A redirect leads to the stub, too.
            let value = if name == LOCATION { to_stub(&value, &own) } else { value };
            headers.append(name.clone(), HeaderValue::from_str(&value).unwrap());
        }
    }
    let body = match &found["body"] {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        Value::Object(file) if file.len() == 1 && file.contains_key("base64") => {
            BASE64_STANDARD.decode(file["base64"].as_str().unwrap()).unwrap()
        }
        value => {
            headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
            value.to_string().into_bytes()
        }
    };
    (status, headers, Body::from(body)).into_response()
}

/// The address of the stub for an address of a case.
fn to_stub(url: &str, stub: &str) -> String {
    match url.strip_prefix('/') {
        Some(path) => format!("/api.example/{path}"),
        None => url.replace("https://", &format!("{stub}/")).replace("http://stub/", &format!("{stub}/stub/")),
    }
}

/// Sends the calls of the workflow to the stub.
fn redirect(workflow: &Value, stub: &str) -> Value {
    let mut workflow = workflow.clone();
    for node in workflow["nodes"].as_array_mut().unwrap() {
        if node["type"] == "n8n-nodes-base.httpRequest"
            && let Some(url) = node["parameters"]["url"].as_str()
        {
            node["parameters"]["url"] = json!(to_stub(url, stub));
        }
    }
    workflow
}

/// Sends the calls of services to the stub, too. Their URLs are made by the import.
async fn redirect_services(importer: &Person, id: &str, stub: &str, case: &Value) {
    let path = format!("{WORKFLOWS}/{id}");
    let mut graph = importer.get(&path).await.json["data"]["graph"].take();
    let mut is_changed = false;
    for node in graph["nodes"].as_array_mut().unwrap() {
        // The addresses of HTTP nodes are redirected already.
        let is_original = |one: &Value| one["name"] == node["name"] && one["type"] == "n8n-nodes-base.httpRequest";
        let is_redirected = case["workflow"]["nodes"].as_array().unwrap().iter().any(is_original);
        let is_call = node["type"] == "http" && !is_redirected;
        let Some(url) = node["config"].get_mut("url") else { continue };
        // An address that an answer has, or that a script makes, leads to the stub when it is used.
        if let Some(script) = url["js"].as_str().filter(|_| is_call) {
            let script = format!("String({script}).replace(/^https:[/][/]/, '{stub}/')");
            *url = json!({"js": format!("{script}.replace('{{credential}}', '{PATH_CREDENTIAL}')")});
            is_changed = true;
            continue;
        }
        let text = url.to_string();
        if text.contains("https://") && !is_redirected {
            *url = serde_json::from_str(&to_stub(&text, stub).replace("{credential}", PATH_CREDENTIAL)).unwrap();
            is_changed = true;
        }
    }
    if is_changed {
        let changed = importer.patch(&path, json!({"graph": graph})).await;
        assert_eq!(changed.status, "200 OK", "{}", changed.text);
    }
}

/// The outputs of a node that are compared: not what a filter discards, and not the batches of a loop.
fn compared_outputs(case: &Value, name: &str) -> usize {
    let nodes = case["workflow"]["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|node| node["name"] == name).unwrap();
    match node["type"].as_str().unwrap() {
        "n8n-nodes-base.filter" => 1,
        "n8n-nodes-base.splitInBatches" => 0,
        _ => usize::MAX,
    }
}

/// The data of all items that a node gave, by its name: those of all runs, output by output.
fn recorded_items(case: &Value) -> BTreeMap<String, Vec<Value>> {
    let nodes = case["nodes"].as_object().unwrap().iter();
    let nodes = nodes.filter(|(name, _)| compared_outputs(case, name) > 0);
    let items = nodes.map(|(name, runs)| {
        let runs = runs.as_array().unwrap();
        let outputs = runs.iter().map(|run| run.as_array().map_or(0, Vec::len)).max().unwrap_or_default();
        let outputs = outputs.min(compared_outputs(case, name));
        let at = |output: usize| runs.iter().flat_map(move |run| run[output].as_array().into_iter().flatten());
        let items = (0..outputs).flat_map(at).map(|item| item["json"].clone());
        (name.clone(), items.collect())
    });
    items.collect()
}

/// The same of a preview. Nodes that do not work on items, such as triggers, are left out.
fn previewed_items(graph: &Value, preview: &Value) -> BTreeMap<String, Vec<Value>> {
    let mut found = BTreeMap::new();
    for node in graph["nodes"].as_array().unwrap().iter().filter(|node| node["config"]["itemMode"].is_object()) {
        let id = node["id"].as_str().unwrap();
        let element = format!("{id}]/{id}");
        let steps = preview["nodes"].as_array().unwrap().iter().filter(|step| step["nodeId"] == id);
        let is_element = |step: &str| {
            let parent = step.strip_suffix(&format!("]/{id}")).and_then(|rest| rest.rsplit_once('['));
            parent.is_some_and(|(scope, _)| scope == id || scope.ends_with(&format!("/{id}")))
                || step.contains(&element)
        };
        let steps: Vec<&Value> = steps
            .filter(|step| step["state"] == "completed" || step["port"].is_string())
            .filter(|step| !is_element(step["step"].as_str().unwrap()))
            .collect();
        let ports = node["config"]["outputs"].as_array().cloned().unwrap_or_default();
        let mut ports: Vec<Value> = if ports.is_empty() { vec![json!("out")] } else { ports };
        if !ports.contains(&json!("error")) {
            ports.push(json!("error"));
        }
        let mut items = Vec::new();
        for port in &ports {
            for step in &steps {
                let output = &step["output"];
                let list = if output.is_object() { &output[port.as_str().unwrap()] } else { output };
                if output.is_object() || *port == ports[0] {
                    items.extend(list.as_array().into_iter().flatten().map(|item| item["json"].clone()));
                }
            }
        }
        if !steps.is_empty() {
            found.insert(node["name"].as_str().unwrap().to_owned(), items);
        }
    }
    found
}

/// Removes the headers that the server of the test adds to its answers.
fn without_transport(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Object(headers)) = fields.get_mut("headers") {
                headers.retain(|name, _| !["date", "content-length"].contains(&name.as_str()));
            }
            fields.values_mut().for_each(without_transport);
        }
        Value::Array(items) => items.iter_mut().for_each(without_transport),
        _ => {}
    }
}

/// Numbers are the same if their values are.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
        }
        (one, other) => one == other,
    }
}

/// What the node sent: the method, the URL, and the body as JSON if it is JSON. A space is `+` or `%20`.
fn request_of(request: &Value) -> Value {
    let body = request["body"].as_str().unwrap_or_default();
    // The parts of a form with files are separated by a random text.
    let boundary = body.split("\r\n").next().filter(|line| line.starts_with("--"));
    let body = &boundary.map_or(body.to_owned(), |boundary| body.replace(boundary, "--BOUNDARY"));
    let body = serde_json::from_str(body).unwrap_or_else(|_| json!(body.replace('+', "%20")));
    let url = request["url"].as_str().unwrap();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let query = services::query_of(path, &query.replace('+', "%20"));
    let (path, body) = (services::path_of(path), services::body_of(path, body));
    json!({"method": request["method"], "path": path, "query": query, "body": body})
}

/// The requests to each path in their order. Branches run at the same time, so there is no order of all requests.
fn requests_by_path(requests: &[Value]) -> Vec<Value> {
    let mut requests = services::compared(requests.iter().map(request_of).collect());
    requests.sort_by_key(|request| request["path"].to_string());
    requests
}

/// A response: its status, its body as a text if it is a file, and its headers without those that follow from the body.
fn response_of(response: &Value, status: &str) -> Value {
    let body = match &response["body"] {
        body if body["type"] == "Buffer" => {
            let bytes = body["data"].as_array().unwrap().iter().map(|byte| byte.as_u64().unwrap() as u8).collect();
            json!(String::from_utf8(bytes).unwrap())
        }
        body if body["base64"].is_string() => {
            json!(String::from_utf8(BASE64_STANDARD.decode(body["base64"].as_str().unwrap()).unwrap()).unwrap())
        }
        body => body.clone(),
    };
    let mut headers = serde_json::Map::new();
    for (name, value) in response["headers"].as_object().into_iter().flatten() {
        let name = name.to_ascii_lowercase();
        if !["content-type", "content-length"].contains(&name.as_str()) {
            headers.insert(name, json!(value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        }
    }
    json!({"status": response[status].as_u64().unwrap_or(200), "headers": headers, "body": body})
}

/// A client of the platform, and one of previews at the time of the cases. Its token is one of a program, because those of users are
/// valid for some minutes only.
async fn start_clients(app: &TestApp) -> (Person, Person) {
    let expires_at = Time::now().plus(Duration::from_secs(24 * 60 * 60)).to_string();
    let token = json!({"name": "Imports", "scopes": ["workflows:write"], "expiresAt": expires_at});
    let created = app.person_of("ada", "acme", Role::Admin).post_json("/builder/v1/service-tokens", token).await;
    let client = app.anonymous().with_token(created.json["data"]["token"].as_str().unwrap());
    let context = Context { clock: Clock::new(|| Time::from_millis(NOW_MS)), ..app.platform.context_of("previews") };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = previews::router(&context).unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (client.clone(), Person::new(&url, client.token))
}

async fn compare(
    importer: &Person,
    previewer: &Person,
    case: &Value,
    stub_url: &str,
    stub: &Mutex<Stub>,
) -> Comparison {
    let request =
        importer.request(Method::POST, &format!("{WORKFLOWS}/import")).header("content-type", "application/json");
    let imported = send(request.body(redirect(&case["workflow"], stub_url).to_string())).await;
    if imported.status != "201 Created" {
        return Comparison::Reported(imported.text);
    }
    let id = imported.id();
    let report = &imported.json["report"];
    let mut notes: Vec<String> = report["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["status"] != "mapped")
        .map(|node| format!("{}: {}", node["id"].as_str().unwrap(), node["why"].as_str().unwrap()))
        .collect();
    // The preview has none of the credentials that the report asks for. Those of services add only headers.
    if case["workflow"]["nodes"].as_array().unwrap().iter().any(|node| node["type"] == "n8n-nodes-base.httpRequest") {
        let reconnects = report["reconnect"].as_array().into_iter().flatten();
        notes.extend(
            reconnects.filter(|one| one["what"].as_str().unwrap().contains("credential")).map(Value::to_string),
        );
    }
    redirect_services(importer, id, stub_url, case).await;
    let validation = importer.post(&format!("{WORKFLOWS}/{id}/validate")).await;
    let problems = validation.json["data"]["problems"].as_array().unwrap().iter();
    let mut errors =
        problems.filter(|problem| problem["severity"] == "error" && problem["code"] != "channel_incomplete");
    if let Some(problem) = errors.next() {
        return Comparison::Reported(problem["message"].as_str().unwrap_or_default().to_owned());
    }
    *stub.lock().unwrap() =
        Stub { answers: case["http"].as_array().cloned().unwrap_or_default(), requests: Vec::new() };
    let mut body = json!({});
    if let Some(input) = case.get("input") {
        body["input"] = input.clone();
    }
    let preview = previewer.post_json(&format!("{WORKFLOWS}/{id}/preview"), body).await;
    if preview.status != "200 OK" {
        return Comparison::Different(preview.text);
    }
    let preview = &preview.json["data"];
    let graph = &importer.get(&format!("{WORKFLOWS}/{id}")).await.json["data"]["graph"];
    let (recorded, previewed) = (recorded_items(case), previewed_items(graph, preview));
    let mut different = String::new();
    let is_failed = preview["state"] == "failed";
    if is_failed == case["error"].is_null() {
        write!(different, "ended as {}: {}; ", preview["state"], preview["error"]).unwrap();
    }
    let imported_names: Vec<&str> =
        graph["nodes"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect();
    for (name, expected) in &recorded {
        let is_compared = graph["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|node| node["name"] == **name && node["config"]["itemMode"].is_object());
        let mut found = previewed.get(name).cloned().unwrap_or_default();
        let mut expected = expected.clone();
        found.iter_mut().chain(&mut expected).for_each(without_transport);
        if imported_names.contains(&name.as_str()) && is_compared && !is_same(&json!(found), &json!(expected)) {
            write!(different, "{name} gave {} instead of {}; ", json!(found), json!(expected)).unwrap();
        }
    }
    // What a webhook answers is the output of the run. Without a webhook, it is only the body.
    if let Some(response) = case["responses"].get(0) {
        let is_webhook = graph["nodes"].as_array().unwrap().iter().any(|node| node["type"] == "webhook");
        let output = &preview["output"];
        let (answered, expected) = match is_webhook {
            true => (response_of(output, "status"), response_of(response, "statusCode")),
            false => (output.clone(), response["body"].clone()),
        };
        if !is_same(&answered, &expected) {
            write!(different, "answered {answered} instead of {expected}; ").unwrap();
        }
    }
    let sent = requests_by_path(&stub.lock().unwrap().requests);
    let expected = requests_by_path(case["requests"].as_array().map_or(&[], Vec::as_slice));
    if !is_same(&json!(sent), &json!(expected)) {
        write!(different, "sent {} instead of {}; ", json!(sent), json!(expected)).unwrap();
    }
    match (different.is_empty(), notes.is_empty()) {
        (true, _) => Comparison::Same,
        (false, false) => Comparison::Reported(format!("{}; {different}", notes.join("; "))),
        (false, true) => Comparison::Different(different),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imported_workflows_do_what_they_did_in_n8n() {
    let folder = folder("tests/clients/n8n");
    let recorded = std::fs::read_to_string(folder.join("recorded.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&recorded).unwrap();
    let known = std::fs::read_to_string(folder.join("differences.txt")).unwrap();
    let known: BTreeMap<&str, &str> =
        known.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" | ")).collect();
    let reports = std::fs::read_to_string(folder.join("reported.txt")).unwrap();
    let reports: BTreeSet<&str> = reports.lines().filter(|line| !line.starts_with('#')).collect();
    let app = TestApp::start().await;
    let (importer, previewer) = start_clients(&app).await;
    let only = std::env::var("N8N_CASES").unwrap_or_default();
    let chosen: Vec<&Value> = cases.iter().filter(|case| case["name"].as_str().unwrap().contains(&only)).collect();
    let lanes = (0..LANES).map(async |lane| {
        let (url, stub) = start_stub().await;
        let mut compared = Vec::new();
        for case in chosen.iter().skip(lane).step_by(LANES) {
            let name = case["name"].as_str().unwrap();
            compared.push((name, compare(&importer, &previewer, case, &url, &stub).await));
        }
        compared
    });
    let mut compared = join_all(lanes).await.concat();
    compared.sort_by_key(|(name, _)| *name);
    let (mut same, mut reported, mut listed, mut wrong) = (0, Vec::new(), Vec::new(), Vec::<String>::new());
    for (name, comparison) in compared {
        match (comparison, known.get(name)) {
            (Comparison::Same, None) if reports.contains(name) => {
                wrong.push(format!("{name}: is the same; remove it from reported.txt"));
            }
            (Comparison::Same, None) => same += 1,
            (Comparison::Same, Some(_)) => wrong.push(format!("{name}: is the same; remove it from differences.txt")),
            (Comparison::Different(what), Some(_)) => listed.push(format!("{name}: {what}")),
            (Comparison::Reported(_), Some(_)) => {
                wrong.push(format!("{name}: is reported; remove it from differences.txt"))
            }
            (Comparison::Reported(why), None) if reports.contains(name) => reported.push(format!("{name}: {why}")),
            (Comparison::Reported(why), None) => wrong.push(format!("{name}: is not in reported.txt: {why}")),
            (Comparison::Different(what), None) => wrong.push(format!("{name}: {what}")),
        }
    }
    eprintln!("{same} the same, {} reported, {} listed", reported.len(), listed.len());
    reported.iter().for_each(|line| eprintln!("reported: {line}"));
    listed.iter().for_each(|line| eprintln!("listed: {line}"));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
