//! Imported workflows of n8n and Dify run to their end, and their nodes give what the original tool documents.

mod dify;
mod n8n;

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use reqwest::Method;
use tests::binaries::folder;
use tests::client::send;

use super::*;

/// The fixtures that do not validate, each with the code of a problem that its user must fix first. A fixture that
/// validates must leave this list, and gets a test.
const UNFINISHED: [(&str, &str); 15] = [
    ("dify/agent-with-tools.yml", "channel_incomplete"),
    ("dify/human-approval.yml", "unknown_variable"),
    ("dify/lead-scoring.yml", "unknown_variable"),
    ("dify/loop-until.yml", "unknown_variable"),
    ("dify/scheduled-report.yml", "unknown_variable"),
    ("dify/structured.yml", "unknown_variable"),
    ("dify/support-triage.yml", "channel_incomplete"),
    ("dify/webhook-enrichment.yml", "unknown_variable"),
    ("n8n/agent-with-tools.json", "channel_incomplete"),
    ("n8n/drawn-circle.json", "placeholder"),
    ("n8n/error-handling.json", "placeholder"),
    ("n8n/human-approval.json", "channel_incomplete"),
    ("n8n/lead-scoring.json", "channel_incomplete"),
    ("n8n/rag-chatbot.json", "channel_incomplete"),
    ("n8n/scheduled-report.json", "reference_gone"),
];

/// The fixtures that validate: their tests are in the modules of the tools.
const FINISHED: [&str; 10] = [
    "dify/agent-chat.yml",
    "dify/completion.json",
    "dify/iterate-reviews.yml",
    "dify/rag-chatbot.yml",
    "dify/support-chat.yml",
    "n8n/loop-over-items.json",
    "n8n/merge-sources.json",
    "n8n/remind-customers.json",
    "n8n/support-triage.json",
    "n8n/webhook-enrichment.json",
];

/// The path and the JSON body of each request.
type Requests = Arc<Mutex<Vec<(String, Value)>>>;

/// A server that answers by path. `https://api.example.com/x` of a fixture is the path `/api.example.com/x` here.
#[derive(Clone)]
struct Server {
    url: String,
    requests: Requests,
}

impl Server {
    /// `answers` has the body for the beginning of each path; a text is sent as it is, but as JSON.
    async fn start(answers: &[(&'static str, Value)]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, requests: Arc::default() };
        let (seen, answers) = (server.requests.clone(), answers.to_vec());
        let answer = move |State(seen): State<Requests>, request: Request| {
            let answers = answers.clone();
            async move {
                let path = request.uri().to_string();
                let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
                seen.lock().unwrap().push((path.clone(), serde_json::from_slice(&body).unwrap_or_default()));
                let known = answers.iter().find(|(prefix, _)| path.starts_with(prefix));
                let (_, body) = known.unwrap_or_else(|| panic!("no answer for {path}"));
                let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
                ([(CONTENT_TYPE, "application/json")], body).into_response()
            }
        };
        let router = Router::new().fallback(answer).with_state(seen);
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    /// The JSON bodies that were sent to the path.
    fn bodies(&self, path: &str) -> Vec<Value> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|(seen, _)| seen == path).map(|(_, body)| body.clone()).collect()
    }
}

/// A workflow that was imported from a fixture.
struct Import {
    id: String,
    graph: Value,
}

async fn import(ada: &Person, fixture: &str) -> Import {
    let text = std::fs::read_to_string(folder("shared/importers/src/fixtures").join(fixture)).unwrap();
    let content_type = if fixture.ends_with(".json") { "application/json" } else { "application/yaml" };
    let request = ada.request(Method::POST, &format!("{WORKFLOWS}/import")).header("content-type", content_type);
    let imported = send(request.body(text)).await;
    assert_eq!(imported.status, "201 Created", "{fixture}: {}", imported.text);
    let read = ada.get(&format!("{WORKFLOWS}/{}", imported.id())).await;
    Import { id: imported.id().to_owned(), graph: read.json["data"]["graph"].clone() }
}

impl Import {
    /// Does what the import's report asks for: selects models and workflows, and creates webhooks. Calls go to the server.
    async fn reconnect(&mut self, ada: &Person, server: &str, called: &str) {
        let mut channels = Vec::new();
        for node in self.graph["nodes"].as_array_mut().unwrap() {
            match node["type"].as_str().unwrap() {
                "model" => node["config"]["model"] = json!("dev-chat"),
                "retrieval" => node["config"]["model"] = json!("dev-embed"),
                "workflow" => node["config"]["workflowId"] = json!(called),
                "agent" => {
                    let agent = ada.post("/builder/v1/agents").await;
                    let config = json!({"name": "Helper", "config": {"model": "dev-chat"}});
                    ada.patch(&format!("/builder/v1/agents/{}", agent.id()), config).await;
                    node["config"]["agentId"] = json!(agent.id());
                }
                "http" => {
                    let url = &mut node["config"]["url"];
                    *url = match url["js"].as_str() {
                        Some(js) => json!({"js": js.replace("https://", &format!("{server}/"))}),
                        None => json!(url.as_str().unwrap().replace("https://", &format!("{server}/"))),
                    };
                }
                "webhook" => {
                    let webhook = ada.post(&format!("{WORKFLOWS}/{}/webhooks", self.id)).await;
                    channels.push(json!({"nodeId": node["id"], "config": {"webhookId": webhook.id()}}));
                }
                _ => {}
            }
        }
        self.save(ada).await;
        let path = format!("{WORKFLOWS}/{}/connections", self.id);
        assert_eq!(ada.put(&path, json!({"inputs": channels})).await.status, "200 OK");
    }

