//! What happened in a run: its events, its activity, its trace and its analytics.

use tests::provider::{Behaviour, FakeProvider};

use super::usage::{add_model, chat_answer};
use super::*;

async fn show(person: &Person, path: &str) -> Value {
    let answer = person.get(path).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json["data"].clone()
}

/// All events of a run, in pages of this size.
async fn events(person: &Person, path: &str, limit: usize) -> Vec<Value> {
    let (mut events, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = person.get(&format!("{path}/events?limit={limit}{cursor}")).await;
        assert_eq!(page.status, "200 OK", "{}", page.text);
        events.extend(page.json["data"].as_array().unwrap().clone());
        match page.json["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return events,
        }
    }
}

/// A workflow that calls a server for each of two lines, and fails at the second one.
fn orders(url: &str) -> Value {
    let retry = json!({"maxAttempts": 2, "backoffMs": 0});
    let nodes = [
        node("start", "input", json!({})),
        node("lines", "loop", json!({"items": "input.lines", "onItemError": "null"})),
        node("send", "http", json!({"method": "POST", "url": url, "retry": retry})),
        node("check", "condition", json!({"expression": "input.status < 400"})),
        node("refuse", "fail", json!({"message": "refused"})),
        node("never", "condition", json!({"expression": "input == 1"})),
        node("one", "transform", json!({"value": "1"})),
        node("end", "send_result", json!({})),
    ];
    let ports = [
        "start.out lines",
        "lines.item send",
        "send.out check",
        "check.false refuse",
        "lines.done never",
        "never.true one",
        "never.false end",
        "one.out end",
    ];
    let mut graph = graph(&nodes, &ports);
    graph["connections"].as_array_mut().unwrap().push(json!({
        "from": {"node": "check", "port": "true"}, "to": {"node": "lines", "port": "next"},
    }));
    graph
}

#[tokio::test]
async fn events_are_numbered_and_complete() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    ada.post_json(&format!("{path}/resolve-wait"), json!({"decision": "approve"})).await;
    app.platform.drain().await;
    let all = events(&ada, &path, 100).await;
    let shown: Vec<String> = all
        .iter()
        .map(|event| {
            format!("{} {} {}", event["number"], event["type"].as_str().unwrap(), event["step"].as_str().unwrap_or("-"))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1 run_queued -",
            "2 step_completed start",
            "3 step_asked check",
            "4 step_completed check",
            "5 step_completed end",
            "6 run_completed -",
        ]
    );
    assert_eq!((&all[0]["value"], &all[3]["port"]), (&json!({"amount": 5}), &json!("approved")));
    for limit in [1, 2, 4, 5] {
        assert_eq!(events(&ada, &path, limit).await, all, "{limit}");
    }
    let activity = show(&ada, &format!("{path}/activity")).await;
    let texts: Vec<&str> = activity.as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap()).collect();
    assert_eq!(texts[0], "The run was started by hand.");
    assert!(texts[2].starts_with("The step `check` waits for a person, until 20"), "{texts:?}");
    assert_eq!(
        texts[3..],
        ["The step `check` completed at its port `approved`.", "The step `end` completed.", "The run completed."]
    );
    assert_eq!((&activity[2]["nodeId"], &activity[5]["nodeId"]), (&json!("check"), &Value::Null));
}

#[tokio::test]
async fn the_event_that_ends_a_step_has_its_usage() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let chat = add_model(&app, "chat").await;
    chat.then_respond(chat_answer("no JSON", 17, 3)).then_respond(chat_answer(r#"{"topic": "returns"}"#, 19, 2));
    let schema = json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]});
    let nodes = [
        node("start", "input", json!({})),
        node(
            "ask",
            "model",
            json!({"model": "chat", "prompt": "Topic?", "schema": schema, "retry": {"maxAttempts": 2, "backoffMs": 1}}),
        ),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    let path = start_run(&ada, &flow, json!({})).await;
    let run = carry_out(&app, &ada, &path).await;
    let all = events(&ada, &path, 100).await;
    let used: Vec<&Value> = all.iter().filter(|event| event.get("usage").is_some()).collect();
    let [ended] = used[..] else { panic!("{used:?}") };
    assert_eq!((&ended["type"], &ended["step"]), (&json!("step_completed"), &json!("ask")));
    // Both attempts are part of the step.
    let expected = json!({
        "requests": 2, "inputTokens": 36, "outputTokens": 5,
        "cost": run["usage"]["cost"], "costExact": run["usage"]["costExact"],
    });
    assert_eq!(ended["usage"], expected);
    assert_eq!(events(&ada, &path, 1).await, all);
}

