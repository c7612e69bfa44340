//! Replays of runs against releases, and rehearsals: nothing is performed, stored or paid.

use tests::provider::{Behaviour, FakeProvider};

use super::*;

/// Orders above a limit are sent to a server.
fn orders(url: &str, limit: u64) -> Value {
    let send = json!({"method": "POST", "url": url, "body": {"type": "json", "value": "input"}});
    let nodes = [
        node("start", "input", json!({})),
        node("check", "condition", json!({"expression": format!("input.amount > {limit}")})),
        node("send", "http", send),
        node("sent", "send_result", json!({"output": "nodes.send.output.body"})),
        node("kept", "send_result", json!({"output": "'kept'"})),
    ];
    graph(&nodes, &["start.out check", "check.true send", "check.false kept", "send.out sent"])
}

async fn replay(person: &Person, run: &str, body: Value) -> Value {
    let answer = person.post_json(&format!("{run}/replay"), body).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

async fn rehearse(person: &Person, workflow: &str, release: &str, sample: u32) -> Value {
    let path = format!("{WORKFLOWS}/{workflow}/releases/{release}/rehearse");
    let answer = person.post_json(&path, json!({"sample": sample})).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

/// The nodes of a replay with a status.
fn nodes_with<'a>(replayed: &'a Value, status: &str) -> Vec<&'a str> {
    let nodes = replayed["nodes"].as_array().unwrap().iter();
    nodes.filter(|node| node["status"] == status).map(|node| node["nodeId"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_replay_shows_what_another_release_would_have_done() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"sent": true})));
    let flow = publish(&ada, orders(&server.base_url, 10)).await;
    let path = start_run(&ada, &flow, json!({"amount": 50})).await;
    assert_eq!(refusal(&ada.post_json(&format!("{path}/replay"), json!({})).await), ("409", "invalid_state"));
    assert_eq!(carry_out(&app, &ada, &path).await["output"], json!({"sent": true}));
    server.take_requests();

    let same = replay(&ada, &path, json!({})).await;
    assert_eq!((&same["outcome"], &same["releaseNumber"]), (&json!("equal"), &json!(1)), "{same}");
    assert_eq!(nodes_with(&same, "equal").len(), 5);

    let higher = publish_again(&ada, &flow, orders(&server.base_url, 100)).await;
    let replayed = replay(&ada, &path, json!({})).await;
    assert_eq!((&replayed["outcome"], &replayed["releaseId"]), (&json!("differs"), &json!(higher)));
    assert_eq!((&replayed["before"]["output"], &replayed["after"]["output"]), (&json!({"sent": true}), &json!("kept")));
    assert_eq!(nodes_with(&replayed, "differs"), ["check", "send", "sent", "kept"]);
    let check = replayed["nodes"].as_array().unwrap().iter().find(|node| node["nodeId"] == "check").unwrap();
    assert_eq!(
        (&check["edited"], &check["first"]["before"]["port"], &check["first"]["after"]["port"]),
        (&json!(true), &json!("true"), &json!("false"))
    );

    // Another request was never made, so its answer is unknown.
    let elsewhere = publish_again(&ada, &flow, orders(&format!("{}/v2", server.base_url), 10)).await;
    let replayed = replay(&ada, &path, json!({"releaseId": elsewhere})).await;
    assert_eq!(nodes_with(&replayed, "differs"), ["send"], "{replayed}");
    assert_eq!(
        replayed["nodes"].as_array().unwrap().iter().map(|node| node["newEffects"].as_u64().unwrap()).sum::<u64>(),
        1
    );
    assert_eq!(server.take_requests().len(), 0, "a replay performs nothing");
}

