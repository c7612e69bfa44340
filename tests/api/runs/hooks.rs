//! Calls of webhooks, `POST /hooks/v1/{webhookId}`: the runs that they start, their answers, and their events.

use std::pin::pin;

use futures::future::{Either, select};
use reqwest::Method;
use tests::budgets::WEBHOOK;
use tests::client::send;
use tests::clock::pass_time;
use tests::provider::{Behaviour, FakeProvider, Gate};
use tokio::time::Instant;

use super::*;

/// A published workflow and its webhook.
pub struct Hook {
    pub workflow: String,
    pub webhook: String,
    pub url: String,
    /// A client with the token of the webhook.
    pub caller: Person,
}

impl Hook {
    pub async fn call(&self, body: Value) -> Answer {
        self.caller.post_json(&self.url, body).await
    }

    pub async fn call_with_key(&self, key: &str, body: Value) -> Answer {
        send(self.caller.request(Method::POST, &self.url).header("idempotency-key", key).json(&body)).await
    }

    pub fn webhook_path(&self) -> String {
        format!("{WORKFLOWS}/{}/webhooks/{}", self.workflow, self.webhook)
    }

    /// The outcome, the status and the error code of each call, newest first.
    pub async fn events(&self, owner: &Person) -> Vec<String> {
        let events = owner.get(&format!("{}/events", self.webhook_path())).await;
        let event = |event: &Value| {
            let code = event["errorCode"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
            assert_eq!(event["runId"].is_null(), event["outcome"] == "refused", "{event}");
            format!("{} {}{code}", event["outcome"].as_str().unwrap(), event["status"])
        };
        events.json["data"].as_array().unwrap().iter().map(event).collect()
    }
}

/// A graph that a webhook starts: the webhook, the nodes, and the result.
pub fn triggered(nodes: &[Value], connections: &[&str], output: &str) -> Value {
    let ends = [node("hook", "webhook", json!({})), node("end", "send_result", json!({"output": output}))];
    graph(&[&ends[..], nodes].concat(), connections)
}

/// A workflow without effects: it doubles a number, and fails if there is none.
pub fn doubled() -> Value {
    triggered(&[], &["hook.out end"], "{'doubled': input.n * 2}")
}

fn greeting() -> Value {
    let ask = node("ask", "model", json!({"model": "dev-chat", "prompt": "Greet {{ input.name }}"}));
    triggered(&[ask], &["hook.out ask", "ask.out end"], "nodes.ask.output")
}

pub async fn publish_hook(app: &TestApp, owner: &Person, graph: Value, mode: &str) -> Hook {
    publish_webhook(app, owner, graph, json!({"name": "Shop", "mode": mode, "timeoutMs": 20_000})).await
}

/// Publishes a workflow that a webhook with these settings starts.
pub async fn publish_webhook(app: &TestApp, owner: &Person, graph: Value, settings: Value) -> Hook {
    let created = owner.post_json(WORKFLOWS, json!({"name": "Flow", "graph": graph})).await;
    let flow = format!("{WORKFLOWS}/{}", created.id());
    let webhook = owner.post_json(&format!("{flow}/webhooks"), settings).await;
    let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": webhook.id()}}]});
    assert_eq!(owner.put(&format!("{flow}/connections"), channel).await.status, "200 OK");
    let published = owner.post(&format!("{flow}/publish")).await;
    assert_eq!(published.status, "201 Created", "{}", published.text);
    let url = webhook.json["data"]["url"].as_str().unwrap().split_once("/hooks/").unwrap().1;
    Hook {
        workflow: created.id().to_owned(),
        webhook: webhook.id().to_owned(),
        url: format!("/hooks/{url}"),
        caller: app.client_with_key(webhook.json["data"]["token"].as_str().unwrap()),
    }
}

/// Waits for an answer while the workers carry out runs.
pub async fn with_workers(app: &TestApp, answer: impl Future<Output = Answer>) -> Answer {
    let mut answer = pin!(answer);
    loop {
        match select(answer, pin!(app.platform.drain())).await {
            Either::Left((answer, _)) => return answer,
            Either::Right((_, waiting)) => answer = waiting,
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_run_without_effects_is_answered_at_once_and_stored_in_one_write() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let first = hook.call(json!({"n": 21})).await;
    assert_eq!((first.status.as_str(), &first.json["output"]), ("200 OK", &json!({"doubled": 42})), "{}", first.text);
    let run = read(&ada, &format!("{}/{}", runs_path(&hook.workflow), first.json["runId"].as_str().unwrap())).await;
    assert_eq!(
        (&run["state"], &run["origin"], &run["input"]),
        (&json!("completed"), &json!("webhook"), &json!({"n": 21}))
    );
    assert_eq!((&run["output"], &run["waiting"]), (&json!({"doubled": 42}), &Value::Null));
    assert!(run["durationMs"].as_u64().is_some(), "{run}");
    assert_eq!(app.platform.drain().await, 0, "no worker is needed");

    let request = hook.caller.request(Method::POST, &hook.url).json(&json!({"n": 1}));
    // The webhook, its workflow and the records of its owner are read together.
    assert_eq!(app.costs(send(request)).await.to_string(), WEBHOOK);
    assert_eq!(hook.events(&ada).await, ["accepted 200", "accepted 200"]);
}

#[tokio::test]
async fn five_pure_steps_cost_one_write() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("check", "condition", json!({"expression": "input.n > 0"})),
        node("double", "transform", json!({"value": "{'n': input.n * 2}"})),
        node("text", "template", json!({"template": "n is {{ input.n }}"})),
        node("no", "fail", json!({"message": "n is not positive"})),
    ];
    let ports = ["hook.out check", "check.true double", "check.false no", "double.out text", "text.out end"];
    let hook = publish_hook(&app, &ada, triggered(&nodes, &ports, "input"), "sync").await;
    hook.call(json!({"n": 1})).await;
    app.recorder.take();
    let answer = hook.call(json!({"n": 21})).await;
    assert_eq!(answer.json["output"], "n is 42");
    let costs = app.recorder.take_costs().to_string();
    assert!(costs.ends_with("1 dynamodb:TransactWriteItems (14 units)"), "{costs}");
}

#[tokio::test]
async fn workers_carry_out_a_run_with_effects_while_its_caller_waits() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, greeting(), "sync").await;
    let answer = with_workers(&app, hook.call(json!({"name": "Ada"}))).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert!(answer.json["output"].as_str().unwrap().ends_with("Greet Ada"), "{}", answer.text);
    assert_eq!(hook.events(&ada).await, ["accepted 200"]);
}