#[tokio::test]
async fn a_large_value_is_a_url() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let input = json!({"n": 1, "text": "ñ".repeat(20_000)});
    let path = start_run(&ada, &flow, input.clone()).await;
    let first = &events(&ada, &path, 1).await[0];
    assert!(first.get("value").is_none(), "{first}");
    let url = first["valueUrl"].as_str().unwrap();
    let value: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    assert_eq!(value, input);
}

#[tokio::test]
async fn the_trace_has_every_attempt_with_its_values() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(503, json!({})));
    let flow = publish(&ada, orders(&server.base_url)).await;
    let path = start_run(&ada, &flow, json!({"lines": ["a", "b"]})).await;
    let run = carry_out(&app, &ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");

    let trace = show(&ada, &format!("{path}/trace")).await;
    let spans = trace["spans"].as_array().unwrap();
    let names: Vec<_> = spans.iter().map(|span| span["step"].as_str().unwrap()).collect();
    assert_eq!(names, ["start", "lines", "never", "one", "end"], "{trace}");
    let lines = &spans[1];
    assert_eq!((&lines["nodeType"], &lines["output"]), (&json!("loop"), &json!([null, null])), "{lines}");
    assert_eq!((&spans[3]["state"], &spans[3]["input"]), (&json!("skipped"), &Value::Null));
    let inner: Vec<_> = lines["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| {
            (span["step"].as_str().unwrap(), span["attempt"].as_u64().unwrap(), span["state"].as_str().unwrap())
        })
        .collect();
    let of_line = |line: usize| -> Vec<(String, u64, &str)> {
        vec![
            (format!("lines[{line}]/send"), 1, "failed"),
            (format!("lines[{line}]/send"), 2, "completed"),
            (format!("lines[{line}]/check"), 1, "completed"),
            (format!("lines[{line}]/refuse"), 1, "failed"),
        ]
    };
    for line in 0..2 {
        let prefix = format!("lines[{line}]/");
        let found: Vec<_> = inner.iter().filter(|(step, ..)| step.starts_with(&prefix)).collect();
        let expected = of_line(line);
        let expected: Vec<_> =
            expected.iter().map(|(step, attempt, state)| (step.as_str(), *attempt, *state)).collect();
        assert_eq!(found.into_iter().copied().collect::<Vec<_>>(), expected);
    }
    let sent = &lines["children"][0];
    assert_eq!((&sent["input"], &sent["error"]["code"]), (&json!("a"), &json!("http_status")), "{sent}");

    // A step of the trace alone.
    let only = show(&ada, &format!("{path}/trace?step=lines%5B1%5D/send")).await;
    let only: Vec<_> = only["spans"].as_array().unwrap().iter().map(|span| (&span["step"], &span["attempt"])).collect();
    assert_eq!(only, [(&json!("lines[1]/send"), &json!(1)), (&json!("lines[1]/send"), &json!(2))]);

    let analytics = show(&ada, &format!("{path}/analytics")).await;
    let node =
        |id: &str| analytics["nodes"].as_array().unwrap().iter().find(|node| node["nodeId"] == id).cloned().unwrap();
    let send = node("send");
    assert_eq!((&send["executions"], &send["attempts"], &send["failedAttempts"]), (&json!(2), &json!(4), &json!(2)));
    let critical: Vec<_> = analytics["criticalPath"].as_array().unwrap().iter().map(|step| &step["nodeId"]).collect();
    assert_eq!(critical, ["start", "lines", "never", "end"]);
}

