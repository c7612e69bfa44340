//! The lists over all workflows: runs, open reviews and threads, for each role, and for colleagues and organizations without
//! one.

use std::sync::Arc;

use domain::id::{ReleaseId, WorkflowId};
use domain::messaging::MessagingProvider;
use domain::run::{NewRun, RunEnd, RunError, RunOrigin, StartableRelease};
use domain::time::Time;
use store::Runs;
use store::runs::StartKey;
use tests::scale::full_or;

use super::*;
use crate::conversations::{Stage, echo};
use crate::runs::{minutes, refund, run_id, start_run, work_at};

const RUNS: &str = "/builder/v1/runs";
const REVIEWS: &str = "/builder/v1/reviews";
const THREADS: &str = "/builder/v1/threads";

async fn page(person: &Person, path: &str) -> Vec<Value> {
    let answer = person.get(path).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].as_array().unwrap().clone()
}

/// A field of the rows of all pages.
async fn all(person: &Person, path: &str, field: &str) -> Vec<String> {
    let (mut values, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = person.get(&format!("{path}{cursor}")).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        values.extend(answer.column(field).into_iter().map(str::to_owned));
        let Some(next) = answer.json["meta"]["nextCursor"].as_str() else { return values };
        cursor = format!("&cursor={next}");
    }
}

fn id_of(path: &str) -> String {
    run_id(path).to_string()
}

#[tokio::test]
async fn runs_of_all_workflows_are_listed_with_their_workflow() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (asking, doubling) = (publish(&ada, refund()).await, publish(&ada, double()).await);
    ada.patch(&format!("{WORKFLOWS}/{asking}"), json!({"name": "Refunds"})).await;
    let paused = id_of(&start_run(&ada, &asking, json!({"amount": 1})).await);
    let completed = id_of(&start_run(&ada, &doubling, json!({"n": 1})).await);
    let failed = id_of(&start_run(&ada, &doubling, json!({"n": "x"})).await);
    app.platform.drain().await;
    let rows = page(&ada, RUNS).await;
    let mut first = rows[2].clone();
    let workflow = first.as_object_mut().unwrap().remove("workflow").unwrap();
    assert_eq!(workflow, json!({"id": asking, "name": "Refunds"}));
    assert_eq!(json!([first]), ada.get(&format!("{WORKFLOWS}/{asking}/runs")).await.json["data"], "the same row");
    let begin = Time::from_uuid(completed.parse().unwrap());
    for (query, expected) in [
        ("".to_owned(), vec![&failed, &completed, &paused]),
        ("state=failed".to_owned(), vec![&failed]),
        ("state=paused".to_owned(), vec![&paused]),
        ("state=paused,failed".to_owned(), vec![&failed, &paused]),
        ("state=completed,failed".to_owned(), vec![&failed, &completed]),
        ("state=queued".to_owned(), vec![]),
        ("state=failed&origin=webhook".to_owned(), vec![]),
        ("origin=manual&state=completed".to_owned(), vec![&completed]),
        (format!("from={begin}"), vec![&failed, &completed]),
        (format!("to={begin}"), vec![&paused]),
    ] {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(all(&ada, &format!("{RUNS}?{query}"), "id").await, expected, "{query}");
        assert_eq!(all(&ada, &format!("{RUNS}?limit=1&{query}"), "id").await, expected, "{query}, one by one");
    }
    // A run that goes on is no longer among the paused ones.
    let resolve = format!("{WORKFLOWS}/{asking}/runs/{paused}/resolve-wait");
    assert_eq!(ada.post_json(&resolve, json!({"decision": "approve"})).await.status, "200 OK");
    assert_eq!(page(&ada, &format!("{RUNS}?state=paused")).await, Vec::<Value>::new());
    app.platform.drain().await;
    assert_eq!(all(&ada, &format!("{RUNS}?state=completed"), "id").await, [completed.clone(), paused.clone()]);
    // A deleted workflow takes its runs with it.
    assert_eq!(ada.delete(&format!("{WORKFLOWS}/{asking}")).await.status, "204 No Content");
    assert_eq!(all(&ada, &format!("{RUNS}?limit=2"), "id").await, [failed, completed]);
}

