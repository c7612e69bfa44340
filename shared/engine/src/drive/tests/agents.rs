//! Agents: each call of a model or a tool is recorded once, and the execution goes on after a crash.

use domain::id::{AgentId, WorkflowId};

use super::*;
use crate::agent::{AgentSnapshot, AgentTool, ToolTarget};
use domain::agent::HttpMethod;

const AGENT: &str = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
const GRAPH: &str = "start>ask ask>end";

fn nodes(config: Value) -> [(&'static str, &'static str, Value); 3] {
    let mut config = config;
    config["agentId"] = AGENT.into();
    config["message"] = "Number {{ input.n }}?".into();
    [("start", "input", json!({})), ("ask", "agent", config), ("end", "send_result", json!({}))]
}

fn agent(tools: &[(&str, ToolTarget)]) -> Value {
    let tools = tools.iter().map(|(name, target)| AgentTool {
        name: (*name).to_owned(),
        description: String::new(),
        parameters: Map::new(),
        target: target.clone(),
    });
    let agent = AgentSnapshot::new(AGENT.parse::<AgentId>().unwrap(), "helper", "dev-chat");
    let agent = AgentSnapshot { tools: tools.collect(), ..agent };
    serde_json::to_value(agent).unwrap()
}

fn lookup() -> (&'static str, ToolTarget) {
    let (url, headers) = ("https://shop.example/".to_owned(), [].into());
    ("lookup", ToolTarget::Http { method: HttpMethod::Get, url, headers, credential: None })
}

