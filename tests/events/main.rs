//! Replays the payloads of `events/` through the functions' real binaries on a fake Runtime API, as Lambda would.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use domain::id::AgentId;
use serde_json::{Value, json};
use tests::binaries::{self, folder};
use tests::collector::Collector;
use tests::polling::eventually;
use tests::provider::Behaviour;
use tests::runtime_api::FunctionProcess;
use tests::{AgentBuilder, TestApp};

/// The payloads of requests, each with the expected status and, for an error, its code.
const ANSWERS: &[(&str, u64, Option<&str>)] = &[
    ("account/create-key", 201, None),
    ("account/create-key-wrong", 400, Some("invalid_body")),
    ("account/list-keys", 200, None),
    ("account/me", 200, None),
    ("account/me-by-token", 200, None),
    ("account/revoke-unknown", 404, Some("api_key_not_found")),
    ("admin/balances", 200, None),
    ("admin/create-key-wrong", 400, Some("invalid_body")),
    ("admin/create-org", 201, None),
    ("admin/create-provider", 201, None),
    ("admin/create-user-nowhere", 404, Some("organization_not_found")),
    ("admin/get-model", 200, None),
    ("admin/import-models", 200, None),
    ("admin/list-model-facts", 200, None),
    ("admin/list-models", 200, None),
    ("admin/list-provider-models", 200, None),
    ("admin/list-provider-presets", 200, None),
    ("admin/rotate-receipt-key", 201, None),
    ("admin/setup", 200, None),
    ("admin/test-provider", 200, None),
    ("admin/put-workbench-cluster", 200, None),
    ("admin/not-an-operator", 403, Some("operator_only")),
    ("agents/create", 201, None),
    ("agents/create-base64", 201, None),
    ("agents/get-unknown", 404, Some("agent_not_found")),
    ("agents/list", 200, None),
    ("agents/list-repeated-query", 400, Some("invalid_query")),
    ("agents/no-token", 401, Some("unauthorized")),
    ("agents/patch", 200, None),
    ("agents/wrong-method", 405, Some("method_not_allowed")),
    ("batches/content-unknown", 404, Some("file_not_found")),
    ("batches/create-wrong", 400, Some("invalid_body")),
    ("batches/list-batches", 200, None),
    ("batches/list-files", 200, None),
    ("batches/upload", 200, None),
    ("billing/balance", 200, None),
    ("billing/call-body-refused", 403, Some("administrator_only")),
    ("billing/put-call-retention", 200, None),
    ("billing/receipt-keys", 200, None),
    ("billing/receipt-unknown", 404, Some("receipt_not_found")),
    ("billing/transactions", 200, None),
    ("billing/transactions-wrong-cursor", 400, Some("invalid_query")),
    ("billing/usage", 200, None),
    ("catalog/aliases", 200, None),
    ("catalog/get", 200, None),
    ("catalog/get-unknown", 404, Some("model_not_found")),
    ("catalog/list", 200, None),
    ("catalog/no-key", 401, Some("identity.invalid_token")),
    ("channels/consent-unknown", 400, None),
    ("channels/connections-unknown", 404, Some("workflow_not_found")),
    ("channels/teams-unknown", 404, Some("workflow_not_found")),
    ("channels/webhooks-unknown", 404, Some("workflow_not_found")),
    ("console/callback-unknown", 400, None),
    ("console/login", 303, None),
    ("console/logout-of-another-site", 403, Some("origin_not_allowed")),
    ("conversations/records-unknown", 404, Some("workflow_not_found")),
    ("conversations/threads", 200, None),
    ("hooks/unknown", 404, Some("webhook_not_found")),
    ("inference/chat", 200, None),
    ("inference/chat-streamed", 200, None),
    ("inference/completions", 200, None),
    ("inference/count-tokens", 200, None),
    ("inference/embeddings", 200, None),
    ("inference/image-job-unknown", 404, Some("image_job_not_found")),
    ("inference/image-edit", 202, None),
    ("inference/images", 202, None),
    ("inference/message", 200, None),
    ("inference/no-key", 401, Some("identity.invalid_token")),
    ("inference/rerank", 200, None),
    ("inference/response", 200, None),
    ("inference/response-unknown", 404, Some("response_not_found")),
    ("inference/speech", 200, None),
    ("inference/transcription", 200, None),
    ("invocations/unknown", 404, Some("agent_not_found")),
    ("mcp-gateway/get-unknown", 404, Some("mcp_server_not_found")),
    ("mcp-gateway/list", 200, None),
    ("mcp-gateway/no-key", 401, Some("identity.invalid_token")),
    ("mcp-tools/initialize", 200, None),
    ("mcp-tools/list-without-session", 400, None),
    ("mcp-tools/no-token", 401, Some("unauthorized")),
    ("mcp-tools/resource", 200, None),
    ("mcp-studio/list-node-types", 200, None),
    ("mcp-studio/no-token", 401, Some("unauthorized")),
    ("previews/test-agent-unknown", 404, Some("workflow_not_found")),
    ("previews/unknown", 404, Some("workflow_not_found")),
    ("reference/front", 307, None),
    ("reference/docs", 307, None),
    ("reference/docs-icon", 200, None),
    ("reference/docs-page", 200, None),
    ("reference/health", 200, None),
    ("reference/llms", 200, None),
    ("reference/openapi", 200, None),
    ("run-events/inbox", 200, None),
    ("run-events/unknown", 404, Some("workflow_not_found")),
    ("runs/get-unknown", 404, Some("workflow_not_found")),
    ("runs/list-all", 200, None),
    ("runs/reviews", 200, None),
    ("runs/start-unknown", 404, Some("workflow_not_found")),
    ("team/list-people", 200, None),
    ("service-tokens/create-refused", 403, Some("administrator_only")),
    ("service-tokens/list-refused", 403, Some("administrator_only")),
    ("service-tokens/no-token", 401, Some("unauthorized")),
    ("workbenches/create", 201, None),
    ("workbenches/create-wrong", 400, Some("LAB_INVALID_RESOURCES")),
    ("workbenches/get-unknown", 404, Some("LAB_NOT_FOUND")),
    ("workbenches/list", 200, None),
    ("workbenches/variables-unknown", 404, Some("LAB_NOT_FOUND")),
    ("workflows/create", 201, None),
    ("workflows/create-wrong", 400, Some("invalid_body")),
    ("workflows/expression-preview", 200, None),
    ("workflows/get-unknown", 404, Some("workflow_not_found")),
    ("workflows/node-types", 200, None),
    ("workflows/services", 200, None),
];
/// Batches of two messages, of which the second one is not JSON.
const BATCHES: [&str; 6] = [
    "attention-worker/hints",
    "batch-worker/hints",
    "guard-worker/tasks",
    "image-worker/hints",
    "run-worker/hints",
    "workbench-worker/hints",
];
const TICK: &str = "ticker/every-minute";
/// The kinds of spans in OTLP.
const SERVER: u64 = 2;
const CONSUMER: u64 = 5;

