//! The tools of the studio, in the order in which an assistant needs them.

mod catalog;
mod checks;
mod drafts;
mod releases;
mod runs;

use std::sync::{Arc, LazyLock};

use futures::future::BoxFuture;
use mcp::rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::answer::ToolAnswer;
use crate::api::Session;
use crate::refusal::Refusal;

pub type ToolResult = Result<ToolAnswer, Refusal>;
type Call = for<'a> fn(Session<'a>, Value) -> BoxFuture<'a, ToolResult>;

pub struct StudioTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The JSON Schema of the arguments, against which they are checked.
    pub arguments: Value,
    /// The JSON Schema of the values of the answer.
    answer: Value,
    effect: Effect,
    pub call: Call,
}

/// What a call may change.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    /// It adds something new.
    Adds,
    /// It replaces what is stored; a second call with the same arguments changes nothing more, or is refused.
    Changes,
    /// Models and other systems are called.
    Performs,
}

impl Effect {
    fn annotations(self) -> ToolAnnotations {
        let hints = |reads, destroys, repeats, reaches_out| {
            let annotations = ToolAnnotations::new().read_only(reads).destructive(destroys);
            annotations.idempotent(repeats).open_world(reaches_out)
        };
        match self {
            Self::Reads => hints(true, false, true, false),
            Self::Adds => hints(false, false, false, false),
            Self::Changes => hints(false, true, true, false),
            Self::Performs => hints(false, true, false, true),
        }
    }
}

impl StudioTool {
    /// The tool as `tools/list` shows it.
    pub fn describe(&self) -> Tool {
        let tool = Tool::new(self.name, self.description, object_of(&self.arguments)).with_title(self.title);
        tool.with_raw_output_schema(object_of(&self.answer)).with_annotations(self.effect.annotations())
    }
}

fn object_of(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

static TOOLS: LazyLock<Vec<StudioTool>> = LazyLock::new(|| {
    [catalog::tools(), drafts::tools(), checks::tools(), releases::tools(), runs::tools()]
        .into_iter()
        .flatten()
        .collect()
});

pub fn all() -> &'static [StudioTool] {
    &TOOLS
}

pub fn find(name: &str) -> Option<&'static StudioTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// An argument that is a text; empty if it is missing. Required ones are never missing, because the schema is checked.
fn text_of<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments[name].as_str().unwrap_or_default()
}