fn text(text: &str) -> Value {
    json!({"message": {"content": text}, "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
}

fn calls(names: &[&str]) -> Value {
    let call = |name: &&str| json!({"id": name, "function": {"name": name, "arguments": "{}"}});
    json!({"message": {"content": null, "tool_calls": names.iter().map(call).collect::<Vec<_>>()}})
}

/// An agent that calls its tool twice at once, and then answers with the number of messages that it saw.
fn two_lookups(config: Value) -> World {
    World::new(&nodes(config), GRAPH, |effect| match (effect.operation.name(), &*effect.step) {
        ("load_agent", _) => ok(agent(&[lookup()])),
        ("ask_model", "ask[1]") => ok(calls(&["lookup", "lookup"])),
        ("ask_model", _) => {
            let messages = effect.operation.to_fields();
            let messages = messages["messages"].as_array().unwrap();
            ok(text(&format!("{} {}", messages[0]["content"].as_str().unwrap(), messages.len())))
        }
        ("http", step) => ok(json!({"status": 200, "body": step})),
        (name, _) => panic!("{name}"),
    })
}

#[tokio::test(start_paused = true)]
async fn every_call_is_a_step_with_an_intent_and_a_result() {
    let world = two_lookups(json!({}));
    world.finish_at_once().await;
    assert_eq!(world.output(), json!("Number 1? 4"));
    assert_eq!(
        world.writes(),
        [
            "start > out; ask[0] #1",
            "ask[0] > out; ask[1] #1",
            "ask[1] > out; ask[2] #1; ask[3] #1",
            "ask[2] > out; ask[3] > out; ask[4] #1",
            "ask[4] > out; ask > out; end > out; completed",
        ]
    );
    let store = world.store.lock().unwrap();
    let actions = store.log.iter().filter_map(|event| match &event.kind {
        RunEventKind::StepStarted { action, .. } => Some(serde_json::to_value(action).unwrap()),
        _ => None,
    });
    let kinds: Vec<String> = actions.map(|action| format!("{} {}", action["kind"], action["name"])).collect();
    let (load, model, http) = (format!("\"load\" \"{AGENT}\""), r#""model" "dev-chat""#, r#""http" "lookup""#);
    assert_eq!(kinds, [&*load, model, http, http, model]);
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_write_repeats_no_recorded_call() {
    for crash in [Crash::BeforeWrite, Crash::AfterWrite] {
        for number in 1..=5 {
            let world = two_lookups(json!({}));
            world.crash(move |write| (write == number).then_some(crash));
            while world.process().await == Exit::Crashed {}
            assert_eq!(world.output(), json!("Number 1? 4"), "{crash:?} at write {number}");
            let steps: Vec<String> = world.calls().into_iter().map(|call| call.effect.step).collect();
            let mut distinct = steps.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct, ["ask[0]", "ask[1]", "ask[2]", "ask[3]", "ask[4]"]);
            // A crash repeats at most the calls that were in progress.
            assert!(steps.len() <= 7, "{steps:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_retries_of_the_node_are_those_of_each_call() {
    let world = World::new(&nodes(json!({"retry": {"maxAttempts": 2, "backoffMs": 60_000}})), GRAPH, |effect| {
        match (effect.operation.name(), effect.attempt) {
            ("load_agent", _) => ok(agent(&[])),
            (_, 1) => unavailable(Duration::ZERO),
            _ => ok(text("Here.")),
        }
    });
    assert_eq!(world.park().await, seconds(60));
    world.finish_at_once().await;
    assert_eq!(world.output(), json!("Here."));
}

#[tokio::test(start_paused = true)]
async fn a_failed_model_fails_the_node() {
    let world = World::new(&nodes(json!({})), GRAPH, |effect| match effect.operation.name() {
        "load_agent" => ok(agent(&[])),
        _ => denied(),
    });
    world.finish_at_once().await;
    assert_eq!(world.failure(), "ask: denied");
    assert!(world.writes().last().unwrap().starts_with("ask[1] failed: denied; ask failed: denied"));
}

#[tokio::test(start_paused = true)]
async fn a_person_gives_the_result_of_a_function() {
    let world = World::new(&nodes(json!({})), GRAPH, |effect| match (effect.operation.name(), &*effect.step) {
        ("load_agent", _) => ok(agent(&[("open_door", ToolTarget::Function)])),
        (_, "ask[1]") => ok(calls(&["open_door"])),
        _ => ok(text(effect.operation.to_fields()["messages"][2]["content"].as_str().unwrap())),
    });
    world.park().await;
    let fields = Map::from_iter([("result".to_owned(), json!({"open": true}))]);
    world.answer(Duration::ZERO, "ask[2]", ReviewAnswer { fields, ..approval() }).await;
    world.finish_at_once().await;
    assert_eq!(world.output(), json!(r#"{"open":true}"#));
}

#[tokio::test(start_paused = true)]
async fn a_tool_starts_a_workflow_and_waits_for_its_end() {
    let world = World::new(&nodes(json!({})), GRAPH, |effect| match (effect.operation.name(), &*effect.step) {
        ("load_agent", _) => {
            ok(agent(&[("flow", ToolTarget::Workflow { workflow_id: WorkflowId::new(), is_wrapped: false })]))
        }
        ("workflow", _) => Reply::Call,
        (_, "ask[1]") => ok(calls(&["flow"])),
        _ => ok(text(effect.operation.to_fields()["messages"][2]["content"].as_str().unwrap())),
    });
    assert_eq!(world.process().await, Exit::Left(Departure::Parked { wake_at: None }));
    world.store.lock().unwrap().end_call("ask[2]", RunEnd::Completed { output: Arc::new(json!("done")) });
    world.finish_at_once().await;
    assert_eq!(world.output(), json!("done"));
}

#[tokio::test(start_paused = true)]
async fn the_calls_of_an_agent_that_loses_a_race_are_dropped() {
    let [start, ask, end] = nodes(json!({}));
    let nodes = [
        start,
        ask,
        ("quick", "http", http(json!({}))),
        ("first", "merge", json!({"mode": "first", "cancelLosers": true})),
        end,
    ];
    let world = World::new(&nodes, "start>ask start>quick ask>first quick>first first>end", |effect| {
        match (effect.operation.name(), &*effect.step) {
            ("load_agent", _) => ok(agent(&[])),
            ("ask_model", _) => ok(text("Slow.")).after(seconds(60)),
            _ => ok("quick").after(seconds(3)),
        }
    });
    world.finish_at_once().await;
    assert_eq!(world.output(), json!("quick"));
    assert_eq!(world.effects.witness.lock().unwrap().dropped, ["ask[1]"]);
    assert!(world.writes().last().unwrap().contains("ask[1] canceled; ask canceled; ask skipped"));
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_log_has_other_calls_fails() {
    let world = two_lookups(json!({}));
    let other = RunEventKind::StepCompleted {
        step: "ask[7]".to_owned(),
        port: "out".to_owned(),
        output: Some(RunValue::Value(json!({}))),
        chosen: false,
    };
    world.store.lock().unwrap().log.push(RunEvent { at: at(Duration::ZERO), kind: other });
    let mut journal = journal::MemoryJournal::claim(&world.store);
    let log = world.store.lock().unwrap().log.clone();
    let (plan, now) = (world.plan.clone(), at(Duration::ZERO));
    let run = ClaimedRun { facts: RunFacts::new("r1", now), plan, trigger: 0, log, crashes: 0 };
    let shift = Shift {
        clock: world.clock.clone(),
        ends_at: now.plus(seconds(900)),
        stop: world.stop.clone(),
        suspects: SuspectGate::default(),
    };
    drive(run, shift, &mut journal, &world.effects).await.unwrap();
    assert_eq!(world.failure(), "ask: log_mismatch");
}

#[tokio::test(start_paused = true)]
async fn agents_in_a_loop_have_calls_of_their_own() {
    let [start, ask, end] = nodes(json!({}));
    let each = ("each", "loop", json!({"items": "[{'n': 1}, {'n': 2}]", "concurrency": 2}));
    let connections = "start>each each.item>ask ask>each.next each.done>end";
    let world = World::new(&[start, each, ask, end], connections, |effect| match effect.operation.name() {
        "load_agent" => ok(agent(&[])),
        _ => ok(text(&effect.step)),
    });
    world.finish_at_once().await;
    assert_eq!(world.output(), json!(["each[0]/ask[1]", "each[1]/ask[1]"]));
}