#[tokio::test]
async fn open_reviews_are_listed_oldest_first_until_they_close() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (one, two) = (publish(&ada, refund()).await, publish(&ada, refund()).await);
    let mut runs = Vec::new();
    for (number, flow) in [&one, &two, &one, &two, &one].into_iter().enumerate() {
        runs.push(start_run(&ada, flow, json!({"amount": number})).await);
        app.platform.drain().await;
    }
    let ids: Vec<String> = runs.iter().map(|run| id_of(run)).collect();
    for limit in [1, 2, 5, 100] {
        assert_eq!(all(&ada, &format!("{REVIEWS}?limit={limit}"), "runId").await, ids, "{limit}");
    }
    let mut first = page(&ada, REVIEWS).await.swap_remove(0);
    let row = first.as_object_mut().unwrap();
    assert_eq!(row.remove("workflow").unwrap(), json!({"id": one, "name": "Flow"}));
    assert_eq!(row.remove("runId").unwrap(), ids[0]);
    assert!(row.remove("openedAt").unwrap().as_str().unwrap() > "2026");
    assert_eq!(first, ada.get(&runs[0]).await.json["data"]["waiting"], "what the run waits for");

    let decision = json!({"decision": "reject"});
    assert_eq!(ada.post_json(&format!("{}/resolve-wait", runs[1]), decision).await.status, "200 OK");
    assert_eq!(ada.post(&format!("{}/stop", runs[2])).await.status, "200 OK");
    let left = [&ids[0], &ids[3], &ids[4]].map(String::clone);
    assert_eq!(all(&ada, &format!("{REVIEWS}?limit=2"), "runId").await, left);
    // A review whose time is over leaves the list.
    work_at(&app, &runs[3], Time::now().plus(minutes(60 * 24 * 400))).await;
    assert_eq!(all(&ada, &format!("{REVIEWS}?limit=2"), "runId").await, [&ids[0], &ids[4]].map(String::clone));
}

#[tokio::test]
async fn each_list_shows_what_the_role_permits() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let mut members = Vec::new();
    for role in ["viewer", "operator", "editor"] {
        members.push((role, known(&app, role).await));
    }
    let (heir, heir_id) = known(&app, "heir").await;
    let strangers = [known(&app, "stranger").await.0, app.person_of("eve", "globex", Role::Admin)];
    let (shared, private) = (publish(&ada, refund()).await, publish(&ada, refund()).await);
    let flow = format!("{WORKFLOWS}/{shared}");
    for (role, (_, id)) in &members {
        must_share(&ada, &flow, id, role).await;
    }
    let seen = id_of(&start_run(&ada, &shared, json!({"amount": 1})).await);
    let hidden = id_of(&start_run(&ada, &private, json!({"amount": 1})).await);
    app.platform.drain().await;
    let reviews = async |person: &Person| all(person, &format!("{REVIEWS}?limit=1"), "runId").await;
    let paused = async |person: &Person| all(person, &format!("{RUNS}?limit=1&state=paused"), "id").await;
    let runs = async |person: &Person| all(person, &format!("{RUNS}?limit=1"), "id").await;
    let nothing: [String; 0] = [];
    assert_eq!(reviews(&ada).await, [seen.clone(), hidden.clone()]);
    assert_eq!(runs(&ada).await, [hidden.clone(), seen.clone()]);
    for (role, (person, _)) in &members {
        let may_resolve = if *role == "viewer" { vec![] } else { vec![seen.clone()] };
        assert_eq!(reviews(person).await, may_resolve, "{role}");
        assert_eq!((runs(person).await, paused(person).await), (vec![seen.clone()], vec![seen.clone()]), "{role}");
    }
    for stranger in &strangers {
        assert_eq!((runs(stranger).await.len(), reviews(stranger).await.len()), (0, 0));
    }
    // A removed member sees nothing from the next request on, and a new owner sees what the workflow has.
    let (viewer, viewer_id) = &members[0].1;
    assert_eq!(ada.delete(&format!("{flow}/members/{viewer_id}")).await.status, "204 No Content");
    assert_eq!(runs(viewer).await, nothing);
    let moved = ada.post_json(&format!("{flow}/transfer"), json!({"userId": heir_id})).await;
    assert_eq!(moved.status, "200 OK", "{}", moved.text);
    assert_eq!((runs(&heir).await, reviews(&heir).await), (vec![seen.clone()], vec![seen.clone()]));
    assert_eq!(runs(&ada).await, [hidden.clone(), seen.clone()], "an editor now");
    assert_eq!(ada.delete(&format!("{flow}/members/{ada_id}")).await.status, "204 No Content");
    assert_eq!((runs(&ada).await, reviews(&ada).await), (vec![hidden.clone()], vec![hidden]));
}

