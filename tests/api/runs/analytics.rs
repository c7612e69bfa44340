//! Analytics: counters that add up to the runs.

use std::collections::BTreeMap;

use domain::id::WorkflowId;
use store::RunStatistics;
use tests::gateway::ModelBuilder;

use super::*;

const COMPARED: &str = "/builder/v1/analytics";

fn analytics(workflow: &str) -> String {
    format!("{WORKFLOWS}/{workflow}/analytics")
}

/// A workflow that fails at the node `check` if the input is negative.
fn checked() -> Value {
    let nodes = [
        node("start", "input", json!({})),
        node("check", "condition", json!({"expression": "input.n < 0"})),
        node("refuse", "fail", json!({"message": "negative"})),
        node("end", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out check", "check.true refuse", "check.false end"])
}

async fn show(person: &Person, path: &str) -> Value {
    let answer = person.get(path).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

#[tokio::test]
async fn the_counters_add_up_to_the_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, checked()).await;
    let empty = show(&ada, &analytics(&flow)).await;
    assert_eq!((&empty["runs"]["total"], &empty["duration"]), (&json!(0), &Value::Null));
    assert_eq!(empty["days"].as_array().unwrap().len(), 30);

    for n in [1, -1, 2, -2, 3] {
        start_run(&ada, &flow, json!({"n": n})).await;
    }
    app.platform.drain().await;
    let cancelled = start_run(&ada, &flow, json!({"n": 1})).await;
    ada.post(&format!("{cancelled}/cancel")).await;
    start_run(&ada, &flow, json!({"n": 1})).await;

    let shown = show(&ada, &analytics(&flow)).await;
    let expected = json!({"total": 6, "completed": 3, "failed": 2, "cancelled": 1});
    assert_eq!(shown["runs"], expected, "{shown}");
    assert_eq!(shown["failures"], json!([{"nodeId": "refuse", "runs": 2}]), "{shown}");
    let listed = ada.get(&runs_path(&flow)).await;
    let mut durations: Vec<f64> =
        listed.json["data"].as_array().unwrap().iter().filter_map(|run| run["durationMs"].as_f64()).collect();
    durations.sort_by(f64::total_cmp);
    assert_eq!(durations.len(), 5, "{}", listed.text);
    let mean = durations.iter().sum::<f64>() / 5.0;
    assert!((shown["duration"]["meanMs"].as_f64().unwrap() - mean).abs() <= 0.01, "{shown}: {mean}");
    for (name, exact) in [("medianMs", durations[2]), ("p95Ms", durations[4])] {
        let found = shown["duration"][name].as_f64().unwrap();
        assert!((found - exact).abs() <= exact * 0.02, "{name}: {found}, exact {exact}");
    }

    let mut summary = shown.clone();
    let days = summary.as_object_mut().unwrap().remove("days").unwrap();
    assert_eq!(show(&ada, &format!("{}/summary", analytics(&flow))).await, summary);
    assert_eq!(show(&ada, &format!("{}/runs", analytics(&flow))).await, days);
    let sum: u64 = days.as_array().unwrap().iter().map(|day| day["total"].as_u64().unwrap()).sum();
    assert_eq!(sum, 6, "{days}");
}

#[tokio::test]
async fn the_usage_is_that_of_the_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    ModelBuilder::new("unused").insert(&app).await;
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "dev-chat", "prompt": "{{ input }}"})),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    let mut sums = BTreeMap::<&str, f64>::new();
    for text in ["Hello", "How are you?"] {
        let path = start_run(&ada, &flow, json!(text)).await;
        app.platform.drain().await;
        let run = read(&ada, &path).await;
        assert_eq!(run["state"], "completed", "{run}");
        for name in ["requests", "inputTokens", "outputTokens", "cost"] {
            *sums.entry(name).or_default() += run["usage"][name].as_f64().unwrap();
        }
    }
    let shown = show(&ada, &format!("{}/summary", analytics(&flow))).await;
    for (name, sum) in sums {
        assert!(sum > 0.0, "{name}");
        for period in ["usage", "month"] {
            let found = shown[period][name].as_f64().unwrap();
            assert!((found - sum).abs() < 1e-12, "{period}.{name}: {found}, of the runs {sum}");
        }
    }
}

