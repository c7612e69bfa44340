//! Schedules of published workflows: when they start runs, and how often.

mod changes;
mod crashes;
mod overlaps;

use std::str::FromStr;

use domain::id::WorkflowId;
use futures::future::join_all;
use reqwest::Method;
use store::Schedules;
use store::schedules::{ActiveSchedule, ScheduleId};
use tests::budgets::IDLE_TICK;
use tests::client::send;
use tests::faults::Faults;

use super::*;

const HOURLY: &str = "0 * * * *";
const YEARLY: &str = "0 12 1 1 *";

/// The configuration of a schedule with other fields. Its grace is longer than the ticks of most tests are late.
fn config(cron: &str, others: Value) -> Value {
    let mut config = json!({"cron": cron, "zone": "UTC", "graceSeconds": 900, "input": {"report": "daily"}});
    config.as_object_mut().unwrap().extend(others.as_object().unwrap().clone());
    config
}

/// A workflow with a schedule. Its output is its input.
fn scheduled(config: Value) -> Value {
    let end = node("end", "send_result", json!({"output": "input"}));
    graph(&[node("when", "schedule", config), end], &["when.out end"])
}

fn hours(hours: u64) -> Duration {
    minutes(60 * hours)
}

fn schedules(app: &TestApp) -> Schedules {
    Schedules::new(&app.platform.context()).unwrap()
}

async fn find_schedule(app: &TestApp, workflow: &str, node: &str) -> Option<ActiveSchedule> {
    let id = ScheduleId { workflow: WorkflowId::from_str(workflow).unwrap(), node_id: node.to_owned() };
    schedules(app).find(&id).await.unwrap()
}

/// The next scheduled time.
pub async fn planned_at(app: &TestApp, workflow: &str) -> Time {
    find_schedule(app, workflow, "when").await.unwrap().progress.planned_at
}

/// The paths of a workflow's runs, oldest first.
pub async fn runs_of(app: &TestApp, workflow: &str) -> Vec<String> {
    let scan = app.platform.context().aws.dynamodb().scan().table_name("EntitiesTable").send().await.unwrap();
    assert!(scan.last_evaluated_key.is_none(), "one page holds the table of a test");
    let text = |item: &std::collections::HashMap<_, aws_sdk_dynamodb::types::AttributeValue>, name: &str| {
        item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default()
    };
    let runs = scan.items().iter().filter(|item| text(item, "sk") == "RUN" && text(item, "workflow") == workflow);
    let mut paths: Vec<_> = runs.map(|item| format!("{}/{}", runs_path(workflow), text(item, "run_id"))).collect();
    paths.sort();
    paths
}

async fn count_runs(app: &TestApp, workflow: &str) -> usize {
    runs_of(app, workflow).await.len()
}

pub async fn tick(app: &TestApp, now: Time) {
    try_tick(app, now).await.unwrap();
}

/// Runs the ticker at a time. Its clock goes on meanwhile.
async fn try_tick(app: &TestApp, now: Time) -> domain::Result<usize> {
    let clock = Clock::new(move || now.plus(Duration::from_millis(1)));
    let context = Context { clock, ..app.platform.context_of("ticker") };
    ticker::tick(&ticker::Stores::new(&context)?, now).await
}

async fn change(person: &Person, workflow: &str, action: &str) {
    let answer = person.post(&format!("{WORKFLOWS}/{workflow}/{action}")).await;
    assert!(answer.status.starts_with('2'), "{action}: {}", answer.text);
}

