//! Every template runs to its end on the embedded models, through the real router and worker.

use domain::messaging::MessagingProvider;
use domain::time::Time;
use engine::templates::{self, WorkflowTemplate};
use tests::messaging::FakeMessaging;
use tests::messaging::deliveries::signed_request;
use tests::provider::{Behaviour, FakeProvider};

use super::schedules::runs_of;
use super::*;

/// A workflow that was created from a template, and what its channels use.
struct Instance {
    id: String,
    /// The webhook's URL, and a client with its token.
    webhook: Option<(String, Person)>,
    /// Where messages are delivered.
    inbox: Option<String>,
}

/// Instantiates a template. Its HTTP calls and messages go to local servers, and its webhook answers without waiting for the
/// result.
async fn instantiate(
    app: &TestApp,
    ada: &Person,
    template: &WorkflowTemplate,
    server: &FakeProvider,
    chat: &FakeMessaging,
) -> Instance {
    let created = ada.post(&format!("{WORKFLOWS}/templates/{}/instantiate", template.slug)).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let flow = format!("{WORKFLOWS}/{}", created.id());
    let graph = serde_json::to_string(&template.graph.en).unwrap().replace("https://example.com", &server.base_url);
    let patched = ada.patch(&flow, json!({"graph": serde_json::from_str::<Value>(&graph).unwrap()})).await;
    assert_eq!(patched.status, "200 OK", "{}", patched.text);
    let mut instance = Instance { id: created.id().to_owned(), webhook: None, inbox: None };
    let ids = |node_type: &str| -> Vec<&str> {
        let nodes = template.graph.en.nodes.iter().filter(|node| node.r#type == node_type);
        nodes.map(|node| node.id.as_str()).collect()
    };
    let channel = |config: &Value, ids: Vec<&str>| -> Vec<Value> {
        ids.into_iter().map(|id| json!({"nodeId": id, "config": config})).collect()
    };
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    if !ids("webhook").is_empty() {
        let webhook = ada.post_json(&format!("{flow}/webhooks"), json!({"mode": "async"})).await;
        inputs.extend(channel(&json!({"webhookId": webhook.id()}), ids("webhook")));
        let caller = app.client_with_key(webhook.json["data"]["token"].as_str().unwrap());
        instance.webhook = Some((format!("/hooks/v1/{}", webhook.id()), caller));
    }
    if !ids("message").is_empty() || !ids("send_message").is_empty() {
        let mut credential = serde_json::to_value(chat.credential(MessagingProvider::Http)).unwrap();
        credential["name"] = json!("Chat");
        let stored = ada.post_json(&format!("{flow}/webhook-credentials/outbound"), credential).await;
        let config = json!({"provider": "http", "credentialId": stored.id()});
        inputs.extend(channel(&config, ids("message")));
        outputs.extend(channel(&config, ids("send_message")));
        instance.inbox = (!ids("message").is_empty()).then(|| format!("/hooks/v1/messages/{}", stored.id()));
    }
    let connected = ada.put(&format!("{flow}/connections"), json!({"inputs": inputs, "outputs": outputs})).await;
    assert_eq!(connected.status, "200 OK", "{}: {}", template.slug, connected.text);
    instance
}

/// Runs a template with its example input: by its webhook, by a message, or by hand.
async fn run(
    app: &TestApp,
    ada: &Person,
    template: &WorkflowTemplate,
    instance: &Instance,
    chat: &FakeMessaging,
) -> Value {
    let Instance { id, webhook, inbox } = instance;
    let published = ada.post(&format!("{WORKFLOWS}/{id}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}: {}", template.slug, published.text);
    let input = template.example_input.clone();
    let path = match webhook {
        None if inbox.is_some() => {
            let body = json!({"conversation": "room", "participant": {"id": "u1"}, "text": input["text"]});
            let credential = chat.credential(MessagingProvider::Http);
            let (headers, body) = signed_request(&credential, "1", Time::now(), &body);
            let request = app.anonymous().request(reqwest::Method::POST, inbox.as_ref().unwrap());
            let delivered = tests::client::send(request.headers(headers).body(body)).await;
            assert_eq!(delivered.status, "200 OK", "{}: {}", template.slug, delivered.text);
            app.platform.drain().await;
            runs_of(app, id).await.remove(0)
        }
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
    let chat = FakeMessaging::start().await;
    let app = TestApp::start_with_options(|options| options.settings = chat.settings()).await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"name": "Acme", "state": "acknowledged"})));
    for template in templates::all() {
        let slug = template.slug;
        let instance = instantiate(&app, &ada, template, &server, &chat).await;
        let sent = chat.sent().len();
        let run = run(&app, &ada, template, &instance, &chat).await;
        // A result, or a message to a person.
        let has_result = !run["output"].is_null() || chat.sent().len() > sent;
        assert_eq!((&run["state"], has_result), (&json!("completed"), true), "{slug}: {run}");
    }
}
