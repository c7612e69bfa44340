//! Export and import of workflows, in the platform's own format and from n8n and Dify.

use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};

use super::*;

async fn import(person: &Person, content_type: &str, file: &str) -> Answer {
    let request = person.request(Method::POST, &format!("{WORKFLOWS}/import"));
    send(request.header("Content-Type", content_type.to_owned()).body(file.to_owned())).await
}

#[tokio::test]
async fn an_export_is_imported_unchanged() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Said", template_graph("hello {{ input.name }}")).await;
    ada.patch(&format!("{WORKFLOWS}/{id}"), json!({"description": "Says hello"})).await;
    let export = ada.get(&format!("{WORKFLOWS}/{id}/export")).await;
    assert_eq!(export.json["format"], "atelier.workflow/1");
    assert!(export.header("content-disposition").unwrap().starts_with("attachment; filename=\"workflow-"));

    let bob = app.person_of("eve", "globex", domain::identity::Role::Member);
    let imported = import(&bob, "application/json", &export.text).await;
    assert_eq!(imported.status, "201 Created", "{}", imported.text);
    assert_eq!(imported.json["data"]["state"], "draft");
    assert_eq!(imported.json["report"]["source"], "atelier");
    let again = bob.get(&format!("{WORKFLOWS}/{}/export", imported.id())).await;
    assert_eq!(again.text, export.text);

    let newer = export.text.replace("atelier.workflow/1", "atelier.workflow/9");
    assert_eq!(import(&bob, "application/json", &newer).await.code(), "invalid_body");
    let plain = import(&bob, "text/plain", &export.text).await;
    assert_eq!(plain.status, "415 Unsupported Media Type");
}

#[tokio::test]
async fn workflows_of_other_products_become_drafts_with_a_report() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let n8n = json!({
        "name": "Enrich",
        "nodes": [
            {"id": "1", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "parameters": {"httpMethod": "POST", "path": "enrich"}},
            {"id": "2", "name": "Look up", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [200, 0],
                "parameters": {"url": "=https://example.com/{{ $json.body.id }}"}, "credentials": {"httpHeaderAuth": {"id": "9", "name": "Key"}}},
            {"id": "3", "name": "Odd", "type": "n8n-nodes-base.somethingNew", "typeVersion": 1, "position": [400, 0], "parameters": {}},
        ],
        "connections": {
            "Hook": {"main": [[{"node": "Look up", "type": "main", "index": 0}]]},
            "Look up": {"main": [[{"node": "Odd", "type": "main", "index": 0}]]},
        },
    });
    let imported = import(&ada, "application/json", &n8n.to_string()).await;
    assert_eq!(imported.status, "201 Created", "{}", imported.text);
    assert_eq!((&imported.json["report"]["source"], &imported.json["data"]["name"]), (&json!("n8n"), &json!("Enrich")));
    let nodes = imported.json["report"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 3);
    assert!(nodes.iter().any(|node| node["status"] == "unsupported"));
    assert!(!imported.json["report"]["reconnect"].as_array().unwrap().is_empty());
    // The report is kept, and only those who may read the workflow can read it.
    let report = format!("{WORKFLOWS}/{}/import-report", imported.id());
    assert_eq!(ada.get(&report).await.json["data"], imported.json["report"]);
    let eve = app.person_of("eve", "globex", domain::identity::Role::Member);
    assert_eq!(eve.get(&report).await.code(), "workflow_not_found");
    let own = create_workflow(&ada, "Own", template_graph("hello")).await;
    let none = ada.get(&format!("{WORKFLOWS}/{own}/import-report")).await;
    assert_eq!((&*none.status, none.code()), ("404 Not Found", "import_report_not_found"));
    // The imported draft can be validated, and its missing parts are reported.
    let validation = post_action(&ada, imported.id(), "validate").await;
    assert_eq!(validation.json["data"]["valid"], false);

    let dify = "app:\n  mode: workflow\n  name: Summary\nkind: app\nversion: \"0.3.0\"\nworkflow:\n  graph:\n    nodes:\n    \
        - id: \"1\"\n      type: custom\n      data: {type: start, title: Start, variables: [{variable: text, type: paragraph, required: true}]}\n    \
        - id: \"2\"\n      type: custom\n      data: {type: end, title: End, outputs: [{variable: out, value_selector: [\"1\", text]}]}\n    \
        edges:\n    - {source: \"1\", sourceHandle: source, target: \"2\", targetHandle: target}\n";
    let imported = import(&ada, "application/yaml", dify).await;
    assert_eq!(imported.status, "201 Created", "{}", imported.text);
    assert_eq!(imported.json["report"]["source"], "dify");
    assert_eq!(imported.json["data"]["name"], "Summary");
}

#[tokio::test]
async fn a_refused_file_creates_nothing() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &(0..12).map(|i| format!("b{i}: &b{i} [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n")).collect::<String>();
    for (content_type, file) in [
        ("application/json", "{}"),
        ("application/json", "[1, 2]"),
        ("application/json", "{\"nodes\": ["),
        ("application/yaml", "just: text"),
        ("application/yaml", &bomb),
        ("application/yaml", ": : :\n\t- x"),
        ("application/yaml", ""),
    ] {
        let refused = import(&ada, content_type, file).await;
        assert_eq!((refused.status.as_str(), refused.code()), ("400 Bad Request", "invalid_body"), "{file}");
    }
    assert_eq!(ada.get(WORKFLOWS).await.json["meta"]["total"], 0);
    assert_eq!(import(&app.anonymous(), "application/json", "{}").await.code(), "unauthorized");
}

#[tokio::test]
async fn a_large_response_is_replayed_unchanged() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let create = || {
        let body: Value = json!({"graph": template_graph(&"x".repeat(60_000))});
        send(
            ada.request(Method::POST, WORKFLOWS)
                .header("Idempotency-Key", "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11")
                .json(&body),
        )
    };
    let (first, second) = (create().await, create().await);
    assert_eq!(first.status, "201 Created", "{}", first.text);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(first.text, second.text);
}
