//! Secrets in imported files never reach the draft or the report.

use serde_json::{Value, json};

use super::*;

/// Asserts that the secret is in neither the graph nor the report.
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
    let call = json!({
        "method": "GET", "headers": {"Accept": "a/b"}, "query": {"limit": "5"}, "failOnStatus": true,
        "itemMode": {"result": {"js": "n8n.httpItems(output)"}},
    });
    let mut listed = call.clone();
    listed["url"] = json!({"js": "$text`https://x.example.com/${() => $json.id}?page=2`"});
    assert_eq!(config(&imported, "listed"), listed);
    let mut as_json = call;
    as_json["url"] = "https://x.example.com".into();
    assert_eq!(config(&imported, "as_json"), as_json);
    let expected = [
        "listed: a secret for the login in the address",
        "listed: a secret for the query parameter token",
        "listed: a secret for the header Cookie",
        "listed: a secret for the header X-API-Key",
        "listed: a secret for the query parameter signature",
        "listed: credential `Sales API` (httpHeaderAuth)",
        "as_json: a secret for the header Proxy-Authorization",
        "as_json: a secret for the query parameter api_key",
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
        "call: a credential (header X-Mine)",
        "call: the secret `KEY`: it is an empty text where it is read",
    ];
    assert_eq!(reconnected(&imported), expected);
    let original = imported.report.nodes[0].original.clone().unwrap();
    assert_eq!(original["data"]["authorization"]["config"]["api_key"], "(left out)");
    assert_eq!(original["data"]["headers"], "X-Auth-Token: (left out)\nAccept: a/b\nCookie:(left out)");

    let mut odd = data;
    odd["method"] = "odd".into();
    assert_kept_out(&call(odd));
}

#[test]
fn plain_text_secrets_in_bodies_fields_and_pinned_data() {
    let pairs = |pairs: &[(&str, &str)]| json!({"parameters": pairs.iter().map(|(name, value)| json!({"name": name, "value": value})).collect::<Vec<_>>()});
    let call = |name: &str, mut parameters: Value| {
        let fixed = json!({"method": "POST", "url": "https://x.example.com", "sendBody": true});
        parameters.as_object_mut().unwrap().extend(fixed.as_object().unwrap().clone());
        json!({"name": name, "type": "httpRequest", "typeVersion": 4.2, "parameters": parameters})
    };
    let given = [("client_secret", "S3CRET"), ("token", "={{ $json.token }}"), ("a", "b")];
    let json_body = "={\"apiKey\": \"S3CRET\", \"auth\": {\"password\": \"S3CRET\", \"as\": {{ $json.as }}}, \"key\": \"{{ $json.k }}\", \"pass\": null}";
    let fields: Vec<Value> = given.map(|(name, value)| json!({"name": name, "value": value, "type": "string"})).into();
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"},
        call("pairs", json!({"bodyParameters": pairs(&given)})),
        call("form", json!({"contentType": "form-urlencoded", "bodyParameters": pairs(&given)})),
        call("text", json!({"specifyBody": "json", "jsonBody": json_body})),
        call("raw", json!({"contentType": "raw", "body": "grant=x&client_secret=S3CRET"})),
        {"name": "set", "type": "set", "typeVersion": 3.4, "parameters": {"assignments": {"assignments": fields}}},
        {"name": "run", "type": "executeWorkflow", "parameters": {"workflowId": "7", "workflowInputs": {"value": {"api_key": "S3CRET", "a": 1}}}},
        {"name": "json", "type": "set", "typeVersion": 3.4, "parameters": {"mode": "raw", "jsonOutput": "{\"a\": 1, \"routing_key\": \"S3CRETS3CRETS3CRET\"}"}},
    ]);
    let mut file = json!({"nodes": nodes, "connections": {}});
    file["pinData"] = json!({"Go": [{"json": {"who": "me", "password": "S3CRET"}}]});
    let imported = read_sound(&file.to_string());
    assert_kept_out(&imported);
    assert_eq!(config(&imported, "go"), json!({"example": {"who": "me", "password": "(left out)"}}));
    let js = |field: &Value| field["js"].as_str().unwrap().to_owned();
    let pairs = "{ client_secret: \"(left out)\", token: $json.token, a: \"b\" }";
    assert_eq!(js(&config(&imported, "pairs")["body"]["value"]), pairs);
    let form = "n8n.formText([[\"client_secret\", \"(left out)\"], [\"token\", $json.token], [\"a\", \"b\"]])";
    assert_eq!(js(&config(&imported, "form")["body"]["text"]), form);
    let text = "n8n.jsonBody($text`{\"apiKey\": \"(left out)\", \"auth\": {\"password\": \"(left out)\", \"as\": ${() => $json.as}}, \
                \"key\": \"${() => $json.k}\", \"pass\": null}`)";
    assert_eq!(js(&config(&imported, "text")["body"]["value"]), text);
    assert_eq!(config(&imported, "raw")["body"]["text"], "grant=x&client_secret=(left out)");
    let expected = [
        "pairs: a secret for the body field client_secret",
        "form: a secret for the body field client_secret",
        "text: a secret for the body field apiKey",
        "text: a secret for the body field password",
        "set: a secret for the field client_secret",
        "run: workflow `7`",
        "run: a secret for the field api_key",
        "json: a secret for the field routing_key",
    ];
    assert_eq!(reconnected(&imported), expected);
    let lines = report_lines(&imported);
    assert!(lines.contains("set code partial: its field client_secret is left out: it looks like a secret"), "{lines}");
    assert!(lines.contains("raw http partial: what looks like a secret in its body is left out"), "{lines}");

    let call = |kind: &str, data: Value| {
        let data = json!({"type": "http-request", "title": kind, "method": "post", "url": "https://x.example.com", "body": {"type": kind, "data": data}});
        json!({"id": kind, "data": data})
    };
    let nodes = [
        call("json", json!("{\"token\": \"S3CRET\", \"key\": \"{{#go.k#}}\"}")),
        call("form-data", json!([{"key": "password", "value": "S3CRET"}, {"key": "key", "value": "{{#go.k#}}"}])),
        json!({"id": "go", "data": {"type": "start", "title": "Go"}}),
        json!({"id": "t", "data": {"type": "tool", "title": "Run", "provider_type": "workflow", "tool_parameters": {"token": {"type": "constant", "value": "S3CRET"}, "a": {"type": "variable", "value": ["go", "a"]}}}}),
    ];
    let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": nodes}}});
    let imported = read_sound(&app.to_string());
    assert_kept_out(&imported);
    assert_eq!(config(&imported, "json")["body"]["value"], "{'key': nodes.go.output.k}");
    assert_eq!(config(&imported, "form_data")["body"]["fields"], json!({"key": "{{ nodes.go.output.k }}"}));
    assert_eq!(config(&imported, "run")["input"], "{'a': nodes.go.output.a}");
}