/// While two effects take 7 seconds each, the call reads the run only every 5 seconds, in case that it ends in another
/// process.
#[tokio::test]
async fn a_call_that_waits_is_woken_by_the_end_and_hardly_reads_before() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (server, gate) = (FakeProvider::start().await, Gate::closed());
    server.respond_with(Behaviour::json(200, json!("ok")).gated_by(&gate));
    let order = |id: &str| node(id, "http", json!({"url": server.base_url, "timeoutMs": 60_000}));
    // The function of webhooks asks no model, so a worker carries out the run.
    let ask = node("ask", "model", json!({"model": "dev-chat", "prompt": "Hello"}));
    let ports = ["hook.out ask", "ask.out first", "first.out second", "second.out end"];
    let draft = triggered(&[ask, order("first"), order("second")], &ports, "nodes.second.output.body");
    let hook = publish_hook(&app, &ada, draft, "sync").await;
    let effects = async {
        for step in ["first", "second"] {
            while server.take_requests().is_empty() {
                tokio::task::yield_now().await;
            }
            app.recorder.take();
            let began = Instant::now();
            for _ in 0..14 {
                pass_time(Duration::from_millis(500)).await;
                // Everything that the time has woken can work meanwhile.
                app.anonymous().get("/docs/docs.css").await;
            }
            let reads = app.recorder.take().into_iter().filter(|call| call.operation == "GetItem").count();
            // One read every 5 s, and the one that begins the wait. A busy machine adds real time to the 7 s.
            let waited = began.elapsed();
            let expected = usize::try_from(waited.as_secs() / 5 + 1).unwrap();
            assert!(reads <= expected, "{reads} reads in {waited:?} of the {step} effect");
            gate.admit(1);
        }
    };
    let (answer, ()) = tokio::join!(with_workers(&app, hook.call(json!({}))), effects);
    assert_eq!((answer.status.as_str(), &answer.json["output"]), ("200 OK", &json!("ok")), "{}", answer.text);
}

