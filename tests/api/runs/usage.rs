//! The usage of runs: it equals the charges in the ledger whose request ids name the run, to the last digit.

use std::collections::BTreeMap;

use domain::catalog::Pricing;
use domain::money::Money;
use domain::run::node_id_of;
use tests::faults::Faults;
use tests::gateway::ModelBuilder;
use tests::polling::eventually;
use tests::provider::{Behaviour, FakeProvider, Gate};
use tokio::runtime::Builder;

use super::*;

/// The number of charges, their amounts and their uncollected amounts.
type Sums = (u64, Money, Money);

/// A chat answer of a provider, and the tokens that it reports.
pub fn chat_answer(content: &str, input: u64, output: u64) -> Behaviour {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
    Behaviour::json(200, json!({"choices": [choice], "usage": usage}))
}

/// A chat model with its own provider. A token costs a number of pico-dollars without a common factor.
pub async fn add_model(app: &TestApp, name: &str) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let pricing = Pricing { input_micro_usd: 1_000_003, output_micro_usd: 4_000_037, ..Pricing::default() };
    let model = ModelBuilder::new(name).with(|model| model.pricing = pricing);
    model.with_deployment(app, &fake).await.insert(app).await;
    fake
}

fn money(number: &Value) -> Money {
    number.to_string().parse().unwrap_or_else(|_| panic!("{number} is not an amount"))
}

/// The charges of a run, by node.
async fn charges(app: &TestApp, path: &str) -> BTreeMap<String, Sums> {
    let prefix = format!("{}/", run_id(path));
    let mut charges = BTreeMap::<String, Sums>::new();
    for charge in app.charges(app.account("ada").org).await {
        let Some(step) = charge.request_id.strip_prefix(&prefix) else { continue };
        let (requests, charged, uncollected) = charges.entry(node_id_of(step).to_owned()).or_default();
        *requests += 1;
        *charged += charge.charged;
        *uncollected += charge.uncollected;
    }
    charges
}

fn sums(usage: &Value) -> Sums {
    let uncollected = money(&usage["uncollected"]);
    (usage["requests"].as_u64().unwrap(), money(&usage["cost"]).less(uncollected), uncollected)
}

/// The usage of a run by node, as its owner reads it. The total is the sum of the nodes.
async fn usage(person: &Person, path: &str) -> BTreeMap<String, Sums> {
    let usage = read(person, path).await["usage"].clone();
    let nodes = usage["nodes"].as_array().unwrap();
    for field in ["requests", "inputTokens", "outputTokens"] {
        assert_eq!(
            usage[field].as_u64(),
            nodes.iter().map(|node| node[field].as_u64()).sum::<Option<u64>>(),
            "{usage}"
        );
    }
    assert_eq!(money(&usage["cost"]), nodes.iter().map(|node| money(&node["cost"])).sum::<Money>(), "{usage}");
    nodes.iter().map(|node| (node["nodeId"].as_str().unwrap().to_owned(), sums(node))).collect()
}

fn requests(usage: &BTreeMap<String, Sums>) -> Vec<(&str, u64)> {
    usage.iter().map(|(node, (requests, ..))| (node.as_str(), *requests)).collect()
}

fn retrieval() -> Value {
    let source = json!({"type": "text", "name": "Returns", "text": "Goods can be returned within 30 days."});
    json!({"model": "dev-embed", "query": "{{ vars.item }}", "sources": [source]})
}

fn loop_end(node: &str) -> Value {
    json!({"from": {"node": node, "port": "out"}, "to": {"node": "each", "port": "next"}})
}

