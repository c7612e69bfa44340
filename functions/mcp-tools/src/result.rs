//! The results of calls, as assistants get them.

use domain::Error;
use domain::id::RunId;
use mcp::rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use store::runs::ShownValue;

/// The tool with which an assistant asks for the result of an earlier call.
pub const GET_RUN: &str = "get_run";

/// How far a run is when its call is answered.
#[derive(Clone, Copy)]
pub enum RunProgress {
    /// A person has to answer first.
    Paused,
    /// The call took as long as a call may take.
    Running,
}

/// The JSON Schema of the structured result of a run, whose output has a schema of its own.
pub fn run_result_schema(output: Value) -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "runId": {"type": "string", "format": "uuid"},
            "state": {"enum": ["completed", "paused", "running"], "description": format!(
                "`paused`: a person has to answer first. `running`: the run goes on. Call `{GET_RUN}` later."
            )},
            "output": output_or_null(output),
            "outputUrl": {"type": "string", "description": "Where a large output is, for 15 minutes."},
        },
        "required": ["runId", "state", "output"],
    });
    schema.as_object().cloned().unwrap_or_default()
}

/// A run in progress, and one with a large output, have no output in their result.
fn output_or_null(schema: Value) -> Value {
    match schema {
        Value::Object(schema) if schema.is_empty() || schema.contains_key("anyOf") => schema.into(),
        schema => json!({"anyOf": [{"type": "null"}, schema]}),
    }
}

/// The result of a run that has completed.
pub fn completed(run: RunId, output: ShownValue) -> CallToolResult {
    let mut content = json!({"runId": run, "state": "completed", "output": null});
    let text = match output {
        ShownValue::Value(value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            content["output"] = value;
            text
        }
        ShownValue::Url(url) => {
            let text = format!("The output is larger than 256 KB. It is at {url} for 15 minutes.");
            content["outputUrl"] = url.into();
            text
        }
    };
    structured(text, content)
}

/// The result of a run that goes on.
pub fn unfinished(run: RunId, progress: RunProgress) -> CallToolResult {
    let (state, reason) = match progress {
        RunProgress::Paused => ("paused", "waits for a person, who answers in the console"),
        RunProgress::Running => ("running", "goes on"),
    };
    let text = format!("The run {run} {reason}. Call the tool {GET_RUN} with this runId later to get its result.");
    structured(text, json!({"runId": run, "state": state, "output": null}))
}

pub fn structured(text: String, content: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(content);
    result
}

/// A refusal or a failure that the assistant can read and act on.
pub fn failed(code: &str, message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("{code}: {message}"))])
}

/// An error of the platform as a result.
pub fn refused(error: &Error) -> CallToolResult {
    failed(&web::code(error), &error.to_string())
}
