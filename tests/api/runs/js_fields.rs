//! Fields of nodes that are JavaScript: `{"js": "…"}` instead of a CEL expression or a template.

use tests::provider::{Behaviour, FakeProvider};

use super::hooks::{publish_hook, with_workers};
use super::*;

fn js(source: &str) -> Value {
    json!({ "js": source })
}

async fn finish(app: &TestApp, person: &Person, graph: Value, input: Value) -> (String, Value) {
    let workflow = publish(person, graph).await;
    let path = start_run(person, &workflow, input).await;
    let run = carry_out(app, person, &path).await;
    (path, run)
}

/// A node between the input and the result.
fn with_node(kind: &str, config: Value) -> Value {
    let nodes = [
        node("start", "input", json!({})),
        node("it", kind, config),
        node("end", "send_result", json!({"output": "nodes.it.output"})),
    ];
    graph(&nodes, &["start.out it", "it.out end"])
}

#[tokio::test]
async fn fields_of_each_kind_may_be_javascript() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"ok": true})));
    let call = json!({
        "method": "POST", "url": js(&format!("'{}/' + encodeURIComponent(input.orders[0].id)", server.base_url)),
        // A member with the name `js` is a header as any other one.
        "headers": {"js": "{{ input.orders | length }}", "X-Ids": js("input.orders.map((order) => order.id).join()")},
        "body": {"type": "json", "value": js("input.orders.filter(({ paid }) => paid)")},
    });
    let nodes = [
        node("start", "input", json!({})),
        node("call", "http", call),
        node("many", "condition", json!({"expression": js("nodes.start.output.orders.length > 1")})),
        node(
            "names",
            "transform",
            json!({
                "fields": {"first": js("nodes.start.output.orders.at(-1).id"), "js": "'a value of CEL'"},
                "each": {"items": js("Object.values(nodes.start.output.orders)")},
            }),
        ),
        node("text", "template", json!({"template": js("nodes.names.output.length")})),
        node("end", "send_result", json!({"output": js("({ text: nodes.text.output, names: nodes.names.output })")})),
    ];
    let ports = ["start.out call", "call.out many", "many.true names", "names.out text", "text.out end"];
    let orders = json!({"orders": [{"id": "a/b", "paid": true}, {"id": "c", "paid": false}]});
    let (path, run) = finish(&app, &ada, graph(&nodes, &ports), orders).await;

    let name = json!({"first": "c", "js": "a value of CEL"});
    assert_eq!(run["output"], json!({"text": "2", "names": [name, name]}), "{run}");
    let request = server.take_requests().remove(0);
    assert_eq!(request.path, "/a%2Fb");
    assert_eq!((&request.headers["x-ids"], &request.headers["js"]), (&"a/b,c".parse().unwrap(), &"2".parse().unwrap()));
    assert_eq!(request.body, json!([{"id": "a/b", "paid": true}]));

    let replayed = ada.post_json(&format!("{path}/replay"), json!({})).await;
    assert_eq!(replayed.json["data"]["outcome"], "equal", "{}", replayed.text);
}

#[tokio::test]
async fn a_text_field_gets_a_text() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (source, text) in [("'a'", "a"), ("input.missing", ""), ("[1, 'b']", "[1,\"b\"]"), ("1 / 4", "0.25")] {
        let (_, run) = finish(&app, &ada, with_node("template", json!({"template": js(source)})), json!({})).await;
        assert_eq!(run["output"], text, "{source}: {run}");
    }
}

#[tokio::test]
async fn the_expressions_of_a_node_have_different_random_numbers() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fields = json!({"fields": {"a": js("Math.random()"), "b": js("Math.random()")}});
    let (_, run) = finish(&app, &ada, with_node("transform", fields), json!({})).await;
    assert!(run["output"]["a"].is_number() && run["output"]["a"] != run["output"]["b"], "{run}");
}

#[tokio::test]
async fn failures_name_the_field() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (kind, config, code, message) in [
        ("template", json!({"template": js("input.a.b")}), "code_error", "config.template: TypeError"),
        ("transform", json!({"fields": {"a": js("(() => { for (;;) {} })()")}}), "code_limit", "config.fields.a: "),
        ("transform", json!({"value": js("10n")}), "code_result", "config.value: "),
    ] {
        let (_, run) = finish(&app, &ada, with_node(kind, config), json!({})).await;
        assert_eq!(run["error"]["code"], code, "{run}");
        assert!(run["error"]["message"].as_str().unwrap().starts_with(message), "{run}");
    }
    let nodes = [
        node("start", "input", json!({})),
        node("if", "condition", json!({"expression": js("input.n")})),
        node("end", "send_result", json!({})),
    ];
    let (_, run) = finish(&app, &ada, graph(&nodes, &["start.out if", "if.true end"]), json!({"n": 1})).await;
    let message = "config.expression: the JavaScript must give true or false, but its value is number";
    assert_eq!(run["error"]["message"], message, "{run}");
}

