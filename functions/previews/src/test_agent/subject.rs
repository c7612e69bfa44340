//! What is tested: the plan of a graph, and the trigger that messages fire.

use std::sync::Arc;

use domain::channel::Channels;
use domain::graph::Graph;
use domain::workflow::Workflow;
use domain::{Error, Result};
use engine::compile::ExecutionPlan;
use engine::nodes::NodeKind;
use engine::nodes::message::MessageNode;
use runner::compile_draft;
use store::Workflows;
use web::language;

use super::dto::TargetIn;

pub struct TestSubject {
    pub plan: Arc<ExecutionPlan>,
    /// The step of the `message` node.
    pub trigger: usize,
    pub channels: Channels,
}

impl TestSubject {
    /// Reads and compiles the draft or the active release. Without `trigger`, the first `message` node fires.
    pub async fn read(
        workflows: &Workflows,
        workflow: Workflow,
        target: TargetIn,
        trigger: Option<&str>,
    ) -> Result<Self> {
        workflow.check_previewable()?;
        let (graph, channels) = match target {
            TargetIn::Draft => (workflow.graph, workflow.channels),
            TargetIn::Release => {
                let active = workflow.active.as_ref().ok_or_else(never_published)?;
                let manifest = workflows.release_manifest(workflow.account, workflow.id, active.release).await?;
                (manifest.graph, manifest.channels)
            }
        };
        let id = find_trigger(&graph, trigger).map(str::to_owned);
        let plan = compile_draft(graph, language::of_request(), script::interpreter()).await?.tested();
        let step = plan.find_step(&id?).ok_or_else(|| Error::internal("a plan lacks a node of its graph"))?;
        Ok(Self { plan: Arc::new(plan), trigger: step, channels })
    }
}

fn find_trigger<'a>(graph: &'a Graph, id: Option<&str>) -> Result<&'a str> {
    let mut messages = graph.nodes.iter().filter(|node| node.r#type == MessageNode::NAME);
    let found = match id {
        Some(id) => messages.find(|node| node.id == id).ok_or_else(|| {
            Error::invalid_body(
                "trigger",
                "the graph has no `message` node with this id; send the id of one, or omit it",
            )
        }),
        None => messages.next().ok_or_else(|| {
            Error::invalid_state("the graph has no node of the type `message`, so nobody can write to it; add one")
        }),
    };
    found.map(|node| node.id.as_str())
}

fn never_published() -> Error {
    let message = "the workflow was never published; publish it first, or test the draft".to_owned();
    Error::Conflict { code: "unpublished_changes", message }
}
