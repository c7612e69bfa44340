//! The recorded tour of workbenches: ada creates one, shares it with bob and deletes it.

use std::sync::Arc;

use domain::workbench::{Phase, Report, Usage, Workbench};
use futures::FutureExt;
use futures::future::BoxFuture;
use labs::{Backend, Permit, Provisioner};
use serde_json::{Value, json};
use store::workbenches::WorkbenchHint;

use super::{TOO_LARGE, TourClient};

const ME: &str = "/gateway/v1/me";
const WORKBENCHES: &str = "/workbenches/v1";
const WORKBENCH: &str = "/workbenches/v1/{id}";
const VARIABLES: &str = "/workbenches/v1/{id}/variables";
const MEMBERS: &str = "/workbenches/v1/{id}/members";

/// A backend whose environments run at once.
struct QuickBackend;

impl Backend for QuickBackend {
    fn step<'a>(&'a self, workbench: &'a Workbench, _: &'a Permit) -> BoxFuture<'a, domain::Result<Report>> {
        let dashboard = Some(format!("https://labs.example.com/{}/", workbench.id));
        let usage = Some(Usage { cpu: Some(120), memory: Some(300 << 20), gpumem: None, storage: Some(40 << 20) });
        async move { Ok(Report { dashboard, usage, ..Report::new(Phase::Running) }) }.boxed()
    }
}

impl TourClient {
    pub(super) async fn record_workbenches(&mut self) {
        self.get("/workbenches/v1/plan").await;
        let new = json!({"name": "protein-folding", "size": "small"});
        let created = self.send("POST", WORKBENCHES, Some(new.clone())).await;
        self.set_parameter("id", &created["id"]);
        self.send("POST", WORKBENCHES, Some(new)).await;
        let large = json!({"cpu": "4", "memory": "64Gi", "storage": "20Gi"});
        self.send("POST", WORKBENCHES, Some(json!({"name": "simulation", "resources": large}))).await;
        self.send("POST", WORKBENCHES, Some(json!({"name": "Simulation 2"}))).await;
        self.send("POST", WORKBENCHES, Some(json!({"name": " ".repeat(TOO_LARGE)}))).await;
        self.send_with_headers("POST", WORKBENCHES, Some(json!({"name": "lab"})), &[("content-type", "text/plain")])
            .await;
        self.send("POST", "/workbenches/v1/{id}/stop", None).await;
        self.make_step(&created).await;
        self.get(WORKBENCH).await;
        self.get(WORKBENCHES).await;
        self.record_variables().await;
        self.record_sharing().await;
        self.get("/workbenches/v1/{id}/events").await;
        self.send("POST", "/workbenches/v1/{id}/stop", None).await;
        self.send("POST", "/workbenches/v1/{id}/start", None).await;
        self.make_step(&created).await;
        self.send("DELETE", WORKBENCH, None).await;
        self.send("DELETE", WORKBENCH, None).await;
        self.send("POST", "/workbenches/v1/{id}/start", None).await;
        self.send("DELETE", "/workbenches/v1/{id}/members/{user_id}", None).await;
        let missing = Value::String("wb_00000000000000000000000000000000".to_owned());
        self.set_parameter("id", &missing);
        self.get(WORKBENCH).await;
        self.switch_token("nobody");
        self.get("/workbenches/v1/plan").await;
    }

    async fn record_sharing(&mut self) {
        let bob = self.app.person("bob").token.unwrap();
        let ada = self.switch_token(&bob);
        let bob_id = self.get(ME).await["user"]["id"].take();
        self.switch_token(&ada);
        self.set_parameter("user_id", &bob_id);
        let member = json!({"userId": bob_id, "role": "editor"});
        self.send("POST", MEMBERS, Some(member.clone())).await;
        self.send("POST", MEMBERS, Some(member.clone())).await;
        self.get(MEMBERS).await;
        let ada = self.switch_token(&bob);
        self.send("DELETE", WORKBENCH, None).await;
        self.switch_token(&ada);
        self.send("DELETE", "/workbenches/v1/{id}/members/{user_id}", None).await;
        self.send("POST", MEMBERS, Some(member)).await;
        self.send("DELETE", "/workbenches/v1/{id}/members?userId={user_id}", None).await;
    }

    async fn record_variables(&mut self) {
        let patch = json!({"env": {"HF_HOME": "/tmp/models"}, "secrets": {"HF_TOKEN": "hf_example"}});
        self.send("PATCH", VARIABLES, Some(patch)).await;
        self.get(VARIABLES).await;
        self.send("PATCH", VARIABLES, Some(json!({"env": {"PATH": "/bin"}}))).await;
    }

    /// Makes the next step of a workbench.
    async fn make_step(&mut self, created: &Value) {
        let context = self.app.platform.context_of("workbench-worker");
        let me = self.get(ME).await;
        let hint = WorkbenchHint {
            org: me["org"]["id"].as_str().unwrap().parse().unwrap(),
            id: created["id"].as_str().unwrap().parse().unwrap(),
        };
        let provisioner = Provisioner::new(&context, Arc::new(QuickBackend)).unwrap();
        provisioner.advance(hint).await.unwrap();
    }
}
