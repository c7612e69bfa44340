//! The node `code`: JavaScript, which is computed again wherever a run is read.

use tests::provider::{Behaviour, FakeProvider};

use super::hooks::{publish_hook, with_workers};
use super::*;

const TOTALS: &str = "console.log('orders', input.orders.length);
const paid = input.orders.filter((order) => order.paid);
return { count: paid.length, total: paid.reduce((sum, order) => sum + order.price, 0), at: new Date().getTime() }";

fn code(javascript: &str) -> Value {
    node("code", "code", json!({"javascript": javascript}))
}

fn with_code(javascript: &str) -> Value {
    let nodes = [
        node("start", "input", json!({})),
        code(javascript),
        node("end", "send_result", json!({"output": "nodes.code.output"})),
    ];
    graph(&nodes, &["start.out code", "code.out end"])
}

fn orders() -> Value {
    json!({"orders": [{"price": 2.5, "paid": true}, {"price": 4, "paid": false}, {"price": 7.5, "paid": true}]})
}

async fn finish(app: &TestApp, person: &Person, graph: Value, input: Value) -> (String, Value) {
    let workflow = publish(person, graph).await;
    let path = start_run(person, &workflow, input).await;
    let run = carry_out(app, person, &path).await;
    (path, run)
}

#[tokio::test]
async fn code_computes_a_value_and_writes_to_the_trace() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (path, run) = finish(&app, &ada, with_code(TOTALS), orders()).await;
    let output = &run["output"];
    assert_eq!((&output["count"], &output["total"]), (&json!(2), &json!(10)), "{run}");

    let trace = read(&ada, &format!("{path}/trace")).await;
    let span = trace["spans"].as_array().unwrap().iter().find(|span| span["step"] == "code").unwrap();
    assert_eq!(span["console"], json!([{"level": "log", "text": "orders 3"}]));
    // The trace computes the value again.
    assert_eq!(&span["output"], output);

    let replayed = ada.post_json(&format!("{path}/replay"), json!({})).await;
    assert_eq!(replayed.json["data"]["outcome"], "equal", "{}", replayed.text);
}

/// A worker that takes over computes the values again: they must be those on which the effects of the first one depend.
#[tokio::test]
async fn random_values_are_the_same_in_each_process() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({})));
    let send = |id: &str| {
        let body = json!({"type": "json", "value": "nodes.code.output"});
        node(id, "http", json!({"method": "POST", "url": server.base_url, "body": body}))
    };
    let nodes = [
        node("start", "input", json!({})),
        code("return { random: Math.random(), id: crypto.randomUUID(), now: Date.now() }"),
        send("first"),
        node("check", "review", json!({"title": "Go on?"})),
        send("second"),
        node("end", "send_result", json!({"output": "nodes.code.output"})),
    ];
    let ports = ["start.out code", "code.out first", "first.out check", "check.approved second", "second.out end"];
    let workflow = publish(&ada, graph(&nodes, &ports)).await;
    let path = start_run(&ada, &workflow, json!({})).await;
    // The worker that goes on after the approval has nothing of the one before it.
    let output = carry_out(&app, &ada, &path).await["output"].clone();
    let sent: Vec<Value> = server.take_requests().into_iter().map(|request| request.body).collect();
    assert_eq!(sent, [output.clone(), output]);
}

#[tokio::test]
async fn failures_of_code_name_their_line() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (javascript, code, message) in [
        ("const order = input.order;\nreturn order.price", "code_error", "(line 2, column 8)"),
        ("throw new RangeError('too many')", "code_error", "RangeError: too many (line 1"),
        ("for (;;) {}", "code_limit", "too many steps"),
        ("const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)", "code_limit", "too much memory"),
        ("return await new Promise(() => {})", "code_unsettled", "never settles"),
        ("return { size: 10n }", "code_result", "BigInt"),
        // The engine crashes here. Its process ends, and the next script has another one.
        (
            "let s = 'ab'; for (let i = 0; i < 28; i++) s += s; for (const key in s) return key; return 'end'",
            "code_limit",
            "too much memory",
        ),
    ] {
        let (_, run) = finish(&app, &ada, with_code(javascript), json!({})).await;
        let error = &run["error"];
        assert_eq!((&run["state"], &error["code"], &error["nodeId"]), (&json!("failed"), &json!(code), &json!("code")));
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
    }
}