#[tokio::test]
async fn threads_of_all_workflows_are_listed_by_what_happened_last() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    let (bob, bob_id) = known(&stage.app, "bob").await;
    let (stranger, _) = known(&stage.app, "stranger").await;
    for person in [1, 2, 3] {
        stage.deliver(person, 1, "Hello").await;
        stage.app.platform.drain().await;
    }
    let listed = all(&stage.ada, &format!("{THREADS}?limit=1"), "id").await;
    assert_eq!(listed.len(), 3);
    let row = &page(&stage.ada, THREADS).await[0];
    assert_eq!((&row["workflow"]["name"], &row["waitingForOperator"]), (&json!("Support"), &json!(false)));
    let own = stage.read("/threads").await;
    assert_eq!(
        own.as_array().unwrap().iter().map(|thread| &thread["id"]).collect::<Vec<_>>(),
        listed.iter().collect::<Vec<_>>()
    );

    // The first one is taken, and its participant writes again.
    let first = format!("{}/threads/{}", stage.workflow, listed[2]);
    let state = format!("{first}/operator-state");
    assert_eq!(stage.ada.post_json(&state, json!({})).await.status, "200 OK");
    assert_eq!(all(&stage.ada, &format!("{THREADS}?limit=2"), "id").await[0], listed[2], "the take is the last change");
    let waiting = async |person: &Person| all(person, &format!("{THREADS}?waitingForOperator=true"), "id").await;
    assert!(waiting(&stage.ada).await.is_empty(), "the bot has answered");
    stage.deliver(1, 2, "Is anybody there?").await;
    assert_eq!(waiting(&stage.ada).await, [listed[2].clone()]);
    let operated = all(&stage.ada, &format!("{THREADS}?state=operator"), "id").await;
    assert_eq!(operated, waiting(&stage.ada).await);
    assert_eq!(all(&stage.ada, &format!("{THREADS}?waitingForOperator=false"), "id").await, listed[..2]);
    let of_workflow = format!("{}/threads?waitingForOperator=true", stage.workflow);
    assert_eq!(all(&stage.ada, &of_workflow, "id").await, [listed[2].clone()]);

    // Members see it, and strangers nothing.
    assert_eq!(all(&bob, &format!("{THREADS}?limit=2"), "id").await, Vec::<String>::new());
    must_share(&stage.ada, &stage.workflow, &bob_id, "viewer").await;
    assert_eq!((waiting(&bob).await, page(&bob, THREADS).await.len()), (vec![listed[2].clone()], 3));
    assert!(page(&stranger, THREADS).await.is_empty());

    let answer = json!({"content": "Yes."});
    let sent = stage.ada.post_json(&format!("{first}/messages"), answer).await;
    assert_eq!(sent.status, "201 Created", "{}", sent.text);
    assert!(waiting(&stage.ada).await.is_empty());
    stage.deliver(1, 3, "Thanks").await;
    assert_eq!(waiting(&stage.ada).await.len(), 1);
    assert_eq!(stage.ada.post_json(&format!("{state}/release"), json!({})).await.status, "200 OK");
    assert!(waiting(&stage.ada).await.is_empty(), "the bot answers again");
}

