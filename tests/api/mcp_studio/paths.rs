//! The path of an assistant, from nothing to the trace of a run, with the tools of the studio alone: for three of the templates. The
//! drafts begin with the mistakes that assistants make, and the validator's messages alone lead to the graph of the template.

use serde_json::{Value, json};
use tests::TestApp;

use super::assistant::Studio;
use super::fixes::fix;

const MAX_FIXES: usize = 30;

/// A draft with mistakes, and what its preview and its run must do.
struct Path {
    template: &'static str,
    /// Spoils the graph of the template.
    spoil: fn(&mut Value),
    mistakes: usize,
    preview: Value,
    preview_output: (&'static str, Value),
    input: Value,
    state: &'static str,
    steps: &'static [(&'static str, &'static str)],
}

fn node<'a>(graph: &'a mut Value, id: &str) -> &'a mut Value {
    graph["nodes"].as_array_mut().unwrap().iter_mut().find(|node| node["id"] == id).expect("a node of the template")
}

fn connection<'a>(graph: &'a mut Value, from: &str, to: &str) -> &'a mut Value {
    let connections = graph["connections"].as_array_mut().unwrap().iter_mut();
    let mut named =
        connections.filter(|connection| connection["from"]["node"] == from && connection["to"]["node"] == to);
    named.next().expect("a connection of the template")
}

fn rename(config: &mut Value, right: &str, wrong: &str) {
    let fields = config.as_object_mut().unwrap();
    let value = fields.remove(right).expect("a field of the template");
    fields.insert(wrong.to_owned(), value);
}

fn replace(text: &mut Value, right: &str, wrong: &str) {
    let before = text.as_str().unwrap();
    assert!(before.contains(right), "{before}");
    *text = before.replacen(right, wrong, 1).into();
}

#[tokio::test]
async fn an_assistant_builds_an_approval() {
    let spoil = |graph: &mut Value| {
        node(graph, "way")["type"] = "swich".into();
        rename(&mut node(graph, "notes")["config"], "prompt", "promt");
        node(graph, "notes")["config"]["temperature"] = "0".into();
        replace(&mut node(graph, "approved")["config"]["fields"]["employee"], "claim", "clam");
        connection(graph, "manager", "large")["from"]["port"] = "aproved".into();
        let again = connection(graph, "refused", "result").clone();
        graph["connections"].as_array_mut().unwrap().push(again);
        let spare = json!({"id": "spare", "type": "transform", "config": {"value": "input"}});
        graph["nodes"].as_array_mut().unwrap().push(spare);
    };
    let claim = json!({"employee": "Ada", "amount": 640, "currency": "EUR", "category": "travel", "description": "Train",
        "receipt": "r-1"});
    let mut small = claim.clone();
    small["amount"] = 40.into();
    Path {
        template: "expense-approval",
        spoil,
        mistakes: 7,
        preview: json!({
            "input": claim,
            "pinned": {
                "notes": {"output": "The hotel is missing."},
                "manager": {"port": "rejected", "output": {"comment": "Ask for the hotel's bill."}},
            },
        }),
        preview_output: ("/comment", json!("Ask for the hotel's bill.")),
        input: small,
        state: "completed",
        steps: &[("claim", "completed"), ("way", "completed"), ("approved", "completed"), ("result", "completed")],
    }
    .walk()
    .await;
}

#[tokio::test]
async fn an_assistant_builds_a_survey_and_finds_out_why_a_run_failed() {
    let spoil = |graph: &mut Value| {
        rename(&mut node(graph, "each")["config"], "items", "item");
        replace(&mut node(graph, "classify")["config"]["prompt"], "nodes.survey.output", "nodes.survey.result");
        replace(&mut node(graph, "labelled")["config"]["fields"]["answer"], "vars.item", "vars.element");
        replace(&mut node(graph, "summary")["config"]["prompt"], "tojson", "toJson");
        connection(graph, "labelled", "each")["to"]["port"] = "nxt".into();
        connection(graph, "any", "nothing")["to"]["node"] = "nothin".into();
    };
    let survey = |answers: Value| json!({"question": "What should we change?", "answers": answers});
    Path {
        template: "survey-sentiment",
        spoil,
        mistakes: 6,
        preview: json!({
            "input": survey(json!(["Love it", " ", "Too slow"])),
            "pinned": {
                "classify": {"output": {"sentiment": "negative", "theme": "reliability", "asks": true}},
                "summary": {"output": "They are not happy."},
            },
        }),
        preview_output: ("/read", json!(2)),
        input: survey(json!(["  "])),
        state: "failed",
        steps: &[("survey", "completed"), ("filled", "completed"), ("any", "completed"), ("nothing", "failed")],
    }
    .walk()
    .await;
}

