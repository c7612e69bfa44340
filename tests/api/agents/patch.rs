//! `PATCH /builder/v1/agents/{id}`: merge patch, If-Match and validation.

use std::collections::BTreeSet;

use futures::future::join_all;
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::send;
use uuid::Uuid;

const AGENTS: &str = "/builder/v1/agents";

#[tokio::test]
async fn a_patch_changes_only_its_fields() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let created = ada.post(AGENTS).await;
    let path = format!("{AGENTS}/{}", created.id());

    let named = ada.patch(&path, json!({"name": "Scout", "config": {"model": "dev-chat", "temperature": 0.25}})).await;
    assert_eq!(named.status, "200 OK", "{}", named.text);
    assert_eq!(
        (named.header("etag"), named.json["data"]["config"]["model"].as_str()),
        (Some("\"2\""), Some("dev-chat"))
    );
    assert_eq!(named.json["data"]["config"]["temperature"], 0.25);
    let described = ada.patch(&path, json!({"description": "Finds things", "config": {"temperature": null}})).await;
    assert_eq!(described.json["data"]["name"], "Scout");
    assert_eq!(described.json["data"]["config"]["model"], "dev-chat");
    assert_eq!(described.json["data"]["config"]["temperature"], Value::Null);
    assert_eq!(described.json["data"]["createdAt"], created.json["data"]["createdAt"]);
    assert_eq!(ada.get(&path).await.text, described.text);
    let paused = ada.patch(&path, json!({"status": "paused"})).await;
    assert_eq!(paused.json["data"]["status"], "paused");
}

#[tokio::test]
async fn a_patch_of_another_version_is_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let created = ada.post(AGENTS).await;
    let path = format!("{AGENTS}/{}", created.id());
    let patch = |etag: &str| {
        let request = ada.request(Method::PATCH, &path).header("If-Match", etag);
        send(request.json(&json!({"name": format!("for {etag}")})))
    };
    assert_eq!(patch("\"1\"").await.status, "200 OK");
    let late = patch("\"1\"").await;
    assert_snapshot!(late.status, @"412 Precondition Failed");
    let stored = ada.get(&path).await;
    let expected = json!({"error": {
        "code": "precondition_failed",
        "message": "the resource has changed since the version in If-Match; read it again",
        "details": {"current": stored.json["data"], "etag": "\"2\""},
    }});
    assert_eq!((&late.json, late.header("etag")), (&expected, Some("\"2\"")));
    assert_eq!(patch("\"9\", \"2\"").await.status, "200 OK");
    assert_eq!(patch("*").await.status, "200 OK");
    assert_eq!(patch("W/\"4\"").await.status, "412 Precondition Failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_concurrent_patches_of_different_fields_are_all_kept() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let patches = (0..50).map(|i| match i {
        0 => json!({"name": "Scout"}),
        1 => json!({"description": "Finds things"}),
        2 => json!({"status": "paused"}),
        3 => json!({"config": {"temperature": 1.5}}),
        4 => json!({"config": {"maxTokens": 77}}),
        5 => json!({"config": {"model": "dev-chat"}}),
        6 => json!({"config": {"instructions": "Be brief."}}),
        _ => json!({"config": {"sources": null}}),
    });
    let answers = join_all(patches.map(|patch| ada.patch(&path, patch))).await;
    let versions: BTreeSet<_> = answers.iter().filter_map(|answer| answer.header("etag")).collect();
    for answer in &answers {
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
    }
    assert_eq!(versions.len(), 50, "each change has its own version");

    let agent = &ada.get(&path).await.json["data"];
    assert_eq!(
        (&agent["name"], &agent["description"], &agent["status"]),
        (&json!("Scout"), &json!("Finds things"), &json!("paused"))
    );
    assert_eq!((&agent["config"]["temperature"], &agent["config"]["maxTokens"]), (&json!(1.5), &json!(77)));
    assert_eq!(
        (&agent["config"]["model"], &agent["config"]["instructions"]),
        (&json!("dev-chat"), &json!("Be brief."))
    );
}