#[tokio::test]
async fn days_are_those_of_the_time_zone() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    // 18:45 UTC on the last day of the year: in Kathmandu, a new year has begun.
    let ended_at: Time = serde_json::from_value(json!("2031-12-31T18:45:00.000Z")).unwrap();
    work_at(&app, &path, ended_at).await;
    for (zone, day) in [("UTC", "2031-12-31"), ("America/New_York", "2031-12-31"), ("Asia/Kathmandu", "2032-01-01")] {
        let query = format!("{}/runs?from=2031-12-31&to=2032-01-01&timezone={zone}", analytics(&flow));
        let days = show(&ada, &query).await;
        let found: Vec<_> = days.as_array().unwrap().iter().filter(|of| of["total"] == 1).collect();
        assert_eq!((found.len(), &found[0]["date"]), (1, &json!(day)), "{zone}: {days}");
        let only = format!("{}?from={day}&to={day}&timezone={zone}", analytics(&flow));
        let shown = show(&ada, &only).await;
        assert_eq!((&shown["runs"]["completed"], &shown["timezone"]), (&json!(1), &json!(zone)), "{shown}");
        assert!(shown["duration"]["p95Ms"].is_number(), "{shown}");
    }
    assert_eq!(show(&ada, &analytics(&flow)).await["runs"]["total"], 0);
}

#[tokio::test]
async fn wrong_parameters_are_refused() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let flow = publish(&ada, double()).await;
    for route in ["", "/summary", "/runs"] {
        let path = format!("{}{route}", analytics(&flow));
        for query in ["from=x", "to=2026-02-30", "timezone=Madrid", "from=2026-02-02&to=2026-02-01", "zone=UTC"] {
            let refused = ada.get(&format!("{path}?{query}")).await;
            assert_eq!(refusal(&refused), ("400", "invalid_query"), "{query}: {}", refused.text);
        }
        assert_eq!(bob.get(&path).await.code(), "workflow_not_found");
        assert_eq!(app.anonymous().get(&path).await.code(), "unauthorized");
    }
    assert_eq!(app.anonymous().get(&format!("{WORKFLOWS}/runs/summaries")).await.code(), "unauthorized");
}

#[tokio::test]
async fn every_workflow_has_a_summary() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let summaries = format!("{WORKFLOWS}/runs/summaries");
    assert_eq!(show(&ada, &summaries).await, json!([]));
    let (busy, idle, deleted) =
        (publish(&ada, checked()).await, publish(&ada, double()).await, publish(&ada, double()).await);
    ada.patch(&format!("{WORKFLOWS}/{busy}"), json!({"name": "Busy"})).await;
    for n in [1, 2, -1] {
        start_run(&ada, &busy, json!({"n": n})).await;
    }
    start_run(&ada, &deleted, json!({"n": 1})).await;
    start_run(&bob, &publish(&bob, double()).await, json!({"n": 1})).await;
    app.platform.drain().await;
    let waiting = start_run(&ada, &busy, json!({"n": 1})).await;
    assert!(ada.delete(&format!("{WORKFLOWS}/{deleted}")).await.status.starts_with('2'));

    let shown = show(&ada, &summaries).await;
    let of = |id: &str| shown.as_array().unwrap().iter().find(|summary| summary["workflowId"] == id).cloned();
    let first = of(&busy).unwrap();
    let counts = ["inProgress", "completed", "failed", "cancelled"].map(|name| first[name].as_u64().unwrap());
    assert_eq!((counts, &first["name"]), ([1, 2, 1, 0], &json!("Busy")), "{shown}");
    assert!(first["lastFinishedAt"].is_string());
    let second = of(&idle).unwrap();
    assert_eq!((&second["completed"], &second["lastFinishedAt"]), (&json!(0), &Value::Null));
    assert_eq!((of(&deleted), shown.as_array().unwrap().len()), (None, 2), "{shown}");
    ada.post(&format!("{waiting}/cancel")).await;
    let shown = show(&ada, &summaries).await;
    assert!(shown.as_array().unwrap().iter().any(|of| of["inProgress"] == 0 && of["cancelled"] == 1), "{shown}");
}

