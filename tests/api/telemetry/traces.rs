//! Traces: one across a request, its calls of providers, the queue and the worker.

use std::collections::BTreeMap;

use domain::money::Money;
use insta::assert_json_snapshot;
use local::Options;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::collector::{CollectedSpan, Collector};
use tests::gateway::{CHAT, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};

use crate::runs::{graph, node, publish, read, start_run};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");
const STREAM: &str = include_str!("../../providers/fixtures/openai/stream.sse");
const TRACE_ID: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";
/// The kinds of spans in OTLP.
const INTERNAL: u64 = 1;
const SERVER: u64 = 2;
const CLIENT: u64 = 3;
const CONSUMER: u64 = 5;

/// A platform that exports its spans, and a model with a provider.
struct Stage {
    app: TestApp,
    collector: Collector,
    provider: FakeProvider,
    person: Person,
}

async fn stage(settings: &[(&str, &str)]) -> Stage {
    stage_with(settings, |_| {}).await
}

async fn stage_with(settings: &[(&str, &str)], change: impl FnOnce(&mut Options)) -> Stage {
    let collector = Collector::start().await;
    let app = TestApp::start_with_options(|options| {
        change(options);
        collector.connect(options);
        options.settings.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    })
    .await;
    let provider = FakeProvider::start().await;
    ModelBuilder::new("fake").with_deployment(&app, &provider).await.insert(&app).await;
    let person = app.customer("traced", Money::from_usd(1)).await.person;
    Stage { app, collector, provider, person }
}

impl Stage {
    /// Sends a chat as part of the caller's trace.
    async fn chat(&self, flags: &str, body: Value) -> Answer {
        let traceparent = format!("00-{TRACE_ID}-{CALLER}-{flags}");
        send(self.person.request(Method::POST, CHAT).header("traceparent", traceparent).json(&body)).await
    }

    async fn spans(&self) -> Vec<CollectedSpan> {
        self.app.platform.flush_telemetry().await;
        self.collector.take_spans()
    }
}

fn question() -> Value {
    json!({"model": "fake", "messages": [{"role": "user", "content": "a secret question"}]})
}

fn one(spans: &[CollectedSpan], kind: u64) -> &CollectedSpan {
    let [span] = &spans.iter().filter(|span| span.kind == kind).collect::<Vec<_>>()[..] else {
        panic!("not one span of kind {kind}: {spans:#?}")
    };
    span
}

/// The attributes without those that differ in each run.
fn attributes(span: &CollectedSpan) -> BTreeMap<String, Value> {
    let mut attributes = span.attributes.clone();
    assert!(attributes.remove("atelier.request.id").is_some() || span.kind != SERVER);
    attributes
}

