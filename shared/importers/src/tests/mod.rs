//! Tests of the importers: translations, losses, secrets and hostile files.

mod agents;
mod amplified;
mod branches;
mod cycles;
mod differences;
mod dify;
mod dify_nodes;
mod hostile;
mod items;
mod losses;
mod media;
mod n8n;
mod round_trip;
mod secrets;
mod triggers;
mod work;

use serde_json::Value;

use super::*;
use domain::id::{OrgId, UserId, WorkflowId};
use domain::identity::Account;
use domain::workflow::{NewWorkflow, Workflow};
use engine::compile::{self, GraphProblem};
use work::read_within;

/// The report as text, one line for each node: id, new type, status and reason.
fn report_lines(imported: &Imported) -> String {
    let kind = |id: &str| {
        let node = imported.graph.nodes.iter().find(|node| node.id == id);
        node.map_or("-", |node| node.r#type.as_str()).to_owned()
    };
    let lines = imported.report.nodes.iter().map(|node| {
        let status = match node.status {
            Status::Mapped => return format!("{} {}", node.id, kind(&node.id)),
            Status::Partial => "partial",
            Status::Unsupported => "unsupported",
        };
        let why = node
            .why
            .split_once("; ")
            .filter(|(kind, _)| kind.starts_with("imported as "))
            .map_or(node.why.as_str(), |(_, why)| why);
        format!("{} {} {status}: {why}", node.id, kind(&node.id))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn connections(imported: &Imported) -> String {
    let end =
        |node: &str, port: &str, plain: &str| if port == plain { node.to_owned() } else { format!("{node}.{port}") };
    let wires = imported.graph.connections.iter().map(|wire| {
        format!("{}>{}", end(&wire.from.node, &wire.from.port, "out"), end(&wire.to.node, &wire.to.port, "in"))
    });
    wires.collect::<Vec<_>>().join(" ")
}

fn reconnected(imported: &Imported) -> Vec<String> {
    imported.report.reconnect.iter().map(|one| format!("{}: {}", one.node_id, one.what)).collect()
}

fn config(imported: &Imported, id: &str) -> Value {
    let node = imported.graph.nodes.iter().find(|node| node.id == id);
    Value::Object(node.unwrap_or_else(|| panic!("no node {id}")).config.clone())
}

fn problems(imported: &Imported) -> Vec<GraphProblem> {
    compile::compile(&imported.graph).finish().1
}

/// Asserts what is true of every import.
fn assert_sound(imported: &Imported) {
    let Imported { name, description, graph, .. } = imported.clone();
    let account = Account { org: OrgId::new(), user: UserId::new() };
    let given = NewWorkflow { name: Some(name), description, graph };
    Workflow::new(WorkflowId::new(), account, given).unwrap();
    // One original node may have become several.
    let is_of = |node: &NodeReport, id: &str| {
        id.strip_prefix(&node.id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let is_reported =
        |id: &str| imported.report.nodes.iter().any(|node| is_of(node, id) && node.status != Status::Mapped);
    for problem in problems(imported) {
        let id = problem.node_id.as_deref().unwrap_or_default();
        match problem.code {
            "invalid_config" | "invalid_expression" | "unknown_type" | "unknown_port" | "duplicate_id" => {
                panic!("{problem:?}")
            }
            "unknown_variable" => assert!(is_reported(id), "{problem:?}"),
            _ => {}
        }
    }
    for node in &imported.graph.nodes {
        assert!(!node.config.contains_key("credentialId"));
    }
    for node in imported.report.nodes.iter().filter(|node| node.status == Status::Unsupported) {
        let stub = imported.graph.nodes.iter().find(|stub| stub.id == node.id).unwrap();
        assert!(matches!(&*stub.r#type, "placeholder" | "code"), "{stub:?}");
        assert!(stub.r#type == "code" || stub.config.get("original") == node.original.as_ref(), "{stub:?}");
        assert!(!node.why.is_empty());
    }
    for one in &imported.report.reconnect {
        assert!(imported.report.nodes.iter().any(|node| node.id == one.node_id), "{one:?}");
    }
}

fn read_sound(text: &str) -> Imported {
    let imported = read(text).unwrap();
    assert_sound(&imported);
    imported
}

/// A fixture by name.
fn file(name: &str) -> Imported {
    let (_, text) = n8n::FILES.iter().chain(&dify::FILES).find(|(known, _)| *known == name).unwrap();
    read_sound(text)
}

/// Asserts the report lines and the connections of a fixture. White space is ignored.
fn assert_becomes(name: &str, nodes: &str, wires: &str) {
    let imported = file(name);
    let lines = |text: &str| text.split('\n').map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&report_lines(&imported)), lines(nodes.trim()));
    let words = |text: &str| text.split(['\n', ' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    assert_eq!(words(&connections(&imported)), words(wires));
}
