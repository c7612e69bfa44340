//! What a preview shows: the nodes in their order, with states, ports and outputs.

use super::*;

#[tokio::test]
async fn every_node_shows_its_output() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        start(),
        node("sum", "transform", json!({"value": "sum(input.lines)"})),
        node("large", "condition", json!({"expression": "input > 100"})),
        node("text", "template", json!({"template": "Total: {{ input }}"})),
        node("other", "template", json!({"template": "Small"})),
        end("{'text': input}"),
    ];
    let ports =
        ["start.out sum", "sum.out large", "large.true text", "large.false other", "text.out end", "other.out end"];
    let shown = preview(&ada, graph(&nodes, &ports), json!({"input": {"lines": [100, 20]}})).await;
    assert_eq!((&shown["state"], &shown["error"]), (&json!("completed"), &Value::Null), "{shown}");
    assert_eq!((&shown["output"], &shown["outputBytes"]), (&json!({"text": "Total: 120"}), &Value::Null));
    let expected = [
        ("start", "completed", &json!({"lines": [100, 20]})),
        ("sum", "completed", &json!(120)),
        ("large", "completed", &json!(120)),
        ("text", "completed", &json!("Total: 120")),
        ("other", "skipped", &Value::Null),
        ("end", "completed", &json!({"text": "Total: 120"})),
    ];
    assert_eq!(steps(&shown), expected);
    let expected = json!({
        "step": "large", "nodeId": "large", "state": "completed", "action": null, "port": "true", "output": 120,
        "outputBytes": null, "console": [], "error": null, "attempts": 0, "durationMs": null, "pinned": false,
    });
    assert_eq!(*step(&shown, "large"), expected);
    assert_eq!((&step(&shown, "other")["port"], &shown["omittedNodes"]), (&Value::Null, &json!(0)));
}

#[tokio::test]
async fn iterations_are_shown_by_their_path() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = preview(&ada, doubled_lines(), json!({"input": [1, 2]})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!([2, 4])));
    let expected = [
        ("start", "completed", &json!([1, 2])),
        ("lines[0]/double", "completed", &json!(2)),
        ("lines[1]/double", "completed", &json!(4)),
        ("lines", "completed", &json!([2, 4])),
        ("end", "completed", &json!([2, 4])),
    ];
    assert_eq!(steps(&shown), expected);
    assert_eq!(step(&shown, "lines[1]/double")["nodeId"], "double");
}

#[tokio::test]
async fn a_failed_node_names_its_error() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = preview(&ada, division(json!({})), json!({"input": 0})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("failed"), &Value::Null));
    assert_eq!(shown["error"]["nodeId"], "divide");
    let divide = step(&shown, "divide");
    assert_eq!((&divide["state"], &divide["port"]), (&json!("failed"), &Value::Null));
    assert_eq!(
        (&divide["error"]["code"], &divide["error"]["message"]),
        (&shown["error"]["code"], &shown["error"]["message"])
    );
    assert_eq!(steps(&shown).len(), 2, "{shown}");
}

#[tokio::test]
async fn a_preview_continues_after_a_handled_error() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let shown = preview(&ada, division(json!({"onError": "continue"})), json!({"input": 0})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &Value::Null));
    let divide = step(&shown, "divide");
    assert_eq!((&divide["state"], &divide["port"]), (&json!("failed"), &json!("out")));

    let mut branched = division(json!({"onError": "branch"}));
    branched["connections"].as_array_mut().unwrap().push(connection("divide.error end"));
    let shown = preview(&ada, branched, json!({"input": 0})).await;
    let divide = step(&shown, "divide");
    assert_eq!((&divide["state"], &divide["port"]), (&json!("failed"), &json!("error")));
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &divide["error"]));
}

#[tokio::test]
async fn large_outputs_are_replaced_by_their_size() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let draft = graph(&[start(), end("input")], &["start.out end"]);
    let shown = preview(&ada, draft, json!({"input": "x".repeat(64 * 1024)})).await;
    let bytes = json!(64 * 1024 + 2);
    assert_eq!((&shown["state"], &shown["output"], &shown["outputBytes"]), (&json!("completed"), &Value::Null, &bytes));
    assert_eq!((&step(&shown, "start")["output"], &step(&shown, "start")["outputBytes"]), (&Value::Null, &bytes));
}

#[tokio::test]
async fn the_response_has_a_maximum_size() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let text = node("text", "transform", json!({"value": "range(300).map(i, 'x').join('-')"}));
    let nodes = [start(), node("each", "loop", json!({"items": "range(5000)"})), text, end("'done'")];
    let draft = graph(&nodes, &["start.out each", "each.item text", "each.done end"]);
    let shown = preview(&ada, draft, json!({})).await;
    assert_eq!((&shown["state"], &shown["output"]), (&json!("completed"), &json!("done")), "{shown}");
    let (listed, omitted) = (steps(&shown).len() as u64, shown["omittedNodes"].as_u64().unwrap());
    assert_eq!(listed + omitted, 5_003);
    assert!(omitted > 0 && shown.to_string().len() < 2_200_000, "{listed} {omitted}");
}

/// A loop that doubles each element.
fn doubled_lines() -> Value {
    let each = node("lines", "loop", json!({"items": "input"}));
    let nodes = [start(), each, node("double", "transform", json!({"value": "input * 2"})), end("input")];
    let mut draft = graph(&nodes, &["start.out lines", "lines.item double", "lines.done end"]);
    let back = json!({"from": {"node": "double", "port": "out"}, "to": {"node": "lines", "port": "next"}});
    draft["connections"].as_array_mut().unwrap().push(back);
    draft
}

/// A node that fails for the input 0.
fn division(policy: Value) -> Value {
    let mut config = policy;
    config["value"] = json!("10 / input");
    let divide = node("divide", "transform", config);
    graph(&[start(), divide, end("input")], &["start.out divide", "divide.out end"])
}
