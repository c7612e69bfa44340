//! The list of a workflow's runs: order, filters, pages and cost.

use domain::id::{ReleaseId, WorkflowId};
use domain::run::{NewRun, RunOrigin, StartableRelease};
use std::sync::Arc;
use store::runs::StartKey;
use tests::scale::full_or;

use super::hooks::publish_hook;
use super::*;

/// The ids of a page, and its cursor.
async fn page(person: &Person, workflow: &str, query: &str) -> (Vec<String>, Option<String>) {
    let answer = person.get(&format!("{}?{query}", runs_path(workflow))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    let ids = answer.json["data"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned());
    let cursor = answer.json["meta"]["nextCursor"].as_str().map(str::to_owned);
    (ids.collect(), cursor)
}

/// The ids of all pages.
async fn list(person: &Person, workflow: &str, query: &str) -> Vec<String> {
    let (mut ids, mut cursor) = page(person, workflow, query).await;
    while let Some(next) = cursor {
        let (more, next) = page(person, workflow, &format!("{query}&cursor={next}")).await;
        ids.extend(more);
        cursor = next;
    }
    ids
}

fn id_of(path: &str) -> String {
    run_id(path).to_string()
}

#[tokio::test]
async fn the_newest_run_comes_first() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    assert_eq!(page(&ada, &flow, "").await, (vec![], None));
    let mut started = Vec::new();
    for n in 0..25 {
        started.push(id_of(&start_run(&ada, &flow, json!({"n": n})).await));
    }
    started.reverse();
    let (first, cursor) = page(&ada, &flow, "").await;
    assert_eq!(first, started[..20]);
    assert_eq!(page(&ada, &flow, &format!("cursor={}", cursor.unwrap())).await, (started[20..].to_vec(), None));
    // Every page size gives the whole list.
    for limit in [1, 7, 25, 100] {
        assert_eq!(list(&ada, &flow, &format!("limit={limit}")).await, started, "{limit}");
    }
}

#[tokio::test]
async fn an_entry_is_the_run_without_its_values() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": "x"})).await;
    app.platform.drain().await;
    let mut run = read(&ada, &path).await;
    assert_eq!(run["state"], "failed", "{run}");
    for name in ["input", "inputUrl", "output", "outputUrl"] {
        run.as_object_mut().unwrap().remove(name).unwrap();
    }
    // The row has the sums of the usage.
    for name in ["nodes", "uncollected", "uncollectedExact"] {
        run["usage"].as_object_mut().unwrap().remove(name).unwrap();
    }
    assert_eq!(ada.get(&runs_path(&flow)).await.json["data"], json!([run]));
}

#[tokio::test]
async fn filters_can_be_combined() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let input = json!({"amount": 5});
    let [completed, stopped, paused] = [(); 3].map(|()| start_run(&ada, &flow, input.clone()));
    let [completed, stopped, paused] = [completed.await, stopped.await, paused.await];
    app.platform.drain().await;
    ada.post_json(&format!("{completed}/resolve-wait"), json!({"decision": "approve"})).await;
    app.platform.drain().await;
    ada.post(&format!("{stopped}/stop")).await;
    let queued = start_run(&ada, &flow, input.clone()).await;
    let [completed, stopped, paused, queued] = [completed, stopped, paused, queued].map(|path| id_of(&path));
    let midnight = |id: &str| Time::from_uuid(id.parse().unwrap()).to_string();
    for (query, expected) in [
        ("state=completed".to_owned(), vec![&completed]),
        ("state=cancelled".to_owned(), vec![&stopped]),
        ("state=paused".to_owned(), vec![&paused]),
        ("state=queued".to_owned(), vec![&queued]),
        ("state=running,failed".to_owned(), vec![]),
        ("state=paused,completed".to_owned(), vec![&paused, &completed]),
        ("origin=manual".to_owned(), vec![&queued, &paused, &stopped, &completed]),
        ("origin=webhook".to_owned(), vec![]),
        ("origin=webhook,manual&state=queued,cancelled".to_owned(), vec![&queued, &stopped]),
        ("origin=scheduled&state=queued".to_owned(), vec![]),
        (format!("from={}", midnight(&paused)), vec![&queued, &paused]),
        (format!("to={}", midnight(&paused)), vec![&stopped, &completed]),
        (format!("from={}&to={}", midnight(&stopped), midnight(&queued)), vec![&paused, &stopped]),
        (format!("from={}&state=cancelled,completed", midnight(&stopped)), vec![&stopped]),
    ] {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(list(&ada, &flow, &query).await, expected, "{query}");
        assert_eq!(list(&ada, &flow, &format!("{query}&limit=1")).await, expected, "{query}, one by one");
    }
}

