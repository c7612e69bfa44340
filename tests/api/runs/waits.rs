//! Delays: the run holds no process while it waits.

use super::*;

#[tokio::test]
async fn a_delayed_run_continues_when_its_time_has_come() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("start", "input", json!({})),
        node("wait", "delay", json!({"seconds": 30})),
        node("end", "send_result", json!({"output": "input"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out wait", "wait.out end"])).await;
    let path = start_run(&ada, &flow, json!("hello")).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["waiting"]), (&json!("paused"), &Value::Null));
    // Too early: nothing happens.
    work_at(&app, &path, Time::now()).await;
    assert_eq!(read(&ada, &path).await["state"], "paused");

    let later = Time::now().plus(Duration::from_secs(31));
    assert_eq!(app.platform.tick(later).await.unwrap(), 1, "the ticker sends the hint of the run");
    assert_eq!(app.platform.tick(later).await.unwrap(), 0, "the ticker sends it once");
    work_at(&app, &path, later).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!("hello")));
    assert!(run["durationMs"].as_u64() >= Some(29_000), "{run}");
}