static BINARIES: LazyLock<BTreeMap<String, PathBuf>> =
    LazyLock::new(|| binaries::build(&binaries::functions(), "dev", Some(env!("CARGO_PKG_NAME"))));

async fn start(app: &TestApp, function: &str) -> FunctionProcess {
    let settings = app.platform.environment_of(function);
    FunctionProcess::start(function, &BINARIES[function], &settings).await
}

/// Reads a payload such as `agents/list`, and fills in the token and the API key of `ada` and the operator's key.
fn event(app: &TestApp, name: &str) -> Value {
    let payload = fs::read_to_string(folder("events").join(name).with_extension("json")).unwrap();
    let token = app.person("ada").token.unwrap();
    let credentials = &app.platform.credentials;
    let payload = payload.replace("{{token}}", &token).replace("{{key}}", &credentials.users["ada"].api_key);
    serde_json::from_str(&payload.replace("{{operator}}", &credentials.operator.api_key)).unwrap()
}

async fn replay(app: &TestApp, process: &mut FunctionProcess, name: &str) -> Value {
    let mut answer = process.invoke(&event(app, name)).await.outcome.unwrap();
    if let Some(json) = answer["body"].as_str().and_then(|body| serde_json::from_str(body).ok()) {
        answer["body"] = json;
    }
    answer
}