/// Publishes a new draft of a workflow, and returns its deployment.
async fn publish_again(person: &Person, workflow: &str, graph: Value) -> String {
    person.patch(&format!("{WORKFLOWS}/{workflow}"), json!({"graph": graph})).await;
    let published = person.post(&format!("{WORKFLOWS}/{workflow}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    published.json["data"]["deployment"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_schedule_starts_a_run_at_each_of_its_times() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(HOURLY, json!({})))).await;
    let first = planned_at(&app, &flow).await;
    tick(&app, Time::from_millis(first.as_millis() - 1)).await;
    assert_eq!(count_runs(&app, &flow).await, 0, "it is too early");

    tick(&app, first).await;
    tick(&app, first).await;
    let runs = runs_of(&app, &flow).await;
    assert_eq!(runs.len(), 1);
    app.platform.drain().await;
    let run = read(&ada, &runs[0]).await;
    assert_eq!((&run["origin"], &run["state"]), (&json!("scheduled"), &json!("completed")));
    let value = json!({"report": "daily", "scheduledAt": first.to_string()});
    assert_eq!((&run["input"], &run["output"]), (&value, &value));
    assert_eq!((&run["releaseNumber"], &run["workflowId"]), (&json!(1), &json!(flow)));

    assert_eq!(planned_at(&app, &flow).await, first.plus(hours(1)));
    tick(&app, first.plus(minutes(59))).await;
    assert_eq!(count_runs(&app, &flow).await, 1);
    tick(&app, first.plus(minutes(62))).await;
    assert_eq!(count_runs(&app, &flow).await, 2, "a late tick starts it");
    assert_eq!(planned_at(&app, &flow).await, first.plus(hours(2)));
}

/// Four times of every minute were missed while the platform was down for 200 s.
#[tokio::test]
async fn times_that_are_later_than_the_grace_are_caught_up() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (grace, catch_up, expected) in
        [(None, "skip", 1), (None, "last", 2), (None, "all", 4), (Some(150), "skip", 3), (Some(900), "skip", 4)]
    {
        let mut config = config("* * * * *", json!({"catchUp": catch_up}));
        match grace {
            Some(seconds) => config["graceSeconds"] = json!(seconds),
            None => drop(config.as_object_mut().unwrap().remove("graceSeconds")),
        }
        let flow = publish(&ada, scheduled(config)).await;
        let first = planned_at(&app, &flow).await;
        tick(&app, first.plus(Duration::from_secs(200))).await;
        assert_eq!(count_runs(&app, &flow).await, expected, "{grace:?} {catch_up}");
        change(&ada, &flow, "pause").await;
    }
}

#[tokio::test]
async fn a_grace_that_is_too_short_or_too_long_is_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (grace, bound) in [(0, "at least 60"), (59, "at least 60"), (86_401, "at most 86400")] {
        let graph = scheduled(config(HOURLY, json!({"graceSeconds": grace})));
        let draft = ada.post_json(WORKFLOWS, json!({"name": "Grace", "graph": graph})).await;
        let refused = ada.post(&format!("{WORKFLOWS}/{}/publish", draft.id())).await;
        let expected = format!("node `when`, config.graceSeconds: {bound}");
        assert_eq!((refusal(&refused), message(&refused)), (("400", "invalid_body"), &*expected), "{grace}");
    }
}

/// `now()` is the time at which the run was queued. The planned time is another.
#[tokio::test]
async fn a_run_knows_its_planned_time_and_its_origin() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let output = json!({"output": "{'at': run.scheduledAt, 'origin': run.origin, 'started': run.startedAt, 'text': nodes.note.output}"});
    let note = node("note", "template", json!({"template": "{{ run.origin }} at {{ run.scheduledAt }}"}));
    let when = node("when", "schedule", config(HOURLY, json!({})));
    let nodes = [when, node("start", "input", json!({})), note, node("end", "send_result", output)];
    let flow = publish(&ada, graph(&nodes, &["when.out note", "start.out note", "note.out end"])).await;
    let first = planned_at(&app, &flow).await;
    tick(&app, first.plus(Duration::from_secs(30))).await;
    let path = runs_of(&app, &flow).await.remove(0);
    work_at(&app, &path, first.plus(minutes(1))).await;
    let run = read(&ada, &path).await;
    let expected = json!({
        "at": first.to_string(),
        "origin": "scheduled",
        "started": run["startedAt"],
        "text": format!("scheduled at {first}"),
    });
    assert_eq!(run["output"], expected, "{run}");
    let replayed = ada.post_json(&format!("{path}/replay"), json!({})).await;
    assert!(replayed.status.starts_with('2'), "{}", replayed.text);
    assert_eq!(replayed.json["data"]["before"], replayed.json["data"]["after"], "{}", replayed.text);

    let manual = start_run(&ada, &flow, json!({})).await;
    app.platform.drain().await;
    let run = read(&ada, &manual).await;
    assert_eq!((&run["output"]["at"], &run["output"]["origin"]), (&json!(null), &json!("manual")), "{run}");
}

