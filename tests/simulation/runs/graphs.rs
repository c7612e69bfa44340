//! Random workflows.

use std::sync::Arc;

use engine::compile::{ExecutionPlan, compile};
use fastrand::Rng;
use serde_json::{Value, json};

/// The trigger of every workflow.
pub const TRIGGER: &str = "start";
/// A call to this host kills its worker.
pub const POISON: &str = "https://poison.example";
/// The field of a step that holds the number of the workflow that it calls.
const CALLED: &str = "input";

struct Drawing<'a> {
    random: &'a mut Rng,
    nodes: Vec<Value>,
    connections: Vec<Value>,
}

type Port = (String, &'static str);

#[derive(Default)]
pub struct PlanOptions<'a> {
    pub has_poison: bool,
    /// Two people are asked, and the first answer counts.
    pub has_two_reviews: bool,
    /// Turns some calls of other systems into runs of this many other workflows.
    pub calls: Option<(&'a mut Rng, usize)>,
    /// Turns some calls of other systems into agents.
    pub agents: Option<&'a mut Rng>,
    /// Turns some calls of other systems into calls of tools of MCP servers.
    pub tools: Option<&'a mut Rng>,
    /// Has some steps done for each element of a list, and some loops run in rounds.
    pub each: Option<&'a mut Rng>,
    /// Turns some reviews into pages of forms.
    pub pages: Option<&'a mut Rng>,
}

pub fn random_plan(random: &mut Rng, options: PlanOptions) -> Arc<ExecutionPlan> {
    let PlanOptions { has_poison, has_two_reviews, calls, agents, tools, each, pages } = options;
    let steps = random.usize(2..=9);
    let mut drawing = Drawing { random, nodes: Vec::new(), connections: Vec::new() };
    drawing.nodes.push(json!({"id": TRIGGER, "type": "input", "config": {}}));
    let mut ports = drawing.grow(vec![(TRIGGER.to_owned(), "out")], steps);
    if has_poison {
        let poisoned = drawing.add("http", json!({"url": POISON}));
        let from = ports.swap_remove(0);
        drawing.connect(&from, &poisoned, "in");
        ports.push((poisoned, "out"));
    }
    if has_two_reviews {
        ports.push(drawing.race_reviews());
    }
    let result = drawing.add("send_result", json!({}));
    for port in &ports {
        drawing.connect(port, &result, "in");
    }
    if let Some((random, workflows)) = calls {
        call_workflows(&mut drawing.nodes, random, workflows);
    }
    if let Some(random) = agents {
        ask_agents(&mut drawing.nodes, random);
    }
    if let Some(random) = tools {
        call_tools(&mut drawing.nodes, random);
    }
    if let Some(random) = each {
        repeat_for_each(&mut drawing.nodes, random);
        repeat_in_rounds(&mut drawing, random);
    }
    if let Some(random) = pages {
        show_pages(&mut drawing.nodes, &mut drawing.connections, random);
    }
    let graph = json!({"nodes": drawing.nodes, "connections": drawing.connections});
    let graph = serde_json::from_value(graph).expect("the graph is valid");
    let (plan, problems) = compile(&graph).finish();
    Arc::new(plan.unwrap_or_else(|| panic!("{problems:?}")))
}

/// Turns some calls of other systems into runs of other workflows.
fn call_workflows(nodes: &mut [Value], random: &mut Rng, workflows: usize) {
    for node in nodes {
        if node["type"] != "http" || node["config"]["url"] == POISON || random.u8(..3) == 0 {
            continue;
        }
        node["type"] = json!("workflow");
        let config = node["config"].as_object_mut().expect("a configuration is an object");
        config.remove("url");
        config.insert("workflowId".to_owned(), json!("0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11"));
        config.insert(CALLED.to_owned(), json!(random.usize(..workflows).to_string()));
        if random.u8(..4) == 0 {
            config.insert("timeoutMs".to_owned(), json!(random.u64(5_000..=120_000)));
        }
    }
}

/// Has some calls made for each element of a list.
fn repeat_for_each(nodes: &mut [Value], random: &mut Rng) {
    for node in nodes {
        let is_call = ["http", "mcp", "agent", "workflow"].iter().any(|call| node["type"] == *call);
        if is_call && node["config"]["url"] != POISON && random.bool() {
            node["config"]["each"] = elements(random);
        }
    }
}

/// Turns some loops into loops in rounds. A condition at the end of the body decides whether there is another round.
fn repeat_in_rounds(drawing: &mut Drawing, random: &mut Rng) {
    for place in 0..drawing.nodes.len() {
        if drawing.nodes[place]["type"] != "loop" || random.bool() {
            continue;
        }
        drawing.nodes[place]["config"] = json!({"maxRounds": 6, "onError": "continue"});
        let each = drawing.nodes[place]["id"].clone();
        let rounds = random.usize(..6);
        let decides = drawing.add("condition", json!({"expression": format!("vars.index < {rounds}")}));
        let back = json!({"node": each, "port": "next"});
        for connection in drawing.connections.iter_mut().filter(|connection| connection["to"] == back) {
            connection["to"] = json!({"node": decides, "port": "in"});
        }
        let each = each.as_str().unwrap_or_default();
        drawing.connect(&(decides.clone(), "true"), each, "next");
        drawing.connect(&(decides, "false"), each, "result");
    }
}

/// The settings of a loop, or of a node that runs for each element of a list.
fn elements(random: &mut Rng) -> Value {
    let items: Vec<usize> = (0..random.usize(1..=6)).collect();
    let on_item_error = ["skip", "null", "fail"][random.usize(..3)];
    json!({"items": json!(items).to_string(), "concurrency": random.u32(1..=4), "onItemError": on_item_error})
}

/// Turns some reviews into pages of forms. What follows each decision then follows the page.
fn show_pages(nodes: &mut [Value], connections: &mut Vec<Value>, random: &mut Rng) {
    for node in nodes.iter_mut().filter(|node| node["type"] == "review") {
        if random.bool() {
            continue;
        }
        node["type"] = json!("form_page");
        for connection in connections.iter_mut().filter(|connection| connection["from"]["node"] == node["id"]) {
            if connection["from"]["port"] != "expired" {
                connection["from"]["port"] = json!("submitted");
            }
        }
    }
    // Both decisions may have led to one node.
    let mut seen = Vec::new();
    connections.retain(|connection| {
        let is_new = !seen.contains(connection);
        seen.push(connection.clone());
        is_new
    });
}

/// Turns some calls of other systems into agents.
fn ask_agents(nodes: &mut [Value], random: &mut Rng) {
    for node in nodes {
        if node["type"] != "http" || node["config"]["url"] == POISON || random.bool() {
            continue;
        }
        node["type"] = json!("agent");
        let config = node["config"].as_object_mut().expect("a configuration is an object");
        config.remove("url");
        config.remove("onUncertain");
        config.insert("agentId".to_owned(), json!("0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11"));
        config.insert("message".to_owned(), json!("hello"));
    }
}

/// Turns some calls of other systems into calls of tools of MCP servers. Without a policy of its own, a person is asked about
/// an uncertain one.
fn call_tools(nodes: &mut [Value], random: &mut Rng) {
    for node in nodes {
        if node["type"] != "http" || node["config"]["url"] == POISON || random.u8(..4) == 0 {
            continue;
        }
        node["type"] = json!("mcp");
        node["config"]["tool"] = json!("search");
        if node["config"]["onUncertain"].is_null() && random.bool() {
            node["config"]["onUncertain"] = json!("retry");
        }
    }
}

impl Drawing<'_> {
    fn add(&mut self, kind: &str, config: Value) -> String {
        let id = format!("n{}", self.nodes.len());
        self.nodes.push(json!({"id": id, "type": kind, "config": config}));
        id
    }

    fn connect(&mut self, from: &Port, to: &str, port: &str) {
        self.connections.push(json!({"from": {"node": from.0, "port": from.1}, "to": {"node": to, "port": port}}));
    }

    /// Adds steps after the ports, and returns the ports that are open then.
    fn grow(&mut self, mut open: Vec<Port>, steps: usize) -> Vec<Port> {
        for _ in 0..steps {
            let place = self.random.usize(..open.len());
            // A port that stays open begins another branch.
            let from = if self.random.u8(..3) == 0 { open[place].clone() } else { open.swap_remove(place) };
            let (id, ports) = self.node();
            self.connect(&from, &id, "in");
            if self.nodes.last().is_some_and(|node| node["type"] == "merge") && !open.is_empty() {
                let other = self.random.usize(..open.len());
                let other = open.swap_remove(other);
                if other.0 != from.0 || other.1 != from.1 {
                    self.connect(&other, &id, "in");
                }
            }
            open.extend(ports.into_iter().map(|port| (id.clone(), port)));
        }
        open
    }

    fn node(&mut self) -> (String, Vec<&'static str>) {
        match self.random.u8(..16) {
            0..=5 => (self.call(), vec!["out"]),
            6 | 7 => {
                let seconds = match self.random.u8(..8) {
                    0..=3 => self.random.u64(1..=3),
                    // Longer than a message can be delayed.
                    4 => self.random.u64(950..=1_200),
                    _ => self.random.u64(4..=200),
                };
                (self.add("delay", json!({"seconds": seconds})), vec!["out"])
            }
            8 => {
                let expires =
                    if self.random.bool() { self.random.u64(60..=120) } else { self.random.u64(1_500..=2_000) };
                let review = self.add("review", json!({"title": "ok?", "expiresInSeconds": expires}));
                (review, vec!["approved", "rejected", "expired"])
            }
            9 => {
                let config = json!({"expression": "input.n > 50", "onError": "continue"});
                (self.add("condition", config), vec!["true", "false"])
            }
            10 | 11 => {
                let config = match self.random.u8(..3) {
                    0 => json!({"mode": "all"}),
                    1 => json!({"mode": "first"}),
                    _ => json!({"mode": "first", "cancelLosers": true}),
                };
                (self.add("merge", config), vec!["out"])
            }
            12 | 13 => (self.each(), vec!["done"]),
            14 => {
                let config = json!({"text": "hello", "onError": "continue"});
                (self.add("send_message", config), vec!["out"])
            }
            _ => (self.add("transform", json!({"value": "{'n': 60}"})), vec!["out"]),
        }
    }

    fn call(&mut self) -> String {
        let mut config = json!({"url": "https://example.com/"});
        match self.random.u8(..6) {
            0 => config["onUncertain"] = json!("fail"),
            1 => config["onUncertain"] = json!("ask"),
            _ => {}
        }
        if self.random.bool() {
            let backoff = if self.random.bool() { 500 } else { self.random.u64(2_000..=40_000) };
            config["retry"] = json!({"maxAttempts": self.random.u32(2..=4), "backoffMs": backoff});
        }
        // Most failures go on, so that runs are long.
        if self.random.u8(..8) != 0 {
            config["onError"] = json!("continue");
        }
        self.add("http", config)
    }

    /// Two reviews, of which the first answer cancels the other.
    fn race_reviews(&mut self) -> Port {
        let reviews = [(); 2].map(|()| self.add("review", json!({"title": "ok?", "expiresInSeconds": 1_500})));
        let merge = self.add("merge", json!({"mode": "first", "cancelLosers": true}));
        for review in reviews {
            self.connect(&(TRIGGER.to_owned(), "out"), &review, "in");
            self.connect(&(review.clone(), "approved"), &merge, "in");
            self.connect(&(review, "rejected"), &merge, "in");
        }
        (merge, "out")
    }

    /// A loop whose body has one or two steps.
    fn each(&mut self) -> String {
        let mut config = elements(self.random);
        config["onError"] = json!("continue");
        let each = self.add("loop", config);
        let mut last = (each.clone(), "item");
        for _ in 0..self.random.usize(1..=2) {
            let body = if self.random.u8(..5) == 0 { self.add("delay", json!({"seconds": 2})) } else { self.call() };
            self.connect(&last, &body, "in");
            last = (body, "out");
        }
        self.connect(&last, &each, "next");
        each
    }
}
