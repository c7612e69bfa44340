//! What happens at a scheduled time while the previous run is in progress.

use super::*;

/// Publishes a schedule of every hour, whose runs wait for a person.
async fn publish_slow(person: &Person, overlap: &str) -> String {
    let when = node("when", "schedule", config(HOURLY, json!({"overlap": overlap, "catchUp": "all"})));
    let ask = node("ask", "review", json!({"title": "Go on?"}));
    let nodes = [when, ask, node("end", "send_result", json!({}))];
    let ports = ["when.out ask", "ask.approved end", "ask.rejected end", "ask.expired end"];
    publish(person, graph(&nodes, &ports)).await
}

/// Ends the newest run of a workflow.
async fn approve_last(app: &TestApp, person: &Person, workflow: &str) {
    app.platform.drain().await;
    let run = runs_of(app, workflow).await.pop().unwrap();
    let answer = person.post_json(&format!("{run}/resolve-wait"), json!({"decision": "approve"})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    app.platform.drain().await;
    assert_eq!(read(person, &run).await["state"], "completed");
}

#[tokio::test]
async fn allow_starts_a_run_at_each_time() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish_slow(&ada, "allow").await;
    let first = planned_at(&app, &flow).await;
    for (after, count) in [(0, 1), (1, 2), (4, 5)] {
        tick(&app, first.plus(hours(after))).await;
        assert_eq!(count_runs(&app, &flow).await, count);
    }
}

#[tokio::test]
async fn skip_drops_the_times_until_the_previous_run_has_ended() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish_slow(&ada, "skip").await;
    let first = planned_at(&app, &flow).await;
    tick(&app, first).await;
    // The run is queued, then it waits for a person.
    tick(&app, first.plus(hours(1))).await;
    app.platform.drain().await;
    tick(&app, first.plus(hours(2))).await;
    assert_eq!(count_runs(&app, &flow).await, 1);
    approve_last(&app, &ada, &flow).await;
    tick(&app, first.plus(minutes(2 * 60 + 30))).await;
    assert_eq!(count_runs(&app, &flow).await, 1, "the times were dropped");
    tick(&app, first.plus(hours(3))).await;
    assert_eq!(count_runs(&app, &flow).await, 2);
    // Of several times that are due at once, one starts.
    approve_last(&app, &ada, &flow).await;
    tick(&app, first.plus(hours(7))).await;
    assert_eq!(count_runs(&app, &flow).await, 3);
    assert_eq!(planned_at(&app, &flow).await, first.plus(hours(8)));
}

#[tokio::test]
async fn queue_starts_the_next_run_when_the_previous_one_has_ended() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish_slow(&ada, "queue").await;
    let first = planned_at(&app, &flow).await;
    let mut now = first;
    tick(&app, now).await;
    // Two times wait. The previous run takes longer than the grace of missed times.
    for after in 1..=2 * 60 + 40 {
        now = first.plus(minutes(after));
        tick(&app, now).await;
    }
    assert_eq!(count_runs(&app, &flow).await, 1);
    for count in 2..=3 {
        approve_last(&app, &ada, &flow).await;
        now = now.plus(minutes(1));
        tick(&app, now).await;
        assert_eq!(count_runs(&app, &flow).await, count, "the next run starts within a minute");
        now = now.plus(minutes(1));
        tick(&app, now).await;
        assert_eq!(count_runs(&app, &flow).await, count, "one run at a time");
    }
    approve_last(&app, &ada, &flow).await;
    tick(&app, now.plus(minutes(1))).await;
    assert_eq!(count_runs(&app, &flow).await, 3, "no time waits any more");
    assert_eq!(planned_at(&app, &flow).await, first.plus(hours(3)));
}

/// After a downtime, one tick starts all times of a schedule whose runs are short.
#[tokio::test]
async fn queue_catches_up_within_one_tick() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config("* * * * *", json!({"overlap": "queue", "catchUp": "all"})))).await;
    let first = planned_at(&app, &flow).await;
    let working = async {
        loop {
            app.platform.drain().await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let now = first.plus(minutes(9));
    tokio::select! {
        () = tick(&app, now) => {}
        () = working => {}
    }
    assert_eq!(count_runs(&app, &flow).await, 10);
    let progress = find_schedule(&app, &flow, "when").await.unwrap().progress;
    assert_eq!((progress.queued.len(), progress.planned_at), (0, first.plus(minutes(10))));
}

/// A schedule that waits keeps its queue while the workflow is paused, and across releases.
#[tokio::test]
async fn times_that_wait_survive_a_pause_and_a_release() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish_slow(&ada, "queue").await;
    let first = planned_at(&app, &flow).await;
    tick(&app, first).await;
    tick(&app, first.plus(hours(1))).await;
    change(&ada, &flow, "pause").await;
    let faster = scheduled(config(HOURLY, json!({"overlap": "queue", "catchUp": "skip"})));
    publish_again(&ada, &flow, faster).await;
    tick(&app, first.plus(minutes(61))).await;
    assert_eq!(count_runs(&app, &flow).await, 1, "the run of the release before is in progress");
    approve_last(&app, &ada, &flow).await;
    tick(&app, first.plus(minutes(62))).await;
    assert_eq!(count_runs(&app, &flow).await, 2);
}