/// With `response: output`, the output is the status, the headers and the body.
#[tokio::test]
async fn the_output_of_a_run_may_be_the_response() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut draft = triggered(&[], &["hook.out end"], "input");
    draft["nodes"][0]["config"] = json!({"response": "output"});
    let hook = publish_hook(&app, &ada, draft, "sync").await;
    let response =
        json!({"status": 201, "headers": {"X-Order": 7, "content-type": "text/html"}, "body": "<b>Thanks</b>"});
    let answer = hook.call_with_key("one", response.clone()).await;
    assert_eq!((answer.status.as_str(), answer.text.as_str()), ("201 Created", "<b>Thanks</b>"));
    let headers = ["x-order", "content-type", "content-security-policy"].map(|name| answer.header(name));
    assert_eq!(headers, [Some("7"), Some("text/html"), Some("sandbox")]);
    assert_eq!(hook.call_with_key("one", response).await.status, "201 Created");
    let answer = hook.call(json!({"body": {"base64": "QWRh", "contentType": "text/csv"}})).await;
    assert_eq!((answer.text.as_str(), answer.header("content-type")), ("Ada", Some("text/csv")));
    let answer = hook.call(json!({"answer": 42})).await;
    assert_eq!(refusal(&answer), ("422", "invalid_response"));
    let events = ["accepted 422", "accepted 200", "repeated 201", "accepted 201"];
    assert_eq!(hook.events(&ada).await, events);
}

#[tokio::test]
async fn a_caller_gets_a_large_output_whole() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let copy = node("copy", "delay", json!({"until": "timestamp('2020-01-01T00:00:00Z')"}));
    let graph = triggered(&[copy], &["hook.out copy", "copy.out end"], "input");
    let hook = publish_hook(&app, &ada, graph, "sync").await;
    let body = json!({"text": "x".repeat(600_000)});
    let answer = with_workers(&app, hook.call(body.clone())).await;
    assert_eq!((answer.status.as_str(), &answer.json["output"]), ("200 OK", &body));
}

#[tokio::test]
async fn an_asynchronous_call_is_answered_before_the_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "async").await;
    let answer = hook.call(json!({"n": 21})).await;
    let run_id = answer.json["runId"].as_str().unwrap();
    assert_eq!((answer.status.as_str(), &answer.json), ("202 Accepted", &json!({"runId": run_id})));
    let path = format!("{}/{run_id}", runs_path(&hook.workflow));
    assert!(answer.header("location").unwrap().ends_with(&path), "{:?}", answer.headers);
    assert_eq!(read(&ada, &path).await["state"], "queued");
    app.platform.drain().await;
    assert_eq!(read(&ada, &path).await["output"], json!({"doubled": 42}));
    assert_eq!(hook.events(&ada).await, ["accepted 202"]);
}

#[tokio::test]
async fn a_call_without_a_body_starts_a_run_with_null() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, triggered(&[], &["hook.out end"], "{'input': input}"), "sync").await;
    let answer = hook.caller.post(&hook.url).await;
    assert_eq!(
        (answer.status.as_str(), &answer.json["output"]),
        ("200 OK", &json!({"input": null})),
        "{}",
        answer.text
    );
    assert_eq!(hook.call(json!([1, "two"])).await.json["output"], json!({"input": [1, "two"]}));
}