#[tokio::test]
async fn a_run_of_a_webhook_is_listed_at_once_in_its_state() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(
        &app,
        &ada,
        graph(
            &[node("hook", "webhook", json!({})), node("end", "send_result", json!({"output": "input.n"}))],
            &["hook.out end"],
        ),
        "sync",
    )
    .await;
    let answer = hook.call(json!({"n": 21})).await;
    let id = answer.json["runId"].as_str().unwrap().to_owned();
    for query in ["origin=webhook", "state=completed", "state=completed&origin=webhook"] {
        assert_eq!(list(&ada, &hook.workflow, query).await, std::slice::from_ref(&id), "{query}");
    }
    assert!(list(&ada, &hook.workflow, "state=queued").await.is_empty());
}

#[tokio::test]
async fn wrong_parameters_are_refused() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let flow = publish(&ada, double()).await;
    for query in ["state=done", "origin=cron", "from=yesterday", "limit=0", "limit=101", "cursor=x", "status=failed"] {
        let refused = ada.get(&format!("{}?{query}", runs_path(&flow))).await;
        assert_eq!(refusal(&refused), ("400", "invalid_query"), "{query}: {}", refused.text);
    }
    assert_eq!(bob.get(&runs_path(&flow)).await.code(), "workflow_not_found");
    assert_eq!(app.anonymous().get(&runs_path(&flow)).await.code(), "unauthorized");
}

/// The list reads an index of each filter, never the runs that the filter drops.
#[tokio::test]
async fn a_page_costs_the_same_for_few_runs_and_for_many() {
    const FEW: usize = 400;
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let runs = Runs::new(&app.platform.context()).unwrap();
    let workflow: WorkflowId = flow.parse().unwrap();
    let release =
        StartableRelease { account: app.account("ada"), payer: None, workflow, release: ReleaseId::new(), number: 1 };
    // One run of a hundred fails, and one was started by a schedule.
    let store = async |count: usize| {
        for n in 0..count {
            let origin = if n % 100 == 1 { RunOrigin::Scheduled } else { RunOrigin::Manual };
            let end = match n % 100 {
                2 => RunEnd::Failed(RunError { code: "x".to_owned(), message: "x".to_owned(), node_id: None }),
                _ => RunEnd::Completed { output: Arc::new(json!(null)) },
            };
            let new = NewRun::new(release, origin, "start".to_owned(), json!(null));
            runs.store_ended(new, vec![end.event()], &end, None::<StartKey>).await.unwrap();
        }
    };
    let path = runs_path(&flow);
    let queries = ["", "state=completed", "origin=manual", "from=2026-01-01T00:00:00Z", "to=2100-01-01T00:00:00Z"];
    let rare = ["state=failed", "origin=scheduled", "state=queued"];
    let cost = async |queries: &[&str], limit: u32| {
        // The token may have expired while the runs were stored.
        let (ada, mut costs) = (app.person("ada"), Vec::new());
        for query in queries {
            costs.push(app.costs(ada.get(&format!("{path}?limit={limit}&{query}"))).await.to_string());
        }
        costs
    };
    store(FEW).await;
    let few = (cost(&queries, 20).await, cost(&rare, 4).await);
    store(full_or(100_000, 2_000) - FEW).await;
    let many = (cost(&queries, 20).await, cost(&rare, 4).await);
    eprintln!("a page of runs: {many:?}");
    assert_eq!(few, many);
}