#[tokio::test]
async fn a_draft_is_replayed_before_it_is_published() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"sent": true})));
    let flow = publish(&ada, orders(&server.base_url, 10)).await;
    let path = start_run(&ada, &flow, json!({"amount": 50})).await;
    carry_out(&app, &ada, &path).await;
    server.take_requests();
    let same = replay(&ada, &path, json!({"releaseId": "draft"})).await;
    assert_eq!(
        (&same["outcome"], &same["releaseId"], &same["releaseNumber"]),
        (&json!("equal"), &Value::Null, &Value::Null)
    );
    let change = async |graph: Value| {
        let changed = ada.patch(&format!("{WORKFLOWS}/{flow}"), json!({"graph": graph})).await;
        assert_eq!(changed.status, "200 OK", "{}", changed.text);
    };
    // A large graph is not in the item of its workflow.
    let mut higher = orders(&server.base_url, 100);
    let note =
        |index: usize| json!({"id": format!("n{index}"), "text": "x".repeat(4_000), "position": {"x": 0, "y": 0}});
    higher["notes"] = (0..100).map(note).collect();
    change(higher).await;
    let replayed = replay(&ada, &path, json!({"releaseId": "draft"})).await;
    assert_eq!((&replayed["outcome"], &replayed["before"]["output"]), (&json!("differs"), &json!({"sent": true})));
    assert_eq!(replay(&ada, &path, json!({})).await["outcome"], "equal", "the release is the same");
    let rehearsed = rehearse(&ada, &flow, "draft", 10).await;
    assert_eq!((&rehearsed["replayed"], &rehearsed["differs"]), (&json!(1), &json!(1)), "{rehearsed}");

    let mut broken = orders(&server.base_url, 100);
    broken["nodes"][1]["config"]["expression"] = json!("input.amount >");
    change(broken).await;
    let refused = ada.post_json(&format!("{path}/replay"), json!({"releaseId": "draft"})).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"), "{}", refused.text);
    assert_eq!(refused.json["error"]["details"][0]["nodeId"], "check", "{}", refused.text);
    assert_eq!(server.take_requests().len(), 0, "a replay performs nothing");
}

#[tokio::test]
async fn a_replay_shows_every_step_that_differs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let doubled = |factor: u64| {
        let nodes = [
            node("start", "input", json!({})),
            node("each", "loop", json!({"items": "input"})),
            node("double", "transform", json!({"value": format!("vars.item * {factor}")})),
            node("end", "send_result", json!({})),
        ];
        let mut graph = graph(&nodes, &["start.out each", "each.item double", "each.done end"]);
        let next = json!({"from": {"node": "double", "port": "out"}, "to": {"node": "each", "port": "next"}});
        graph["connections"].as_array_mut().unwrap().push(next);
        graph
    };
    let flow = publish(&ada, doubled(2)).await;
    let path = start_run(&ada, &flow, json!([1, 2, 3])).await;
    carry_out(&app, &ada, &path).await;
    publish_again(&ada, &flow, doubled(3)).await;
    let replayed = replay(&ada, &path, json!({})).await;
    let node = replayed["nodes"].as_array().unwrap().iter().find(|node| node["nodeId"] == "double").unwrap();
    let shown: Vec<_> = node["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["step"].as_str().unwrap(), &step["before"]["output"], &step["after"]["output"]))
        .collect();
    let (two, three, four, six, nine) = (json!(2), json!(3), json!(4), json!(6), json!(9));
    let expected = [("each[0]/double", &two, &three), ("each[1]/double", &four, &six), ("each[2]/double", &six, &nine)];
    assert_eq!(shown, expected, "{node}");
    assert_eq!((&node["differingSteps"], &node["first"]), (&json!(3), &node["differences"][0]));
}

