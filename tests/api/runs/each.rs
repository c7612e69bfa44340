//! Nodes with `each`, which run for each element of a list.

use std::collections::BTreeSet;

use tests::provider::{Behaviour, FakeProvider};

use super::*;

/// Sends each line to the server.
fn orders(url: &str, each: Value) -> Value {
    let send = json!({
        "method": "POST", "url": format!("{url}/{{{{ input }}}}"), "body": {"type": "json", "value": "{'line': vars.item}"},
        "retry": {"maxAttempts": 1}, "each": each, "redact": ["output.body.token"],
    });
    let double = json!({"value": "input.body.line + string(vars.index)", "each": {"items": "input"}});
    let nodes = [
        node("start", "input", json!({})),
        node("send", "http", send),
        node("lines", "transform", double),
        node("end", "send_result", json!({})),
    ];
    graph(&nodes, &["start.out send", "send.out lines", "lines.out end"])
}

fn answer(line: &str, token: &str) -> Behaviour {
    Behaviour::json(200, json!({"line": line, "token": token}))
}

async fn server() -> FakeProvider {
    let server = FakeProvider::start().await;
    for line in ["a", "b", "c"] {
        server.respond_at(&format!("/{line}"), answer(line, "tok_8f2b91"));
    }
    server
}

#[tokio::test]
async fn each_element_is_a_step_of_its_own() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    let flow = publish(&ada, orders(&server.base_url, json!({"items": "input", "concurrency": 2}))).await;
    let path = start_run(&ada, &flow, json!(["a", "b", "c"])).await;
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["output"], json!(["a0", "b1", "c2"]), "{run}");
    let keys: BTreeSet<_> =
        server.take_requests().iter().map(|request| request.headers["idempotency-key"].clone()).collect();
    assert_eq!(keys.len(), 3);

    let trace = read(&ada, &format!("{path}/trace")).await;
    let steps: Vec<_> = trace["spans"].as_array().unwrap().iter().map(|span| span["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["start", "send", "lines", "end"]);
    let send = &trace["spans"][1];
    let children: BTreeSet<_> =
        send["children"].as_array().unwrap().iter().map(|span| span["step"].as_str().unwrap()).collect();
    assert_eq!(children, BTreeSet::from(["send[0]/send", "send[1]/send", "send[2]/send"]));
    let of_b = read(&ada, &format!("{path}/trace?step=send%5B1%5D/send")).await["spans"][0].clone();
    assert_eq!((&of_b["input"], &of_b["nodeId"], &of_b["nodeType"]), (&json!("b"), &json!("send"), &json!("http")));
    // The token of an element is masked in its own result, and in the list of all results.
    assert_eq!(of_b["output"]["body"], json!({"line": "b", "token": "***"}));
    assert_eq!(send["output"][1]["body"], json!({"line": "b", "token": "***"}));

    let analytics = read(&ada, &format!("{path}/analytics")).await;
    let send = analytics["nodes"].as_array().unwrap().iter().find(|node| node["nodeId"] == "send").unwrap();
    assert_eq!((&send["executions"], &send["attempts"]), (&json!(3), &json!(3)), "{analytics}");
    let critical: Vec<_> = analytics["criticalPath"].as_array().unwrap().iter().map(|step| &step["nodeId"]).collect();
    assert_eq!(critical, ["start", "send", "lines", "end"]);

    let replayed = ada.post_json(&format!("{path}/replay"), json!({})).await;
    assert_eq!(replayed.json["data"]["outcome"], "equal", "{}", replayed.text);
}

#[tokio::test]
async fn a_retry_repeats_only_the_elements_that_have_no_result() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    server.respond_at("/b", Behaviour::hang_up());
    let flow = publish(&ada, orders(&server.base_url, json!({"items": "input"}))).await;
    let path = start_run(&ada, &flow, json!(["a", "b", "c"])).await;
    let failed = carry_out(&app, &ada, &path).await;
    assert_eq!((&failed["state"], &failed["error"]["nodeId"]), (&json!("failed"), &json!("send")), "{failed}");
    assert!(failed["error"]["message"].as_str().unwrap().starts_with("send[1]/send: "), "{failed}");

    server.take_requests();
    server.respond_at("/b", answer("b", "tok_8f2b91"));
    let again = ada.post_json(&format!("{path}/retry"), json!({})).await;
    let again = carry_out(&app, &ada, &format!("{}/{}", runs_path(&flow), again.id())).await;
    assert_eq!(again["output"], json!(["a0", "b1", "c2"]), "{again}");
    let paths: Vec<String> = server.take_requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/b", "/c"]);
}