/// A loop over chat and retrieval, a structured answer that is tried twice, embeddings, and a race of two models.
fn everything() -> Value {
    let schema = json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]});
    let structured = json!({"model": "structured", "prompt": "Topic?", "schema": schema, "retry": {"maxAttempts": 2, "backoffMs": 1}});
    let nodes = [
        node("start", "input", json!({})),
        node("each", "loop", json!({"items": "input", "concurrency": 3})),
        node("ask", "model", json!({"model": "chat", "prompt": "{{ vars.item }}"})),
        node("find", "retrieval", retrieval()),
        node("extract", "model", structured),
        node("vectors", "embeddings", json!({"model": "dev-embed", "input": "nodes.extract.output.topic"})),
        node("slow", "model", json!({"model": "slow", "prompt": "Slow?"})),
        node("fast", "model", json!({"model": "fast", "prompt": "Fast?"})),
        node("join", "merge", json!({"mode": "first", "cancelLosers": true})),
        node("end", "send_result", json!({})),
    ];
    let connections = [
        "start.out each",
        "each.item ask",
        "ask.out find",
        "each.done extract",
        "extract.out vectors",
        "vectors.out slow",
        "vectors.out fast",
        "slow.out join",
        "fast.out join",
        "join.out end",
    ];
    let mut graph = graph(&nodes, &connections);
    graph["connections"].as_array_mut().unwrap().push(loop_end("find"));
    graph
}

#[tokio::test]
async fn the_usage_of_a_run_is_the_sum_of_its_charges() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let chat = add_model(&app, "chat").await;
    chat.then_respond(chat_answer("one", 11, 7)).then_respond(chat_answer("two", 13, 5));
    // The provider counts more tokens than the call reserved.
    chat.then_respond(chat_answer("three", 9_001, 1));
    let structured = add_model(&app, "structured").await;
    structured.then_respond(chat_answer("no JSON", 17, 3)).then_respond(chat_answer(r#"{"topic": "returns"}"#, 19, 2));
    let (slow_gate, fast_gate) = (Gate::closed(), Gate::closed());
    let slow = add_model(&app, "slow").await;
    slow.then_respond(chat_answer("slow", 23, 1).gated_by(&slow_gate));
    let fast = add_model(&app, "fast").await;
    fast.then_respond(chat_answer("fast", 29, 1).gated_by(&fast_gate));

    let flow = publish(&ada, everything()).await;
    let path = start_run(&ada, &flow, json!(["Can I return it?", "How long?", "In its box?"])).await;
    assert_eq!(usage(&ada, &path).await, BTreeMap::new());
    let race = async {
        // The loser has begun when the winner ends.
        eventually("the request of the loser", async || (!slow.take_requests().is_empty()).then_some(())).await;
        fast_gate.open();
    };
    tokio::join!(app.platform.drain(), race);
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!("fast")), "{run}");
    let ended = usage(&ada, &path).await;
    assert_eq!(requests(&ended), [("ask", 3), ("extract", 2), ("fast", 1), ("find", 4), ("vectors", 1)]);
    assert_eq!(ended, charges(&app, &path).await);

    // The canceled call ends after the run, and after a sweep has closed its lease.
    let later = Time::now().plus(minutes(60));
    app.platform.tick(later).await.unwrap();
    slow_gate.open();
    let late = eventually("the charge of the loser", async || {
        let charges = charges(&app, &path).await;
        charges.contains_key("slow").then_some(charges)
    })
    .await;
    assert_eq!(usage(&ada, &path).await, late);
    let run = read(&ada, &path).await;
    let ask = &run["usage"]["nodes"][0];
    assert_eq!((&ask["inputTokens"], &ask["outputTokens"]), (&json!(11 + 13 + 9_001), &json!(7 + 5 + 1)), "{run}");
}

