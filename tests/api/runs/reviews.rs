//! Reviews: decisions of people.

use super::*;

async fn resolve(person: &Person, path: &str, body: Value) -> Answer {
    person.post_json(&format!("{path}/resolve-wait"), body).await
}

/// Starts a run, which waits for a review.
async fn wait_for_review(app: &TestApp, person: &Person) -> String {
    let flow = publish(person, refund()).await;
    let path = start_run(person, &flow, json!({"amount": 120})).await;
    app.platform.drain().await;
    path
}

#[tokio::test]
async fn an_approval_continues_the_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = wait_for_review(&app, &ada).await;
    let run = read(&ada, &path).await;
    assert_eq!(run["state"], "paused");
    let mut waiting = run["waiting"].clone();
    assert!(waiting["expiresAt"].take().as_str().unwrap() > run["queuedAt"].as_str().unwrap());
    let fields = json!([
        {"name": "amount", "label": "Amount", "type": "number", "value": 120, "required": true},
        {"name": "note", "label": "", "type": "text", "value": null, "required": false},
    ]);
    let expected = json!({
        "nodeId": "check", "step": "check", "kind": "review", "title": "Refund 120?", "message": "For Ada",
        "fields": fields, "expiresAt": null,
    });
    assert_eq!(waiting, expected);

    let body = json!({"decision": "approve", "fields": {"note": "ok"}, "comment": "Fine."});
    let resolved = resolve(&ada, &path, body.clone()).await;
    assert_eq!((resolved.status.as_str(), &resolved.json["data"]["waiting"]), ("200 OK", &Value::Null));
    assert_eq!(resolved.json["data"]["state"], "running", "the run goes on");
    assert_eq!(read(&ada, &path).await["state"], "running");
    assert_eq!(resolve(&ada, &path, body).await.status, "200 OK", "a repeated decision is no conflict");
    let late = resolve(&ada, &path, json!({"decision": "reject"})).await;
    assert_eq!(refusal(&late), ("409", "already_resolved"));
    let reviewer = app.account("ada").user.to_string();
    let details = json!({"decision": "approve", "reviewer": reviewer, "comment": "Fine."});
    assert_eq!(late.json["error"]["details"], details);

    app.platform.drain().await;
    let run = read(&ada, &path).await;
    let fields = json!({"amount": 120, "note": "ok"});
    let output = json!({"decision": "approved", "fields": fields, "comment": "Fine.", "reviewer": reviewer});
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &output));
    assert_eq!(refusal(&resolve(&ada, &path, json!({"decision": "reject"})).await), ("409", "already_resolved"));
}

#[tokio::test]
async fn a_rejection_needs_no_fields() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = wait_for_review(&app, &ada).await;
    assert_eq!(resolve(&ada, &path, json!({"decision": "reject", "fields": {"amount": null}})).await.status, "200 OK");
    app.platform.drain().await;
    let output = &read(&ada, &path).await["output"];
    assert_eq!((&output["decision"], &output["fields"]["amount"]), (&json!("rejected"), &Value::Null));
}

#[tokio::test]
async fn the_first_of_two_decisions_counts() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = wait_for_review(&app, &ada).await;
    let (approve, reject) = (json!({"decision": "approve"}), json!({"decision": "reject"}));
    let (one, other) = futures::join!(resolve(&ada, &path, approve), resolve(&ada, &path, reject));
    let mut outcomes = [refusal(&one), refusal(&other)];
    outcomes.sort_unstable();
    assert_eq!(outcomes, [("200", ""), ("409", "already_resolved")]);
    let loser = if one.code().is_empty() { &other } else { &one };
    app.platform.drain().await;
    let won = &read(&ada, &path).await["output"]["decision"];
    let named = loser.json["error"]["details"]["decision"].as_str().unwrap();
    assert!(won.as_str().unwrap().starts_with(named), "{won} {named}");
}