#[tokio::test]
async fn a_call_continues_the_trace_of_its_caller_to_the_provider() {
    let stage = stage(&[]).await;
    stage.provider.respond_with(Behaviour::json(200, ANSWER));
    let answer = stage.chat("01", question()).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let spans = stage.spans().await;
    let (request, call) = (one(&spans, SERVER), one(&spans, CLIENT));
    assert_eq!(spans.len(), 2, "{spans:#?}");
    assert!(spans.iter().all(|span| span.trace_id == TRACE_ID && span.service == "inference" && !span.has_failed));
    assert_eq!(request.parent.as_deref(), Some(CALLER));
    assert_eq!(call.parent.as_ref(), Some(&request.span_id));
    assert!(request.began_ns <= call.began_ns && call.ended_ns <= request.ended_ns);
    assert_eq!(request.attributes["atelier.request.id"], answer.header("x-request-id").unwrap());
    assert_json_snapshot!([(&request.name, attributes(request)), (&call.name, attributes(call))], @r#"
    [
      [
        "POST /gateway/v1/chat/completions",
        {
          "http.request.method": "POST",
          "http.response.status_code": "200",
          "http.route": "/gateway/v1/chat/completions",
          "url.path": "/gateway/v1/chat/completions",
          "url.scheme": "http"
        }
      ],
      [
        "chat upstream-model",
        {
          "atelier.model": "fake",
          "atelier.provider": "fake-0",
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "upstream-model",
          "gen_ai.response.finish_reasons": [
            "stop"
          ],
          "gen_ai.usage.cache_read.input_tokens": "1024",
          "gen_ai.usage.input_tokens": "1200",
          "gen_ai.usage.output_tokens": "90",
          "gen_ai.usage.reasoning.output_tokens": "64"
        }
      ]
    ]
    "#);

    let sent = stage.provider.take_requests().remove(0);
    assert_eq!(sent.headers["traceparent"], format!("00-{TRACE_ID}-{}-01", call.span_id));
    assert!(!format!("{spans:?}").contains("secret question"));
}

#[tokio::test]
async fn a_streamed_call_ends_with_its_usage() {
    let stage = stage(&[]).await;
    stage.provider.respond_with(Behaviour::events(STREAM));
    let mut body = question();
    body["stream"] = json!(true);
    stage.chat("01", body).await;
    let spans = stage.spans().await;
    let (request, call) = (one(&spans, SERVER), one(&spans, CLIENT));
    assert_eq!(call.parent.as_ref(), Some(&request.span_id));
    assert!(call.ended_ns <= request.ended_ns, "the request ends when its stream has ended");
    assert_json_snapshot!(attributes(call), @r#"
    {
      "atelier.model": "fake",
      "atelier.provider": "fake-0",
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "upstream-model",
      "gen_ai.response.finish_reasons": [
        "stop"
      ],
      "gen_ai.usage.input_tokens": "12",
      "gen_ai.usage.output_tokens": "8"
    }
    "#);
}

#[tokio::test]
async fn each_failed_attempt_is_a_span_of_its_own() {
    let stage = stage(&[]).await;
    stage.provider.then_respond(Behaviour::json(503, "{}").header("retry-after", "0"));
    stage.provider.then_respond(Behaviour::json(200, ANSWER));
    assert_eq!(stage.chat("01", question()).await.status, "200 OK");
    let spans = stage.spans().await;
    let attempts: Vec<_> = spans.iter().filter(|span| span.kind == CLIENT).collect();
    let outcomes: Vec<_> = attempts.iter().map(|span| (span.has_failed, span.attributes.get("error.type"))).collect();
    assert_eq!(outcomes, [(true, Some(&json!("unavailable"))), (false, None)]);
    stage.provider.respond_with(Behaviour::json(401, "{}"));
    assert_eq!(stage.chat("01", question()).await.status, "502 Bad Gateway");
    let spans = stage.spans().await;
    assert_eq!(one(&spans, SERVER).attributes["error.type"], "502");
    assert!(one(&spans, SERVER).has_failed);
}

#[tokio::test]
async fn the_worker_continues_the_trace_of_the_request_that_started_a_run() {
    check_trace_of_run(stage(&[]).await).await;
    // By SQS's API.
    check_trace_of_run(stage_with(&[], |options| options.services_proxy = Some(Box::new(|services| services))).await)
        .await;
}

async fn check_trace_of_run(stage: Stage) {
    let ada = stage.app.person("ada");
    stage.provider.respond_with(Behaviour::json(200, ANSWER));
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "fake", "prompt": "{{ input.topic }}"})),
        node("end", "send_result", json!({"output": "nodes.ask.output"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    stage.spans().await;
    let path = start_run(&ada, &flow, json!({"topic": "a secret topic"})).await;
    stage.app.platform.drain().await;
    stage.app.platform.flush_telemetry().await;
    let spans = stage.collector.take_spans();
    assert_eq!(read(&ada, &path).await["state"], "completed");
    let [request, message, effect, call] = [SERVER, CONSUMER, INTERNAL, CLIENT].map(|kind| one(&spans, kind));
    assert_eq!(request.parent, None);
    for (span, parent) in [(message, request), (effect, message), (call, effect)] {
        assert_eq!((&span.trace_id, span.parent.as_ref()), (&request.trace_id, Some(&parent.span_id)), "{spans:#?}");
    }
    let services = [request, message, effect, call].map(|span| span.service.as_str());
    assert_eq!(services, ["runs", "run-worker", "run-worker", "run-worker"]);
    assert_eq!(
        [&message.name, &effect.name, &call.name],
        ["process RunsQueue", "perform model", "chat upstream-model"]
    );
    assert_eq!(message.attributes["messaging.system"], "aws_sqs");
    assert_eq!(
        (&effect.attributes["atelier.run.step"], &effect.attributes["atelier.run.attempt"]),
        (&json!("ask"), &json!("1"))
    );
    assert!(path.ends_with(effect.attributes["atelier.run.id"].as_str().unwrap()));
    assert!(!format!("{spans:?}").contains("secret topic"));
}

#[tokio::test]
async fn a_trace_that_the_caller_does_not_sample_is_passed_on_and_not_exported() {
    let stage = stage(&[]).await;
    stage.provider.respond_with(Behaviour::json(200, ANSWER));
    stage.chat("00", question()).await;
    assert!(stage.spans().await.is_empty());
    let sent = stage.provider.take_requests().remove(0);
    let traceparent = sent.headers["traceparent"].to_str().unwrap();
    assert!(traceparent.starts_with(&format!("00-{TRACE_ID}-")) && traceparent.ends_with("-00"), "{traceparent}");
}

#[tokio::test]
async fn the_operator_chooses_the_sampler_the_name_and_the_headers() {
    let settings = [
        ("OTEL_TRACES_SAMPLER", "traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "1"),
        ("OTEL_SERVICE_NAME", "atelier-test"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20key"),
    ];
    let stage = stage(&settings).await;
    stage.provider.respond_with(Behaviour::json(200, ANSWER));
    stage.chat("00", question()).await;
    stage.app.platform.flush_telemetry().await;
    let (headers, body) = stage.collector.take_exports().remove(0);
    assert_eq!(headers["api-key"], "a key");
    assert_eq!(headers["content-type"], "application/json");
    assert_json_snapshot!(body["resourceSpans"][0]["resource"], @r#"
    {
      "attributes": [
        {
          "key": "service.name",
          "value": {
            "stringValue": "atelier-test"
          }
        },
        {
          "key": "faas.name",
          "value": {
            "stringValue": "inference"
          }
        },
        {
          "key": "service.version",
          "value": {
            "stringValue": "0.1.0"
          }
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn a_collector_that_does_not_answer_fails_no_request() {
    let stage = stage(&[("OTEL_EXPORTER_OTLP_TIMEOUT", "50")]).await;
    stage.provider.respond_with(Behaviour::json(200, ANSWER));
    stage.collector.respond_with(Behaviour::json(200, "{}").silent_after(0));
    assert_eq!(stage.chat("01", question()).await.status, "200 OK");
    // Returns after the timeout. Without one, it never would.
    stage.app.platform.flush_telemetry().await;
    assert_eq!(stage.collector.take_exports().len(), 1);
    // The collector has a pause, and requests are served as before.
    assert_eq!(stage.chat("01", question()).await.status, "200 OK");
    stage.app.platform.flush_telemetry().await;
    assert!(stage.collector.take_exports().is_empty());
}

#[tokio::test]
async fn nothing_is_sent_without_an_endpoint() {
    let app = TestApp::start().await;
    let provider = FakeProvider::start().await;
    provider.respond_with(Behaviour::json(200, ANSWER));
    ModelBuilder::new("fake").with_deployment(&app, &provider).await.insert(&app).await;
    let person = app.customer("untraced", Money::from_usd(1)).await.person;
    let traceparent = format!("00-{TRACE_ID}-{CALLER}-01");
    send(person.request(Method::POST, CHAT).header("traceparent", traceparent).json(&question())).await;
    app.platform.flush_telemetry().await;
    assert!(!provider.take_requests().remove(0).headers.contains_key("traceparent"));
}