#[tokio::test]
async fn each_schedule_starts_its_own_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let end = |id: &str| node(id, "send_result", json!({"output": format!("'{id}'")}));
    let when = |id: &str| node(id, "schedule", config(HOURLY, json!({})));
    let nodes = [when("when"), when("other"), end("one"), end("two")];
    let flow = publish(&ada, graph(&nodes, &["when.out one", "other.out two"])).await;
    tick(&app, planned_at(&app, &flow).await).await;
    app.platform.drain().await;
    let mut outputs = Vec::new();
    for run in runs_of(&app, &flow).await {
        outputs.push(read(&ada, &run).await["output"].as_str().unwrap().to_owned());
    }
    outputs.sort();
    assert_eq!(outputs, ["one", "two"]);
}

#[tokio::test]
async fn concurrent_ticks_start_one_run() {
    let faults = Faults { throttled: 30, lost: 30, held: Duration::from_millis(2), seed: 5, ..Faults::default() };
    for faults in [None, Some(faults)] {
        let app = TestApp::start_with_faults(faults).await;
        let ada = app.person("ada");
        let flow = publish(&ada, scheduled(config(HOURLY, json!({})))).await;
        let mut at = planned_at(&app, &flow).await;
        for expected in 1..=3 {
            // With faults, a tick may fail. The next one does its work.
            let _ = join_all((0..6).map(|_| try_tick(&app, at))).await;
            tick_until_idle(&app, &flow, at).await;
            assert_eq!(count_runs(&app, &flow).await, expected);
            at = at.plus(hours(1));
        }
    }
}

/// Repeats ticks at a time until nothing of the schedule is due.
async fn tick_until_idle(app: &TestApp, workflow: &str, now: Time) {
    for _ in 0..50 {
        let _ = try_tick(app, now).await;
        let schedule = find_schedule(app, workflow, "when").await.unwrap();
        if schedule.progress.planned_at > now && schedule.progress.queued.is_empty() {
            return;
        }
    }
    panic!("the schedule is still due");
}

/// The last Sundays of March and October are those of the changes in Berlin.
#[tokio::test]
async fn a_local_time_fires_once_across_daylight_saving() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (cron, utc) in [("30 2 * 3 SUN#L", "T01:00:00.000Z"), ("30 2 * 10 SUN#L", "T00:30:00.000Z")] {
        let flow = publish(&ada, scheduled(config(cron, json!({"zone": "Europe/Berlin"})))).await;
        let first = planned_at(&app, &flow).await;
        assert!(first.to_string().ends_with(utc), "{cron}: {first}");
        for after in 0..4 {
            tick(&app, first.plus(minutes(30 * after))).await;
        }
        assert_eq!(count_runs(&app, &flow).await, 1, "{cron}");
    }
}

#[tokio::test]
async fn a_schedule_that_fails_does_not_stop_the_others() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let broken = publish(&ada, scheduled(config(HOURLY, json!({})))).await;
    let flow = publish(&ada, scheduled(config(HOURLY, json!({})))).await;
    let context = app.platform.context();
    let text = |text: &str| aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned());
    let update = context.aws.dynamodb().update_item().table_name("EntitiesTable");
    let update = update.key("pk", text(&format!("SCHEDULE#{broken}"))).key("sk", text("when"));
    let update = update.update_expression("SET cron = :cron").expression_attribute_values(":cron", text("what"));
    update.send().await.unwrap();
    tick(&app, planned_at(&app, &flow).await).await;
    assert_eq!((count_runs(&app, &broken).await, count_runs(&app, &flow).await), (0, 1));
}