#[tokio::test]
async fn several_workflows_add_up_to_each_of_them() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let (one, other) = (publish(&ada, checked()).await, publish(&ada, checked()).await);
    ada.patch(&format!("{WORKFLOWS}/{one}"), json!({"name": "B"})).await;
    ada.patch(&format!("{WORKFLOWS}/{other}"), json!({"name": "A"})).await;
    let foreign = publish(&bob, double()).await;
    for (flow, n) in [(&one, 1), (&one, -1), (&other, -1), (&other, -2), (&other, 3)] {
        start_run(&ada, flow, json!({"n": n})).await;
    }
    app.platform.drain().await;

    let compared = |ids: &[&str]| format!("{COMPARED}?workflowIds={}&timezone=Europe/Madrid", ids.join(","));
    let unknown = WorkflowId::new().to_string();
    let shown = show(&ada, &compared(&[&one, &other, &foreign, &unknown, &one])).await;
    assert_eq!(shown["runs"], json!({"total": 5, "completed": 2, "failed": 3, "cancelled": 0}), "{shown}");
    assert_eq!(
        shown["failures"],
        json!([{"workflowId": other, "nodeId": "refuse", "runs": 2}, {"workflowId": one, "nodeId": "refuse", "runs": 1}])
    );
    let names: Vec<_> = shown["workflows"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B"]);
    let mut total = 0;
    for of in shown["workflows"].as_array().unwrap() {
        let alone = show(&ada, &format!("{}?timezone=Europe/Madrid", analytics(of["id"].as_str().unwrap()))).await;
        for name in ["runs", "duration", "usage", "days"] {
            assert_eq!(of[name], alone[name], "{name}");
        }
        total += alone["runs"]["total"].as_u64().unwrap();
    }
    let days = shown["days"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    assert_eq!(days.iter().map(|day| day["total"].as_u64().unwrap()).sum::<u64>(), total, "{shown}");
    assert!(days.iter().all(|day| day["usage"]["costExact"].is_string()), "{shown}");

    // Nothing of others, however the request is written.
    assert_eq!(show(&ada, &compared(&[&foreign])).await["workflows"], json!([]));
    assert_eq!(show(&bob, &compared(&[&one, &foreign])).await["workflows"].as_array().unwrap().len(), 1);
    assert_eq!(app.anonymous().get(&compared(&[&one])).await.code(), "unauthorized");
    let many = (0..21).map(|_| WorkflowId::new().to_string()).collect::<Vec<_>>().join(",");
    for query in
        ["", "workflowIds=x", "workflowIds=", &format!("workflowIds={many}"), &format!("workflowIds={one}&from=x")]
    {
        assert_eq!(ada.get(&format!("{COMPARED}?{query}")).await.code(), "invalid_query", "{query}");
    }
}

#[tokio::test]
async fn summaries_come_in_pages() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut flows = Vec::new();
    for _ in 0..5 {
        flows.push(publish(&ada, double()).await);
    }
    for flow in &flows[1..4] {
        start_run(&ada, flow, json!({"n": 1})).await;
    }
    app.platform.drain().await;
    assert!(ada.delete(&format!("{WORKFLOWS}/{}", flows[2])).await.status.starts_with('2'));
    let summaries = format!("{WORKFLOWS}/runs/summaries");
    let all = ada.get(&summaries).await;
    assert_eq!(all.json["meta"], json!({"nextCursor": null}));
    for limit in [1, 2, 3, 4, 5] {
        let (mut shown, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = ada.get(&format!("{summaries}?limit={limit}{cursor}")).await;
            assert_eq!(page.status, "200 OK", "{}", page.text);
            shown.extend(page.json["data"].as_array().unwrap().clone());
            match page.json["meta"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let ids: Vec<_> = shown.iter().map(|summary| summary["workflowId"].as_str().unwrap()).collect();
        assert_eq!(ids, [&flows[4], &flows[3], &flows[1], &flows[0]], "newest first, {limit}");
        let completed: Vec<_> = shown.iter().map(|summary| summary["completed"].as_u64().unwrap()).collect();
        assert_eq!(completed, [0, 1, 1, 0]);
        // Each entry is the one of the whole list.
        assert!(shown.iter().all(|summary| all.json["data"].as_array().unwrap().contains(summary)));
    }
    for query in ["limit=0", "limit=101", "cursor=x", "page=2"] {
        assert_eq!(ada.get(&format!("{summaries}?{query}")).await.code(), "invalid_query", "{query}");
    }
}

/// A month costs the same, whatever the number of runs: one query of each part.
#[tokio::test]
async fn a_month_takes_at_most_35_reads() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let workflow: WorkflowId = flow.parse().unwrap();
    store_busy_month(&app, workflow).await;
    app.recorder.take();
    let month = "from=2026-10-01&to=2026-10-31&timezone=UTC";
    let shown = show(&ada, &format!("{}?{month}", analytics(&flow))).await;
    assert_eq!(shown["runs"]["completed"], 1_000_000, "{}", shown["runs"]);
    let calls = app.recorder.take();
    let queries: Vec<_> = calls.iter().filter(|call| call.operation == "Query").collect();
    eprintln!(
        "a month of 1,000,000 runs: {} queries, {} units",
        queries.len(),
        queries.iter().map(|call| call.units).sum::<f64>()
    );
    assert!(queries.len() <= 35, "{}", queries.len());
}

/// Writes the counters of a month with a million runs, which last from 20 ms to 20 s.
async fn store_busy_month(app: &TestApp, workflow: WorkflowId) {
    use aws_sdk_dynamodb::types::AttributeValue;
    use store::keys;
    const DAYS: u64 = 31;
    let dynamodb = app.platform.context().aws.dynamodb();
    let items = DAYS * u64::from(keys::STATISTICS_SHARDS);
    let mut left = 1_000_000;
    for item in 0..items {
        let (day, shard) = (item % DAYS + 1, (item / DAYS) as u8);
        let runs = left / (items - item);
        left -= runs;
        let number = |number: u64| AttributeValue::N(number.to_string());
        let mut put = dynamodb.put_item().table_name("CountersTable");
        put = put.item("pk", AttributeValue::S(keys::run_statistics(workflow, shard)));
        put = put.item("sk", AttributeValue::S(format!("2026-10-{day:02}#{}", keys::ENDED)));
        for quarter in 0..96 {
            put = put.item(format!("c{quarter}"), number(runs / 96 + u64::from(quarter < runs % 96)));
        }
        for bucket in 0..176 {
            put = put.item(format!("d{}", bucket + 77), number(runs / 176 + u64::from(bucket < runs % 176)));
        }
        put.item("millis", number(runs * 900)).send().await.unwrap();
    }
}

#[tokio::test]
async fn the_routes_keep_their_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    start_run(&ada, &flow, json!({"n": 1})).await;
    app.platform.drain().await;
    for (path, expected) in [
        (
            analytics(&flow),
            "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 16 dynamodb:Query (16 units)",
        ),
        (format!("{WORKFLOWS}/runs/summaries"), "1 dynamodb:BatchGetItem (4 units), 17 dynamodb:Query (17 units)"),
        (
            format!("{WORKFLOWS}/runs/summaries?limit=1"),
            "1 dynamodb:BatchGetItem (4 units), 17 dynamodb:Query (17 units)",
        ),
        (format!("{COMPARED}?workflowIds={flow}"), "3 dynamodb:BatchGetItem (6 units), 16 dynamodb:Query (16 units)"),
    ] {
        assert_eq!(app.costs(ada.get(&path)).await.to_string(), expected, "{path}");
    }
    let statistics = RunStatistics::new(&app.platform.context()).unwrap();
    assert_eq!(statistics.totals(app.account("ada")).await.unwrap().len(), 1);
}