#[tokio::test]
async fn mistakes_in_code_are_problems_of_the_draft() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let problems_of = async |javascript: &str| {
        let body = json!({"name": "Draft", "graph": with_code(javascript)});
        let created = ada.post_json(WORKFLOWS, body).await;
        let validated = ada.post(&format!("{WORKFLOWS}/{}/validate", created.id())).await;
        validated.json["data"]["problems"].clone()
    };
    assert_eq!(problems_of("return nodes.start.output").await, json!([]));
    let broken = problems_of("const n = 1;\nreturn (n").await;
    assert_eq!((&broken[0]["code"], &broken[0]["severity"]), (&json!("invalid_expression"), &json!("error")));
    assert_eq!((&broken[0]["line"], &broken[0]["column"]), (&json!(2), &json!(10)), "{broken}");
    // The name may be in a comment, so this is only a warning.
    let unknown = problems_of("return nodes.sart.output").await;
    assert_eq!((&unknown[0]["code"], &unknown[0]["severity"]), (&json!("unknown_reference"), &json!("warning")));
    let later = problems_of("return nodes.end.output").await;
    assert_eq!(later[0]["code"], "not_upstream");
}

/// The function that receives webhooks does not run scripts.
#[tokio::test]
async fn a_webhook_leaves_a_run_with_code_to_a_worker() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("hook", "webhook", json!({})),
        code("return { twice: input.n * 2 }"),
        node("end", "send_result", json!({"output": "nodes.code.output"})),
    ];
    let hook = publish_hook(&app, &ada, graph(&nodes, &["hook.out code", "code.out end"]), "sync").await;
    let answer = with_workers(&app, hook.call(json!({"n": 21}))).await;
    assert_eq!(answer.json["output"], json!({"twice": 42}), "{}", answer.text);
}

#[tokio::test]
async fn previews_run_code_and_show_its_console() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let created = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": with_code(TOTALS)})).await;
    let path = format!("{WORKFLOWS}/{}/preview", created.id());
    let preview = ada.post_json(&path, json!({"input": orders()})).await;
    let node = preview.json["data"]["nodes"].as_array().unwrap().iter().find(|node| node["nodeId"] == "code").unwrap();
    assert_eq!((&node["output"]["total"], &node["console"][0]["text"]), (&json!(10), &json!("orders 3")));

    let expression = async |expression: &str, language: &str| {
        let body = json!({"expression": expression, "language": language, "data": {"input": {"n": 4}}});
        ada.post_json(&format!("{WORKFLOWS}/expression/preview"), body).await
    };
    let value = expression("console.warn('n', input); return [input.n ** 2]", "javascript").await;
    let console = json!([{"level": "warn", "text": "n {\"n\":4}"}]);
    assert_eq!(value.json["data"], json!({"result": [16], "type": "list", "console": console}), "{}", value.text);
    let expected = json!({"result": 1, "type": "number"});
    assert_eq!(expression("return 1", "javascript").await.json["data"], expected);
    assert_eq!(expression("input.n - 3", "js").await.json["data"], expected);
    let broken = expression("(", "js").await;
    assert_eq!((broken.code(), &broken.json["error"]["details"]["line"]), ("invalid_body", &json!(1)));
    assert_eq!(expression("for (;;) {}", "javascript").await.code(), "expression_limit");
    let failed = expression("input.a.b", "js").await;
    assert_eq!(failed.json["error"]["details"]["code"], "code_error", "{}", failed.text);
    let problem = failed.json["error"]["details"]["problem"].as_str().unwrap();
    assert_eq!(failed.json["error"]["message"], format!("expression: {problem}"));
}

/// What a run may use in all its code is limited, too.
#[tokio::test]
async fn a_loop_of_exhausted_scripts_ends() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("start", "input", json!({})),
        node("each", "loop", json!({"items": "range(1000)"})),
        node("code", "code", json!({"javascript": "for (;;) {}", "onError": "continue"})),
        node("end", "send_result", json!({})),
    ];
    let mut graph = graph(&nodes, &["start.out each", "each.item code", "each.done end"]);
    let back = json!({"from": {"node": "code", "port": "out"}, "to": {"node": "each", "port": "next"}});
    graph["connections"].as_array_mut().unwrap().push(back);
    let (_, run) = finish(&app, &ada, graph, json!({})).await;
    assert_eq!(run["error"]["code"], "too_much_work", "{run}");
}