    async fn save(&self, ada: &Person) {
        let saved = ada.patch(&format!("{WORKFLOWS}/{}", self.id), json!({"graph": self.graph})).await;
        assert_eq!(saved.status, "200 OK", "{}", saved.text);
    }

    /// The codes of the problems that keep the workflow from being published.
    async fn errors(&self, ada: &Person) -> Vec<String> {
        let validation = ada.post(&format!("{WORKFLOWS}/{}/validate", self.id)).await;
        let problems = validation.json["data"]["problems"].as_array().unwrap().iter();
        let errors = problems.filter(|problem| problem["severity"] == "error");
        errors.map(|problem| problem["code"].as_str().unwrap().to_owned()).collect()
    }

    async fn publish(&self, ada: &Person) {
        let published = ada.post(&format!("{WORKFLOWS}/{}/publish", self.id)).await;
        assert_eq!(published.status, "201 Created", "{}", published.text);
    }

    /// Starts a run by hand, and carries it out to its end.
    async fn run(&self, app: &TestApp, ada: &Person, input: Value) -> Value {
        let path = start_run(ada, &self.id, input).await;
        carry_out(app, ada, &path).await
    }
}

/// Imports, reconnects and publishes a fixture.
async fn publish_import(ada: &Person, fixture: &str, server: &Server) -> Import {
    let mut import = import(ada, fixture).await;
    let called = publish(ada, double()).await;
    import.reconnect(ada, &server.url, &called).await;
    import.publish(ada).await;
    import
}

#[tokio::test]
async fn every_other_fixture_has_a_problem() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let called = publish(&ada, double()).await;
    let mut wrong = Vec::new();
    for tool in ["dify", "n8n"] {
        for entry in std::fs::read_dir(folder("shared/importers/src/fixtures").join(tool)).unwrap() {
            let fixture = format!("{tool}/{}", entry.unwrap().file_name().into_string().unwrap());
            let mut import = import(&ada, &fixture).await;
            import.reconnect(&ada, "http://127.0.0.1:1", &called).await;
            let errors = import.errors(&ada).await;
            let expected = UNFINISHED.iter().find(|(unfinished, _)| *unfinished == fixture).map(|(_, code)| *code);
            let is_as_expected = match expected {
                Some(code) => errors.iter().any(|error| error == code),
                None => FINISHED.contains(&fixture.as_str()) && errors.is_empty(),
            };
            if !is_as_expected {
                wrong.push(format!("{fixture}: {errors:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
