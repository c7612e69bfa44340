//! Schedules of workflows that are paused, published again, rolled back or deleted.

use super::*;

/// A paused workflow starts nothing. After it is resumed, `catchUp` decides about the times that were missed.
#[tokio::test]
async fn missed_times_are_handled_after_a_pause() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (catch_up, expected) in [("skip", 1), ("last", 2), ("all", 4)] {
        let flow = publish(&ada, scheduled(config(HOURLY, json!({"catchUp": catch_up})))).await;
        let first = planned_at(&app, &flow).await;
        change(&ada, &flow, "pause").await;
        tick(&app, first).await;
        tick(&app, first.plus(hours(2))).await;
        assert_eq!(count_runs(&app, &flow).await, 0, "{catch_up}");
        change(&ada, &flow, "resume").await;
        tick(&app, first.plus(minutes(3 * 60 + 5))).await;
        assert_eq!(count_runs(&app, &flow).await, expected, "{catch_up}");
        tick(&app, first.plus(hours(4))).await;
        assert_eq!(count_runs(&app, &flow).await, expected + 1, "{catch_up}");
        change(&ada, &flow, "pause").await;
    }
}

/// A short pause is a pause: `skip` drops its times, although a late ticker would still start them.
#[tokio::test]
async fn skip_drops_the_times_of_a_short_pause() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (catch_up, expected) in [("skip", 0), ("last", 1)] {
        let flow = publish(&ada, scheduled(config(HOURLY, json!({"catchUp": catch_up})))).await;
        let first = planned_at(&app, &flow).await;
        change(&ada, &flow, "pause").await;
        let resumed_at = first.plus(minutes(5));
        let workflows = Workflows::new(&context_at(&app, resumed_at)).unwrap();
        let id = flow.parse().unwrap();
        workflows.change(app.account("ada"), id, |workflow| workflow.resumed(resumed_at)).await.unwrap();
        tick(&app, resumed_at).await;
        assert_eq!(count_runs(&app, &flow).await, expected, "{catch_up}");
        tick(&app, first.plus(hours(1))).await;
        assert_eq!(count_runs(&app, &flow).await, expected + 1, "{catch_up}");
    }
}

#[tokio::test]
async fn the_schedules_of_a_suspended_organization_start_no_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(HOURLY, json!({"catchUp": "all"})))).await;
    let first = planned_at(&app, &flow).await;
    let org = format!("/gateway/v1/admin/orgs/{}", app.account("ada").org);
    app.operator().patch(&org, json!({"suspended": true})).await;
    tick(&app, first).await;
    assert_eq!(count_runs(&app, &flow).await, 0);
    app.operator().patch(&org, json!({"suspended": false})).await;
    tick(&app, first.plus(hours(1))).await;
    assert_eq!(count_runs(&app, &flow).await, 1);
}

/// The times that were missed start their runs at the next tick, not at the next scheduled time.
#[tokio::test]
async fn a_resumed_schedule_is_handled_at_the_next_tick() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(YEARLY, json!({"catchUp": "last"})))).await;
    let first = planned_at(&app, &flow).await;
    change(&ada, &flow, "pause").await;
    tick(&app, first.plus(hours(1))).await;
    change(&ada, &flow, "resume").await;
    tick(&app, first.plus(hours(2))).await;
    assert_eq!(count_runs(&app, &flow).await, 1);
}

#[tokio::test]
async fn an_archived_workflow_starts_nothing_until_it_is_resumed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(YEARLY, json!({})))).await;
    let first = planned_at(&app, &flow).await;
    for (action, count) in [("archive", 0), ("restore", 0), ("resume", 1)] {
        change(&ada, &flow, action).await;
        tick(&app, first).await;
        assert_eq!(count_runs(&app, &flow).await, count, "{action}");
    }
}

#[tokio::test]
async fn a_release_without_the_schedule_stops_it_and_a_rollback_starts_it_again() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = |flow: &str, deployment: &str| format!("{WORKFLOWS}/{flow}/deployments/{deployment}/activate");
    let created = ada.post_json(WORKFLOWS, json!({"name": "Flow"})).await;
    let flow = created.id();
    let with_schedule = publish_again(&ada, flow, scheduled(config(YEARLY, json!({})))).await;
    let first = planned_at(&app, flow).await;
    let without = publish_again(&ada, flow, double()).await;
    assert_eq!(find_schedule(&app, flow, "when").await, None);
    tick(&app, first).await;
    assert_eq!(count_runs(&app, flow).await, 0);

    assert_eq!(ada.post(&path(flow, &with_schedule)).await.status, "200 OK");
    tick(&app, planned_at(&app, flow).await).await;
    let runs = runs_of(&app, flow).await;
    assert_eq!((runs.len(), &read(&ada, &runs[0]).await["releaseNumber"]), (1, &json!(1)));

    // A paused workflow stays paused when a release is activated.
    assert_eq!(ada.post(&path(flow, &without)).await.status, "200 OK");
    change(&ada, flow, "pause").await;
    assert_eq!(ada.post(&path(flow, &with_schedule)).await.status, "200 OK");
    let planned = planned_at(&app, flow).await;
    tick(&app, planned).await;
    assert_eq!(count_runs(&app, flow).await, 1);
    change(&ada, flow, "resume").await;
    tick(&app, planned).await;
    assert_eq!(count_runs(&app, flow).await, 2);
}

