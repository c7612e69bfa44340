//! Credentials of type `oauth2_authorization_code`: the consent of a user, and the tokens that calls send.

mod flow;
mod limits;
mod renewal;

use serde_json::{Value, json};
use tests::TestApp;
use tests::authorization_server::AuthorizationServer;
use tests::client::{Answer, Person};
use tests::provider::{Behaviour, FakeProvider};

use crate::runs::{WORKFLOWS, graph, node};

const SECRET: &str = "client-s3cret";

/// A workflow with a node that calls an API with a credential, and the authorization server of that API.
struct Stage {
    app: TestApp,
    ada: Person,
    issuer: AuthorizationServer,
    api: FakeProvider,
    /// The path of the workflow.
    workflow: String,
    /// The path of the credential.
    credential: String,
}

fn fields(issuer: &AuthorizationServer) -> Value {
    let url = |path: &str| format!("{}/{path}", issuer.issuer);
    json!({
        "name": "CRM", "type": "oauth2_authorization_code", "authorizationUrl": url("authorize"), "tokenUrl": url("token"),
        "revocationUrl": url("revoke"), "clientId": "atelier-client", "clientSecret": SECRET, "scope": "read write",
        "authorizationParameters": {"access_type": "offline"},
    })
}

impl Stage {
    async fn start() -> Self {
        Self::with(TestApp::start().await, AuthorizationServer::start().await, fields).await
    }

    async fn with(
        app: TestApp,
        issuer: AuthorizationServer,
        fields: impl FnOnce(&AuthorizationServer) -> Value,
    ) -> Self {
        let (ada, api) = (app.person("ada"), FakeProvider::start().await);
        let created = ada.post_json(WORKFLOWS, json!({"name": "Orders"})).await;
        let workflow = format!("{WORKFLOWS}/{}", created.id());
        let made = ada.post_json(&format!("{workflow}/webhook-credentials/outbound"), fields(&issuer)).await;
        assert_eq!(made.status, "201 Created", "{}", made.text);
        let credential = format!("{workflow}/webhook-credentials/outbound/{}", made.id());
        let config = json!({"url": format!("{}/orders", api.base_url), "credentialId": made.id()});
        let end = node("end", "send_result", json!({"output": "input.status"}));
        let nodes = [node("start", "input", json!({})), node("call", "http", config), end];
        let draft = json!({"graph": graph(&nodes, &["start.out call", "call.out end"])});
        assert_eq!(ada.patch(&workflow, draft).await.status, "200 OK");
        api.respond_with(Behaviour::json(200, "{}"));
        Self { app, ada, issuer, api, workflow, credential }
    }

    /// Begins a consent, and returns the URL for the browser.
    async fn begin(&self) -> String {
        let begun = self.ada.get(&format!("{}/authorize", self.credential)).await;
        assert_eq!(begun.status, "200 OK", "{}", begun.text);
        begun.json["data"]["authorizationUrl"].as_str().unwrap().to_owned()
    }

    /// A browser without a session comes back with this query, and the person confirms.
    async fn call_back(&self, query: &str) -> Answer {
        let (path, browser) = (format!("/oauth/callback?{query}"), self.app.anonymous());
        let page = browser.get(&path).await;
        if page.text.contains("<form") { browser.post(&path).await } else { page }
    }

    async fn consent(&self) {
        let finished = self.call_back(&self.issuer.approve(&self.begin().await)).await;
        assert_eq!(finished.status, "200 OK", "{}", finished.text);
    }

    async fn authorization(&self) -> Value {
        self.ada.get(&self.credential).await.json["data"]["authorization"].clone()
    }

    /// Carries out the workflow in a preview.
    async fn call(&self) -> Value {
        let shown = self.ada.post(&format!("{}/preview", self.workflow)).await;
        assert_eq!(shown.status, "200 OK", "{}", shown.text);
        shown.json["data"].clone()
    }

    /// The tokens that the API has received.
    fn sent(&self) -> Vec<String> {
        let requests = self.api.take_requests();
        requests.iter().map(|request| request.headers["authorization"].to_str().unwrap().to_owned()).collect()
    }
}

/// The error of the node that calls the API.
fn error(shown: &Value) -> (&str, &str) {
    let error = &shown["error"];
    (error["code"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default())
}
