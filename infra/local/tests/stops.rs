//! Planned stops of the command (SIGTERM) while effects of runs are in flight.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "support/mod.rs"]
#[expect(dead_code, reason = "other tests need the rest")]
mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use support::{Folder, Running, credentials};

/// An attempt that crashes its process this often fails.
const STOPS: usize = 6;

/// A system that does not answer its first calls. Returns its URL, and reports each call.
fn slow_system() -> (String, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (send, calls) = channel();
    std::thread::spawn(move || {
        let mut unanswered = Vec::new();
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 4096]);
            if unanswered.len() < STOPS {
                unanswered.push(connection);
            } else {
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\ndone";
                let _ = connection.write_all(answer.as_bytes());
            }
            let _ = send.send(());
        }
    });
    (url, calls)
}

async fn post(running: &Running, token: &str, path: &str, body: Value) -> Value {
    let request = reqwest::Client::new().post(format!("{}/builder/v1/workflows{path}", running.base_url));
    let request = request.bearer_auth(token).header("content-type", "application/json").body(body.to_string());
    let answer: Value = serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
    assert!(answer["data"].is_object(), "{answer}");
    answer["data"].clone()
}

async fn get(running: &Running, token: &str, path: &str) -> Value {
    let request = reqwest::Client::new().get(format!("{}/builder/v1/workflows{path}", running.base_url));
    let answer: Value = request.bearer_auth(token).send().await.unwrap().json().await.unwrap();
    answer["data"].clone()
}

#[tokio::test]
async fn a_run_survives_many_stops_during_an_effect() {
    let folder = Folder::new();
    let (url, calls) = slow_system();
    let mut running = Running::start(&folder.0, &[]);
    let accounts = credentials(&folder.0);
    let token = accounts["users"]["ada"]["accessToken"].as_str().unwrap();
    let graph = json!({
        "nodes": [
            {"id": "start", "type": "input", "name": "", "config": {}},
            {"id": "call", "type": "http", "name": "", "config": {"url": url, "onUncertain": "retry"}},
            {"id": "end", "type": "send_result", "name": "", "config": {"output": "nodes.call.output.body"}},
        ],
        "connections": [
            {"from": {"node": "start", "port": "out"}, "to": {"node": "call", "port": "in"}},
            {"from": {"node": "call", "port": "out"}, "to": {"node": "end", "port": "in"}},
        ],
    });
    let flow = post(&running, token, "", json!({"name": "Slow", "graph": graph})).await;
    let flow = flow["id"].as_str().unwrap();
    post(&running, token, &format!("/{flow}/publish"), json!({})).await;
    let run = post(&running, token, &format!("/{flow}/runs"), json!({"input": {}})).await;
    let path = format!("/{flow}/runs/{}", run["id"].as_str().unwrap());

    for stop in 0..STOPS {
        calls.recv().unwrap();
        running.signal("-TERM");
        let (code, log) = running.wait_with_log();
        assert_eq!(code, Some(0), "stop {stop}: {log}");
        assert!(log.contains("waits up to 8 s for requests and effects in flight"), "{log}");
        running = Running::start(&folder.0, &[]);
    }
    let ended = loop {
        let run = get(&running, token, &path).await;
        if !["queued", "running"].contains(&run["state"].as_str().unwrap()) {
            break run;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!((&ended["state"], &ended["output"]), (&json!("completed"), &json!("done")), "{ended}");
    let events = get(&running, token, &format!("{path}/events?limit=100")).await;
    let interrupted = events.to_string().matches("step_interrupted").count();
    assert_eq!(interrupted, STOPS, "{events}");
}
