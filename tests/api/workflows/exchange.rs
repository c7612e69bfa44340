//! Export and import of workflows, in the platform's own format and from n8n and Dify.

use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::provider::FakeProvider;

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
async fn a_dry_run_shows_what_the_nodes_give_without_a_call() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    let to = |node: &str| json!({"main": [[{"node": node, "type": "main", "index": 0}]]});
    let call = |name: &str, path: &str| {
        let parameters = json!({"url": format!("={}/{path}", fake.base_url)});
        json!({"name": name, "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "parameters": parameters})
    };
    let assignment = json!({"id": "1", "name": "who", "type": "string", "value": "={{ $json.name.toUpperCase() }}"});
    let secret = format!("Bearer {}", "a1B2c3D4".repeat(4));
    let n8n = json!({
        "name": "Greet",
        "nodes": [
            {"name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "parameters": {"path": "greet"}},
            call("Look up", "{{ $json.body.id }}"),
            {"name": "Greet", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "parameters": {"assignments": {"assignments": [assignment]}}},
            call("Tell", "tell/{{ $json.who }}"),
        ],
        "connections": {"Hook": to("Look up"), "Look up": to("Greet"), "Greet": to("Tell")},
        "pinData": {
            "Hook": [{"json": {"body": {"id": 7}, "headers": {"authorization": secret}}}],
            "Look up": [{"json": {"name": "ada"}}, {"json": {"name": "bob"}}],
        },
    });
    let request = ada.request(Method::POST, &format!("{WORKFLOWS}/import?run=dry"));
    let imported = send(request.header("Content-Type", "application/json").body(n8n.to_string())).await;
    assert_eq!(imported.status, "201 Created", "{}", imported.text);
    assert!(!imported.text.contains(&secret[7..]), "{}", imported.text);
    let run = &imported.json["report"]["run"];
    assert_eq!(run["state"], "completed", "{run}");
    let node = |id: &str| {
        let nodes = run["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["nodeId"] == id).unwrap_or_else(|| panic!("{id} is not in {run}"))
    };
    assert_eq!((&node("look_up")["answer"], &node("tell")["answer"]), (&json!("recorded"), &json!("example")));
    let greeted = node("greet");
    let names: Vec<&Value> = greeted["output"].as_array().unwrap().iter().map(|item| &item["json"]["who"]).collect();
    assert_eq!((&greeted["answer"], names), (&json!("computed"), vec![&json!("ADA"), &json!("BOB")]));
    assert_eq!(fake.take_requests().len(), 0);
    let report = ada.get(&format!("{WORKFLOWS}/{}/import-report", imported.id())).await;
    assert_eq!(&report.json["data"]["run"], run);
}

#[tokio::test]
async fn a_dry_run_of_a_draft_with_errors_does_not_start() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let odd = json!({"name": "Odd", "type": "n8n-nodes-base.somethingNew", "typeVersion": 1, "parameters": {}});
    let n8n = json!({"name": "Odd", "nodes": [odd], "connections": {}});
    let path = format!("{WORKFLOWS}/import?run=dry");
    let request = ada.request(Method::POST, &path).header("Content-Type", "application/json");
    let imported = send(request.body(n8n.to_string())).await;
    let run = &imported.json["report"]["run"];
    assert_eq!((&run["state"], &run["nodes"]), (&json!("not_started"), &json!([])), "{}", imported.text);
    assert!(run["error"]["message"].is_string(), "{run}");
    let wet = ada.request(Method::POST, &path.replace("dry", "wet")).header("Content-Type", "application/json");
    assert_eq!(send(wet.body(n8n.to_string())).await.code(), "invalid_query");
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

#[tokio::test]
async fn an_imported_agent_is_made_for_the_caller() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let sub = |name: &str, kind: &str| (name.to_owned(), json!({kind: [[{"node": "Scout", "type": kind}]]}));
    let model = json!({"model": {"value": "dev-chat"}, "options": {"temperature": 0.5}});
    let foreign = json!({"model": {"value": "gpt-of-another-company"}});
    let tool = json!({"url": "=https://example.com/orders/{{ $fromAI('order') }}", "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth"});
    let n8n = |model: &Value| {
        let nodes = json!([
            {"name": "Go", "type": "n8n-nodes-base.manualTrigger", "parameters": {}},
            {"name": "Scout", "type": "@n8n/n8n-nodes-langchain.agent", "typeVersion": 2, "parameters": {"promptType": "define", "text": "Hi", "options": {"systemMessage": "Be brief."}}},
            {"name": "Model", "type": "@n8n/n8n-nodes-langchain.lmChatOpenAi", "parameters": model},
            {"name": "Find order", "type": "n8n-nodes-base.httpRequestTool", "parameters": tool},
        ]);
        let mut connections: serde_json::Map<String, Value> =
            [sub("Model", "ai_languageModel"), sub("Find order", "ai_tool")].into_iter().collect();
        connections.insert("Go".to_owned(), json!({"main": [[{"node": "Scout", "type": "main", "index": 0}]]}));
        json!({"name": "Ask", "nodes": nodes, "connections": connections}).to_string()
    };
    let imported = import(&ada, "application/json", &n8n(&model)).await;
    assert_eq!(imported.status, "201 Created", "{}", imported.text);
    let nodes = imported.json["data"]["graph"]["nodes"].as_array().unwrap();
    let id = nodes.iter().find(|node| node["id"] == "scout").unwrap()["config"]["agentId"].as_str().unwrap();
    let agent = ada.get(&format!("/builder/v1/agents/{id}")).await;
    let config = &agent.json["data"]["config"];
    assert_eq!((&config["model"], &config["temperature"]), (&json!("dev-chat"), &json!(0.5)), "{}", agent.text);
    assert_eq!((&config["instructions"], &config["tools"][0]["name"]), (&json!("Be brief."), &json!("find_order")));
    let bob = app.person("bob");
    assert_eq!(bob.get(&format!("/builder/v1/agents/{id}")).await.code(), "agent_not_found");
    let reconnect = imported.json["report"]["reconnect"].to_string();
    assert!(reconnect.contains("credential of the tool `find_order`"), "{reconnect}");

    let imported = import(&ada, "application/json", &n8n(&foreign)).await;
    let reconnect = imported.json["report"]["reconnect"].to_string();
    assert!(reconnect.contains("the model `gpt-of-another-company`"), "{reconnect}");
    let agents = ada.get("/builder/v1/agents").await;
    assert_eq!(agents.json["meta"]["total"], 2, "{}", agents.text);

    // A repeated import makes nothing twice.
    for _ in 0..2 {
        let request = ada.request(Method::POST, &format!("{WORKFLOWS}/import"));
        let request = request
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "0194d8f0-0000-7000-8000-000000000001");
        assert_eq!(send(request.body(n8n(&model))).await.status, "201 Created");
    }
    assert_eq!(ada.get("/builder/v1/agents").await.json["meta"]["total"], 3);
}
