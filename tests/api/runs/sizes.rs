//! What a holder stores at once may be larger than a transaction of DynamoDB, which has at most 4 MB and 100 writes.

use std::future::ready;

use domain::id::ReleaseId;
use domain::run::{Commit, NewReview, NewRun, ParentStep, QuestionKind, RunOrigin, RunValue, StartableRelease};
use serde_json::Map;
use store::runs::RunHold;

use super::*;

async fn claim(runs: &Runs, id: RunId) -> RunHold {
    let Claim::Claimed(claimed) = runs.claim(id, Time::now().plus(minutes(15)), |_| ready(Ok(true))).await.unwrap()
    else {
        panic!()
    };
    claimed.hold
}

fn events(kinds: impl IntoIterator<Item = RunEventKind>) -> Vec<RunEvent> {
    kinds.into_iter().map(|kind| RunEvent { at: Time::now(), kind }).collect()
}

/// A result that is just small enough to be stored in the log.
fn result(number: usize) -> RunEventKind {
    let output = Some(RunValue::Value(json!("x".repeat(32_000))));
    RunEventKind::StepCompleted { step: format!("large[{number}]/call"), port: "out".to_owned(), output, chosen: false }
}

fn skipped(number: usize) -> RunEventKind {
    RunEventKind::StepSkipped { step: format!("many[{number}]/{}", "s".repeat(60)) }
}

fn asked(number: usize) -> (RunEventKind, NewReview) {
    let (step, expires_at) = (format!("many[{number}]/ask"), Time::now().plus(minutes(60)));
    let request = Map::from_iter([("message".to_owned(), json!("x".repeat(64_000)))]);
    (
        RunEventKind::StepAsked { step: step.clone(), expires_at, action: None },
        NewReview { kind: QuestionKind::Review, step, expires_at, request },
    )
}

async fn started_run(app: &TestApp) -> (String, RunId) {
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 4})).await;
    let id = run_id(&path);
    (path, id)
}

#[tokio::test]
async fn a_large_commit_is_stored_in_several_transactions() {
    let app = TestApp::start().await;
    let (_, id) = started_run(&app).await;
    let runs = Runs::new(&app.platform.context()).unwrap();
    let run = runs.find(id).await.unwrap().unwrap();
    let mut hold = claim(&runs, id).await;
    let (questions, opened): (Vec<_>, Vec<_>) = (0..50).map(asked).unzip();
    let (mut calls, mut started) = (Vec::new(), Vec::new());
    for number in 0..12 {
        let (run_id, step) = (RunId::new(), format!("many[{number}]/start"));
        calls.push(RunEventKind::StepCalled { step: step.clone(), attempt: 1, run_id, until: None });
        let release = StartableRelease {
            account: run.account,
            payer: None,
            workflow: run.workflow,
            release: ReleaseId::new(),
            number: 1,
        };
        let parent = Some(ParentStep { run: id, step, depth: 1, root: id });
        let new = NewRun::new(release, RunOrigin::Manual, "start".to_owned(), json!("x".repeat(30_000)));
        started.push(NewRun { id: run_id, parent, ..new });
    }
    let kinds = (0..60).map(result).chain((0..5_000).map(skipped)).chain(questions).chain(calls);
    let commit = Commit { events: events(kinds), opened, started, ..Commit::default() };
    assert_eq!(runs.commit(&mut hold, &commit).await.unwrap(), Hold::Held);
    assert_eq!(runs.log(id).await.unwrap()[1..], commit.events);
    assert_eq!(runs.reviews(id).await.unwrap().len(), 50);
    for new in &commit.started {
        assert!(runs.find(new.id).await.unwrap().is_some());
    }

    // Nothing of a commit is stored after the hold is lost.
    runs.stop(id).await.unwrap();
    let before = runs.log(id).await.unwrap().len();
    assert_eq!(runs.commit(&mut hold, &commit).await.unwrap(), Hold::Lost);
    assert_eq!(runs.log(id).await.unwrap().len(), before);
}

#[tokio::test]
async fn a_run_with_many_last_events_ends() {
    let app = TestApp::start().await;
    let (path, id) = started_run(&app).await;
    let runs = Runs::new(&app.platform.context()).unwrap();
    let mut hold = claim(&runs, id).await;
    let end = RunEnd::Completed { output: json!("x".repeat(100_000)).into() };
    let kinds = (0..120).map(result).chain((0..30_000).map(skipped)).chain([end.event()]);
    let last = events(kinds);
    assert_eq!(runs.end(&mut hold, &last, &end).await.unwrap(), Hold::Held);
    assert_eq!(runs.log(id).await.unwrap()[1..], last);
    let run = read(&app.person("ada"), &path).await;
    assert_eq!((&run["state"], run["output"].as_str().map(str::len)), (&json!("completed"), Some(100_000)));
}