#[tokio::test]
async fn a_run_that_outlasts_the_timeout_is_accepted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let check = node("check", "review", json!({"title": "Send it?"}));
    let graph = triggered(&[check], &["hook.out check", "check.approved end"], "nodes.check.output.decision");
    let hook = publish_hook(&app, &ada, graph, "sync").await;
    let short = ada.post_json(&format!("{WORKFLOWS}/{}/webhooks", hook.workflow), json!({"timeoutMs": 1_000})).await;
    let channel = json!({"inputs": [{"nodeId": "hook", "config": {"webhookId": short.id()}}]});
    ada.put(&format!("{WORKFLOWS}/{}/connections", hook.workflow), channel).await;
    ada.post(&format!("{WORKFLOWS}/{}/publish", hook.workflow)).await;
    let caller = app.client_with_key(short.json["data"]["token"].as_str().unwrap());
    let answer = with_workers(&app, caller.post(&format!("/hooks/v1/{}", short.id()))).await;
    assert_eq!(answer.status, "202 Accepted", "{}", answer.text);
    let path = format!("{}/{}", runs_path(&hook.workflow), answer.json["runId"].as_str().unwrap());
    assert_eq!(read(&ada, &path).await["state"], "paused");
    // The first webhook is no longer in a channel of the active release.
    assert_eq!(refusal(&hook.call(json!({})).await), ("422", "channel_incomplete"));
}

#[tokio::test]
async fn a_failed_run_is_answered_with_its_error() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let answer = hook.call(json!({"n": "two"})).await;
    assert_eq!(refusal(&answer), ("422", "run_failed"));
    let details = &answer.json["error"]["details"];
    let run = read(&ada, &format!("{}/{}", runs_path(&hook.workflow), details["runId"].as_str().unwrap())).await;
    assert_eq!(
        (&run["state"], &run["error"]["code"], &run["error"]["nodeId"]),
        (&json!("failed"), &details["code"], &json!("end"))
    );
    assert!(message(&answer).starts_with("the run failed at the node `end`: "), "{}", answer.text);
    assert_eq!(hook.events(&ada).await, ["accepted 422"]);
}

#[tokio::test]
async fn a_run_that_is_cancelled_answers_its_caller() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, greeting(), "sync").await;
    let stop = async {
        let events = format!("{}/events", hook.webhook_path());
        let run = tests::polling::eventually("the call has a run", async || {
            ada.get(&events).await.json["data"][0]["runId"].as_str().map(str::to_owned)
        });
        let cancelled = ada.post(&format!("{}/{}/cancel", runs_path(&hook.workflow), run.await)).await;
        assert_eq!(cancelled.status, "200 OK", "{}", cancelled.text);
    };
    let (answer, ()) = futures::join!(hook.call(json!({"name": "Ada"})), stop);
    assert_eq!(refusal(&answer), ("422", "run_cancelled"));
    assert_eq!(hook.events(&ada).await, ["accepted 422"]);
    app.platform.drain().await;
}

#[tokio::test]
async fn one_key_starts_one_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    for (graph, mode) in [(doubled(), "sync"), (greeting(), "sync"), (doubled(), "async")] {
        let hook = publish_hook(&app, &ada, graph, mode).await;
        let body = || json!({"n": 1, "name": "Ada"});
        let calls = (0..4).map(|_| hook.call_with_key("order 1", body()));
        let answers = async { futures::future::join_all(calls).await };
        let answers = {
            let mut all = Vec::new();
            let last = with_workers(&app, async {
                all = answers.await;
                hook.call_with_key("order 1", body()).await
            });
            let last = last.await;
            all.push(last);
            all
        };
        for answer in &answers {
            assert_eq!((&answer.status, &answer.text), (&answers[0].status, &answers[0].text));
        }
        assert_eq!(refusal(&hook.call_with_key("order 1", json!({"n": 2})).await), ("409", "idempotency_conflict"));
        let mut events = hook.events(&ada).await;
        events.sort();
        let status = &answers[0].status[..3];
        let repeated = format!("repeated {status}");
        let expected = [&format!("accepted {status}")[..], "refused 409 idempotency_conflict"];
        assert_eq!(events, [&expected[..], &[&repeated[..]; 4]].concat());
        // The key still finds the first run when no other can start.
        ada.post(&format!("{WORKFLOWS}/{}/pause", hook.workflow)).await;
        assert_eq!(hook.call_with_key("order 1", body()).await.text, answers[0].text);
        assert_eq!(refusal(&hook.call_with_key("order 2", body()).await), ("409", "workflow_paused"));
    }
}

