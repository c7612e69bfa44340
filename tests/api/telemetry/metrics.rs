//! `GET /metrics` of `local`, in the text format of Prometheus.

use std::collections::BTreeMap;

use domain::money::Money;
use reqwest::Method;
use serde_json::json;
use tests::TestApp;
use tests::client::{Person, send};
use tests::gateway::{CHAT, ModelBuilder};
use tests::provider::{Behaviour, FakeProvider};

use crate::runs::{double, publish, start_run};

const ANSWER: &str = include_str!("../../providers/fixtures/openai/answer.json");
const METRICS: &str = "/metrics";

/// The values of all series, by their names with their labels. Panics on a line that is not in the format.
async fn read_metrics(person: &Person) -> BTreeMap<String, f64> {
    let answer = person.get(METRICS).await;
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"), "{}", answer.text);
    let (mut series, mut family) = (BTreeMap::new(), String::new());
    for line in answer.text.lines() {
        if let Some(described) = line.strip_prefix("# TYPE ") {
            let (name, kind) = described.split_once(' ').unwrap();
            assert!(["counter", "histogram"].contains(&kind), "{line}");
            family = name.to_owned();
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(&family) && name.contains("{function=\"") && name.ends_with('}'), "{line}");
            assert!(series.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{line} comes twice");
        }
    }
    series
}

#[tokio::test]
async fn a_call_of_a_model_is_counted_with_its_tokens_and_its_cost() {
    let app = TestApp::start().await;
    let provider = FakeProvider::start().await;
    ModelBuilder::new("fake").with_deployment(&app, &provider).await.insert(&app).await;
    let person = app.customer("measured", Money::from_usd(1)).await.person;
    provider.then_respond(Behaviour::json(503, "{}").header("retry-after", "0"));
    provider.then_respond(Behaviour::json(200, ANSWER));
    let body = json!({"model": "fake", "messages": [{"role": "user", "content": "Hello"}]});
    assert_eq!(person.post_json(CHAT, body).await.status, "200 OK");
    let metrics = read_metrics(&person).await;
    let of_model = r#"function="inference",provider="fake-0",model="fake""#;
    for (series, value) in [
        (format!(r#"atelier_requests_total{{function="inference",method="POST",route="{CHAT}",status="2xx"}}"#), 1.0),
        (r#"atelier_request_duration_seconds_count{function="inference"}"#.to_owned(), 1.0),
        (r#"atelier_request_duration_seconds_bucket{function="inference",le="+Inf"}"#.to_owned(), 1.0),
        (format!(r#"atelier_model_calls_total{{{of_model},outcome="unavailable"}}"#), 1.0),
        (format!(r#"atelier_model_calls_total{{{of_model},outcome="ok"}}"#), 1.0),
        (format!("atelier_model_call_duration_seconds_count{{{of_model}}}"), 2.0),
        (format!("atelier_input_tokens_total{{{of_model}}}"), 1_200.0),
        (format!("atelier_cached_tokens_total{{{of_model}}}"), 1_024.0),
        (format!("atelier_output_tokens_total{{{of_model}}}"), 90.0),
        // 1,200 tokens at 1 dollar a million, and 90 at 4 dollars.
        (format!("atelier_cost_dollars_total{{{of_model}}}"), 0.001_56),
    ] {
        let counted = metrics.get(&series).unwrap_or_else(|| panic!("{series} is missing in {metrics:#?}"));
        assert!((counted - value).abs() < 1e-9, "{series} is {counted}");
    }
}

#[tokio::test]
async fn messages_and_ended_runs_are_counted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    for input in [json!({"n": 1}), json!({"n": 2}), json!({"n": "two"})] {
        start_run(&ada, &flow, input).await;
    }
    app.platform.drain().await;
    let metrics = read_metrics(&ada).await;
    let runs = |state: &str| metrics[&format!(r#"atelier_runs_ended_total{{function="run-worker",state="{state}"}}"#)];
    assert_eq!((runs("completed"), runs("failed")), (2.0, 1.0));
    assert_eq!(metrics[r#"atelier_messages_total{function="run-worker",outcome="handled"}"#], 3.0);
}

#[tokio::test]
async fn metrics_are_shown_to_this_machine_only() {
    let app = TestApp::start().await;
    let person = app.anonymous();
    let ask = |name: &'static str, value: &'static str| send(person.request(Method::GET, METRICS).header(name, value));
    assert_eq!(ask("host", "localhost:9000").await.status, "200 OK");
    for (name, value) in
        [("host", "atelier.example"), ("x-forwarded-for", "203.0.113.7"), ("forwarded", "for=203.0.113.7")]
    {
        let answer = ask(name, value).await;
        assert_eq!(
            (answer.status.as_str(), &answer.json["error"]["code"]),
            ("404 Not Found", &json!("not_found")),
            "{name}"
        );
    }
}
