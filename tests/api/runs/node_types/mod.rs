//! Every node type runs for real, and returns what its output schema in the catalogue says.

mod samples;

use std::collections::BTreeSet;

use domain::messaging::MessagingProvider;
use engine::nodes;
use engine::schema::check_value;
use testing::mail::MailServer;
use testing::mcp::McpServer;
use tests::provider::{Behaviour, FakeProvider};

use super::databases::Shop;
use super::forms::Visitor;
use super::hooks::publish_hook;
use super::schedules::{planned_at, runs_of, tick};
use super::*;
use crate::conversations;
use samples::{Meanwhile, Sample, sample, samples};

fn schema_of(node_type: &str, config: &Value, port: &str) -> Value {
    nodes::find(node_type).unwrap().output_schema(config.as_object().unwrap(), port).unwrap()
}

#[track_caller]
fn assert_matches(node_type: &str, config: &Value, port: &str, value: &Value) {
    let found = check_value(&schema_of(node_type, config, port), value, "output");
    assert_eq!(found.violations, [], "{node_type}, port {port}: {value}");
}

/// The platform, and what the catalogue publishes.
struct Stage {
    app: TestApp,
    ada: Person,
    catalogue: Vec<Value>,
    /// The types and the ports at which a run has continued.
    seen: BTreeSet<(String, String)>,
}