#[tokio::test]
async fn refused_calls_start_no_run_and_are_kept() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let other = publish_hook(&app, &ada, doubled(), "sync").await;
    let raw = |r#type: &'static str, body: String| {
        let request = hook.caller.request(Method::POST, &hook.url).header("content-type", r#type);
        send(request.body(body))
    };
    let deep = format!("{}1{}", "[".repeat(101), "]".repeat(101));
    let answers = [
        app.anonymous().post_json(&hook.url, json!({"secret": "x"})).await,
        ada.post_json(&hook.url, json!({"secret": "x"})).await,
        other.caller.post_json(&hook.url, json!({"secret": "x"})).await,
        raw("text/plain", "n=1".to_owned()).await,
        raw("application/json", "{\"n\": 1".to_owned()).await,
        raw("application/json", deep).await,
        raw("application/json", json!("x".repeat(1024 * 1024)).to_string()).await,
        raw("application/json", "x".repeat(4 * 1024 * 1024 + 1)).await,
        hook.call_with_key(&"k".repeat(201), json!({})).await,
    ];
    let refused: Vec<_> = answers.iter().map(refusal).collect();
    let unauthorized = ("401", "unauthorized");
    let invalid = ("400", "invalid_body");
    let others = [("415", "unsupported_media_type"), invalid, invalid, invalid, ("413", "payload_too_large")];
    assert_eq!(refused, [&[unauthorized; 3][..], &others, &[("400", "invalid_query")]].concat());
    assert!(message(&answers[5]).contains("nest at most 100 levels"), "{}", answers[5].text);

    let mut events = hook.events(&ada).await;
    events.reverse();
    let expected: Vec<_> = refused.iter().map(|(status, code)| format!("refused {status} {code}")).collect();
    assert_eq!(events, expected);
    // The body of a caller without the token is not stored.
    let listed = ada.get(&format!("{}/events?limit=100", hook.webhook_path())).await;
    let oldest = listed.json["data"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap();
    let event = ada.get(&format!("{}/events/{oldest}", hook.webhook_path())).await;
    assert_eq!(
        (&event.json["data"]["body"], &event.json["data"]["bodyBytes"]),
        (&json!(""), &json!(14)),
        "{}",
        event.text
    );
    assert!(!event.json["data"]["headers"].as_object().unwrap().contains_key("authorization"));
    assert_eq!(app.platform.drain().await, 0);
}

/// Strangers cannot fill the storage, and do not displace the calls of the real sender. All processes share the limit.
#[tokio::test]
async fn refused_calls_are_stored_up_to_a_limit_and_counted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let (stranger, other_process) = (app.anonymous(), app.another_environment());
    let calls = async {
        for _ in 0..80 {
            assert_eq!(refusal(&stranger.post_json(&hook.url, json!({"n": 1})).await), ("401", "unauthorized"));
        }
    };
    let others = async {
        for _ in 0..80 {
            let answer = other_process.ask("whk_wrong", Method::POST, &hook.url, Some(&json!({"n": 1}))).await;
            assert_eq!(answer, (401, "unauthorized".to_owned()));
        }
    };
    futures::join!(calls, others);
    let stored = async || {
        let events = ada.get(&format!("{}/events?limit=100&outcome=refused", hook.webhook_path())).await;
        events.column("id").len()
    };
    let unstored = async || ada.get(&hook.webhook_path()).await.json["data"]["unstoredCalls"].clone();
    assert_eq!((stored().await, unstored().await), (50, json!(110)));
    // The calls of the real sender are stored.
    assert_eq!(refusal(&hook.call(json!({"n": "two"})).await), ("422", "run_failed"));
    assert_eq!(refusal(&hook.call_with_key("", json!({})).await), ("400", "invalid_query"));
    assert_eq!((stored().await, unstored().await), (51, json!(110)));
    // A call that is not stored writes only the count.
    app.recorder.take();
    stranger.post_json(&hook.url, json!({"n": 1})).await;
    assert_eq!(
        app.recorder.take_costs().to_string(),
        "1 dynamodb:BatchGetItem (6 units), 1 dynamodb:UpdateItem (1 units)"
    );
}