/// The agent that `agents/patch` changes.
async fn insert_agent(app: &TestApp) {
    let event = event(app, "agents/patch");
    let id: AgentId = event["pathParameters"]["proxy"].as_str().unwrap().parse().unwrap();
    AgentBuilder::new(app.account("ada"), "scout").with(|agent| agent.id = id).insert(app).await;
}

fn header<'a>(answer: &'a Value, name: &str) -> Vec<&'a str> {
    let values = answer["multiValueHeaders"][name].as_array().into_iter().flatten();
    values.map(|value| value.as_str().unwrap()).collect()
}

#[test]
fn every_function_has_payloads_and_every_payload_an_expectation() {
    let mut payloads = BTreeSet::new();
    for function in binaries::functions() {
        let files = fs::read_dir(folder("events").join(&function)).into_iter().flatten();
        let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "events/{function}/ has no payload");
        payloads.extend(files.iter().map(|file| format!("{function}/{}", file.file_stem().unwrap().display())));
    }
    let expected = ANSWERS.iter().map(|(name, ..)| *name).chain(BATCHES).chain([TICK]);
    assert_eq!(payloads, expected.map(str::to_owned).collect());
}

#[tokio::test]
async fn requests_are_answered_in_the_format_of_api_gateway() {
    let app = TestApp::start_with_ports().await;
    insert_agent(&app).await;

    let mut processes = BTreeMap::new();
    for (name, status, code) in ANSWERS {
        let (function, _) = name.split_once('/').unwrap();
        if !processes.contains_key(function) {
            processes.insert(function, start(&app, function).await);
        }
        let answer = replay(&app, processes.get_mut(function).unwrap(), name).await;
        assert_eq!(answer["statusCode"], *status, "{name}: {answer}");
        assert_eq!(header(&answer, "x-request-id").len(), 1, "{name}: {answer}");
        if let Some(code) = code {
            let message = answer["body"]["error"]["message"].as_str().unwrap_or_default();
            assert_ne!(message, "", "{name}: {answer}");
            assert_eq!(answer["body"]["error"]["code"], *code, "{name}");
            // The error object of the gateway.
            if !answer["body"]["error"]["type"].is_null() {
                let request_id = answer["body"]["error"]["request_id"].as_str().unwrap();
                assert_eq!(header(&answer, "x-request-id"), [request_id], "{name}");
            }
            assert_eq!(header(&answer, "content-type"), ["application/json"], "{name}");
        }
    }
}

#[tokio::test]
async fn a_repeated_key_replays_the_creation() {
    let app = TestApp::start_with_ports().await;
    let mut agents = start(&app, "agents").await;
    let first = replay(&app, &mut agents, "agents/create").await;
    let again = replay(&app, &mut agents, "agents/create").await;
    assert_eq!(header(&first, "idempotent-replayed"), [""; 0]);
    assert_eq!(header(&again, "idempotent-replayed"), ["true"]);
    assert_eq!(first["body"], again["body"]);
    // The last of repeated headers is used.
    assert_eq!(header(&first, "x-request-id"), ["req-from-the-client"]);
}

/// Lambda freezes a function when it polls again.
#[tokio::test]
async fn the_bodies_of_a_call_are_stored_before_the_next_poll() {
    let app = TestApp::start_with_ports().await;
    let kept = app.key_client("ada").put("/gateway/v1/billing/call-retention", json!({"days": 7})).await;
    assert_eq!(kept.status, "200 OK", "{}", kept.text);
    let mut inference = start(&app, "inference").await;
    inference.wait_for_poll().await;
    for (name, calls) in [("inference/chat", 1), ("inference/chat-streamed", 2)] {
        assert_eq!(replay(&app, &mut inference, name).await["statusCode"], 200);
        inference.wait_for_poll().await;
        assert_eq!(app.objects("call-bodies"), calls, "{name}");
    }
}

#[tokio::test]
async fn a_query_arrives_decoded() {
    let app = TestApp::start_with_ports().await;
    for name in ["Agenda B", "data bot", "A b c", "other"] {
        AgentBuilder::new(app.account("ada"), name).insert(&app).await;
    }
    let listed = replay(&app, &mut start(&app, "agents").await, "agents/list").await;
    let names: Vec<_> = listed["body"]["data"].as_array().unwrap().iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, ["A b c", "Agenda B", "data bot"]);
    assert_eq!(listed["body"]["meta"], json!({"page": 1, "perPage": 5, "total": 3, "totalPages": 1}));
}

