//! `local` compresses JSON, HTML and JavaScript, as the deployed API does, and never streams of events.

use std::io::Read;

use flate2::read::GzDecoder;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::Person;

use crate::runs::{carry_out, double, publish, start_run};

/// The headers and the body of a response to a client that accepts gzip.
async fn get(person: &Person, path: &str) -> (HeaderMap, Vec<u8>) {
    let request = person.request(Method::GET, path).header("accept-encoding", "gzip");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    (response.headers().clone(), response.bytes().await.unwrap().to_vec())
}

#[tokio::test]
async fn large_json_and_html_are_compressed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for path in ["/builder/v1/workflows/node-types", "/docs/index.html", "/console/console.js"] {
        let (headers, compressed) = get(&ada, path).await;
        assert_eq!(headers["content-encoding"], "gzip", "{path}: {headers:?}");
        let vary: Vec<_> = headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
        assert!(vary.join(",").contains("accept-encoding"), "{vary:?}");
        let mut text = String::new();
        GzDecoder::new(&compressed[..]).read_to_string(&mut text).unwrap();
        assert!(compressed.len() * 2 < text.len(), "{path}: {} of {} bytes", compressed.len(), text.len());
        // A client that does not accept gzip gets the same text.
        assert_eq!(ada.get(path).await.text, text, "{path}");
        assert_eq!(ada.get(path).await.header("content-encoding"), None);
    }
}

#[tokio::test]
async fn small_responses_and_streams_are_not_compressed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1, "text": "x".repeat(5_000)})).await;
    carry_out(&app, &ada, &path).await;
    let (headers, body) = get(&ada, "/health").await;
    assert_eq!(headers.get("content-encoding"), None);
    assert!(serde_json::from_slice::<Value>(&body).is_ok());
    let (headers, body) = get(&ada, &format!("{path}/events?follow=true")).await;
    assert_eq!(
        (headers.get("content-encoding"), &headers["content-type"]),
        (None, &"text/event-stream".parse().unwrap())
    );
    assert!(body.len() > 5_000);
}
