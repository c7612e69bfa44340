//! Pinned outputs, the trigger that fires, and the node at which a preview ends.

use super::*;

#[tokio::test]
async fn a_pinned_model_is_not_called() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = preview(&ada, ask(), json!({"pinned": {"ask": {"output": "Hello"}}})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!({"text": "Hello"})));
    let ask = step(&shown, "ask");
    assert_eq!((&ask["pinned"], &ask["port"], &ask["attempts"]), (&json!(true), &json!("out"), &json!(0)));
    assert_eq!(step(&shown, "end")["pinned"], false);
    assert_eq!(charged_calls(&app).await, 0);
}

#[tokio::test]
async fn a_pinned_port_decides_the_branch() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let cases = json!({"cases": [{"name": "red", "expression": "input == 'red'"}]});
    let kinds = [
        ("condition", json!({"expression": "input == 'red'"}), ["true", "false"]),
        ("switch", cases, ["red", "default"]),
        ("review", json!({"title": "Red?"}), ["approved", "rejected"]),
    ];
    for (kind, config, [taken, other]) in kinds {
        let nodes = [start(), node("pick", kind, config), node("stop", "fail", json!({"message": "no"})), end("input")];
        let (to_end, to_stop) = (format!("pick.{taken} end"), format!("pick.{other} stop"));
        let draft = graph(&nodes, &["start.out pick", &to_end, &to_stop]);
        let body = json!({"input": "blue", "pinned": {"pick": {"port": taken, "output": 7}}});
        let shown = preview(&ada, draft, body).await;
        assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!(7)), "{kind}: {shown}");
        assert_eq!((&step(&shown, "pick")["port"], &step(&shown, "stop")["state"]), (&json!(taken), &json!("skipped")));
    }
}

#[tokio::test]
async fn a_pinned_loop_has_no_iterations() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes =
        [start(), node("each", "loop", json!({"items": "input"})), call("send", "http://127.0.0.1:1/"), end("input")];
    let draft = graph(&nodes, &["start.out each", "each.item send", "each.done end"]);
    let shown = preview(&ada, draft, json!({"input": [1, 2], "pinned": {"each": {"output": ["a"]}}})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!(["a"])));
    assert_eq!(steps(&shown).len(), 3, "{shown}");
}

#[tokio::test]
async fn a_pinned_node_in_a_loop_counts_in_each_iteration() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = preview(&ada, calls_in_loop(), json!({"input": [1, 2], "pinned": {"send": {"output": "ok"}}})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!(["ok", "ok"])), "{shown}");
}

#[tokio::test]
async fn a_preview_ends_after_the_node_until() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        start(),
        node("one", "transform", json!({"value": "input + 1"})),
        call("beside", "http://127.0.0.1:1/"),
        node("two", "transform", json!({"value": "input * 2"})),
        call("after", "http://127.0.0.1:1/"),
        end("input"),
    ];
    let draft = graph(
        &nodes,
        &["start.out one", "start.out beside", "one.out two", "two.out after", "after.out end", "beside.out end"],
    );
    let shown = preview(&ada, draft, json!({"input": 4, "until": "two"})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &Value::Null));
    let expected =
        [("start", "completed", &json!(4)), ("one", "completed", &json!(5)), ("two", "completed", &json!(10))];
    assert_eq!(steps(&shown), expected);
}

#[tokio::test]
async fn a_preview_ends_after_the_first_iteration_of_the_node_until() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let body = json!({"input": [1, 2], "until": "send", "pinned": {"send": {"output": "ok"}}});
    let shown = preview(&ada, calls_in_loop(), body).await;
    assert_eq!(shown["state"], "completed");
    let expected = [
        ("start", "completed", &json!([1, 2])),
        ("each[0]/send", "completed", &json!("ok")),
        ("each", "canceled", &Value::Null),
    ];
    assert_eq!(steps(&shown), expected);
    // The loop itself needs all of its iterations.
    let body = json!({"input": [1, 2], "until": "each", "pinned": {"send": {"output": "ok"}}});
    let shown = preview(&ada, calls_in_loop(), body).await;
    assert_eq!((&step(&shown, "each")["output"], steps(&shown).len()), (&json!(["ok", "ok"]), 4));
}

#[tokio::test]
async fn a_chosen_trigger_fires() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let schema = json!({"type": "integer"});
    let nodes = [
        node("morning", "schedule", json!({"cron": "0 9 * * *", "zone": "Europe/Madrid"})),
        node("hand", "input", json!({"schema": schema, "example": 5})),
        node("hook", "webhook", json!({})),
        end("input"),
    ];
    let draft = graph(&nodes, &["morning.out end", "hand.out end", "hook.out end"]);
    let workflow = create(&ada, draft).await;
    let path = preview_path(&workflow);
    // Without a choice, the node `input` fires, with its example. Its channel may be incomplete.
    let shown = ada.post(&path).await;
    assert_eq!(shown.json["data"]["output"], 5, "{}", shown.text);
    let shown = ada.post_json(&path, json!({"trigger": "hook", "input": "any"})).await;
    assert_eq!(shown.json["data"]["output"], "any", "{}", shown.text);
    assert_eq!(step(&shown.json["data"], "hand")["state"], "skipped");
    let shown = ada.post_json(&path, json!({"trigger": "morning"})).await;
    assert_eq!(shown.json["data"]["output"], Value::Null, "{}", shown.text);
    let refused = ada.post_json(&path, json!({"input": "any"})).await;
    assert_eq!((refusal(&refused), message(&refused).starts_with("input: ")), (("400", "invalid_body"), true));
}

fn call(id: &str, url: &str) -> Value {
    node(id, "http", json!({"url": url}))
}

/// A loop that calls another system for each element.
fn calls_in_loop() -> Value {
    let nodes =
        [start(), node("each", "loop", json!({"items": "input"})), call("send", "http://127.0.0.1:1/"), end("input")];
    let mut draft = graph(&nodes, &["start.out each", "each.item send", "each.done end"]);
    let back = json!({"from": {"node": "send", "port": "out"}, "to": {"node": "each", "port": "next"}});
    draft["connections"].as_array_mut().unwrap().push(back);
    draft
}

#[tokio::test]
async fn another_workflow_runs_only_if_it_is_pinned() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let double = publish(&ada, double()).await;
    let call = node("call", "workflow", json!({"workflowId": double}));
    let graph = graph(&[start(), call, end("nodes.call.output")], &["start.out call", "call.out end"]);
    let unpinned = preview(&ada, graph.clone(), json!({"input": {"n": 1}})).await;
    assert_eq!(
        (&unpinned["state"], &step(&unpinned, "call")["error"]["code"]),
        (&json!("failed"), &json!("not_in_preview"))
    );
    let pinned = preview(&ada, graph, json!({"pinned": {"call": {"output": 7}}})).await;
    assert_eq!((&pinned["state"], &pinned["output"]), (&json!("completed"), &json!(7)));
}