#[tokio::test]
async fn a_body_arrives_unchanged() {
    let app = TestApp::start_with_ports().await;
    insert_agent(&app).await;
    let patched = replay(&app, &mut start(&app, "agents").await, "agents/patch").await;
    assert_eq!(patched["body"]["data"]["name"], "Scout ñ");
}

/// API Gateway sends a form as base64, and sends the audio of a streamed response as it is.
#[tokio::test]
async fn files_arrive_unchanged() {
    let app = TestApp::start_with_ports().await;
    let mut inference = start(&app, "inference").await;
    let answer = replay(&app, &mut inference, "inference/transcription").await;
    let text = answer["body"]["text"].as_str().unwrap();
    assert!(text.ends_with("The file talk.wav has 204 bytes and 0.01 seconds of audio."), "{text}");
    let speech = replay(&app, &mut inference, "inference/speech").await;
    assert_eq!(header(&speech, "content-type"), ["audio/wav"]);
    assert!(speech["body"].as_str().unwrap().starts_with("RIFF"));
}

#[tokio::test]
async fn without_the_setting_the_stage_is_part_of_the_path() {
    let app = TestApp::start_with_ports().await;
    let mut settings = app.platform.environment_of("reference");
    settings.retain(|(name, _)| name != "AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH");
    let mut process = FunctionProcess::start("reference", &BINARIES["reference"], &settings).await;
    let answer = replay(&app, &mut process, "reference/openapi").await;
    assert_eq!(answer["body"]["error"]["code"], "not_found");
}

#[tokio::test]
async fn without_a_base_url_the_address_of_api_gateway_is_used() {
    let app = TestApp::start_with_ports().await;
    let mut settings = app.platform.environment_of("reference");
    settings.retain(|(name, _)| name != "BASE_URL");
    let mut process = FunctionProcess::start("reference", &BINARIES["reference"], &settings).await;
    let answer = replay(&app, &mut process, "reference/openapi").await;
    let url = &answer["body"]["servers"][0]["url"];
    assert_eq!(url, "https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/v1");
    let front = replay(&app, &mut process, "reference/front").await;
    assert_eq!(header(&front, "location"), [format!("{}/console", url.as_str().unwrap())]);
}

#[tokio::test]
#[should_panic(expected = "TABLE_ENTITIES")]
async fn a_function_without_a_setting_names_it_and_exits() {
    let app = TestApp::start_with_ports().await;
    let mut settings = app.platform.environment_of("ticker");
    settings.retain(|(name, _)| name != "TABLE_ENTITIES");
    FunctionProcess::start("ticker", &BINARIES["ticker"], &settings).await.wait_for_poll().await;
}

#[tokio::test]
#[should_panic(expected = "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")]
async fn a_function_with_a_wrong_setting_names_it_and_exits() {
    let app = TestApp::start_with_ports().await;
    let mut settings = app.platform.environment_of("ticker");
    settings.push(("OTEL_TRACES_SAMPLER_ARG".to_owned(), "10%".to_owned()));
    FunctionProcess::start("ticker", &BINARIES["ticker"], &settings).await.wait_for_poll().await;
}