#[tokio::test]
async fn the_stored_headers_of_a_refused_call_are_small() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let mut request = app.anonymous().request(Method::POST, &hook.url).header("content-type", "t".repeat(5_000));
    for index in 0..6 {
        request = request.header(format!("{}{index}", "n".repeat(10_000)), "1");
    }
    assert_eq!(refusal(&send(request.json(&json!({}))).await), ("401", "unauthorized"));
    let events = ada.get(&format!("{}/events", hook.webhook_path())).await;
    let event = ada.get(&format!("{}/events/{}", hook.webhook_path(), events.column("id")[0])).await;
    assert!(event.text.len() < 9 * 1024, "{} bytes are stored", event.text.len());
}

#[tokio::test]
async fn unknown_webhooks_and_workflows_that_cannot_start_refuse_calls() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let flow = format!("{WORKFLOWS}/{}", hook.workflow);
    let unknown = ("404", "webhook_not_found");
    let status = async || {
        let answer = hook.call(json!({"n": 1})).await;
        (answer.status[..3].to_owned(), answer.json["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    for path in ["/hooks/v1/none", &format!("/hooks/v1/{NOWHERE}")] {
        assert_eq!(refusal(&hook.caller.post_json(path, json!({})).await), unknown);
    }
    for (action, expected) in [
        ("pause", ("409", "workflow_paused")),
        ("resume", ("200", "")),
        ("archive", unknown),
        ("restore", ("409", "workflow_paused")),
        ("resume", ("200", "")),
    ] {
        assert_eq!(ada.post(&format!("{flow}/{action}")).await.status, "200 OK");
        let (code, name) = status().await;
        assert_eq!((code.as_str(), name.as_str()), expected, "{action}");
    }
    let renewed = ada.post(&format!("{}/regenerate-token", hook.webhook_path())).await;
    assert_eq!(refusal(&hook.call(json!({})).await), ("401", "unauthorized"));
    let hook = Hook { caller: app.client_with_key(renewed.json["data"]["token"].as_str().unwrap()), ..hook };
    assert_eq!(hook.call(json!({"n": 1})).await.status, "200 OK");

    let draft = ada.post_json(WORKFLOWS, json!({"name": "Draft", "graph": doubled()})).await;
    let webhook = ada.post(&format!("{WORKFLOWS}/{}/webhooks", draft.id())).await;
    let caller = app.client_with_key(webhook.json["data"]["token"].as_str().unwrap());
    let path = format!("/hooks/v1/{}", webhook.id());
    assert_eq!(refusal(&caller.post(&path).await), ("409", "unpublished_changes"));
    ada.delete(&format!("{WORKFLOWS}/{}/webhooks/{}", draft.id(), webhook.id())).await;
    assert_eq!(refusal(&caller.post(&path).await), unknown);
    ada.delete(&flow).await;
    assert_eq!(refusal(&hook.call(json!({"n": 1})).await), unknown);
    app.platform.drain().await;
}

#[tokio::test]
async fn the_webhooks_of_a_suspended_organization_start_no_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, doubled(), "sync").await;
    let org = app.account("ada").org;
    let suspended = app.operator().patch(&format!("/gateway/v1/admin/orgs/{org}"), json!({"suspended": true})).await;
    assert_eq!(suspended.status, "200 OK", "{}", suspended.text);
    assert_eq!(refusal(&hook.call(json!({"n": 1})).await), ("401", "unauthorized"));
}
