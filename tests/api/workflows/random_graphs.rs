//! Random graphs: a graph that validates can be published, one that does not is refused with the same problems, and a
//! release compiles to the same plan as its draft.

use domain::graph::Graph;
use engine::compile::compile;
use engine::nodes;
use fastrand::Rng;
use serde_json::{Value, json};
use tests::TestApp;
use tests::scale::full_or;

use super::*;

const NOBODY: &str = "019cb8e2-3f4a-7c21-9b6d-000000000000";

/// The resources that nodes can reference.
struct Equipment {
    agent: String,
    workflow: String,
    webhook: String,
    credential: String,
    /// The credential of channels.
    account: String,
}

struct Drawing<'a> {
    rng: Rng,
    equipment: &'a Equipment,
    nodes: Vec<Value>,
    connections: Vec<Value>,
    /// Output ports that are not connected yet.
    open: Vec<(String, String)>,
}

impl Drawing<'_> {
    fn add(&mut self, kind: &str, from: Option<&(String, String)>) -> String {
        let id = format!("n{}", self.nodes.len());
        let node_type = nodes::find(kind).unwrap();
        let mut config = node_type.example["config"].clone();
        for (field, there) in [("agentId", &self.equipment.agent), ("workflowId", &self.equipment.workflow)] {
            if config.get(field).is_some() {
                config[field] = json!(there);
            }
        }
        if kind == "http" && self.rng.bool() {
            config["credentialId"] = json!(self.equipment.credential);
        }
        if let Some((before, port)) = from {
            if kind == "template" {
                config["template"] = json!(format!("{{{{ nodes.{before}.output | default('none') }}}}"));
            }
            self.connect((before, port), (&id, "in"));
        }
        self.nodes.push(json!({"id": id, "type": kind, "name": "", "config": config}));
        if kind == "loop" {
            let item = (id.clone(), "item".to_owned());
            let body = self.add("template", Some(&item));
            self.open.pop();
            self.connect((&body, "out"), (&id, "next"));
        }
        let ports = node_type.example_outputs().into_iter().filter(|(port, _)| port != "item");
        self.open.extend(ports.map(|(port, _)| (id.clone(), port.to_string())));
        id
    }

    fn connect(&mut self, from: (&str, &str), to: (&str, &str)) {
        let end = |(node, port): (&str, &str)| json!({"node": node, "port": port});
        self.connections.push(json!({"from": end(from), "to": end(to)}));
    }

    fn grow(&mut self) {
        let triggers = ["input", "webhook", "schedule", "message"];
        let trigger = triggers[self.rng.usize(..triggers.len())];
        self.add(trigger, None);
        let steps = self.rng.usize(1..12);
        for _ in 0..steps {
            let kinds = nodes::all();
            let kind = kinds[self.rng.usize(..kinds.len())].name;
            if triggers.contains(&kind) || self.open.is_empty() {
                continue;
            }
            let place = self.rng.usize(..self.open.len());
            let from = self.open.swap_remove(place);
            self.add(kind, Some(&from));
        }
        if let Some(from) = self.open.pop() {
            self.add("send_result", Some(&from));
        }
    }

    /// Adds one of the mistakes that users make.
    fn spoil(&mut self) {
        let node = self.rng.usize(..self.nodes.len());
        let edge = self.rng.usize(..self.connections.len());
        match self.rng.u8(..8) {
            0 => drop(self.connections.remove(edge)),
            1 => self.nodes[node]["id"] = self.nodes[0]["id"].clone(),
            2 => self.connections[edge]["from"]["port"] = json!("sideways"),
            3 => self.connections[edge]["to"]["node"] = json!("ghost"),
            4 => self.nodes[node]["type"] = json!("oracle"),
            5 => self.nodes[node]["config"] = json!({"surprise": true}),
            6 => self.nodes.push(json!({
                "id": "wrong", "type": "condition", "name": "", "config": {"expression": "input.n >"},
            })),
            _ => {
                let last = self.nodes.len() - 1;
                let (from, to) = (self.nodes[last]["id"].clone(), self.nodes[node]["id"].clone());
                self.connect((from.as_str().unwrap(), "out"), (to.as_str().unwrap(), "in"));
            }
        }
    }

    /// The channels of the drawn nodes. If the drawing is not careful, some reference a missing resource.
    fn channels(&mut self, is_careful: bool) -> Value {
        let mut channels = json!({"inputs": [], "outputs": []});
        for node in &self.nodes {
            let mut id = |there: &str| if is_careful || self.rng.u8(..4) > 0 { json!(there) } else { json!(NOBODY) };
            let messaging = |credential: Value| json!({"provider": "slack", "credentialId": credential});
            let (side, config) = match node["type"].as_str() {
                Some("webhook") => ("inputs", json!({"webhookId": id(&self.equipment.webhook)})),
                Some("message") => ("inputs", messaging(id(&self.equipment.account))),
                Some("send_message") => ("outputs", messaging(id(&self.equipment.account))),
                _ => continue,
            };
            channels[side].as_array_mut().unwrap().push(json!({"nodeId": node["id"], "config": config}));
        }
        channels
    }
}

