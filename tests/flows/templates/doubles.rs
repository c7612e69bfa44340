//! Test doubles for nodes with side effects. The embedded models are the real ones.

use futures::executor::block_on;
use serde_json::{Map, Value, json};

use engine::compile::PlanStep;
use engine::nodes::model::ModelNode;
use engine::nodes::review::Question;
use engine::nodes::{DueWork, Operation};
use engine::run::{DueEffect, StepOutcome};
use gateway::chat::ChatRequest;
use gateway::embeddings::EmbeddingsRequest;
use gateway::providers::{AnyProvider, Dev};

const DEV: AnyProvider = AnyProvider::Dev(Dev);

/// Returns every possible outcome of an effect.
pub fn simulate_effect(step: &PlanStep, effect: &DueEffect) -> Vec<StepOutcome> {
    let out = |value: Value| StepOutcome::new("out", value);
    let mut outcomes: Vec<StepOutcome> = match &effect.work {
        DueWork::Delay(_) => vec![StepOutcome::new("out", effect.input.clone())],
        DueWork::Ask(question) => decisions(question),
        DueWork::Perform(operation) => match &**operation {
            Operation::Model(node) => answers(step, node).into_iter().map(out).collect(),
            Operation::Embeddings(node) => vec![out(vectors(&node.input))],
            Operation::Retrieval(node) => {
                assert!(!node.query.is_empty(), "{}", step.id);
                vec![
                    out(json!({"passages": [{"source": "Returns", "text": "Within 30 days.", "score": 0.8}]})),
                    out(json!([])),
                ]
            }
            Operation::Http(_) => vec![
                out(json!({"status": 200, "headers": {}, "body": {"name": "Acme", "state": "acknowledged"}})),
                out(json!({"status": 202, "headers": {}, "body": {"state": "open"}})),
                out(json!({"status": 404, "headers": {}, "body": "not found"})),
            ],
            Operation::Guard(_) => {
                ["passed", "flagged"].map(|port| StepOutcome::new(port, json!({"flagged": port == "flagged"}))).into()
            }
            Operation::SendMessage(_) => vec![out(json!({"sent": true}))],
            other => panic!("{other:?} has no test double"),
        },
    };
    let error = json!({"code": "unavailable", "message": "It did not answer."});
    match step.config.get("onError").and_then(Value::as_str) {
        Some("branch") => outcomes.push(StepOutcome::new("error", error)),
        Some("continue") => outcomes.push(out(Value::Null)),
        _ => {}
    }
    outcomes
}

/// The decisions of a person who changes nothing and writes no comment.
fn decisions(question: &Question) -> Vec<StepOutcome> {
    let mut fields = Map::new();
    for field in question.request.get("fields").and_then(Value::as_array).into_iter().flatten() {
        if let Some(value) = field.get("value") {
            fields.insert(field["name"].as_str().unwrap().to_owned(), value.clone());
        }
    }
    let decided = |port: &str, fields: Value, reviewer: Value| {
        StepOutcome::new(port, json!({"decision": port, "fields": fields, "comment": null, "reviewer": reviewer}))
    };
    vec![
        decided("approved", Value::Object(fields), json!("Ada")),
        decided("rejected", json!({}), json!("Ada")),
        decided("expired", json!({}), Value::Null),
    ]
}

/// The answers of dev-chat. With a schema, also the answers for the middle and the last of the allowed values.
fn answers(step: &PlanStep, node: &ModelNode<Value, String>) -> Vec<Value> {
    let ask_model = |format: Option<Value>| {
        let messages = json!([
            {"role": "system", "content": node.system.as_deref().unwrap_or_default()},
            {"role": "user", "content": node.prompt},
        ]);
        let body = json!({
            "model": "dev-chat", "messages": messages, "temperature": node.temperature, "max_tokens": node.max_tokens,
            "response_format": format,
        });
        let answer = block_on(DEV.chat("dev-chat", &ChatRequest::read(body).unwrap())).unwrap();
        let choices: Value = serde_json::from_str(&answer.choices.to_json()).unwrap();
        choices[0]["message"]["content"].as_str().unwrap().to_owned()
    };
    let Some(schema) = node.schema.clone().map(Value::Object) else { return vec![ask_model(None).into()] };
    let in_form = |schema: Value| {
        let format = json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
        serde_json::from_str(&ask_model(Some(format))).unwrap_or_else(|error| panic!("{}: {error}", step.id))
    };
    [Leaning::First, Leaning::Middle, Leaning::Last].map(|leaning| in_form(narrow_schema(&schema, leaning))).into()
}

#[derive(Clone, Copy, PartialEq)]
enum Leaning {
    First,
    Middle,
    Last,
}

/// Narrows a schema so that the embedded model chooses another value.
fn narrow_schema(schema: &Value, leaning: Leaning) -> Value {
    let choose = |count: usize| match leaning {
        Leaning::First => 0,
        Leaning::Middle => count / 2,
        Leaning::Last => count - 1,
    };
    match schema {
        Value::Object(fields) => {
            if let Some(values) = fields.get("enum").and_then(Value::as_array) {
                return json!({"const": values[choose(values.len())]});
            }
            if fields.get("type") == Some(&json!("boolean")) {
                return json!({"const": leaning == Leaning::First});
            }
            if let (Some(least), Some(most)) = (fields.get("minimum"), fields.get("maximum")) {
                let (least, most) = (least.as_u64().unwrap(), most.as_u64().unwrap());
                let number = [least, least.midpoint(most), most][choose(3)];
                return json!({"const": number});
            }
            let mut leant: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), narrow_schema(value, leaning))).collect();
            if fields.get("type") == Some(&json!("array")) && leaning == Leaning::Last {
                let least = fields.get("minItems").cloned().unwrap_or(json!(0));
                leant.insert("maxItems".to_owned(), least);
            }
            Value::Object(leant)
        }
        other => other.clone(),
    }
}

fn vectors(input: &Value) -> Value {
    let body = json!({"model": "dev-embed", "input": input});
    let answer = block_on(DEV.embed("dev-embed", &EmbeddingsRequest::read(body).unwrap())).unwrap();
    json!(answer.vectors)
}