#[tokio::test]
async fn an_invalid_field_is_named_by_its_path() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let created = ada.post(AGENTS).await;
    let path = format!("{AGENTS}/{}", created.id());
    let bobs = bob.post(AGENTS).await.id().to_owned();
    let wrong = [
        (json!({"name": 7}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "x".repeat(201)}), "name"),
        (json!({"description": "x".repeat(1001)}), "description"),
        (json!({"nickname": "x"}), "nickname"),
        (json!({"id": Uuid::now_v7()}), "id"),
        (json!({"requests": 1}), "requests"),
        (json!({"status": "permissions_required"}), "status"),
        (json!({"type": "team"}), "type"),
        (json!({"config": []}), "config"),
        (json!({"config": {"tools": [["http"]]}}), "config.tools[0]"),
        (json!({"config": {"sources": ["text"]}}), "config.sources[0]"),
        (json!({"config": {"model": "no-such-model"}}), "config.model"),
        (json!({"config": {"model": ""}}), "config.model"),
        (json!({"config": {"model": "x".repeat(5_000)}}), "config.model"),
        (json!({"config": {"temperature": -1}}), "config.temperature"),
        (json!({"config": {"maxTokens": 1.5}}), "config.maxTokens"),
        (json!({"config": {"tools": [{"type": "telepathy"}]}}), "config.tools[0]"),
        (json!({"config": {"tools": [{"type": "workflow", "workflowId": Uuid::now_v7()}]}}), "config.tools[0]"),
        (json!({"config": {"members": [bobs]}}), "config.members"),
        (json!({"type": "multiple", "config": {"members": [bobs]}}), "config.members[0]"),
        (json!({"type": "multiple", "config": {"members": [created.id()]}}), "config.members[0]"),
        (
            json!({"config": {"sources": [{"type": "file", "name": "a", "mediaType": "text/plain", "base64": "?"}]}}),
            "config.sources[0].base64",
        ),
        (json!({"config": {"instructions": "x".repeat(20_001)}}), "config.instructions"),
        (json!({"config": {"sources": [{"type": "text", "name": "a", "text": "x".repeat(30_000)}]}}), "config"),
        (json!("Scout"), "body"),
        (json!(null), "body"),
    ];
    for (body, field) in wrong {
        let answer = ada.patch(&path, body.clone()).await;
        assert_eq!((answer.status.as_str(), answer.code()), ("400 Bad Request", "invalid_body"), "{body}");
        let message = answer.json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(field), "{body}: {message}");
    }
    assert_eq!(ada.get(&path).await.text, created.text, "nothing was changed");
}

#[tokio::test]
async fn a_secret_in_a_header_of_a_tool_is_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let tool = |headers: serde_json::Value| {
        let tool = json!({"type": "http", "name": "crm", "method": "GET", "url": "https://crm.example.com", "headers": headers});
        json!({"config": {"tools": [tool]}})
    };
    for (header, value) in [
        ("Authorization", "Bearer s3cr3t"),
        ("X-Api-Key", "s3cr3t"),
        ("Cookie", "a=s3cr3t"),
        ("X-Mine", "Basic s3cr3t"),
    ] {
        let refused = ada.patch(&path, tool(json!({header: value}))).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"), "{header}");
        let message = refused.json["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("config.tools[0].headers.{header}: is a secret")), "{message}");
        assert!(message.contains("credential of the tool") && !message.contains("s3cr3t"), "{message}");
    }
    for (headers, problem) in [
        (json!({"Host": "x"}), "headers.Host: is set by the platform"),
        (json!({"two words": "x"}), "headers.two words: is not a valid header name"),
        (json!({"X-Team": "a\r\nb"}), "headers.X-Team: has a line break"),
    ] {
        let refused = ada.patch(&path, tool(headers)).await;
        let message = refused.json["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("config.tools[0].{problem}")), "{message}");
    }
    let kept = ada.patch(&path, tool(json!({"Accept": "application/json", "X-Team": "sales"}))).await;
    assert_eq!(kept.status, "200 OK", "{}", kept.text);
    assert_eq!(kept.json["data"]["config"]["tools"][0]["headers"]["X-Team"], "sales");
}

#[tokio::test]
async fn invalid_json_and_large_bodies_are_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = format!("{AGENTS}/{}", ada.post(AGENTS).await.id());
    let patch = |content_type: &str, body: Vec<u8>| {
        send(ada.request(Method::PATCH, &path).header("Content-Type", content_type).body(body))
    };
    let cases: [(&str, &[u8], &str); 9] = [
        ("text/plain", b"{}", "415 Unsupported Media Type"),
        ("application/x-www-form-urlencoded", b"name=x", "415 Unsupported Media Type"),
        ("application/json", b"", "400 Bad Request"),
        ("application/json", b"{", "400 Bad Request"),
        ("application/json", b"{} {}", "400 Bad Request"),
        ("application/json", b"{\"name\":\"\xff\"}", "400 Bad Request"),
        ("application/json", br#"{"name":"\ud800"}"#, "400 Bad Request"),
        ("application/json; charset=utf-8", b"{}", "200 OK"),
        ("application/merge-patch+json", b"{}", "200 OK"),
    ];
    for (content_type, body, status) in cases {
        let answer = patch(content_type, body.to_vec()).await;
        assert_eq!(answer.status, status, "{content_type} {}: {}", String::from_utf8_lossy(body), answer.text);
    }
    let deep = format!("{{\"name\":{}", "[".repeat(100_000));
    assert_eq!(patch("application/json", deep.into_bytes()).await.code(), "invalid_body");
    let large = patch("application/json", vec![b' '; 4 * 1024 * 1024 + 1]).await;
    assert_eq!((large.status.as_str(), large.code()), ("413 Payload Too Large", "payload_too_large"));
}