#[tokio::test]
async fn an_assistant_builds_a_review_of_contracts() {
    let spoil = |graph: &mut Value| {
        replace(&mut node(graph, "fits")["config"]["expression"], "&&", "and");
        replace(&mut node(graph, "findings")["config"]["fields"]["clauses"], "input", "inputs");
        node(graph, "light")["type"] = "transforms".into();
        node(graph, "too_long")["config"]["retries"] = 3.into();
        connection(graph, "each", "findings")["from"]["port"] = "dne".into();
        replace(&mut node(graph, "clauses")["config"]["value"], "split", "splt");
    };
    let contract = |text: &str| json!({"title": "Hosting", "party": "customer", "text": text});
    Path {
        template: "contract-review",
        spoil,
        mistakes: 6,
        preview: json!({
            "input": contract("1. The price may change.\n\n2. Data stay in the EU."),
            "pinned": {
                "assess": {"output": {"risk": "high", "topic": "Price", "concern": "No notice.", "proposal": "60 days."}},
                "lawyer": {"port": "rejected", "output": {"comment": "Negotiate the price."}},
            },
        }),
        preview_output: ("/status", json!("to_negotiate")),
        input: contract("   "),
        state: "completed",
        steps: &[
            ("contract", "completed"),
            ("clauses", "completed"),
            ("fits", "completed"),
            ("each", "completed"),
            ("findings", "completed"),
            ("heavy", "completed"),
            ("light", "completed"),
            ("result", "completed"),
        ],
    }
    .walk()
    .await;
}

impl Path {
    async fn walk(self) {
        let app = TestApp::start().await;
        let studio = Studio::connect(&app.person("ada")).await;
        let template = studio.value("get_template", json!({"template": self.template})).await;
        let types = studio.value("list_node_types", json!({})).await;
        for node in template["graph"]["nodes"].as_array().unwrap() {
            let is_listed = |listed: &Value| listed["type"] == node["type"];
            assert!(types["nodeTypes"].as_array().unwrap().iter().any(is_listed), "{node}");
            let described = studio.value("get_node_type", json!({"type": node["type"]})).await;
            assert!(described["configSchema"].is_object() && described["example"].is_object(), "{described}");
        }

        let mut draft = template["graph"].clone();
        (self.spoil)(&mut draft);
        let name = format!("From nothing: {}", self.template);
        let created = studio.value("create_workflow", json!({"name": name, "graph": draft})).await;
        let id = created["workflowId"].as_str().unwrap();
        let fixed = fix_by_messages(&studio, id).await;
        assert!(fixed >= self.mistakes, "{fixed} fixes for {} mistakes", self.mistakes);
        let stored = studio.value("get_workflow", json!({"workflowId": id})).await;
        assert_eq!(normal(&stored["graph"]), normal(&template["graph"]), "the messages lead to the intended graph");

        let mut preview = self.preview.clone();
        preview["workflowId"] = id.into();
        let previewed = studio.value("preview_workflow", preview).await;
        assert_eq!(previewed["state"], "completed", "{previewed}");
        let (place, expected) = &self.preview_output;
        assert_eq!(previewed["output"].pointer(place), Some(expected), "{}", previewed["output"]);

        let unpublished = studio.value("diff_workflow", json!({"workflowId": id})).await;
        assert_eq!(unpublished["published"], false);
        let published = studio.value("publish_workflow", json!({"workflowId": id, "notes": "The first one"})).await;
        assert_eq!((&published["release"]["number"], &published["state"]), (&json!(1), &json!("published")));

        let started = studio.value("start_run", json!({"workflowId": id, "input": self.input})).await;
        app.platform.drain().await;
        let run = json!({"workflowId": id, "runId": started["id"]});
        let ended = studio.value("get_run", run.clone()).await;
        assert_eq!(ended["state"], self.state, "{ended}");
        let trace = studio.value("get_trace", run).await;
        let span_of = |step: &str| trace["spans"].as_array().unwrap().iter().find(|span| span["step"] == step);
        for (step, state) in self.steps {
            assert_eq!(span_of(step).map(|span| &span["state"]), Some(&json!(state)), "{step}: {trace}");
        }
        let runs = studio.value("list_runs", json!({"workflowId": id, "state": self.state})).await;
        assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    }
}

/// Validates and applies the first problem's fix, again and again. Returns how many fixes it took.
async fn fix_by_messages(studio: &Studio, id: &str) -> usize {
    for count in 0..MAX_FIXES {
        let found = studio.value("validate_workflow", json!({"workflowId": id})).await;
        let Some(problem) = found["problems"].as_array().unwrap().first() else {
            assert_eq!(found["valid"], true);
            return count;
        };
        let workflow = studio.value("get_workflow", json!({"workflowId": id})).await;
        let mut edit = fix(problem, &workflow["graph"]);
        edit["workflowId"] = id.into();
        edit["revision"] = workflow["revision"].clone();
        let edited = studio.call("edit_draft", edit.clone()).await;
        assert!(!edited.is_error, "{problem}\n{edit}\n{}", edited.text);
    }
    panic!("the draft still has problems after {MAX_FIXES} fixes");
}

/// The nodes and connections of a graph, without their order and their names.
fn normal(graph: &Value) -> (Vec<String>, Vec<String>) {
    let parts = |name: &str, part: &dyn Fn(&Value) -> String| {
        let mut parts: Vec<String> = graph[name].as_array().unwrap().iter().map(part).collect();
        parts.sort();
        parts
    };
    let node = |node: &Value| format!("{} {} {}", node["id"], node["type"], sorted(&node["config"]));
    (parts("nodes", &node), parts("connections", &|connection| sorted(connection).to_string()))
}

/// The value with sorted fields, and with whole numbers in one form.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            fields.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            json!(number.as_f64().unwrap() as i64)
        }
        other => other.clone(),
    }
}
