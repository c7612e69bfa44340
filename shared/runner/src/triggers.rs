//! The trigger of a manual run or a preview, and the check of its input.

use std::sync::Arc;
use std::time::Duration;

use domain::graph::{Graph, Node};
use domain::id::{ReleaseId, WorkflowId};
use domain::identity::Account;
use domain::{Error, Result};
use engine::drive::mask_run_input;
use engine::nodes::form::FormNode;
use engine::nodes::input::InputNode;
use engine::nodes::redaction::Redaction;
use engine::nodes::{self, Category, NodeKind};
use engine::schema::{FieldProblem, check_value};
use engine::value_size::check_input;
use platform::cache::Cache;
use platform::offload;
use serde_json::Value;
use store::Workflows;

/// The number of triggers in memory.
const TRIGGERS: usize = 200;
const KEPT: Duration = Duration::from_secs(60 * 60);

/// The triggers of releases. A release never changes, so its manifest is read once in each process.
pub struct Triggers {
    workflows: Workflows,
    triggers: Cache<ReleaseId, Arc<Trigger>>,
}

#[derive(Debug, PartialEq)]
pub struct Trigger {
    pub node_id: String,
    /// The JSON Schema of the input.
    schema: Option<Value>,
    /// The form whose fields are the input.
    form: Option<FormNode>,
    /// The input of a run that is started without one.
    default_input: Value,
    redaction: Redaction,
}

impl Triggers {
    pub fn new(workflows: Workflows) -> Self {
        Self { workflows, triggers: Cache::new(KEPT, TRIGGERS) }
    }

    pub async fn find(&self, account: Account, workflow: WorkflowId, release: ReleaseId) -> Result<Arc<Trigger>> {
        let load = async || {
            let manifest = self.workflows.release_manifest(account, workflow, release).await?;
            let trigger = find_trigger(&manifest.graph);
            trigger.map(Arc::new).ok_or_else(|| Error::internal("a release has no trigger"))
        };
        self.triggers.get_or_load(&release, load).await
    }
}

/// The trigger of a manual run: the `input` node, or the first trigger if the graph has none.
pub fn find_trigger(graph: &Graph) -> Option<Trigger> {
    let mut triggers = graph.nodes.iter().filter(|node| is_trigger(node)).peekable();
    let first = triggers.peek().copied();
    triggers.find(|node| node.r#type == InputNode::NAME).or(first).map(Trigger::new)
}

fn is_trigger(node: &Node) -> bool {
    nodes::find(&node.r#type).is_some_and(|node_type| node_type.category == Category::Trigger)
}

impl Trigger {
    fn new(node: &Node) -> Self {
        // Only the type `input` has these fields.
        let field = |name: &str| node.config.get(name).cloned().filter(|_| node.r#type == InputNode::NAME);
        Self {
            node_id: node.id.clone(),
            schema: field("schema").filter(|schema| !schema.is_null()),
            form: FormNode::read(node),
            default_input: field("example").unwrap_or_default(),
            redaction: Redaction::read(&node.config),
        }
    }

    /// The JSON Schema of the input, if the node `input` has one.
    pub fn schema(&self) -> Option<&Value> {
        self.schema.as_ref()
    }

    /// The input of a run as it is stored: checked as by `check_input`, and masked.
    pub async fn run_input(self: Arc<Self>, given: Option<Value>) -> Result<Value> {
        let mut input = self.clone().check_input(given).await?;
        mask_run_input(&self.redaction, &mut input);
        Ok(input)
    }

    /// The trigger with this node id, if the graph has one.
    pub fn of_node(graph: &Graph, id: &str) -> Option<Self> {
        graph.nodes.iter().find(|node| node.id == id && is_trigger(node)).map(Self::new)
    }

    /// The input of a run: what the caller sent, or the example of the node. It must match the schema.
    pub async fn check_input(self: Arc<Self>, given: Option<Value>) -> Result<Value> {
        let input = given.unwrap_or_else(|| self.default_input.clone());
        check_input("input", &input)?;
        if self.schema.is_none() && self.form.is_none() {
            return Ok(input);
        }
        let checked = offload(move || Ok(self.check_fields(input))).await?;
        checked.map_err(|(field, problem)| Error::invalid_body(field, problem.en))
    }

    fn check_fields(&self, input: Value) -> std::result::Result<Value, FieldProblem> {
        if let Some(form) = &self.form {
            return form.read_input("input", input);
        }
        let violations = self.schema.as_ref().map(|schema| check_value(schema, &input, "input").violations);
        violations.into_iter().flatten().next().map_or(Ok(input), Err)
    }
}
