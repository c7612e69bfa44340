//! The input and the output of a workflow as a tool, from its active release. A release never changes, so each is read once.

use std::sync::Arc;
use std::time::Duration;

use domain::graph::Graph;
use domain::id::{ReleaseId, RunId, WorkflowId};
use domain::identity::Account;
use domain::{Error, Result};
use engine::nodes::NodeKind;
use engine::nodes::input::InputNode;
use engine::nodes::message::MessageNode;
use engine::result_schema;
use platform::cache::Cache;
use runner::Trigger;
use serde_json::{Map, Value, json};
use store::Workflows;
use uuid::Uuid;

use crate::result::run_result_schema;

/// The number of releases in memory.
const RELEASES: usize = 500;
const KEPT: Duration = Duration::from_secs(60 * 60);

pub struct ToolSchemas {
    workflows: Workflows,
    schemas: Cache<ReleaseId, Option<Arc<ToolSchema>>>,
}

pub struct ToolSchema {
    pub trigger: Arc<Trigger>,
    pub input: Arc<Map<String, Value>>,
    pub output: Arc<Map<String, Value>>,
    form: InputForm,
}

/// How the arguments of a call become the input of a run.
enum InputForm {
    /// They are the input.
    Whole,
    /// The input is their field `input`, because it is no object.
    Wrapped,
    /// They have the text of a message.
    Message,
}

impl ToolSchemas {
    pub fn new(workflows: Workflows) -> Self {
        Self { workflows, schemas: Cache::new(KEPT, RELEASES) }
    }

    /// The schema of a release. None if it begins with another trigger than `input` or `message`.
    pub async fn find(
        &self,
        account: Account,
        workflow: WorkflowId,
        release: ReleaseId,
    ) -> Result<Option<Arc<ToolSchema>>> {
        let load = async || {
            let manifest = self.workflows.release_manifest(account, workflow, release).await?;
            Ok(ToolSchema::read(&manifest.graph).map(Arc::new))
        };
        self.schemas.get_or_load(&release, load).await
    }
}

impl ToolSchema {
    fn read(graph: &Graph) -> Option<Self> {
        let of_type = |name: &str| graph.nodes.iter().find(|node| node.r#type == name);
        let (node, is_message) = match of_type(InputNode::NAME) {
            Some(node) => (node, false),
            None => (of_type(MessageNode::NAME)?, true),
        };
        let trigger = Trigger::of_node(graph, &node.id)?;
        let (input, form) = if is_message {
            let text = json!({"type": "string", "minLength": 1, "description": "The message to the workflow."});
            (object_of("message", text, true), InputForm::Message)
        } else {
            match trigger.schema() {
                Some(Value::Object(schema)) if schema.get("type").is_some_and(|kind| kind == "object") => {
                    (schema.clone(), InputForm::Whole)
                }
                Some(schema) => (object_of("input", schema.clone(), true), InputForm::Wrapped),
                None => {
                    let any = json!({"description": "The input of the workflow: any JSON value."});
                    (object_of("input", any, false), InputForm::Wrapped)
                }
            }
        };
        let output = run_result_schema(result_schema(graph));
        Some(Self { trigger: Arc::new(trigger), input: Arc::new(input), output: Arc::new(output), form })
    }

    /// The input of a run, from the arguments of a call.
    pub async fn run_input(&self, run: RunId, caller: &str, mut arguments: Map<String, Value>) -> Result<Value> {
        let given = match self.form {
            InputForm::Whole => Some(arguments.into()),
            InputForm::Wrapped => {
                let input = arguments.remove("input");
                if let Some(unknown) = arguments.keys().next() {
                    return Err(Error::invalid_body(unknown.as_str(), "is not known; send only `input`"));
                }
                input
            }
            InputForm::Message => {
                let text = arguments.get("message").and_then(Value::as_str).filter(|text| !text.is_empty());
                let text = text.ok_or_else(|| Error::invalid_body("message", "must be a text that is not empty"))?;
                Some(json!({
                    "text": text,
                    "participant": {"id": caller, "name": null},
                    "attachments": [],
                    // The call is a conversation of one message.
                    "threadId": run.uuid(),
                    "messageId": Uuid::now_v7(),
                }))
            }
        };
        self.trigger.clone().run_input(given).await
    }
}

fn object_of(field: &str, schema: Value, is_required: bool) -> Map<String, Value> {
    let required: &[&str] = if is_required { &[field] } else { &[] };
    let schema = json!({"type": "object", "properties": {field: schema}, "required": required});
    schema.as_object().cloned().unwrap_or_default()
}
