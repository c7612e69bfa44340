//! Tools that check drafts before they are published: the validator, expressions and previews.

use serde_json::{Value, json};

use super::{Effect, StudioTool, ToolResult, text_of};
use crate::answer::{ToolAnswer, describe_problems};
use crate::api::{ApiRequest, Function, Session};
use crate::schema::{answer, any, arguments, id, list, object, text, truth};

pub fn tools() -> Vec<StudioTool> {
    let workflow_id = || id("The id of the workflow");
    vec![
        StudioTool {
            name: "validate_workflow",
            title: "Validate a draft",
            description: "Finds all problems of a draft: each with its node, field, line and column, what is wrong, and how to fix \
                it. Errors prevent publishing, warnings do not. Fix what it names, and validate again.",
            arguments: arguments(&[("workflowId!", workflow_id())]),
            answer: answer(&[
                ("valid", truth("Whether the draft can be published")),
                ("problems", list("The problems, errors first: severity, code, message, nodeId, field, line, column")),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(validate_workflow(session, arguments)),
        },
        StudioTool {
            name: "evaluate_expression",
            title: "Evaluate an expression",
            description: "Evaluates a CEL expression or a Jinja template with example data, under the limits of a run. Nothing is \
                stored or called.",
            arguments: arguments(&[
                ("expression!", text("The expression, such as input.amount > 1000")),
                (
                    "data",
                    object(
                        "The values of the variables, such as {\"input\": {\"amount\": 5}, \"nodes\": {\"ask\": {\"output\": \
                    \"Hi\"}}, \"vars\": {\"item\": 1, \"index\": 0}}",
                    ),
                ),
                (
                    "language",
                    json!({"type": "string", "enum": ["cel", "jinja"], "description": "cel (the default) or jinja"}),
                ),
            ]),
            answer: answer(&[("result", any("The value")), ("type", text("The type of the value"))]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(evaluate_expression(session, arguments)),
        },
        StudioTool {
            name: "preview_workflow",
            title: "Preview a draft",
            description: "Carries out a draft and returns what each node did. No run is stored, but effects are real: nodes call \
                models and other systems, which costs money. Pin their outputs to perform nothing and to test each branch. \
                Delays do not wait; a preview ends at a review that is not pinned, and after 25 seconds.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("input", any("The input. Without one, the example of the node `input` is used")),
                (
                    "trigger",
                    text("The id of the trigger that fires. By default the node `input`, or the first trigger"),
                ),
                (
                    "pinned",
                    json!({
                        "type": "object",
                        "additionalProperties": {"type": "object"},
                        "description": "The outputs of nodes that are not performed, by the id of the node: {\"ask\": {\"output\": \"Hi\"}}, \
                            or with the port at which the preview continues: {\"decide\": {\"port\": \"approved\", \"output\": {}}}",
                    }),
                ),
                ("until", text("The id of the last node: only it and those that lead to it run")),
            ]),
            answer: answer(&[
                ("state", text("completed, failed, waiting (at a review) or timeout")),
                ("output", any("The output of send_result")),
                ("error", any("Why it did not complete: code, message, nodeId")),
                ("nodes", list("The steps: step, nodeId, state, port, output, error, pinned")),
            ]),
            effect: Effect::Performs,
            call: |session, arguments| Box::pin(preview_workflow(session, arguments)),
        },
    ]
}

async fn validate_workflow(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "validate"];
    let found = session.load(ApiRequest::post(Function::Workflows, &path)).await?;
    let problems = found["problems"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = match (found["valid"] == true, problems.len()) {
        (true, 0) => "The draft is valid and can be published.".to_owned(),
        (true, _) => format!("The draft can be published. Warnings:{}", describe_problems(problems)),
        (false, count) => format!("The draft cannot be published. {count} problems:{}", describe_problems(problems)),
    };
    Ok(ToolAnswer::new(text, found))
}

async fn evaluate_expression(session: Session<'_>, arguments: Value) -> ToolResult {
    let request = ApiRequest::post(Function::Workflows, &["workflows", "expression", "preview"]);
    let value = session.load(request.fields(&arguments, &["expression", "data", "language"])).await?;
    Ok(ToolAnswer::new(format!("A value of the type {}.", text_of(&value, "type")), value))
}

async fn preview_workflow(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "preview"];
    let request = ApiRequest::post(Function::Previews, &path);
    let happened = session.load(request.fields(&arguments, &["input", "trigger", "pinned", "until"])).await?;
    let steps = happened["nodes"].as_array().into_iter().flatten().map(|step| {
        let problem = step["error"]["message"].as_str().map(|problem| format!(" ({problem})")).unwrap_or_default();
        format!("\n- {}: {}{problem}", text_of(step, "step"), text_of(step, "state"))
    });
    let mut text = format!("The preview is {}.", text_of(&happened, "state"));
    if let Some(problem) = happened["error"]["message"].as_str() {
        text.push_str(&format!(" {problem}"));
    }
    text.extend(steps);
    Ok(ToolAnswer::new(text, happened))
}