impl Stage {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let ada = app.person("ada");
        let listed = ada.get(&format!("{WORKFLOWS}/node-types")).await;
        let catalogue = listed.json["data"].as_array().unwrap().clone();
        Self { app, ada, catalogue, seen: BTreeSet::new() }
    }

    fn published(&self, node_type: &str) -> &Value {
        self.catalogue.iter().find(|published| published["type"] == node_type).unwrap()
    }

    fn example(&self, node_type: &str, changes: &Value) -> Value {
        let mut config = self.published(node_type)["example"]["config"].clone();
        config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        config
    }

    /// Runs a node between an input and one result for each of its ports.
    async fn run(&mut self, sample: Sample) {
        let Sample { node_type, changes, input, meanwhile, port } = sample;
        let config = self.example(node_type, &changes);
        let summary = nodes::find(node_type).unwrap().read(config.as_object().unwrap()).unwrap();
        let mut nodes = vec![node("start", "input", json!({})), node("tested", node_type, config.clone())];
        let mut ports = vec!["start.out tested".to_owned()];
        for (index, port) in summary.outputs.iter().enumerate() {
            let result = json!({"output": format!("{{'port': '{port}', 'value': input}}")});
            nodes.push(node(&format!("end{index}"), "send_result", result));
            ports.push(format!("tested.{port} end{index}"));
        }
        let ports: Vec<&str> = ports.iter().map(String::as_str).collect();
        let flow = publish(&self.ada, graph(&nodes, &ports)).await;
        let path = start_run(&self.ada, &flow, input).await;
        self.app.platform.drain().await;
        match meanwhile {
            Meanwhile::Nothing => {}
            Meanwhile::Decide(decision) => {
                let decided = self.ada.post_json(&format!("{path}/resolve-wait"), json!({"decision": decision})).await;
                assert_eq!(decided.status, "200 OK", "{}", decided.text);
                self.app.platform.drain().await;
            }
            Meanwhile::Wait(wait) => work_at(&self.app, &path, Time::now().plus(wait)).await,
        }
        let run = read(&self.ada, &path).await;
        // The value of `send_result` is the output of the run.
        let output = match node_type {
            "send_result" if port == "out" => json!({"port": "out", "value": run["output"]}),
            _ => run["output"].clone(),
        };
        assert_eq!((&run["state"], &output["port"]), (&json!("completed"), &json!(port)), "{node_type}: {run}");
        self.check(node_type, &config, port, &output["value"]);
    }

    fn check(&mut self, node_type: &str, config: &Value, port: &str, value: &Value) {
        assert_matches(node_type, config, port, value);
        self.seen.insert((node_type.to_owned(), port.to_owned()));
    }

    /// The types and ports that the catalogue publishes.
    fn ports(&self) -> BTreeSet<(String, String)> {
        let ports = self.catalogue.iter().flat_map(|published| {
            let outputs = published["outputs"].as_array().unwrap().iter();
            let all = outputs.chain(Some(&published["errorOutput"]).filter(|output| !output.is_null()));
            all.map(|output| (text(&published["type"]), text(&output["name"])))
        });
        ports.collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_node_returns_what_the_catalogue_says() {
    let mut stage = Stage::start().await;
    let orders = FakeProvider::start().await;
    orders.then_respond(Behaviour::json(201, json!({"state": "open"}))).then_respond(Behaviour::json(500, "oops"));
    let item =
        "<item><title>One</title><enclosure url='/a.mp3' length='9'/></item><item><pubDate>2026-03-02</pubDate></item>";
    let feed = format!("<rss><channel><title>News</title>{item}</channel></rss>");
    orders.respond_at("/feed.xml", Behaviour::bytes(200, "application/rss+xml", vec![feed.into()]));
    let called = publish(&stage.ada, double()).await;
    let agent = stage.ada.post("/builder/v1/agents").await;
    let mail = MailServer::start(&[("RCPT TO:<bob", "550 no such user")]).await;
    let tools = McpServer::with_tools(&["search_orders"]).await;
    for sample in samples(&called, agent.id(), &orders, &tools, &mail) {
        stage.run(sample).await;
    }
    run_loop(&mut stage).await;
    run_triggers(&mut stage).await;
    run_messages(&mut stage).await;
    run_database(&mut stage).await;
    run_fail(&stage).await;
    run_placeholder(&mut stage).await;
    // The example of each type fails without the fields that its expressions read.
    let failing = |node_type: &str| match node_type {
        "delay" => json!({"seconds": null, "until": "input.dueAt"}),
        "send_result" => json!({"output": "input.answer"}),
        "workflow" => json!({"workflowId": called}),
        "agent" => json!({"agentId": agent.id()}),
        _ => json!({}),
    };
    for (node_type, port) in stage.ports() {
        // `run_messages` runs nodes that need a channel.
        if port == "error" && node_type != "send_message" {
            let mut changes = failing(&node_type);
            changes["onError"] = json!("branch");
            let name = nodes::find(&node_type).unwrap().name;
            stage.run(sample(name, changes, json!({}), "error")).await;
        }
    }
    assert_eq!(stage.seen, stage.ports());
}

/// The schemas that the test uses are those that the catalogue publishes.
#[tokio::test]
async fn the_catalogue_publishes_the_output_schemas() {
    let stage = Stage::start().await;
    for published in &stage.catalogue {
        let (node_type, config) = (text(&published["type"]), published["example"]["config"].clone());
        for output in published["outputs"].as_array().unwrap() {
            assert_eq!(output["schema"], schema_of(&node_type, &config, output["name"].as_str().unwrap()));
        }
        if !published["errorOutput"].is_null() {
            let branching = stage.example(&node_type, &json!({"onError": "branch"}));
            assert_eq!(published["errorOutput"]["schema"], schema_of(&node_type, &branching, "error"));
        }
    }
}

/// An attempt that takes too long gives an error of the same form.
#[tokio::test]
async fn a_timeout_is_a_value_of_the_error_port() {
    let mut stage = Stage::start().await;
    let silent = FakeProvider::start().await;
    silent.respond_with(Behaviour::json(200, "{}").silent_after(0));
    let changes = json!({"url": silent.base_url, "timeoutMs": 100, "onError": "branch"});
    stage.run(sample("http", changes, json!({"title": "Broken"}), "error")).await;
    let waiting = publish(&stage.ada, refund()).await;
    let changes = json!({"workflowId": waiting, "timeoutMs": 60_000, "onError": "branch"});
    let late = Meanwhile::Wait(minutes(2));
    stage.run(Sample { meanwhile: late, ..sample("workflow", changes, json!({"id": 1}), "error") }).await;
}

/// The port `item` has the elements, and the port `done` has the results.
async fn run_loop(stage: &mut Stage) {
    let config = stage.example("loop", &json!({}));
    let double = node("double", "transform", json!({"value": "{'element': input, 'doubled': input * 2}"}));
    let nodes = [node("start", "input", json!({})), node("tested", "loop", config.clone()), double];
    let end = node("end", "send_result", json!({"output": "input"}));
    let nodes = [&nodes[..], &[end]].concat();
    let mut draft = graph(&nodes, &["start.out tested", "tested.item double", "tested.done end"]);
    let back = json!({"from": {"node": "double", "port": "out"}, "to": {"node": "tested", "port": "next"}});
    draft["connections"].as_array_mut().unwrap().push(back);
    let flow = publish(&stage.ada, draft).await;
    let path = start_run(&stage.ada, &flow, json!({"lines": [1, 2]})).await;
    stage.app.platform.drain().await;
    let run = read(&stage.ada, &path).await;
    assert_eq!(run["output"], json!([{"element": 1, "doubled": 2}, {"element": 2, "doubled": 4}]), "{run}");
    stage.check("loop", &config, "item", &run["output"][0]["element"]);
    stage.check("loop", &config, "done", &run["output"]);
}

/// Each trigger starts a run whose output is the value of the trigger.
async fn run_triggers(stage: &mut Stage) {
    let triggered = |node_type: &str, config: &Value| {
        let nodes = [node("hook", node_type, config.clone()), node("end", "send_result", json!({"output": "input"}))];
        graph(&nodes, &["hook.out end"])
    };
    let config = stage.example("input", &json!({}));
    let flow = publish(&stage.ada, triggered("input", &config)).await;
    let path = start_run(&stage.ada, &flow, json!({"question": "Why?"})).await;
    stage.app.platform.drain().await;
    let run = read(&stage.ada, &path).await;
    assert_eq!(run["output"], json!({"question": "Why?"}), "{run}");
    stage.check("input", &config, "out", &run["output"]);

    let config = stage.example("webhook", &json!({}));
    let hook = publish_hook(&stage.app, &stage.ada, triggered("webhook", &config), "sync").await;
    let answer = hook.call(json!({"n": 1})).await;
    assert_eq!(answer.json["output"], json!({"n": 1}), "{}", answer.text);
    stage.check("webhook", &config, "out", &answer.json["output"]);

    let form = stage.example("form", &json!({}));
    let page = stage.example("form_page", &json!({}));
    let nodes = [
        node("hook", "form", form.clone()),
        node("days", "transform", json!({"value": "{'name': 'Ada', 'freeDays': ['Monday']}"})),
        node("tested", "form_page", page.clone()),
        node("end", "send_result", json!({"output": "{'form': nodes.hook.output, 'page': input}"})),
    ];
    let draft = graph(&nodes, &["hook.out days", "days.out tested", "tested.submitted end"]);
    let hook = publish_hook(&stage.app, &stage.ada, draft, "async").await;
    let mut visitor = Visitor::open(&stage.app, &hook, "").await;
    visitor.fill(&[("email", "ada@example.com"), ("topic", "Sales"), ("message", "Hi")]).await;
    visitor.fill(&[("day", "Monday")]).await;
    let [path] = &runs_of(&stage.app, &hook.workflow).await[..] else { panic!("one run starts") };
    let run = read(&stage.ada, path).await;
    assert_eq!(run["output"]["page"], json!({"day": "Monday"}), "{run}");
    stage.check("form", &form, "out", &run["output"]["form"].clone());
    stage.check("form_page", &page, "submitted", &run["output"]["page"].clone());

    let config = stage.example("schedule", &json!({"input": {"report": "daily"}}));
    let mut draft = triggered("schedule", &config);
    draft["nodes"][0]["id"] = json!("when");
    draft["connections"][0]["from"]["node"] = json!("when");
    let flow = publish(&stage.ada, draft).await;
    let planned = planned_at(&stage.app, &flow).await;
    tick(&stage.app, planned).await;
    let [path] = &runs_of(&stage.app, &flow).await[..] else { panic!("one run starts") };
    stage.app.platform.drain().await;
    let run = read(&stage.ada, path).await;
    assert_eq!(run["output"], json!({"report": "daily", "scheduledAt": planned.to_string()}), "{run}");
    stage.check("schedule", &config, "out", &run["output"]);
}

/// A message starts a run, and is answered. A run that no message has started has nobody to answer.
async fn run_messages(stage: &mut Stage) {
    let (ask, reply) = (json!({}), json!({"text": "Hi", "onError": "branch"}));
    let all = "{'message': nodes.ask.output, 'reply': nodes.reply.output}";
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "message", ask.clone()),
        node("reply", "send_message", reply.clone()),
        node("end", "send_result", json!({"output": all})),
        node("failed", "send_result", json!({"output": "input"})),
    ];
    let ports = ["start.out reply", "ask.out reply", "reply.out end", "reply.error failed"];
    let chat = conversations::Stage::start(MessagingProvider::Http, graph(&nodes, &ports)).await;
    chat.say(1, "Hello").await;
    let [path] = &runs_of(&chat.app, chat.workflow.rsplit('/').next().unwrap()).await[..] else { panic!("one run") };
    let output = read(&chat.ada, path).await["output"].clone();
    stage.check("message", &ask, "out", &output["message"]);
    stage.check("send_message", &reply, "out", &output["reply"]);
    let path = start_run(&chat.ada, chat.workflow.rsplit('/').next().unwrap(), json!(1)).await;
    chat.app.platform.drain().await;
    let run = read(&chat.ada, &path).await;
    assert_eq!(run["output"]["code"], "no_recipient", "{run}");
    stage.check("send_message", &reply, "error", &run["output"]);
}

