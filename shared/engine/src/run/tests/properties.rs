//! Properties of random graphs, whose effects end in a random order, and of runs that restart at a random time.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use domain::graph::Graph;
use fastrand::Rng;

use super::*;

/// `RUN_GRAPHS=20000` draws this number of graphs.
fn graphs() -> u64 {
    std::env::var("RUN_GRAPHS").map_or(400, |graphs| graphs.parse().unwrap())
}

const MAX_ROUNDS: u8 = 4;

/// What a random graph may contain besides its other nodes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kinds {
    /// Merges that take the first value.
    pub(crate) races: bool,
    /// Steps without an error port whose failure fails the run.
    pub(crate) failures: bool,
}

struct Drawing {
    rng: Rng,
    kinds: Kinds,
    nodes: Vec<Value>,
    connections: Vec<Value>,
}

type Port = (String, &'static str);

impl Drawing {
    fn add(&mut self, kind: &str, config: Value) -> String {
        let id = format!("n{}", self.nodes.len());
        self.nodes.push(json!({"id": id, "type": kind, "config": config}));
        id
    }

    /// The nodes before a node, without the bodies of loops that have ended.
    fn upstream_of(&self, id: &str) -> BTreeSet<String> {
        let (mut found, mut open) = (BTreeSet::new(), vec![id.to_owned()]);
        while let Some(id) = open.pop() {
            let into = self.connections.iter().filter(|edge| edge["to"]["node"] == *id && edge["to"]["port"] == "in");
            for from in into.filter_map(|edge| edge["from"]["node"].as_str()) {
                if found.insert(from.to_owned()) {
                    open.push(from.to_owned());
                }
            }
        }
        found
    }

    /// Lets the template of a call and the condition of a branch depend on whether a node before it has an output.
    fn read_upstream(&mut self, id: &str, parents: &[String]) {
        let upstream: Vec<String> = self.upstream_of(id).into_iter().filter(|id| !parents.contains(id)).collect();
        let place = self.nodes.iter().position(|node| node["id"] == *id).unwrap();
        if upstream.is_empty() || self.rng.bool() {
            return;
        }
        let read = &upstream[self.rng.usize(..upstream.len())];
        let config = &mut self.nodes[place]["config"];
        if config.get("url").is_some() {
            config["url"] = json!(format!("https://example.com/{{{{ nodes.{read}.output is defined }}}}"));
        } else if config.get("expression").is_some() {
            config["expression"] = json!(format!("has(nodes.{read}.output)"));
        }
    }

    fn connect(&mut self, from: &Port, to: &str, port: &str) {
        self.connections.push(json!({"from": {"node": from.0, "port": from.1}, "to": {"node": to, "port": port}}));
    }

    /// Adds steps after the given ports, and returns all ports that later steps may follow.
    /// `parents` are the loops around them.
    fn grow(&mut self, mut ports: Vec<Port>, steps: usize, parents: &[String]) -> Vec<Port> {
        for _ in 0..steps {
            let kinds = ["condition", "transform", "http", "http", "merge", "loop", "send_result"];
            let kind = kinds[self.rng.usize(..kinds.len())];
            let (id, outputs): (String, &[&'static str]) = match kind {
                "condition" => {
                    let expression = format!("size(toJson(input)) % 3 == {}", self.rng.u8(..3));
                    (self.add(kind, json!({"expression": expression})), &["true", "false"])
                }
                "transform" => {
                    let config = self.with_each(json!({"value": "[input, 1]"}));
                    (self.add(kind, config), &["out"])
                }
                "http" => {
                    let choices = if self.kinds.failures { 3 } else { 2 };
                    let on_error = ["branch", "continue", "fail"][self.rng.usize(..choices)];
                    let config = self.with_each(json!({"url": "https://example.com/", "onError": on_error}));
                    (self.add(kind, config), if on_error == "branch" { &["out", "error"] } else { &["out"] })
                }
                "merge" if self.kinds.races && self.rng.bool() => {
                    let config = json!({"mode": "first", "cancelLosers": self.rng.bool()});
                    (self.add(kind, config), &["out"])
                }
                "merge" => (self.add(kind, json!({})), &["out"]),
                "send_result" => (self.add(kind, json!({})), &["out"]),
                _ if parents.len() == 2 => continue,
                _ => {
                    let has_rounds = self.rng.u8(..3) == 0;
                    let config = if has_rounds { json!({"maxRounds": MAX_ROUNDS}) } else { self.random_loop() };
                    let id = self.add(kind, config);
                    let steps = self.rng.usize(1..4);
                    let body =
                        self.grow(vec![(id.clone(), "item")], steps, &[parents, std::slice::from_ref(&id)].concat());
                    let (exit, port) =
                        if has_rounds { (self.decide_on_round(&id), "in") } else { (id.clone(), "next") };
                    for from in self.choose(&body) {
                        self.connect(&from, &exit, port);
                    }
                    (id, &["done"])
                }
            };
            for port in self.choose(&ports) {
                self.connect(&port, &id, "in");
            }
            self.read_upstream(&id, parents);
            ports.extend(outputs.iter().map(|port| (id.clone(), *port)));
        }
        ports
    }

    /// The condition at the end of a body whether there is another round.
    fn decide_on_round(&mut self, id: &str) -> String {
        let rounds = self.rng.u8(..MAX_ROUNDS);
        let decides = self.add("condition", json!({"expression": format!("vars.index < {rounds}")}));
        self.connect(&(decides.clone(), "true"), id, "next");
        self.connect(&(decides.clone(), "false"), id, "result");
        decides
    }

    fn random_loop(&mut self) -> Value {
        let choices = if self.kinds.failures { 3 } else { 2 };
        let on_item_error = ["skip", "null", "fail"][self.rng.usize(..choices)];
        let items = format!("[1, 2, 3, 4].slice(0, {})", self.rng.u8(..5));
        json!({"items": items, "concurrency": self.rng.u8(1..4), "onItemError": on_item_error})
    }

    /// Lets a third of the nodes run for each element of a list.
    fn with_each(&mut self, mut config: Value) -> Value {
        if self.rng.u8(..3) == 0 {
            config["each"] = self.random_loop();
        }
        config
    }

    /// One to three different ports.
    fn choose(&mut self, ports: &[Port]) -> BTreeSet<Port> {
        let count = self.rng.usize(1..4);
        (0..count).map(|_| ports[self.rng.usize(..ports.len())].clone()).collect()
    }
}

/// A random plan. Drawings that are no valid graph are drawn again.
pub(crate) fn draw(seed: u64, kinds: Kinds) -> Arc<ExecutionPlan> {
    let mut rng = Rng::with_seed(seed);
    loop {
        let mut drawing = Drawing { rng: rng.fork(), kinds, nodes: Vec::new(), connections: Vec::new() };
        let start = drawing.add("input", json!({}));
        let steps = drawing.rng.usize(2..12);
        let ports = drawing.grow(vec![(start, "out")], steps, &[]);
        let end = drawing.add("send_result", json!({}));
        for port in drawing.choose(&ports) {
            drawing.connect(&port, &end, "in");
        }
        let graph = json!({"nodes": drawing.nodes, "connections": drawing.connections});
        let graph: Graph = serde_json::from_value(graph).unwrap();
        if let (Some(plan), _) = compile(&graph).finish() {
            return Arc::new(plan);
        }
    }
}

/// The result of an effect: a function of the seed and the path, so that it does not depend on the order.
fn result(seed: u64, path: &StepPath) -> Result<StepOutcome, StepError> {
    let mut hasher = DefaultHasher::new();
    (seed, path).hash(&mut hasher);
    let number = hasher.finish() % 1_000;
    if number.is_multiple_of(5) { error("unavailable") } else { value(json!(number)) }
}

/// Performs the effects that are due, in a random order, at most `most`.
fn perform_some(run: &mut TestRun, seed: u64, rng: &mut Rng, most: usize, history: &mut History) {
    for _ in 0..most {
        if run.due.is_empty() {
            break;
        }
        let effect = run.due.swap_remove(rng.usize(..run.due.len()));
        let result = result(seed, &effect.path);
        history.results.push((effect.path.clone(), result.clone()));
        run.execution.finish(&effect.path, result);
        run.collect();
    }
    for event in &run.events {
        if let StepEvent::Decided { path, decision } = event {
            history.decisions.insert(path.clone(), decision.clone());
        }
    }
}

fn start(plan: &Arc<ExecutionPlan>, history: History) -> TestRun {
    TestRun::new(plan.clone(), json!({"n": 1}), history)
}

fn run_in_random_order(plan: &Arc<ExecutionPlan>, seed: u64, order: u64) -> TestRun {
    let mut run = start(plan, History::default());
    perform_some(&mut run, seed, &mut Rng::with_seed(order), usize::MAX, &mut History::default());
    run
}

/// No step is started twice, no run gets stuck, and in a run that does not fail every step ends exactly once.
#[test]
fn every_run_ends_and_no_step_runs_twice() {
    let mut failed = 0;
    for seed in 0..graphs() {
        let plan = draw(seed, Kinds { races: true, failures: true });
        let run = run_in_random_order(&plan, seed, seed);
        let end = run.execution.end().unwrap_or_else(|| panic!("{seed}: the run is stuck: {:?}", run.ends()));
        let mut started = BTreeSet::new();
        for event in &run.events {
            if let StepEvent::Started { path, .. } = event {
                assert!(started.insert(path), "{seed}: {} ran twice", path.display(&plan));
            }
        }
        let ends = run.ends();
        for (path, end) in &ends {
            // An error port and `continue` complete a step that failed. A step that loses a race is skipped.
            let second = end.split_once(", ").map(|(_, second)| second);
            let is_error = end.starts_with("unavailable: ");
            let completes = second.is_some_and(|second| second.starts_with("error ") || second.ends_with(" null"));
            assert!(second.is_none() || end == "canceled, skipped" || is_error && completes, "{seed}: {path}: {end}");
        }
        failed += u64::from(matches!(end, RunEnd::Failed(_)));
        if matches!(end, RunEnd::Completed { .. }) {
            let root = plan.steps.iter().filter(|step| step.parent_loop.is_none());
            let unresolved: Vec<_> = root.filter(|step| !ends.contains_key(&step.id)).map(|step| &step.id).collect();
            assert!(unresolved.is_empty(), "{seed}: {unresolved:?} have no end");
        }
    }
    assert!(failed > graphs() / 20 && failed < graphs(), "{failed} runs failed");
}

#[test]
fn without_races_the_order_of_effects_changes_nothing() {
    let mut effects = 0;
    for seed in 0..graphs() {
        let plan = draw(seed, Kinds::default());
        let runs = [1, 2, 3].map(|order| run_in_random_order(&plan, seed, order));
        effects += runs[0].ends().len() as u64;
        assert_eq!(runs[0].ends(), runs[1].ends(), "{seed}");
        assert_eq!(runs[0].ends(), runs[2].ends(), "{seed}");
    }
    assert!(effects > graphs() * 3, "{effects}");
}

/// The events and the effects of a run that is settled in small parts are those of one that is settled at once.
#[test]
fn pauses_do_not_change_a_run() {
    let mut pauses = 0;
    for seed in 0..graphs() {
        let plan = draw(seed, Kinds { races: true, failures: true });
        let mut run = start(&plan, History::default());
        let mut paused = start(&plan, History::default());
        while let Some(effect) = run.due.pop() {
            let result = result(seed, &effect.path);
            paused.due.retain(|other| other.path != effect.path);
            paused.execution.finish(&effect.path, result.clone());
            while paused.execution.has_more() {
                paused.execution.settle(paused.execution.work() + 1);
                assert!(!paused.execution.has_more() || paused.execution.take_due().is_empty());
                pauses += 1;
            }
            run.execution.finish(&effect.path, result);
            run.collect();
            paused.collect();
            assert_eq!((paused.due(), &paused.events), (run.due(), &run.events), "{seed}");
        }
        assert_eq!(paused.execution.end(), run.execution.end(), "{seed}");
        assert_eq!(paused.execution.work(), run.execution.work(), "{seed}");
    }
    assert!(pauses > graphs(), "{pauses}");
}

/// A run that is restored from the results and decisions so far waits for the same effects, and ends in the same way.
#[test]
fn a_restored_run_continues_where_it_was() {
    let mut restored_late = 0;
    for seed in 0..graphs() {
        let plan = draw(seed, Kinds { races: true, failures: true });
        let mut rng = Rng::with_seed(seed);
        let mut history = History::default();
        let mut run = start(&plan, History::default());
        let most = rng.usize(..12);
        perform_some(&mut run, seed, &mut rng, most, &mut history);
        let (results, decisions) = (history.results.clone(), history.decisions.clone());
        restored_late += u64::from(!results.is_empty() && run.execution.end().is_none());
        let mut restored = start(&plan, History { results, decisions });
        let by_path = |run: &TestRun| {
            let due = run.due.iter().map(|effect| (effect.path.clone(), effect.work.clone()));
            due.collect::<BTreeMap<_, _>>()
        };
        assert_eq!(by_path(&restored), by_path(&run), "{seed}");
        assert_eq!(restored.ends(), run.ends(), "{seed}");
        assert_eq!(restored.execution.end(), run.execution.end(), "{seed}");

        // Both perform the remaining effects in the same order.
        let mut order: Vec<StepPath> = Vec::new();
        while let Some(effect) = run.due.pop() {
            order.push(effect.path.clone());
            run.execution.finish(&effect.path, result(seed, &effect.path));
            run.collect();
        }
        for path in order {
            let result = result(seed, &path);
            restored.execution.finish(&path, result);
            restored.collect();
        }
        assert_eq!(restored.execution.end(), run.execution.end(), "{seed}");
    }
    assert!(restored_late > graphs() / 20, "{restored_late}");
}
