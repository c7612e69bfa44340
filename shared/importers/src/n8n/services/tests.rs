use serde_json::{Value, json};

use super::translate;
use crate::translation::{Translation, find_problem};

/// Writes a parameter in JavaScript, as the importer does.
fn js(value: &Value) -> String {
    match value {
        Value::String(text) => match text.strip_prefix('=') {
            Some(template) => match template.strip_prefix("{{").and_then(|code| code.strip_suffix("}}")) {
                Some(code) if !code.contains("{{") => format!("$value(() => {})", code.trim()),
                _ => format!("$text`{}`", template.replace("{{", "${() => ").replace("}}", "}")),
            },
            None => value.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(js).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), js(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

pub fn problems(translation: &Translation) -> Vec<String> {
    translation.steps.iter().filter_map(|step| find_problem(step.kind, &step.config)).collect()
}

fn translated(kind: &str, version: f64, parameters: Value) -> Vec<Value> {
    let translation = translate(kind, version, &parameters, &js).unwrap_or_else(|| panic!("{kind}: {parameters}"));
    assert_eq!(problems(&translation), Vec::<String>::new());
    translation.steps.into_iter().map(|step| json!({"type": step.kind, "suffix": step.suffix, "config": step.config})).collect()
}

/// Counts the nodes of a folder of workflows that are translated: `CORPUS=… cargo test -p importers --lib services -- --ignored
/// --nocapture`. With `LEFT=<type>`, it lists what is left of a type.
#[test]
#[ignore = "reads a folder of workflows"]
fn counts_the_nodes_of_a_corpus() {
    use std::collections::BTreeMap;

    /// The types that call no service.
    const OTHERS: &str = include_str!("others.txt");
    let others: Vec<&str> = OTHERS.split_whitespace().collect();
    let (folder, left) = (std::env::var("CORPUS").unwrap(), std::env::var("LEFT").unwrap_or_default());
    let mut counts = BTreeMap::<String, [usize; 4]>::new();
    let mut missing = BTreeMap::<String, usize>::new();
    let mut scripts = Vec::new();
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let Ok(workflow) = serde_json::from_str::<Value>(&std::fs::read_to_string(file).unwrap()) else { continue };
        for node in workflow["nodes"].as_array().into_iter().flatten() {
            let Some(kind) = node["type"].as_str().and_then(|kind| kind.strip_prefix("n8n-nodes-base.")) else { continue };
            if kind.ends_with("Trigger") || kind.ends_with("Tool") || others.contains(&kind) {
                continue;
            }
            let parameters = &node["parameters"];
            let count = counts.entry(kind.to_owned()).or_default();
            count[0] += 1;
            if parameters["operation"] == "sendAndWait" {
                count[3] += 1;
                continue;
            }
            let version = node["typeVersion"].as_f64().unwrap_or(1.0);
            let what = match translate(kind, version, parameters, &js) {
                Some(translation) => {
                    let problems = problems(&translation);
                    for step in &translation.steps {
                        collect(&step.config.clone().into(), &mut scripts);
                    }
                    count[if problems.is_empty() { 1 } else { 2 }] += 1;
                    problems.first().map(|problem| format!("{kind}: {problem}"))
                }
                None => Some(format!("{kind}@{version} {}:{}", parameters["resource"], parameters["operation"])),
            };
            if let Some(what) = what.filter(|_| left.is_empty() || left == kind) {
                *missing.entry(what).or_default() += 1;
            }
        }
    }
    let mut sums = [0; 4];
    let mut rows: Vec<_> = counts.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(count[0]));
    for (kind, count) in rows {
        if left.is_empty() {
            println!("{kind:28} {:5} translated {:5} invalid {:4} reviews {:3}", count[0], count[1], count[2], count[3]);
        }
        (0..4).for_each(|index| sums[index] += count[index]);
    }
    println!("all {} translated {} invalid {} reviews {}", sums[0], sums[1], sums[2], sums[3]);
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    missing.iter().take(120).for_each(|(what, count)| println!("{count:5} {what}"));
    if let Ok(file) = std::env::var("SCRIPTS") {
        std::fs::write(file, serde_json::to_string(&scripts).unwrap()).unwrap();
    }
}

/// The scripts of a configuration, each with whether it is a body.
fn collect(config: &Value, scripts: &mut Vec<Value>) {
    match config {
        Value::Object(fields) => {
            if let Some(script) = fields.get("js").filter(|script| script.is_string()) {
                scripts.push(json!([false, script]));
            }
            if let Some(script) = fields.get("javascript") {
                scripts.push(json!([true, script]));
            }
            fields.values().for_each(|field| collect(field, scripts));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, scripts)),
        _ => {}
    }
}