#[tokio::test]
async fn an_expired_review_has_an_outcome() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = wait_for_review(&app, &ada).await;
    work_at(&app, &path, Time::now().plus(minutes(8 * 24 * 60))).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]["decision"]), (&json!("completed"), &json!("expired")));
    let late = resolve(&ada, &path, json!({"decision": "approve"})).await;
    assert_eq!(refusal(&late), ("409", "already_resolved"));
    assert_eq!(late.json["error"]["details"]["decision"], "expired");
}

#[tokio::test]
async fn wrong_decisions_are_refused_by_name() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = wait_for_review(&app, &ada).await;
    let bodies = [
        (json!({}), "decision"),
        (json!({"decision": "maybe"}), "decision: "),
        (json!({"decision": "approve", "fields": {"amount": "5"}}), "fields.amount: must be a number"),
        (json!({"decision": "approve", "fields": {"amount": null}}), "fields.amount: is required"),
        (json!({"decision": "reject", "fields": {"other": 1}}), "fields.other: "),
        (json!({"decision": "approve", "comment": "x".repeat(2_001)}), "comment: "),
        (json!({"decision": "approve", "nodeId": "start"}), "nodeId: "),
    ];
    for (body, beginning) in bodies {
        let refused = resolve(&ada, &path, body).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{beginning}");
        assert!(message(&refused).contains(beginning), "{}", message(&refused));
    }
    assert_eq!(read(&ada, &path).await["state"], "paused");
    let flow = publish(&ada, double()).await;
    let other = start_run(&ada, &flow, json!({"n": 1})).await;
    assert_eq!(refusal(&resolve(&ada, &other, json!({"decision": "approve"})).await), ("409", "invalid_state"));
}

#[tokio::test]
async fn one_of_several_reviews_is_named() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let review = |id: &str| node(id, "review", json!({"title": id}));
    let nodes = [
        node("start", "input", json!({})),
        review("one"),
        review("two"),
        node("join", "merge", json!({})),
        node("end", "send_result", json!({"output": "nodes.one.output.decision + nodes.two.output.decision"})),
    ];
    let ports = ["start.out one", "start.out two", "one.approved join", "two.approved join", "join.out end"];
    let flow = publish(&ada, graph(&nodes, &ports)).await;
    let path = start_run(&ada, &flow, json!({})).await;
    app.platform.drain().await;
    let refused = resolve(&ada, &path, json!({"decision": "approve"})).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"));
    assert_eq!(message(&refused), "nodeId: several reviews are open; send one of one, two");
    let all = read(&ada, &format!("{path}?waiting=all")).await["waiting"].clone();
    let names: Vec<&Value> = all.as_array().unwrap().iter().map(|wait| &wait["nodeId"]).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(read(&ada, &path).await["waiting"], all[0]);
    let first = resolve(&ada, &path, json!({"decision": "approve", "nodeId": "two"})).await;
    assert_eq!((first.status.as_str(), &first.json["data"]["waiting"]["nodeId"]), ("200 OK", &json!("one")));
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["state"], "paused");
    assert_eq!(resolve(&ada, &path, json!({"decision": "approve"})).await.status, "200 OK");
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["output"], "approvedapproved");
    assert_eq!(read(&ada, &format!("{path}?waiting=all")).await["waiting"], json!([]));
    assert_eq!(refusal(&ada.get(&format!("{path}?waiting=some")).await), ("400", "invalid_query"));
}

/// The review that expires first is the first one, wherever it is in the graph.
#[tokio::test]
async fn open_reviews_are_in_the_order_in_which_they_expire() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let review = |id: &str, hours: u64| node(id, "review", json!({"title": id, "expiresInSeconds": hours * 3600}));
    let nodes = [
        node("start", "input", json!({})),
        review("a", 3),
        review("b", 1),
        review("c", 2),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out a", "start.out b", "start.out c", "a.approved end"])).await;
    let path = start_run(&ada, &flow, json!({})).await;
    app.platform.drain().await;
    let all = read(&ada, &format!("{path}?waiting=all")).await["waiting"].clone();
    let names: Vec<&Value> = all.as_array().unwrap().iter().map(|wait| &wait["nodeId"]).collect();
    assert_eq!(names, ["b", "c", "a"]);
    assert_eq!(read(&ada, &path).await["waiting"]["nodeId"], "b");
}
