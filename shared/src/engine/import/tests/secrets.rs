//! What is secret in a file of another platform stays there.

use serde_json::{Value, json};

use super::*;

/// Neither the graph nor the report has any of it.
fn assert_kept_out(imported: &Imported) {
    let report = format!("{:?}", imported.report);
    assert!(!report.contains("S3CRET"), "{report}");
    let graph = serde_json::to_string(&imported.graph).unwrap();
    assert!(!graph.contains("S3CRET"), "{graph}");
}

#[test]
fn n8n() {
    let call = |name: &str, parameters: Value| {
        json!({
            "name": name, "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "parameters": parameters,
            "credentials": {"httpHeaderAuth": {"id": "S3CRET", "name": "Sales API"}},
        })
    };
    let pairs = |pairs: &[(&str, &str)]| json!({"parameters": pairs.iter().map(|(name, value)| json!({"name": name, "value": value})).collect::<Vec<_>>()});
    let nodes = vec![
        call(
            "listed",
            json!({
                "url": "=https://me:S3CRET@x.example.com/{{ $json.id }}?token=S3CRET&page=2",
                "headerParameters": pairs(&[("Cookie", "a=S3CRET"), (" X-API-Key ", "={{ 'S3CRET'.frobnicate() }}"), ("Accept", "a/b"), ("Host", "x")]),
                "queryParameters": pairs(&[("signature", "S3CRET"), ("limit", "5")]),
            }),
        ),
        call(
            "as_json",
            json!({
                "url": "x.example.com", "jsonHeaders": "{\"Proxy-Authorization\": \"Basic S3CRET\", \"Accept\": \"a/b\"}",
                "jsonQuery": "{\"api_key\": \"S3CRET\", \"limit\": 5}",
            }),
        ),
        call(
            "computed",
            json!({"url": "={{ 'https://me:S3CRET@x.example.com/' + $json.id }}", "method": "={{ $json.m }}"}),
        ),
        call("noted", json!({"url": "={{ call({Authorization: 'Bearer S3CRET'}) }}", "method": "GET"})),
        json!({"name": "code", "type": "code", "parameters": {"jsCode": "const apiKey = 'S3CRET';"}}),
    ];
    let imported = read_sound(&json!({"nodes": nodes, "connections": {}}).to_string());
    let report = format!("{:?}", imported.report);
    assert!(!report.contains("S3CRET"), "{report}");
    let listed = json!({
        "method": "GET", "url": "https://x.example.com/{{ input.id }}?page=2",
        "headers": {"Accept": "a/b"}, "query": {"limit": "5"},
    });
    assert_eq!(config(&imported, "listed"), listed);
    let as_json =
        json!({"method": "GET", "url": "https://x.example.com", "headers": {"Accept": "a/b"}, "query": {"limit": "5"}});
    assert_eq!(config(&imported, "as_json"), as_json);
    let expected = [
        "listed: a credential for the login in the address",
        "listed: a credential for the query parameter token",
        "listed: a credential for the header Cookie",
        "listed: a credential for the header X-API-Key",
        "listed: a credential for the query parameter signature",
        "listed: credential `Sales API` (httpHeaderAuth)",
        "as_json: a credential for the header Proxy-Authorization",
        "as_json: a credential for the query parameter api_key",
        "as_json: credential `Sales API` (httpHeaderAuth)",
    ];
    assert_eq!(reconnected(&imported)[..expected.len()], expected);
    let original = imported.report.nodes[0].original.clone().unwrap();
    assert_eq!(
        original["parameters"]["url"],
        "=https://(left out)@x.example.com/{{ $json.id }}?token=(left out)&page=2"
    );
    assert_eq!(original["parameters"]["headerParameters"]["parameters"][2]["value"], "a/b");
    assert!(original["credentials"]["httpHeaderAuth"].to_string().contains("(left out)"));
}

#[test]
fn dify() {
    let call = |data: Value| {
        let nodes = [json!({"id": "a", "data": data})];
        let workflow = json!({
            "environment_variables": [{"name": "KEY", "value_type": "secret", "value": "S3CRET"}],
            "graph": {"nodes": nodes},
        });
        read_sound(
            &json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": workflow}).to_string(),
        )
    };
    let data = json!({
        "type": "http-request", "title": "Call", "method": "get", "url": "https://me:S3CRET@x.example.com/?sig=S3CRET",
        "headers": "X-Auth-Token: S3CRET\nAccept: a/b\nCookie:S3CRET=S3CRET", "params": "password:S3CRET\nlimit:{{#sys.query#}}",
        "authorization": {"type": "api-key", "config": {"type": "custom", "header": "X-Mine", "api_key": "S3CRET"}},
    });
    let imported = call(data.clone());
    assert_kept_out(&imported);
    let expected = json!({
        "method": "GET", "response": "text", "url": "https://x.example.com/",
        "headers": {"Accept": "a/b"}, "query": {"limit": "{{ untranslated['{{#sys.query#}}'] }}"},
    });
    assert_eq!(config(&imported, "call"), expected);
    let expected = [
        "call: a credential for the login in the address",
        "call: a credential for the query parameter sig",
        "call: a credential for the header X-Auth-Token",
        "call: a credential for the header Cookie",
        "call: a credential for the query parameter password",
        "call: a credential (custom)",
    ];
    assert_eq!(reconnected(&imported), expected);
    let original = imported.report.nodes[0].original.clone().unwrap();
    assert_eq!(original["data"]["authorization"]["config"]["api_key"], "(left out)");
    assert_eq!(original["data"]["headers"], "X-Auth-Token: (left out)\nAccept: a/b\nCookie:(left out)");

    let mut odd = data;
    odd["method"] = "odd".into();
    assert_kept_out(&call(odd));
}
