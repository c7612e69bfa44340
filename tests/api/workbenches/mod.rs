//! The workbenches API: `/workbenches/v1…`.

mod budgets;
mod concurrency;
mod control_plane;
mod create;
mod keys;
mod kubernetes;
mod labs;
mod life;
mod recovery;
mod refusals;
mod sharing;
mod variables;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::labs::{Backend, Environments, Provisioner};
use domain::id::WorkbenchId;
use domain::time::{Clock, Time};
use platform::Context;
use serde_json::{Value, json};
use store::workbenches::WorkbenchHint;
use tests::TestApp;
use tests::client::{Answer, Person};
use tests::cluster::FakeCluster;

const WORKBENCHES: &str = "/workbenches/v1";

/// A platform with a worker, by default over a fake cluster. The clock of the worker is moved by the test.
struct Lab {
    app: TestApp,
    cluster: FakeCluster,
    worker: Provisioner,
    now: Arc<Mutex<Time>>,
}

impl Lab {
    async fn start() -> Self {
        Self::with_app(TestApp::start().await)
    }

    fn with_app(app: TestApp) -> Self {
        let cluster = FakeCluster::default();
        Self { cluster: cluster.clone(), ..Self::with_backend(app, Arc::new(cluster)) }
    }

    fn with_backend(app: TestApp, backend: Arc<dyn Backend>) -> Self {
        let now = Arc::new(Mutex::new(Time::now()));
        let worker = Provisioner::new(&context(&app, &now), backend).unwrap();
        Self { app, cluster: FakeCluster::default(), worker, now }
    }

    /// The context of the worker, with its clock.
    fn context(&self) -> Context {
        context(&self.app, &self.now)
    }

    fn now(&self) -> Time {
        *self.now.lock().unwrap()
    }

    /// Moves the clock of the worker. It is never behind that of the API.
    fn pass(&self, time: Duration) {
        let mut now = self.now.lock().unwrap();
        *now = Ord::max(*now, Time::now()).plus(time);
    }

    fn hint(&self, id: &str) -> WorkbenchHint {
        WorkbenchHint { org: self.app.account("ada").org, id: id.parse().unwrap() }
    }

    /// Lets the worker make one step, if one is due.
    async fn step(&self, id: &str) {
        self.pass(Duration::from_secs(1));
        self.worker.advance(self.hint(id)).await.unwrap();
    }

    /// Lets some seconds pass for the worker, and makes a step if one is due.
    async fn wait(&self, id: &str) {
        self.pass(Duration::from_secs(3));
        self.worker.advance(self.hint(id)).await.unwrap();
    }

    /// Steps until no step is due in the next seconds.
    async fn settle(&self, id: &str) {
        for _ in 0..20 {
            self.pass(Duration::from_secs(5));
            if self.worker.advance(self.hint(id)).await.unwrap().is_none() {
                return;
            }
        }
        panic!("the workbench {id} does not settle");
    }

    /// Creates a workbench that is ready, and returns its id.
    async fn ready(&self, owner: &Person, name: &str) -> String {
        let id = create(owner, json!({"name": name})).await;
        self.settle(&id).await;
        assert_eq!(read(owner, &id).await["status"], "ready");
        id
    }
}

fn context(app: &TestApp, now: &Arc<Mutex<Time>>) -> Context {
    let now = now.clone();
    let clock = Clock::new(move || *now.lock().unwrap());
    Context { clock, ..app.platform.context_of("workbench-worker") }
}

fn path(id: &str) -> String {
    format!("{WORKBENCHES}/{id}")
}

/// Creates a workbench, and returns its id.
async fn create(owner: &Person, body: Value) -> String {
    let created = owner.post_json(WORKBENCHES, body).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    created.json["id"].as_str().unwrap().to_owned()
}

async fn read(person: &Person, id: &str) -> Value {
    let found = person.get(&path(id)).await;
    assert_eq!(found.status, "200 OK", "{}", found.text);
    found.json
}

async fn share(owner: &Person, id: &str, user: &str) -> Answer {
    owner.post_json(&format!("{}/members", path(id)), json!({"userId": user, "role": "editor"})).await
}

/// The types of all events of a workbench.
async fn event_types(person: &Person, id: &str) -> Vec<String> {
    let events = person.get(&format!("{}/events?limit=100", path(id))).await.json;
    let items = events["items"].as_array().unwrap().clone();
    let numbers: Vec<_> = items.iter().map(|event| event["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events["total"].as_u64().unwrap()).collect::<Vec<_>>());
    items.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

fn id_of(text: &str) -> WorkbenchId {
    text.parse().unwrap()
}

/// The body of a plan whose workbenches have these limits.
fn plan(max_workbenches: u32, capacity: &Value) -> Value {
    let mut capacity = capacity.clone();
    capacity["gpumem"] = "16Gi".into();
    let small = json!({"name": "small", "resources": {"cpu": "1", "memory": "1Gi", "storage": "1Gi"}});
    json!({
        "name": "Labs",
        "workbenches": {
            "sizes": [small], "default_size": "small",
            "ceiling": {"cpu": "2", "memory": "4Gi", "gpumem": "16Gi", "storage": "10Gi"},
            "capacity": capacity, "max_workbenches": max_workbenches,
            "images": [{"name": "base", "reference": "base:1"}],
            "idle_stop_minutes": 30, "provisioning_timeout_minutes": 10
        }
    })
}

/// Replaces the plan of all organizations.
async fn put_plan(app: &TestApp, plan: Value) {
    let put = app.operator().put("/gateway/v1/admin/plans/default", plan).await;
    assert_eq!(put.status, "200 OK", "{}", put.text);
}
