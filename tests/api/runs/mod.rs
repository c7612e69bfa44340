//! The runs API, `/builder/v1/workflows/{id}/runs…`, and the workers that carry out runs.

mod activity;
mod admission;
mod agents;
mod analytics;
mod arrivals;
mod budgets;
mod calls;
mod code;
mod controls;
mod costs;
mod data_tables;
mod databases;
mod each;
mod erase;
mod files;
pub mod follow;
mod forms;
mod history;
mod hook_urls;
pub mod hooks;
mod imports;
mod inputs;
mod isolation;
mod js_fields;
mod list;
mod load;
pub mod masks;
mod node_types;
mod parked;
mod previews;
pub mod recovery;
mod replays;
mod retrieval;
mod retry;
mod reviews;
mod rows;
mod schedules;
mod servers;
mod sizes;
mod start;
mod templates;
mod usage;
mod waits;
mod whole_calls;

use std::sync::Arc;
use std::time::Duration;

use domain::id::RunId;
use domain::run::{Hold, RunEnd, RunError, RunEvent, RunEventKind};
use domain::time::{Clock, Time};
use effects::NodePerformers;
use engine::drive::SuspectGate;
use platform::Context;
use runner::{ReleasePlans, RunAdmission, Worker};
use serde_json::{Value, json};
use sql::SqlClients;
use store::runs::{Claim, RunHint};
use store::{Runs, Workflows};
use tests::TestApp;
use tests::client::{Answer, Person, refusal};

pub use local::cost::graphs::{connection, graph, node, refund};

pub const WORKFLOWS: &str = "/builder/v1/workflows";
pub const NOWHERE: &str = "019cb8e2-3f4a-7c21-9b6d-000000000000";

/// A pure workflow: it doubles a number.
pub fn double() -> Value {
    let start = node("start", "input", json!({}));
    let end = node("end", "send_result", json!({"output": "{'doubled': input.n * 2}"}));
    graph(&[start, end], &["start.out end"])
}

pub async fn publish(person: &Person, graph: Value) -> String {
    let created = person.post_json(WORKFLOWS, json!({"name": "Flow", "graph": graph})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let published = person.post(&format!("{WORKFLOWS}/{}/publish", created.id())).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    created.id().to_owned()
}

/// Publishes another graph. Returns the id of the release.
async fn publish_again(person: &Person, workflow: &str, graph: Value) -> String {
    let path = format!("{WORKFLOWS}/{workflow}");
    let changed = person.patch(&path, json!({"graph": graph})).await;
    assert_eq!(changed.status, "200 OK", "{}", changed.text);
    let published = person.post(&format!("{path}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    published.json["data"]["release"]["id"].as_str().unwrap().to_owned()
}

pub fn runs_path(workflow: &str) -> String {
    format!("{WORKFLOWS}/{workflow}/runs")
}

/// Starts a run, and returns its path.
pub async fn start_run(person: &Person, workflow: &str, input: Value) -> String {
    let started = person.post_json(&runs_path(workflow), json!({"input": input})).await;
    assert_eq!(started.status, "202 Accepted", "{}", started.text);
    assert_eq!(started.json["data"]["state"], "queued");
    format!("{}/{}", runs_path(workflow), started.id())
}

/// Reads a run.
pub async fn read(person: &Person, path: &str) -> Value {
    let answer = person.get(path).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

pub fn message(answer: &Answer) -> &str {
    answer.json["error"]["message"].as_str().unwrap()
}

pub fn run_id(path: &str) -> RunId {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

/// A context whose clock shows a time.
pub fn context_at(app: &TestApp, now: Time) -> Context {
    Context { clock: Clock::new(move || now), ..app.platform.context() }
}

fn worker(context: &Context) -> Worker<RunAdmission, Arc<ReleasePlans>, NodePerformers> {
    let plans = Arc::new(ReleasePlans::new(Workflows::new(context).unwrap(), script::interpreter()));
    Worker {
        runs: Runs::new(context).unwrap(),
        admission: RunAdmission::new(context).unwrap(),
        performers: NodePerformers::of_runs(context, plans.clone(), Arc::new(SqlClients)).unwrap(),
        plans,
        clock: context.clock.clone(),
        stop: context.stop.clone(),
        suspects: SuspectGate::default(),
    }
}

/// Handles a message about a run at a time.
pub async fn work_at(app: &TestApp, path: &str, now: Time) {
    let hint = RunHint { run_id: run_id(path) };
    worker(&context_at(app, now)).handle(hint, now.plus(minutes(15))).await.unwrap();
}

/// Carries out a run to its end: approves its reviews, and lets the time of its waits pass. Returns the run.
pub async fn carry_out(app: &TestApp, person: &Person, path: &str) -> Value {
    const MAX_WAITS: usize = 20;
    let mut now = Time::now();
    for _ in 0..MAX_WAITS {
        app.platform.drain().await;
        let run = read(person, path).await;
        if run["state"] != "paused" {
            return run;
        }
        if run["waiting"].is_null() {
            now = now.plus(minutes(24 * 60));
            work_at(app, path, now).await;
        } else {
            let approved = person.post_json(&format!("{path}/resolve-wait"), json!({"decision": "approve"})).await;
            assert_eq!(approved.status, "200 OK", "{}", approved.text);
        }
    }
    panic!("the run waits more than {MAX_WAITS} times: {path}");
}

pub fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}
