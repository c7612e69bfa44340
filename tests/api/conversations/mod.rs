//! Conversations on messaging channels, `/builder/v1/workflows/{id}/threads…`, and records, `…/records…`.

mod budgets;
mod exchanges;
mod follow;
mod inbound;
mod load;
mod memory;
mod privacy;
mod record_lists;
mod records;
mod replies;
pub mod stage;
mod takeover;
mod test_agent;
mod whole;

pub use stage::{Stage, echo};

use std::sync::Arc;

use domain::id::{ParticipantId, ReleaseId, ThreadId};
use domain::messaging::MessagingProvider;
use domain::run::{NewRun, RunEnd, RunError, RunOrigin, RunThread, StartableRelease};
use serde_json::{Value, json};
use store::Runs;
use tests::TestApp;
use tests::client::{Answer, Person, refusal};

use crate::runs::{
    NOWHERE, WORKFLOWS, carry_out, double, graph, message, node, publish, read, refund, run_id, runs_path, start_run,
};

fn records_path(workflow: &str) -> String {
    format!("{WORKFLOWS}/{workflow}/records")
}

/// The path of the record of a run.
fn record_path(run: &str) -> String {
    run.replace("/runs/", "/records/")
}

/// A thread of a participant.
fn thread(provider: MessagingProvider, participant: ParticipantId) -> RunThread {
    RunThread { id: ThreadId::new(), participant, provider, message: 1, newest: 1 }
}

/// A run that is to be stored with its end, as a channel or a schedule starts it.
fn new_run(app: &TestApp, workflow: &str, origin: RunOrigin, thread: Option<RunThread>) -> NewRun {
    let (account, workflow) = (app.account("ada"), workflow.parse().unwrap());
    let release = StartableRelease { account, payer: None, workflow, release: ReleaseId::new(), number: 1 };
    NewRun { thread, ..NewRun::new(release, origin, "start".to_owned(), json!(null)) }
}

/// Stores a run that has completed or failed. Returns its id.
async fn store_ended(app: &TestApp, new: NewRun, has_failed: bool) -> String {
    let id = new.id.to_string();
    let end = match has_failed {
        true => RunEnd::Failed(RunError { code: "x".to_owned(), message: "x".to_owned(), node_id: None }),
        false => RunEnd::Completed { output: Arc::new(json!(null)) },
    };
    let runs = Runs::new(&app.platform.context()).unwrap();
    runs.store_ended(new, vec![end.event()], &end, None).await.unwrap();
    id
}

/// The entries of all pages of a list. `path` may have a query.
async fn list(person: &Person, path: &str) -> Vec<Value> {
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    let separator = if path.contains('?') { '&' } else { '?' };
    loop {
        let page = person.get(&format!("{path}{cursor}")).await;
        assert_eq!(page.status, "200 OK", "{path}: {}", page.text);
        entries.extend(page.json["data"].as_array().unwrap().clone());
        match page.json["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("{separator}cursor={next}"),
            None => return entries,
        }
    }
}