#[tokio::test]
async fn the_spans_of_an_invocation_are_exported_before_the_next_one() {
    let app = TestApp::start_with_ports().await;
    let collector = Collector::start().await;
    for (name, kind) in [("agents/list", SERVER), ("inference/chat-streamed", SERVER), ("run-worker/hints", CONSUMER)] {
        let (function, _) = name.split_once('/').unwrap();
        let mut settings = app.platform.environment_of(function);
        settings.push(("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), collector.url().to_owned()));
        let mut process = FunctionProcess::start(function, &BINARIES[function], &settings).await;
        let first = replay(&app, &mut process, name).await;
        // The process has polled again, so the spans of the first invocation are exported.
        replay(&app, &mut process, name).await;
        let spans = collector.take_spans();
        // The spans of the last invocation of another function may come late.
        let found = spans.iter().find(|span| span.kind == kind && span.service == function);
        let span = found.unwrap_or_else(|| panic!("{name}: {spans:#?}"));
        assert_eq!(span.parent, None);
        let request_id = span.attributes.get("atelier.request.id").and_then(Value::as_str);
        assert_eq!(request_id.into_iter().collect::<Vec<_>>(), header(&first, "x-request-id"), "{name}");
    }
}

#[tokio::test]
async fn metrics_are_a_line_of_the_log_per_invocation() {
    let app = TestApp::start_with_ports().await;
    let mut settings = app.platform.environment_of("agents");
    settings.push(("METRICS".to_owned(), "emf".to_owned()));
    let mut agents = FunctionProcess::start("agents", &BINARIES["agents"], &settings).await;
    for _ in 0..2 {
        replay(&app, &mut agents, "agents/list").await;
    }
    // The third invocation begins after the lines of the others were written.
    replay(&app, &mut agents, "agents/no-token").await;
    let log = eventually("the lines of two invocations", async || {
        let log = agents.log().await;
        (log.matches("CloudWatchMetrics").count() >= 2).then_some(log)
    });
    let log = log.await;
    let lines = log.lines().filter(|line| line.contains("CloudWatchMetrics"));
    for line in lines.take(2) {
        let mut line: Value = serde_json::from_str(line).unwrap();
        assert!(line["_aws"]["Timestamp"].as_i64().is_some());
        let [seconds] = line["atelier_request_duration_seconds"].as_array().unwrap().as_slice() else {
            panic!("{line}")
        };
        assert!(seconds.as_f64().unwrap() > 0.0);
        line["_aws"] = Value::Null;
        line["atelier_request_duration_seconds"] = Value::Null;
        assert_eq!(
            line,
            json!({
                "_aws": null,
                "function": "agents",
                "method": "GET",
                "route": "/builder/v1/agents",
                "status": "2xx",
                "atelier_requests_total": 1.0,
                "atelier_request_duration_seconds": null,
            })
        );
    }
}

#[tokio::test]
async fn a_collector_that_does_not_answer_stops_no_function() {
    let app = TestApp::start_with_ports().await;
    let collector = Collector::start().await;
    collector.respond_with(Behaviour::json(200, "{}").silent_after(0));
    let mut settings = app.platform.environment_of("agents");
    settings.push(("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), collector.url().to_owned()));
    settings.push(("OTEL_EXPORTER_OTLP_TIMEOUT".to_owned(), "50".to_owned()));
    let mut agents = FunctionProcess::start("agents", &BINARIES["agents"], &settings).await;
    for _ in 0..3 {
        assert_eq!(replay(&app, &mut agents, "agents/list").await["statusCode"], 200);
    }
    assert_eq!(collector.take_exports().len(), 1, "the collector has a pause after its failure");
}

#[tokio::test]
async fn pages_are_sent_as_text_and_images_as_base64() {
    let app = TestApp::start_with_ports().await;
    let mut reference = start(&app, "reference").await;
    let front = replay(&app, &mut reference, "reference/front").await;
    assert_eq!(header(&front, "location"), ["console"]);
    let docs = replay(&app, &mut reference, "reference/docs").await;
    assert_eq!(header(&docs, "location"), ["docs/index.html"]);
    let page = replay(&app, &mut reference, "reference/docs-page").await;
    assert_eq!(
        (header(&page, "content-type"), &page["isBase64Encoded"]),
        (vec!["text/html; charset=utf-8"], &json!(false))
    );
    let icon = replay(&app, &mut reference, "reference/docs-icon").await;
    assert_eq!((header(&icon, "content-type"), &icon["isBase64Encoded"]), (vec!["image/png"], &json!(true)));
}

#[tokio::test]
async fn only_an_unreadable_message_is_reported_as_failed() {
    let app = TestApp::start_with_ports().await;
    for batch in BATCHES {
        let (worker, _) = batch.split_once('/').unwrap();
        let answer = replay(&app, &mut start(&app, worker).await, batch).await;
        let garbage = &event(&app, batch)["Records"][1]["messageId"];
        assert_eq!(answer, json!({"batchItemFailures": [{"itemIdentifier": garbage}]}));
    }
}

#[tokio::test]
async fn a_tick_with_nothing_due_sends_nothing() {
    let app = TestApp::start_with_ports().await;
    let answer = replay(&app, &mut start(&app, "ticker").await, TICK).await;
    assert_eq!(answer, 0);
}