#[tokio::test]
async fn wrong_parameters_and_callers_are_refused() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    for path in [RUNS, REVIEWS, THREADS, "/builder/v1/inbox"] {
        assert_eq!(refusal(&app.anonymous().get(path).await), ("401", "unauthorized"), "{path}");
        for query in ["limit=0", "limit=101", "cursor=x", "status=failed"] {
            assert_eq!(refusal(&ada.get(&format!("{path}?{query}")).await), ("400", "invalid_query"), "{path} {query}");
        }
    }
    for wrong in ["/runs?state=done", "/threads?state=done", "/threads?waitingForOperator=maybe", "/reviews?state=open"]
    {
        assert_eq!(refusal(&ada.get(&format!("/builder/v1{wrong}")).await), ("400", "invalid_query"), "{wrong}");
    }
}

/// A page reads an index, never the items that it does not show.
#[tokio::test]
async fn a_page_costs_the_same_for_few_items_and_for_many() {
    const FEW: usize = 400;
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    // Some runs wait for a review: more than a page.
    for amount in 0..8 {
        start_run(&ada, &flow, json!({"amount": amount})).await;
    }
    app.platform.drain().await;
    let runs = Runs::new(&app.platform.context()).unwrap();
    let workflow: WorkflowId = flow.parse().unwrap();
    let release =
        StartableRelease { account: app.account("ada"), payer: None, workflow, release: ReleaseId::new(), number: 1 };
    // One run of ten fails.
    let store = async |count: usize| {
        for n in 0..count {
            let end = match n % 10 {
                2 => RunEnd::Failed(RunError { code: "x".to_owned(), message: "x".to_owned(), node_id: None }),
                _ => RunEnd::Completed { output: Arc::new(json!(null)) },
            };
            let new = NewRun::new(release, RunOrigin::Manual, "start".to_owned(), json!(null));
            runs.store_ended(new, vec![end.event()], &end, None::<StartKey>).await.unwrap();
        }
    };
    let queries = [
        format!("{RUNS}?limit=20"),
        format!("{RUNS}?limit=2&state=failed"),
        format!("{RUNS}?limit=4&state=paused"),
        format!("{RUNS}?limit=20&from=2026-01-01T00:00:00Z"),
        format!("{REVIEWS}?limit=4"),
        format!("{THREADS}?limit=4&waitingForOperator=true"),
        "/builder/v1/inbox?limit=4".to_owned(),
    ];
    let cost = async || {
        // The token may have expired while the runs were stored.
        let (ada, mut costs) = (app.person("ada"), Vec::new());
        for query in &queries {
            costs.push(app.costs(ada.get(query)).await.to_string());
        }
        costs
    };
    store(FEW).await;
    let few = cost().await;
    store(full_or(100_000, 2_000) - FEW).await;
    let many = cost().await;
    eprintln!("a page of all workflows: {many:#?}");
    assert_eq!(few, many);
}

/// The caller's records, the entries of what is shared with them, the parts of the lists, the items that are shown, and their
/// workflows.
#[tokio::test]
async fn every_list_keeps_its_budget() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let flow = publish(&ada, refund()).await;
    start_run(&ada, &flow, json!({"amount": 1})).await;
    app.platform.drain().await;
    let (mut costs, expected) = (
        Vec::new(),
        [
            "3 dynamodb:BatchGetItem (6 units), 7 dynamodb:Query (5 units)",
            "3 dynamodb:BatchGetItem (6 units), 7 dynamodb:Query (5 units)",
            "3 dynamodb:BatchGetItem (7 units), 5 dynamodb:Query (3 units)",
            "1 dynamodb:BatchGetItem (4 units), 5 dynamodb:Query (3 units)",
            "3 dynamodb:BatchGetItem (7 units), 13 dynamodb:Query (7 units)",
        ],
    );
    for path in [RUNS, "/builder/v1/runs?state=paused", REVIEWS, THREADS, "/builder/v1/inbox"] {
        costs.push(app.costs(ada.get(path)).await.to_string());
    }
    assert_eq!(costs, expected);
}