/// A time that is due when a release is published is not lost if the new release has the same times.
#[tokio::test]
async fn a_new_release_keeps_the_times_that_are_due() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(YEARLY, json!({})))).await;
    let first = planned_at(&app, &flow).await;
    tick(&app, first).await;
    let second = planned_at(&app, &flow).await;
    assert!(second > first.plus(hours(24 * 360)));
    let last_run = find_schedule(&app, &flow, "when").await.unwrap().last_run;
    assert!(last_run.is_some());

    publish_again(&ada, &flow, scheduled(config(YEARLY, json!({"input": "new"})))).await;
    assert_eq!(planned_at(&app, &flow).await, second, "the first time is not repeated");
    tick(&app, second).await;
    let runs = runs_of(&app, &flow).await;
    let run = read(&ada, &runs[1]).await;
    assert_eq!((runs.len(), &run["input"], &run["releaseNumber"]), (2, &json!("new"), &json!(2)));

    // With other times, the schedule begins again.
    publish_again(&ada, &flow, scheduled(config("0 13 1 1 *", json!({})))).await;
    let schedule = find_schedule(&app, &flow, "when").await.unwrap();
    assert_eq!(schedule.progress.planned_at, first.plus(hours(1)));
    assert!(schedule.last_run.is_some(), "its previous run still counts");
}

#[tokio::test]
async fn a_deleted_workflow_starts_nothing() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(HOURLY, json!({})))).await;
    let first = planned_at(&app, &flow).await;
    assert_eq!(ada.delete(&format!("{WORKFLOWS}/{flow}")).await.status, "204 No Content");
    tick(&app, first).await;
    assert_eq!(count_runs(&app, &flow).await, 0);
    assert!(find_schedule(&app, &flow, "when").await.is_some(), "the attention worker removes it");
    app.platform.drain().await;
    assert_eq!(find_schedule(&app, &flow, "when").await, None);
}

#[tokio::test]
async fn a_workflow_that_needs_attention_starts_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let helper = publish(&ada, double()).await;
    let call = node("call", "workflow", json!({"workflowId": helper}));
    let nodes = [node("when", "schedule", config(HOURLY, json!({}))), call, node("end", "send_result", json!({}))];
    let flow = publish(&ada, graph(&nodes, &["when.out call", "call.out end"])).await;
    ada.delete(&format!("{WORKFLOWS}/{helper}")).await;
    app.platform.drain().await;
    assert_eq!(ada.get(&format!("{WORKFLOWS}/{flow}")).await.json["data"]["state"], "needs_attention");
    tick(&app, planned_at(&app, &flow).await).await;
    assert_eq!(count_runs(&app, &flow).await, 1);
}

#[tokio::test]
async fn a_workflow_has_at_most_ten_schedules() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let many = |count: usize| {
        let ids: Vec<String> = (0..count).map(|index| format!("s{index}")).collect();
        let mut nodes: Vec<_> = ids.iter().map(|id| node(id, "schedule", config(HOURLY, json!({})))).collect();
        nodes.push(node("end", "send_result", json!({})));
        let connections: Vec<String> = ids.iter().map(|id| format!("{id}.out end")).collect();
        graph(&nodes, &connections.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let draft = ada.post_json(WORKFLOWS, json!({"name": "Many", "graph": many(11)})).await;
    let refused = ada.post(&format!("{WORKFLOWS}/{}/publish", draft.id())).await;
    let expected = "too many nodes of type schedule: 11, the maximum is 10; remove some";
    assert_eq!((refusal(&refused), message(&refused)), (("400", "invalid_body"), expected));
    publish_again(&ada, draft.id(), many(10)).await;
    publish_again(&ada, draft.id(), many(1)).await;
    assert!(find_schedule(&app, draft.id(), "s0").await.is_some());
    assert_eq!(find_schedule(&app, draft.id(), "s9").await, None);
}