#[tokio::test]
async fn an_input_has_a_maximum_size() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let with_input = |bytes: usize| scheduled(config(HOURLY, json!({"input": "x".repeat(bytes - 2)})));
    let flow = publish(&ada, with_input(32 * 1024)).await;
    tick(&app, planned_at(&app, &flow).await).await;
    app.platform.drain().await;
    let run = read(&ada, &runs_of(&app, &flow).await[0]).await;
    assert_eq!((&run["state"], &run["input"]), (&json!("completed"), &run["output"]));

    let draft = ada.post_json(WORKFLOWS, json!({"name": "Large", "graph": with_input(32 * 1024 + 1)})).await;
    let refused = ada.post(&format!("{WORKFLOWS}/{}/publish", draft.id())).await;
    let expected = "node `when`, config.input: must have at most 32768 bytes as JSON; load larger data in the workflow";
    assert_eq!((refusal(&refused), message(&refused)), (("400", "invalid_body"), expected));
}

/// A tick reads the due index. A schedule that is not due costs nothing.
#[tokio::test]
async fn the_ticker_keeps_its_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let costs = async |now: Time| {
        app.recorder.take();
        tick(&app, now).await;
        app.recorder.take_costs().to_string()
    };
    let with_overlap = |overlap: &str| scheduled(config(YEARLY, json!({"overlap": overlap})));
    let allow = publish(&ada, with_overlap("allow")).await;
    let first = planned_at(&app, &allow).await;
    for _ in 0..5 {
        publish(&ada, scheduled(config("0 13 1 1 *", json!({})))).await;
    }
    let paused = publish(&ada, scheduled(config("* * * * *", json!({})))).await;
    change(&ada, &paused, "pause").await;
    assert_eq!(costs(Time::from_millis(first.as_millis() - 1)).await, IDLE_TICK);
    let mut fired = vec![costs(first).await];
    app.platform.drain().await;
    assert_eq!(costs(first.plus(minutes(1))).await, IDLE_TICK);

    // At their second time, the previous run is in progress.
    for overlap in ["skip", "queue"] {
        let app = TestApp::start().await;
        let ada = app.person("ada");
        let flow = publish(&ada, with_overlap(overlap)).await;
        tick(&app, first).await;
        // The hint of the run is sent again before.
        let second = planned_at(&app, &flow).await;
        tick(&app, Time::from_millis(second.as_millis() - 1)).await;
        app.recorder.take();
        tick(&app, second).await;
        fired.push(app.recorder.take_costs().to_string());
    }
    let expected = [
        "1 dynamodb:BatchGetItem (4 units), 2 dynamodb:GetItem (2 units), 68 dynamodb:Query (34 units), 1 dynamodb:TransactWriteItems (15 units), 1 sqs:SendMessage",
        // It also reads the previous run, and starts none.
        "1 dynamodb:BatchGetItem (4 units), 3 dynamodb:GetItem (3 units), 68 dynamodb:Query (34 units), 1 dynamodb:UpdateItem (3 units)",
        "1 dynamodb:BatchGetItem (4 units), 3 dynamodb:GetItem (3 units), 68 dynamodb:Query (34 units), 1 dynamodb:UpdateItem (3 units)",
    ];
    assert_eq!(fired, expected);
}

/// Only workflows with schedules pay for them: a read of their items, and a write of each.
#[tokio::test]
async fn changes_of_workflows_with_schedules_keep_their_budgets() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    // The first draft is shorter than the second one, and yet its item has more than 1 KB.
    let mut hourly = config(HOURLY, json!({}));
    hourly.as_object_mut().unwrap().remove("graceSeconds");
    let draft = ada.post_json(WORKFLOWS, json!({"graph": scheduled(hourly)})).await;
    let path = format!("{WORKFLOWS}/{}", draft.id());
    let post = |action: &str| ada.request(Method::POST, &format!("{path}/{action}"));
    let costs = async |action: &str| app.costs(send(post(action))).await.to_string();
    let first = costs("publish").await;
    ada.patch(&path, json!({"graph": scheduled(config(HOURLY, json!({"overlap": "skip"})))})).await;
    let all = [first, costs("publish").await, costs("pause").await, costs("resume").await];
    let expected = [
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (19 units), 1 s3:PutObject",
        "2 dynamodb:BatchGetItem (6 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (18 units), 1 s3:PutObject",
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (13 units)",
        "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:GetItem (1 units), 1 dynamodb:TransactWriteItems (13 units)",
    ];
    assert_eq!(all, expected);
}