#[tokio::test]
async fn elements_that_fail_are_left_out_or_null() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = server().await;
    server.respond_at("/b", Behaviour::hang_up());
    for (on_item_error, output) in [("skip", json!(["a0", "c1"])), ("null", json!(["a0", "?", "c2"]))] {
        let each = json!({"items": "input", "onItemError": on_item_error});
        let mut graph = orders(&server.base_url, each);
        graph["nodes"][2]["config"]["value"] = json!("input == null ? '?' : input.body.line + string(vars.index)");
        let flow = publish(&ada, graph).await;
        let path = start_run(&ada, &flow, json!(["a", "b", "c"])).await;
        let run = carry_out(&app, &ada, &path).await;
        assert_eq!(run["output"], output, "{run}");
    }
}

#[tokio::test]
async fn mistakes_in_each_are_problems_of_the_draft() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let problems_of = async |node_type: &str, config: Value, port: &str| {
        let nodes =
            [node("start", "input", json!({})), node("it", node_type, config), node("end", "send_result", json!({}))];
        let graph = graph(&nodes, &["start.out it", &format!("it.{port} end")]);
        let created = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": graph})).await;
        let validated = ada.post(&format!("{WORKFLOWS}/{}/validate", created.id())).await;
        let problems = validated.json["data"]["problems"].as_array().unwrap().clone();
        let text = |problem: &Value| {
            let part = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
            format!("{} {}: {}", part("severity"), part("code"), part("field"))
        };
        problems.iter().map(text).collect::<Vec<_>>()
    };
    let value = |each: Value| json!({"value": "vars.item + vars.index", "each": each});
    assert_eq!(problems_of("transform", value(json!({"items": "input"})), "out").await, [""; 0]);
    for (each, problem) in [
        (json!({}), "error invalid_config: config.each.items"),
        (json!({"items": "input", "concurrency": 21}), "error invalid_config: config.each.concurrency"),
        (json!({"items": "input +"}), "error invalid_expression: config.each.items"),
        (json!({"items": "nodes.nobody.output"}), "error unknown_reference: config.each.items"),
        // The list is evaluated before its elements are known.
        (json!({"items": "vars.item"}), "warning no_loop: config.each.items"),
    ] {
        let found = problems_of("transform", value(each.clone()), "out").await;
        assert_eq!(found.first().map(String::as_str), Some(problem), "{each}: {found:?}");
    }
    // Such a node only chooses a port.
    let condition = json!({"expression": "true", "each": {"items": "input"}});
    assert_eq!(problems_of("condition", condition, "true").await, ["error invalid_config: config.each"]);
    // The node has one port, whatever its type has.
    let guard = json!({"text": "{{ input }}", "each": {"items": "input"}});
    assert_eq!(problems_of("guard", guard.clone(), "out").await, [""; 0]);
    assert_eq!(problems_of("guard", guard, "flagged").await, ["error unknown_port: "]);
}

/// The schema of the result is a list of what the node returns once.
#[tokio::test]
async fn the_result_is_a_list() {
    let guard = json!({"text": "{{ input }}", "each": {"items": "input"}});
    let template = json!({"template": "{{ input }}", "each": {"items": "input"}});
    // A whole number may be written as a float.
    let each = json!({"items": "input", "concurrency": 2.0, "onItemError": "null"});
    let lenient = json!({"template": "{{ input }}", "each": each});
    for (node_type, config, schema) in [
        ("template", template, json!({"type": "array", "items": {"type": "string"}})),
        ("guard", guard, json!({"type": "array"})),
        ("template", lenient, json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})),
    ] {
        let found = engine::nodes::find(node_type).unwrap().output_schema(config.as_object().unwrap(), "out").unwrap();
        assert_eq!(found["type"], schema["type"]);
        assert!(node_type == "guard" || found == schema, "{found}");
    }
}