/// A query of a real server. Without one, the port is not reached.
async fn run_database(stage: &mut Stage) {
    let Some(shop) = Shop::open(&stage.ada).await else {
        stage.seen.insert(("database".to_owned(), "out".to_owned()));
        return;
    };
    let sql = "SELECT 7 AS id, $1 AS name, 1.50::numeric AS total";
    let statements = json!([{"sql": sql, "parameters": "[input.customer]"}]);
    let config = stage.example("database", &shop.config(json!({"statements": statements})));
    let run = shop.run(&stage.app, &stage.ada, config.clone(), json!({"customer": "Ada"})).await;
    assert_eq!(run["output"]["rows"], json!([{"id": 7, "name": "Ada", "total": "1.50"}]), "{run}");
    stage.check("database", &config, "out", &run["output"]);
}

/// A workflow with a placeholder cannot be published. A preview goes on with the input of the placeholder.
async fn run_placeholder(stage: &mut Stage) {
    let config = stage.example("placeholder", &json!({}));
    let nodes = [
        node("start", "input", json!({})),
        node("todo", "placeholder", config.clone()),
        node("end", "send_result", json!({})),
    ];
    let draft = json!({"name": "Draft", "graph": graph(&nodes, &["start.out todo", "todo.out end"])});
    let created = stage.ada.post_json(WORKFLOWS, draft).await;
    let path = format!("{WORKFLOWS}/{}", created.id());
    let refused = stage.ada.post(&format!("{path}/publish")).await;
    let details = &refused.json["error"]["details"];
    assert_eq!((&details[0]["code"], &details[1]), (&json!("placeholder"), &Value::Null), "{}", refused.text);
    let preview = stage.ada.post_json(&format!("{path}/preview"), json!({"input": {"n": 1}})).await;
    assert_eq!(preview.json["data"]["output"], json!({"n": 1}), "{}", preview.text);
    stage.check("placeholder", &config, "out", &json!({"n": 1}));
}

/// `fail` has no output; it ends the run with the configured error.
async fn run_fail(stage: &Stage) {
    let stop = node("stop", "fail", stage.example("fail", &json!({})));
    let nodes = [node("start", "input", json!({})), stop, node("end", "send_result", json!({}))];
    let flow = publish(&stage.ada, graph(&nodes, &["start.out stop", "start.out end"])).await;
    let path = start_run(&stage.ada, &flow, json!({"order": 7})).await;
    stage.app.platform.drain().await;
    let run = read(&stage.ada, &path).await;
    assert_eq!(run["error"], json!({"code": "order_unknown", "message": "No order 7.", "nodeId": "stop"}));
}