#[tokio::test]
async fn a_rehearsal_counts_the_runs_that_would_end_otherwise() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"sent": true})));
    let flow = publish(&ada, orders(&server.base_url, 10)).await;
    let mut paths = Vec::new();
    for amount in [5, 20, 50, 200] {
        paths.push(start_run(&ada, &flow, json!({"amount": amount})).await);
        app.platform.drain().await;
    }
    server.take_requests();
    let higher = publish_again(&ada, &flow, orders(&server.base_url, 100)).await;
    let rehearsed = rehearse(&ada, &flow, &higher, 100).await;
    let counts =
        ["replayed", "equal", "differs", "open", "withoutTrigger"].map(|field| rehearsed[field].as_u64().unwrap());
    assert_eq!(counts, [4, 2, 2, 0, 0], "{rehearsed}");
    let differing: Vec<_> = rehearsed["runs"].as_array().unwrap().iter().map(|run| run["runId"].clone()).collect();
    assert_eq!(differing, [json!(run_id(&paths[2])), json!(run_id(&paths[1]))], "newest first");
    assert_eq!(rehearsed["runs"][0]["nodes"], json!(["check"]), "the cause");
    assert_eq!(rehearse(&ada, &flow, &higher, 1).await["replayed"], 1);

    // A lower limit sends orders that were kept: nobody knows how the server would have answered.
    let lower = publish_again(&ada, &flow, orders(&server.base_url, 1)).await;
    let rehearsed = rehearse(&ada, &flow, &lower, 100).await;
    assert_eq!((&rehearsed["equal"], &rehearsed["open"]), (&json!(3), &json!(1)), "{rehearsed}");

    // Without the trigger of the runs, there is nothing to replay.
    let mut renamed = orders(&server.base_url, 10);
    renamed["nodes"][0]["id"] = json!("begin");
    renamed["connections"][0]["from"]["node"] = json!("begin");
    let renamed = publish_again(&ada, &flow, renamed).await;
    assert_eq!(rehearse(&ada, &flow, &renamed, 100).await["withoutTrigger"], 4);
    assert_eq!(refusal(&ada.post_json(&format!("{}/replay", paths[0]), json!({})).await), ("409", "invalid_state"));

    // An erased run has nothing to replay.
    assert_eq!(ada.delete(&paths[3]).await.status, "204 No Content");
    assert_eq!(rehearse(&ada, &flow, &lower, 100).await["replayed"], 3);
    assert_eq!(refusal(&ada.post_json(&format!("{}/replay", paths[3]), json!({})).await), ("409", "invalid_state"));
    assert_eq!(server.take_requests().len(), 0, "a rehearsal performs nothing");
    assert_eq!(ada.get(&runs_path(&flow)).await.column("id").len(), 4, "a rehearsal starts no runs");
}

#[tokio::test]
async fn invalid_replays_are_refused() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.person("ada"), app.person("eve"));
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 2})).await;
    app.platform.drain().await;
    let replay = async |person: &Person, body: Value| {
        let answer = person.post_json(&format!("{path}/replay"), body).await;
        let (status, code) = refusal(&answer);
        (status.to_owned(), code.to_owned())
    };
    let refused = |status: &str, code: &str| (status.to_owned(), code.to_owned());
    assert_eq!(replay(&eve, json!({})).await, refused("404", "workflow_not_found"));
    assert_eq!(replay(&ada, json!({"releaseId": NOWHERE})).await, refused("404", "release_not_found"));
    assert_eq!(replay(&ada, json!({"releaseId": 1})).await, refused("400", "invalid_body"));

    let releases = ada.get(&format!("{WORKFLOWS}/{flow}/releases")).await;
    let path = format!("{WORKFLOWS}/{flow}/releases/{}/rehearse", releases.column("id")[0]);
    for sample in [0, 101] {
        assert_eq!(refusal(&ada.post_json(&path, json!({"sample": sample})).await), ("400", "invalid_body"));
    }
    assert_eq!(refusal(&eve.post_json(&path, json!({})).await).0, "404");
    let unknown = format!("{WORKFLOWS}/{flow}/releases/{NOWHERE}/rehearse");
    assert_eq!(refusal(&ada.post_json(&unknown, json!({})).await).0, "404");
}
