//! Every template runs to its end on the embedded models, through the real router and worker.

use std::collections::BTreeSet;

use engine::templates::{self, WorkflowTemplate};
use tests::provider::{Behaviour, FakeProvider};

use super::*;

/// The templates that no run can carry out yet, each with the node type that the platform lacks. A template that can be
/// published fails the test until it is removed from this list.
const WAITING: [(&str, &str); 5] = [
    ("faq-chat", "send_message"),
    ("incident-escalation", "send_message"),
    ("lead-scoring", "send_message"),
    ("release-notes", "send_message"),
    ("scheduled-digest", "send_message"),
];

/// A workflow that was created from a template, and its webhook if it begins with one.
struct Instance {
    id: String,
    /// The webhook's URL, and a client with its token.
    webhook: Option<(String, Person)>,
}

/// Instantiates a template. Its HTTP calls go to a local server, and its webhook answers without waiting for the result.
async fn instantiate(app: &TestApp, ada: &Person, template: &WorkflowTemplate, server: &FakeProvider) -> Instance {
    let created = ada.post(&format!("{WORKFLOWS}/templates/{}/instantiate", template.slug)).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let flow = format!("{WORKFLOWS}/{}", created.id());
    let graph = serde_json::to_string(&template.graph).unwrap().replace("https://example.com", &server.base_url);
    let patched = ada.patch(&flow, json!({"graph": serde_json::from_str::<Value>(&graph).unwrap()})).await;
    assert_eq!(patched.status, "200 OK", "{}", patched.text);
    let mut instance = Instance { id: created.id().to_owned(), webhook: None };
    if let Some(hook) = template.graph.nodes.iter().find(|node| node.r#type == "webhook") {
        let webhook = ada.post_json(&format!("{flow}/webhooks"), json!({"mode": "async"})).await;
        let channel = json!({"inputs": [{"nodeId": hook.id, "config": {"webhookId": webhook.id()}}]});
        assert_eq!(ada.put(&format!("{flow}/connections"), channel).await.status, "200 OK");
        let caller = app.client_with_key(webhook.json["data"]["token"].as_str().unwrap());
        instance.webhook = Some((format!("/hooks/v1/{}", webhook.id()), caller));
    }
    instance
}

/// The node types that keep a workflow from being published.
async fn missing_types(ada: &Person, template: &WorkflowTemplate, flow: &str) -> BTreeSet<String> {
    let validation = ada.post(&format!("{WORKFLOWS}/{flow}/validate")).await;
    let problems = validation.json["data"]["problems"].as_array().unwrap().iter();
    let missing = problems.filter(|problem| problem["code"] == "not_available").map(|problem| {
        let node = template.graph.nodes.iter().find(|node| problem["nodeId"] == node.id).unwrap();
        node.r#type.clone()
    });
    missing.collect()
}

/// Runs a template with its example input: by its webhook, or by hand.
async fn run(app: &TestApp, ada: &Person, template: &WorkflowTemplate, instance: &Instance) -> Value {
    let Instance { id, webhook } = instance;
    let published = ada.post(&format!("{WORKFLOWS}/{id}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}: {}", template.slug, published.text);
    let input = template.example_input.clone();
    let path = match webhook {
        None => start_run(ada, id, input).await,
        Some((url, caller)) => {
            let answer = caller.post_json(url, input).await;
            assert_eq!(answer.status, "202 Accepted", "{}: {}", template.slug, answer.text);
            format!("{}/{}", runs_path(id), answer.json["runId"].as_str().unwrap())
        }
    };
    carry_out(app, ada, &path).await
}

#[tokio::test]
async fn every_template_runs_to_its_end() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"name": "Acme", "state": "acknowledged"})));
    for template in templates::all() {
        let slug = template.slug;
        let instance = instantiate(&app, &ada, template, &server).await;
        let missing = missing_types(&ada, template, &instance.id).await;
        if let Some((_, node_type)) = WAITING.iter().find(|(waiting, _)| *waiting == slug) {
            assert!(missing.contains(*node_type), "{slug} no longer lacks {node_type}; update the list");
            let refused = ada.post(&format!("{WORKFLOWS}/{}/publish", instance.id)).await;
            assert_eq!(refused.code(), "invalid_body", "{slug}: {}", refused.text);
            continue;
        }
        assert_eq!(missing, BTreeSet::new(), "{slug}");
        let run = run(&app, &ada, template, &instance).await;
        assert_eq!((&run["state"], run["output"].is_null()), (&json!("completed"), false), "{slug}: {run}");
    }
}
