//! The OpenAPI documents describe exactly the routes that the platform serves.

pub mod documents;
mod error_examples;
mod examples;
mod limits;
mod list;
mod samples;
mod tour;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use local::template::SamTemplate;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Person, send};

use self::documents::{documents, render_files, with_examples};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn routes(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let routes = paths.flat_map(|(path, item)| {
        let methods = METHODS.iter().filter(|method| !item[**method].is_null());
        methods.map(|method| (path.clone(), (*method).to_owned()))
    });
    routes.collect()
}

/// The variable that makes the test below write the documents instead of comparing them.
const UPDATE: &str = "UPDATE_OPENAPI";

#[tokio::test]
async fn the_committed_documents_are_current() {
    let folder = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../functions/reference/openapi");
    for (name, content) in render_files().await {
        let file = folder.join(name);
        if env::var_os(UPDATE).is_some() {
            fs::write(&file, &content).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        let mut lines = committed.lines().zip(content.lines()).enumerate();
        let first = lines.find(|(_, (committed, made))| committed != made);
        assert!(
            committed == content,
            "{name:?} is outdated, first at {first:?}: run `{UPDATE}=1 cargo test -p tests --test api openapi::the_committed`"
        );
    }
}

const SOME_ID: &str = "01890000-0000-7000-8000-000000000000";
/// The route of a document itself has no example.
const ITSELF: &str = "openapi.json";

/// The JSON bodies that an operation describes, by status or `request`.
fn bodies(operation: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let answers = operation["responses"].as_object().into_iter().flatten();
    let answers = answers.map(|(status, answer)| (status.as_str(), answer));
    let bodies = answers.chain([("request", &operation["requestBody"])]);
    let bodies = bodies.map(|(name, body)| (name, &body["content"]["application/json"]));
    bodies.filter(|(_, content)| !content.is_null())
}

#[tokio::test]
async fn every_operation_has_examples_that_match_their_schemas() {
    let mut wrong = Vec::new();
    for document in with_examples().await {
        let document: Value = serde_json::from_str(&document.json()).unwrap();
        // Most bodies share their schema with others, and preparing a schema is slow.
        let mut prepared = BTreeMap::new();
        for (path, method) in routes(&document).into_iter().filter(|(path, _)| !path.ends_with(ITSELF)) {
            for (name, content) in bodies(&document["paths"][&path][&method]) {
                let named = content["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
                let examples: Vec<&Value> = content.get("example").into_iter().chain(named).collect();
                assert!(
                    !examples.is_empty() || ('3'..='5').contains(&name.chars().next().unwrap()),
                    "{method} {path} {name} has no example"
                );
                assert!(
                    content.get("example").is_none() || content.get("examples").is_none(),
                    "both example and examples: {path}"
                );
                if examples.is_empty() {
                    continue;
                }
                let schema = prepared.entry(content["schema"].to_string()).or_insert_with(|| {
                    let schema = json!({"allOf": [content["schema"]], "components": document["components"]});
                    jsonschema::draft202012::new(&schema).unwrap()
                });
                for example in examples {
                    let problems =
                        schema.iter_errors(example).map(|problem| format!("{}: {problem}", problem.instance_path()));
                    wrong.extend(problems.map(|problem| format!("{method} {path} {name} {problem}")));
                }
            }
        }
        assert!(prepared.len() >= 8, "{} schemas have an example", prepared.len());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The arguments that a shell passes to curl.
fn curl_arguments(sample: &Value) -> Vec<String> {
    let script = format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{}", sample["source"].as_str().unwrap());
    let mut shell = Command::new("bash");
    shell.args(["-euc", &script]).envs([("API_KEY", "k"), ("ACCESS_TOKEN", "t"), ("WEBHOOK_TOKEN", "w")]);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect()
}

#[tokio::test]
async fn every_operation_has_samples_that_send_its_example() {
    for document in with_examples().await {
        let document: Value = serde_json::from_str(&document.json()).unwrap();
        for (path, method) in routes(&document) {
            let operation = &document["paths"][&path][&method];
            let samples = operation["x-codeSamples"].as_array().unwrap();
            let labels: Vec<&str> = samples.iter().map(|sample| sample["label"].as_str().unwrap()).collect();
            let content = &operation["responses"]["200"]["content"];
            let streams = content["text/event-stream"].is_object();
            let mut expected = Vec::new();
            if !streams || content["application/json"].is_object() {
                expected.extend(["curl", "Python", "TypeScript"]);
            }
            if streams {
                expected.extend(["curl, streamed", "Python, streamed", "TypeScript, streamed"]);
            }
            assert_eq!(labels, expected, "{method} {path}");
            for sample in samples.iter().filter(|sample| sample["lang"] == "Shell") {
                check_curl_sample(&path, &method, operation, curl_arguments(sample));
            }
        }
    }
}

fn check_curl_sample(path: &str, method: &str, operation: &Value, mut arguments: Vec<String>) {
    let mut take = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.remove(at);
        Some(arguments.remove(at))
    };
    let body = take("--json").map(|body| serde_json::from_str::<Value>(&body).unwrap());
    let sent = take("-X").unwrap_or_else(|| if body.is_some() { "POST" } else { "GET" }.to_owned());
    assert_eq!(sent.to_lowercase(), method, "{path}");
    let content = &operation["requestBody"]["content"]["application/json"];
    let named = content["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
    let mut examples = content.get("example").into_iter().chain(named);
    assert!(body.as_ref().is_none_or(|body| examples.any(|example| example == body)), "{method} {path}: {body:?}");
    assert_eq!(body.is_some(), !content.is_null(), "{method} {path}");
    let token = match path {
        path if path.starts_with("/gateway/") => "k",
        path if path.starts_with("/hooks/") => "w",
        _ => "t",
    };
    let has_token = arguments.contains(&format!("Authorization: Bearer {token}"));
    assert_eq!(has_token, operation["security"].is_array(), "{method} {path}: {arguments:?}");
    let url = arguments[1].strip_prefix("http://127.0.0.1:9000").unwrap();
    assert!(leads(path, url.split('?').next().unwrap()) && !url.contains(['{', '}']), "{url}");
}

#[tokio::test]
async fn documents_have_an_introduction_and_examples_of_errors() {
    let documents = with_examples().await;
    let [builder, gateway, workbenches] =
        documents.each_ref().map(|document| serde_json::from_str::<Value>(&document.json()).unwrap());
    for (document, topics) in [
        (&builder, &["Authentication", "Errors", "If-Match", "Idempotency-Key", "perPage"][..]),
        (
            &gateway,
            &["Authentication", "Errors", "next_cursor", "X-Request-Cost", "X-RateLimit-", "stream", "tool_calls"],
        ),
        (&workbenches, &["Authentication", "Errors", "svc_session", "Retry-After", "not_installed", "4Gi"]),
    ] {
        let introduction = document["info"]["description"].as_str().unwrap();
        assert!(topics.iter().all(|topic| introduction.contains(topic)), "{introduction}");
    }
    let chat = &gateway["paths"]["/gateway/v1/chat/completions"]["post"]["responses"];
    for (status, code) in [
        ("403", "model_access_denied"),
        ("502", "provider_unavailable"),
        ("503", "unavailable"),
        ("504", "provider_timeout"),
    ] {
        let example = &chat[status]["content"]["application/json"]["example"];
        assert_eq!(example["error"]["code"], code, "{status}: {example}");
    }
    for (path, operations) in gateway["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            let code = &operation["responses"]["403"]["content"]["application/json"]["example"]["error"]["code"];
            assert_eq!(code == "operator_only", path.contains("/admin"), "{path}: {code}");
        }
    }
}

#[tokio::test]
async fn a_chat_is_described_with_its_parameters_headers_parts_and_streams() {
    let [_, gateway, _] = with_examples().await;
    let document: Value = serde_json::from_str(&gateway.json()).unwrap();
    let chat = &document["paths"]["/gateway/v1/chat/completions"]["post"];
    assert!(chat["description"].as_str().unwrap().contains(&gateway::parameters::markdown()));
    let answer = &chat["responses"]["200"];
    let headers = answer["headers"].as_object().unwrap();
    for name in
        ["X-Request-Cost", "X-Credits-Remaining", "X-RateLimit-Remaining-Tokens", "X-Svc-Dropped", "X-Svc-Max-Tokens"]
    {
        assert!(headers.contains_key(name), "{name}");
    }
    assert!(chat["responses"]["429"]["headers"]["Retry-After"].is_object());
    let requests = chat["requestBody"]["content"]["application/json"]["examples"].as_object().unwrap();
    assert!(requests["Streamed"]["value"]["stream"] == true && requests["With a tool"]["value"]["tools"].is_array());
    let events = answer["content"]["text/event-stream"]["examples"]["Streamed"]["value"].as_str().unwrap();
    assert!(events.starts_with("data: {") && events.ends_with("data: [DONE]\n\n"), "{events}");

    let schema = |name: &str| {
        let schema = json!({"$ref": format!("#/components/schemas/{name}"), "components": document["components"]});
        jsonschema::draft202012::new(&schema).unwrap()
    };
    let message = schema("MessageIn");
    for content in [json!("a"), json!([{"type": "text", "text": "a"}]), Value::Null] {
        assert!(message.is_valid(&json!({"role": "user", "content": content})), "{content}");
    }
    for content in [json!(1), json!([1]), json!([{"type": "text"}]), json!([{"type": "image_url", "image_url": "a"}])] {
        assert!(!message.is_valid(&json!({"role": "user", "content": content})), "{content}");
    }
    let embeddings = schema("EmbeddingsIn");
    for input in [json!("a"), json!(["a", "b"]), json!([1, 2]), json!([[1], [2]])] {
        assert!(embeddings.is_valid(&json!({"model": "m", "input": input})), "{input}");
    }
    for input in [json!(""), json!([]), json!([""]), json!({}), json!([-1]), json!(["a", 1])] {
        assert!(!embeddings.is_valid(&json!({"model": "m", "input": input})), "{input}");
    }
}

#[tokio::test]
async fn every_described_route_is_served_and_other_methods_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let document = app.anonymous().get("/builder/v1/openapi.json").await.json;
    assert_eq!(document["servers"][0]["url"], app.platform.base_url, "the address of the request");
    let elsewhere = app.anonymous().request(Method::GET, "/builder/v1/openapi.json").header("host", "attacker.example");
    assert_eq!(send(elsewhere).await.json["servers"][0]["url"], "../..", "a relative address for an unknown host");
    let described = routes(&document);
    assert!(described.len() >= 8, "{described:?}");
    let paths: BTreeSet<&String> = described.iter().map(|(path, _)| path).collect();
    for path in paths {
        let example = path.replace("{id}", SOME_ID);
        for method in METHODS {
            let request = ada.request(method.to_uppercase().parse::<Method>().unwrap(), &example);
            let answer = send(request.json(&json!({}))).await;
            let is_served = answer.code() != "method_not_allowed" && answer.code() != "not_found";
            assert_eq!(
                is_served,
                described.contains(&(path.clone(), method.to_owned())),
                "{method} {path}: {}",
                answer.text
            );
        }
    }
}

#[tokio::test]
async fn an_unknown_query_parameter_is_named() {
    let app = TestApp::start().await;
    let operator = &app.platform.credentials.operator;
    let with = |token: &String| Person::new(&app.platform.base_url, Some(token.clone()));
    let (by_token, by_key) = (with(&operator.access_token), with(&operator.api_key));
    for document in documents() {
        let document: Value = serde_json::from_str(&document.json()).unwrap();
        let described = routes(&document);
        // A webhook may give its run any parameter.
        for (path, method) in described.clone().into_iter().filter(|(path, _)| path != "/hooks/v1/{webhook_id}") {
            let filled = path.split('/').map(|part| if part.starts_with('{') { SOME_ID } else { part });
            let example = filled.collect::<Vec<_>>().join("/");
            let method: Method = method.to_uppercase().parse().unwrap();
            let operator = if path.starts_with("/gateway/") { &by_key } else { &by_token };
            let request = operator.request(method.clone(), &format!("{example}?no_such=1"));
            let answer = send(request.json(&json!({}))).await;
            assert_eq!(answer.code(), "invalid_query", "{method} {path}: {}", answer.text);
            assert!(answer.text.contains("no_such"), "{method} {path}: {}", answer.text);
            // An unsupported method is reported first, with exactly the methods of the document.
            let other = send(operator.request(Method::TRACE, &format!("{example}?no_such=1"))).await;
            assert_eq!(other.code(), "method_not_allowed", "{path}: {}", other.text);
            let allowed = other.header("allow").unwrap_or_default().to_lowercase();
            let allowed = allowed.split(',').filter(|method| *method != "head").map(str::to_owned).collect();
            let of_path = described.iter().filter(|(other, _)| *other == path);
            let methods: BTreeSet<String> = of_path.map(|(_, method)| method.clone()).collect();
            assert_eq!(methods, allowed, "{path}");
        }
    }
}

#[test]
fn documents_have_exactly_the_served_routes() {
    for document in documents() {
        let described: Value = serde_json::from_str(&document.json()).unwrap();
        let served = document.routes.iter().map(|(path, method)| (path.clone(), (*method).to_owned()));
        assert_eq!(routes(&described), served.collect());
    }
}

#[test]
fn schema_names_are_unambiguous() {
    for document in documents() {
        let names = document.ambiguous_names;
        assert!(names.is_empty(), "{names:?}: rename one schema of each pair with #[schema(as = …)]");
    }
}

/// Whether a route of API Gateway matches a path.
fn leads(route: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    for part in route.split('/') {
        match (part, segments.next()) {
            ("{proxy+}", Some(_)) => return true,
            (part, Some(segment)) if part == segment || part.starts_with('{') => {}
            _ => return false,
        }
    }
    segments.next().is_none()
}

/// Every route of the template is described, except the reference page, its text, the pages of the console, the page to which providers
/// send browsers, and the MCP servers, whose protocol describes itself.
#[test]
fn every_prefix_of_the_template_is_described() {
    let described: Vec<String> = documents()
        .iter()
        .flat_map(|document| {
            let json: Value = serde_json::from_str(&document.json()).unwrap();
            routes(&json).into_iter().map(|(path, _)| path).collect::<Vec<_>>()
        })
        .collect();
    for route in SamTemplate::read().routes {
        let prefix = route.path.trim_end_matches("/{proxy+}");
        let is_described = described.iter().any(|path| path.starts_with(prefix));
        assert!(
            is_described
                || [
                    "/docs",
                    "/llms.txt",
                    "/console",
                    "/mcp/v1",
                    "/mcp/v1/studio",
                    "/oauth/callback",
                    "/.well-known/oauth-protected-resource"
                ]
                .contains(&prefix),
            "{prefix} is in no document"
        );
    }
    for path in described {
        assert!(
            SamTemplate::read().routes.iter().any(|route| leads(&route.path, &path)),
            "{path} is not in the template"
        );
    }
}

#[test]
fn every_operation_has_a_summary_an_id_and_descriptions() {
    for document in documents() {
        let document: Value = serde_json::from_str(&document.json()).unwrap();
        for (path, method) in routes(&document) {
            let operation = &document["paths"][&path][&method];
            assert!(operation["summary"].is_string() && operation["operationId"].is_string(), "{method} {path}");
            for (status, response) in operation["responses"].as_object().into_iter().flatten() {
                assert!(
                    response["description"].as_str().is_some_and(|text| !text.is_empty()),
                    "{method} {path} {status}"
                );
            }
        }
    }
}