fn plan(graph: &Value) -> String {
    let graph: Graph = serde_json::from_value(graph.clone()).unwrap();
    format!("{:?}", compile(&graph).finish().0.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_valid_graph_is_published_and_compiles_to_the_same_plan() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let workflow = publish_workflow(&ada, "Used").await;
    let (mut sound, mut unsound) = (0, 0);
    let graphs = full_or(200, 60) as u64;
    for seed in 0..graphs {
        let id = create_workflow(&ada, &format!("Drawn {seed}"), json!({"nodes": [], "connections": []})).await;
        let path = format!("{WORKFLOWS}/{id}");
        let webhook = ada.post(&format!("{path}/webhooks")).await.id().to_owned();
        let outbound = format!("{path}/webhook-credentials/outbound");
        let bearer = json!({"name": "Caller", "type": "bearer", "token": "x"});
        let credential = ada.post_json(&outbound, bearer).await.id().to_owned();
        let account = ada.post_json(&outbound, slack_app("Bot")).await.id().to_owned();
        let equipment = Equipment { agent: agent.clone(), workflow: workflow.clone(), webhook, credential, account };
        let rng = Rng::with_seed(seed);
        let mut drawing =
            Drawing { rng, equipment: &equipment, nodes: Vec::new(), connections: Vec::new(), open: Vec::new() };
        drawing.grow();
        let is_careful = drawing.rng.bool();
        if !is_careful {
            drawing.spoil();
        }
        let graph = json!({"nodes": drawing.nodes, "connections": drawing.connections});
        let drawn = ada.patch(&path, json!({"graph": graph})).await;
        assert_eq!(drawn.status, "200 OK", "{seed}: {}", drawn.text);
        ada.put(&format!("{path}/connections"), drawing.channels(is_careful)).await;

        let validated = post_action(&ada, &id, "validate").await.json["data"].clone();
        let published = post_action(&ada, &id, "publish").await;
        if validated["valid"] == true {
            assert_eq!(published.status, "201 Created", "{seed}: {}", published.text);
            let release = published.json["data"]["release"]["id"].as_str().unwrap();
            let manifest = ada.get(&format!("{path}/releases/{release}/manifest")).await.json["data"].clone();
            assert_eq!(plan(&manifest["graph"]), plan(&graph), "{seed}");
            let status = ada.get(&format!("{path}/releases/{release}/runtime-status")).await;
            assert_eq!(status.json["data"]["status"], "loaded", "{seed}");
            sound += 1;
        } else {
            let error = &published.json["error"];
            assert!(["invalid_body", "channel_incomplete"].contains(&published.code()), "{seed}: {}", published.text);
            assert_eq!(error["details"], validated["problems"], "{seed}");
            let messages: Vec<_> =
                error["details"].as_array().unwrap().iter().map(|problem| &problem["message"]).collect();
            assert!(messages.contains(&&error["message"]), "{seed}: {}", published.text);
            let releases = ada.get(&format!("{path}/releases")).await;
            assert_eq!(releases.json["meta"]["total"], 0, "{seed}");
            unsound += 1;
        }
    }
    assert!(sound >= graphs / 5 && unsound >= graphs / 5, "{sound} sound, {unsound} not");
}