#[tokio::test]
async fn a_script_writes_the_error_of_a_node_that_goes_on_as_an_item() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let answer = json!({
        "output": js("n8n.responseBody('{')"), "onError": "continue",
        "itemMode": {"run": "all", "error": js("n8n.callError(output)")},
    });
    let nodes = [
        node("start", "input", json!({})),
        node("answer", "send_result", answer),
        node("end", "send_result", json!({})),
    ];
    let (_, run) = finish(&app, &ada, graph(&nodes, &["start.out answer", "answer.out end"]), json!({})).await;
    assert_eq!(run["output"], json!([{"json": {"error": "Invalid JSON in 'Response Body' field"}}]), "{run}");
}

#[tokio::test]
async fn mistakes_are_problems_of_the_draft() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let problems_of = async |kind: &str, config: Value| {
        let created = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": with_node(kind, config)})).await;
        let validated = ada.post(&format!("{WORKFLOWS}/{}/validate", created.id())).await;
        validated.json["data"]["problems"].clone()
    };
    for (kind, config, code, field) in [
        ("template", json!({"template": js("input.a +\n  )")}), "invalid_expression", "config.template"),
        ("template", json!({"template": js("return 1")}), "invalid_expression", "config.template"),
        ("template", json!({"template": js("")}), "invalid_expression", "config.template"),
        ("template", json!({"template": {"js": "1", "cel": "1"}}), "invalid_config", "config.template.cel"),
        ("template", json!({"template": {}}), "invalid_config", "config.template.js"),
        ("template", json!({"template": 7}), "invalid_config", "config.template"),
        // The source of a `code` node is no expression.
        ("code", json!({"javascript": js("1")}), "invalid_config", "config.javascript"),
        ("transform", json!({"value": js("nodes.sart.output")}), "unknown_reference", "config.value"),
    ] {
        let problems = problems_of(kind, config.clone()).await;
        assert_eq!(
            (&problems[0]["code"], &problems[0]["field"]),
            (&json!(code), &json!(field)),
            "{config}: {problems}"
        );
    }
    let broken = problems_of("template", json!({"template": js("input.a +\n  )")})).await;
    assert_eq!((&broken[0]["line"], &broken[0]["column"]), (&json!(2), &json!(3)), "{broken}");
    // The URL is known only in the run.
    assert_eq!(problems_of("http", json!({"url": js("input.url")})).await, json!([]));
}

/// The limits of one script are not multiplied by the number of fields.
#[tokio::test]
async fn the_fields_of_a_node_and_of_a_graph_are_limited_together() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fields = |count: usize, source: &str| {
        let fields: serde_json::Map<_, _> = (0..count).map(|index| (format!("f{index}"), js(source))).collect();
        with_node("transform", json!({ "fields": fields }))
    };
    let loops = fields(60, "(() => { let n = 0; while (n < 1e6) n++; return n })()");
    let (_, run) = finish(&app, &ada, loops, json!({})).await;
    assert_eq!(run["error"]["code"], "code_limit", "{run}");
    assert!(run["error"]["message"].as_str().unwrap().contains("too many steps in all"), "{run}");

    let created = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": fields(1_001, "1")})).await;
    let validated = ada.post(&format!("{WORKFLOWS}/{}/validate", created.id())).await;
    let problems = validated.json["data"]["problems"].as_array().unwrap();
    assert_eq!((problems.len(), &problems[0]["code"]), (1, &json!("too_many_scripts")), "{}", validated.text);
}

#[tokio::test]
async fn a_secret_in_a_header_is_refused_also_in_javascript() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let create = async |headers: Value| {
        let graph = with_node("http", json!({"url": "https://example.com", "headers": headers}));
        ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": graph})).await
    };
    assert_eq!(refusal(&create(json!({"Authorization": js("'Bearer abc'")})).await), ("400", "invalid_body"));
    assert_eq!(create(json!({"Authorization": js("'Bearer ' + input.token")})).await.status, "201 Created");
}

/// The function that receives webhooks does not run scripts.
#[tokio::test]
async fn a_webhook_leaves_a_run_with_javascript_to_a_worker() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("hook", "webhook", json!({})),
        node("end", "send_result", json!({"output": js("({ twice: input.n * 2 })")})),
    ];
    let hook = publish_hook(&app, &ada, graph(&nodes, &["hook.out end"]), "sync").await;
    let answer = with_workers(&app, hook.call(json!({"n": 21}))).await;
    assert_eq!(answer.json["output"], json!({"twice": 42}), "{}", answer.text);
}
