//! Streams of calls: progress, cancellation, and streams that break and are resumed.

use super::*;
use crate::runs::{graph, node};
use tests::assistant::{McpMessage, McpStream};
use tests::provider::{Behaviour, FakeProvider, Gate};

/// A workflow that calls another system twice.
fn two_calls(fake: &FakeProvider) -> Value {
    let http = |id: &str| node(id, "http", json!({"method": "POST", "url": format!("{}/{id}", fake.base_url)}));
    let nodes = [
        node("start", "input", json!({})),
        http("one"),
        http("two"),
        node("end", "send_result", json!({"output": "'done'"})),
    ];
    graph(&nodes, &["start.out one", "one.out two", "two.out end"])
}

/// Reads progress until a message.
async fn progress_until(stream: &mut McpStream, text: &str) -> McpMessage {
    loop {
        let message = stream.next().await.expect("the stream goes on");
        if message.data["params"]["message"] == text {
            return message;
        }
    }
}

/// Reads the rest of a stream: what it reports of the calls, and the result.
async fn read_rest(stream: &mut McpStream, id: u64) -> (Vec<String>, Value) {
    let (mut messages, mut last) = (Vec::new(), 0.0);
    loop {
        let message = stream.next().await.expect("the stream goes on").data;
        if message["id"] == id {
            return (messages, message["result"].clone());
        }
        if message["method"] == "notifications/progress" {
            let params = &message["params"];
            assert_eq!(params["progressToken"], "p");
            assert!(params["progress"].as_f64().unwrap() > last, "the progress grows: {message}");
            last = params["progress"].as_f64().unwrap();
            let text = params["message"].as_str().unwrap();
            messages.extend(text.starts_with(['o', 't']).then(|| text.to_owned()));
        }
    }
}

#[tokio::test]
async fn the_progress_of_a_run_is_reported() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({})));
    publish_tool(&ada, "two", two_calls(&fake)).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let (id, mut stream) = assistant.begin_call("two", json!({})).await;
    let (messages, result) = with_workers(&app, read_rest(&mut stream, id)).await;
    assert_eq!(messages, ["one began", "one has ended", "two began", "two has ended"]);
    assert_eq!(result["structuredContent"]["output"], "done");
}

#[tokio::test]
async fn a_cancelled_call_stops_its_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let slow = graph(
        &[
            node("start", "input", json!({})),
            node("wait", "delay", json!({"seconds": 3600})),
            node("end", "send_result", json!({})),
        ],
        &["start.out wait", "wait.out end"],
    );
    let path = publish_tool(&ada, "slow", slow).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let other = Assistant::connect(&ada, MCP).await;
    let (id, mut stream) = assistant.begin_call("slow", json!({})).await;
    let run = loop {
        let runs = ada.get(&format!("{path}/runs")).await;
        if let Some(run) = runs.column("id").first() {
            break (*run).to_owned();
        }
    };
    app.platform.drain().await;
    let cancelled = other.notify("notifications/cancelled", json!({"requestId": id})).await;
    assert_eq!(cancelled.status, "202 Accepted");
    assert_eq!(
        ada.get(&format!("{path}/runs/{run}")).await.json["data"]["state"],
        "paused",
        "another session cancels nothing"
    );
    let cancelled =
        assistant.notify("notifications/cancelled", json!({"requestId": id, "reason": "changed my mind"})).await;
    assert_eq!(cancelled.status, "202 Accepted");
    assert_eq!(ada.get(&format!("{path}/runs/{run}")).await.json["data"]["state"], "cancelled");
    let answer = stream.answer_to(id).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let again = assistant.notify("notifications/cancelled", json!({"requestId": id})).await;
    assert_eq!(again.status, "202 Accepted", "a second cancellation changes nothing");
}

#[tokio::test]
async fn a_broken_stream_is_resumed_and_nothing_is_lost_or_runs_twice() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    let gate = Gate::closed();
    fake.respond_with(Behaviour::json(200, json!({})).gated_by(&gate));
    let path = publish_tool(&ada, "two", two_calls(&fake)).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let (id, mut stream) = assistant.begin_call("two", json!({})).await;
    let resume = async {
        let first = progress_until(&mut stream, "one began").await;
        // The connection breaks.
        drop(stream);
        let mut resumed = assistant.resume(first.event.as_deref().unwrap()).await;
        gate.open();
        let (messages, result) = read_rest(&mut resumed, id).await;
        (first, messages, result)
    };
    let (first, messages, result) = with_workers(&app, resume).await;
    assert_eq!(messages, ["one has ended", "two began", "two has ended"]);
    assert_eq!(result["structuredContent"]["output"], "done");
    assert_eq!(ada.get(&format!("{path}/runs")).await.column("id").len(), 1);
    let bob = Assistant::connect(&app.person("bob"), MCP).await;
    assert!(bob.resume(first.event.as_deref().unwrap()).await.next().await.is_none(), "the stream is another's");
    assert!(assistant.resume("nonsense").await.next().await.is_none());
}

#[tokio::test]
async fn a_repeated_request_of_a_session_starts_one_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = publish_tool(&ada, "double", crate::runs::double()).await;
    let assistant = Assistant::connect(&ada, MCP).await;
    let params = json!({"name": "double", "arguments": {"input": {"n": 2}}});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let send =
        || async { McpStream::of(assistant.request(reqwest::Method::POST).json(&body)).await.answer_to(7).await };
    let (one, two) = with_workers(&app, async { tokio::join!(send(), send()) }).await;
    assert_eq!(one["result"]["structuredContent"]["runId"], two["result"]["structuredContent"]["runId"], "{one} {two}");
    assert_eq!(ada.get(&format!("{path}/runs")).await.column("id").len(), 1);
}