/// Writes conflict, are throttled and lose their answers, and workers give up.
#[tokio::test(flavor = "multi_thread")]
async fn the_usage_is_exact_when_the_storage_fails() {
    for seed in 0..3 {
        let faults = Faults { throttled: 20, lost: 100, held: Duration::from_millis(1), seed, ..Faults::default() };
        let app = TestApp::start_with_faults(Some(faults)).await;
        let ada = app.person("ada");
        let chat = add_model(&app, "chat").await;
        chat.respond_with(chat_answer("yes", 1_009, 3));
        let nodes = [
            node("start", "input", json!({})),
            node("each", "loop", json!({"items": "input", "concurrency": 3, "onItemError": "null"})),
            node(
                "ask",
                "model",
                json!({"model": "chat", "prompt": "{{ vars.item }}", "retry": {"maxAttempts": 3, "backoffMs": 1}}),
            ),
            node("find", "retrieval", retrieval()),
            node("end", "send_result", json!({})),
        ];
        let mut graph = graph(&nodes, &["start.out each", "each.item ask", "ask.out find", "each.done end"]);
        graph["connections"].as_array_mut().unwrap().push(loop_end("find"));
        let flow = publish(&ada, graph).await;
        let path = start_run(&ada, &flow, json!(["a", "b", "c", "d", "e", "f"])).await;
        let now = Time::now();
        let mut at = now;
        loop {
            // A worker that failed has left its claim, which expires.
            let hint = RunHint { run_id: run_id(&path) };
            let _ = worker(&context_at(&app, at)).handle(hint, at.plus(minutes(15))).await;
            if read(&ada, &path).await["finishedAt"].is_string() {
                break;
            }
            at = at.plus(minutes(16));
        }
        // A call whose worker has given up may still be in flight.
        eventually("a usage that equals the charges", async || {
            let charged = charges(&app, &path).await;
            (!charged.is_empty() && usage(&ada, &path).await == charged).then_some(())
        })
        .await;
    }
}

/// A process crashes after the charge was stored, and before the result of the step. The next process repeats the attempt
/// with the same idempotency key.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_attempt_is_counted_once() {
    let (app, gate) = TestApp::start_gated().await;
    let ada = app.person("ada");
    let chat = add_model(&app, "chat").await;
    let answer = Gate::closed();
    chat.respond_with(chat_answer("yes", 31, 1).gated_by(&answer));
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "chat", "prompt": "Yes?"})),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    let path = start_run(&ada, &flow, Value::Null).await;
    let now = Time::now();
    let process = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let first = worker(&Context { clock: Clock::new(move || now), ..app.platform.new_environment_context() });
    let hint = RunHint { run_id: run_id(&path) };
    process.spawn(async move { first.handle(hint, now.plus(minutes(15))).await });
    eventually("the request of the model", async || (!chat.take_requests().is_empty()).then_some(())).await;
    // The charge and the close of its lease pass. The commit of the result never arrives.
    let charge = gate.hold("TransactWriteItems");
    answer.open();
    let charge = charge.arrived().await;
    let close = gate.hold("TransactWriteItems");
    charge.send(()).unwrap();
    let close = close.arrived().await;
    let commit = gate.hold("TransactWriteItems");
    close.send(()).unwrap();
    let commit = commit.arrived().await;
    process.shutdown_background();
    // A sender that is dropped would release the commit.
    std::mem::forget(commit);

    let later = now.plus(minutes(16));
    let charged = charges(&app, &path).await;
    assert_eq!(requests(&charged), [("ask", 1)]);
    assert_eq!(read(&ada, &path).await["state"], "running");
    work_at(&app, &path, later).await;
    let run = read(&ada, &path).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!("yes")), "{run}");
    assert_eq!(chat.take_requests().len(), 0, "the stored answer was replayed");
    assert_eq!(usage(&ada, &path).await, charged);
    assert_eq!(charges(&app, &path).await, charged);
}

#[tokio::test]
async fn during_maintenance_runs_call_no_model() {
    let app = TestApp::start().await;
    let fake = add_model(&app, "own").await;
    fake.respond_with(chat_answer("Hello", 10, 2));
    let (ada, operator) = (app.person("ada"), app.operator());
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "own", "prompt": "{{ input.text }}"})),
        node("end", "send_result", json!({"output": "nodes.ask.output"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    let on = json!({"on": true, "message": "back soon", "retry_after_s": 90});
    assert_eq!(operator.put("/gateway/v1/admin/maintenance", on).await.status, "200 OK");
    let path = start_run(&ada, &flow, json!({"text": "hi"})).await;
    work_at(&app, &path, Time::now()).await;
    let failed = read(&ada, &path).await;
    assert_eq!((&failed["state"], &failed["error"]["code"]), (&json!("failed"), &json!("maintenance")), "{failed}");
    assert!(fake.take_requests().is_empty());

    operator.put("/gateway/v1/admin/maintenance", json!({"on": false})).await;
    let path = start_run(&ada, &flow, json!({"text": "hi"})).await;
    work_at(&app, &path, Time::now()).await;
    let run = read(&ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
}