#[tokio::test]
async fn the_calls_of_an_agent_are_its_children() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fake = FakeProvider::start().await;
    fake.respond_with(Behaviour::json(200, json!({"state": "lost"})));
    let created = ada.post("/builder/v1/agents").await;
    let tool = json!({"type": "http", "name": "lookup", "method": "GET", "url": format!("{}/orders", fake.base_url)});
    let config = json!({"model": "dev-chat", "tools": [tool]});
    ada.patch(&format!("/builder/v1/agents/{}", created.id()), json!({"name": "Helper", "config": config})).await;
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "agent", json!({"agentId": created.id(), "message": "{{ input }}"})),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    let path = start_run(&ada, &flow, json!("Please lookup it")).await;
    app.platform.drain().await;
    let run = read(&ada, &path).await;
    let trace = show(&ada, &format!("{path}/trace")).await;
    let ask = &trace["spans"][1];
    assert_eq!((&ask["step"], &ask["output"]), (&json!("ask"), &run["output"]), "{trace}");
    let calls: Vec<_> = ask["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| {
            (call["step"].as_str().unwrap(), call["action"]["kind"].as_str().unwrap(), call["state"].as_str().unwrap())
        })
        .collect();
    let expected = [("load", 0), ("model", 1), ("http", 2), ("model", 3)];
    assert_eq!(calls.len(), expected.len(), "{ask}");
    for ((step, kind, state), (expected, number)) in calls.iter().zip(expected) {
        assert_eq!((*step, *kind, *state), (format!("ask[{number}]").as_str(), expected, "completed"));
    }
    assert_eq!(ask["children"][2]["output"]["body"], json!({"state": "lost"}));
    let asked: u64 =
        [1, 3].map(|call: usize| ask["children"][call]["usage"]["requests"].as_u64().unwrap()).iter().sum();
    assert_eq!(asked, 2);
    let analytics = show(&ada, &format!("{path}/analytics")).await;
    assert_eq!(analytics["usage"], run["usage"]["nodes"], "{analytics}");
}

#[tokio::test]
async fn a_run_in_progress_is_shown_so_far() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    assert_eq!(show(&ada, &format!("{path}/trace")).await["spans"], json!([]));
    app.platform.drain().await;
    let trace = show(&ada, &format!("{path}/trace")).await;
    let check = &trace["spans"][1];
    assert_eq!(
        (&check["state"], &check["endedAt"], &check["input"]),
        (&json!("waiting"), &Value::Null, &json!({"amount": 5}))
    );
    assert_eq!(show(&ada, &format!("{path}/analytics")).await["criticalPath"][0]["nodeId"], "start");
    ada.post(&format!("{path}/stop")).await;
    assert_eq!(show(&ada, &format!("{path}/trace")).await["spans"][1]["state"], "canceled");
    assert_eq!(events(&ada, &path, 10).await.last().unwrap()["type"], "run_cancelled");
}

#[tokio::test]
async fn another_users_run_is_not_found() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    let other = runs_path(&publish(&bob, double()).await);
    for view in ["events", "activity", "trace", "analytics"] {
        assert_eq!(bob.get(&format!("{path}/{view}")).await.code(), "workflow_not_found", "{view}");
        let foreign = format!("{other}/{}/{view}", run_id(&path));
        assert_eq!(bob.get(&foreign).await.code(), "run_not_found", "{view}");
        assert_eq!(app.anonymous().get(&format!("{path}/{view}")).await.code(), "unauthorized", "{view}");
    }
    for query in ["limit=0", "cursor=x", "after=1"] {
        let refused = ada.get(&format!("{path}/events?{query}")).await;
        assert_eq!(refusal(&refused), ("400", "invalid_query"), "{query}: {}", refused.text);
    }
}

#[tokio::test]
async fn the_routes_keep_their_budget() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    app.platform.drain().await;
    let cursor = ada.get(&format!("{path}/events?limit=1")).await.json["meta"]["nextCursor"].clone();
    let cursor = cursor.as_str().unwrap();
    let own = "1 dynamodb:BatchGetItem (5 units), 2 dynamodb:GetItem (2 units)";
    ada.get(&format!("{path}/trace")).await;
    for (view, reads) in [
        ("events".to_owned(), "1 dynamodb:Query (1 units)"),
        (format!("events?cursor={cursor}"), "2 dynamodb:Query (2 units)"),
        ("activity".to_owned(), "1 dynamodb:Query (1 units)"),
        // The log and the usage. The process has compiled the release before.
        ("trace".to_owned(), "2 dynamodb:Query (2 units)"),
        ("analytics".to_owned(), "2 dynamodb:Query (2 units)"),
    ] {
        assert_eq!(
            app.costs(ada.get(&format!("{path}/{view}"))).await.to_string(),
            format!("{own}, {reads}"),
            "{view}"
        );
    }
}
