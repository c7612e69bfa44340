//! Tools that start runs and read what they did.

use domain::run::RunState;
use serde_json::Value;

use super::catalog::page;
use super::{Effect, StudioTool, ToolResult, text_of};
use crate::answer::ToolAnswer;
use crate::api::{ApiRequest, Function, Session};
use crate::schema::{answer, any, arguments, choice, id, list, text, whole_number};

pub fn tools() -> Vec<StudioTool> {
    let workflow_id = || id("The id of the workflow");
    let run_id = || id("The id of the run");
    let run = || {
        answer(&[
            ("id", text("The id of the run")),
            ("state", choice::<RunState>("completed, failed and cancelled are final")),
            ("output", any("The output of a completed run")),
            ("error", any("Why it failed: code, message, nodeId")),
            ("waiting", any("The review that it waits for")),
        ])
    };
    vec![
        StudioTool {
            name: "start_run",
            title: "Start a run",
            description: "Starts a run of the active release with an input, and returns at once. Its effects are real. Read it with \
                get_run until its state is final.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("input", any("The input, which must match the schema of the node `input`")),
                (
                    "idempotencyKey",
                    text("A text that is new for each run: a repeated call with it returns the first run"),
                ),
            ]),
            answer: run(),
            effect: Effect::Performs,
            call: |session, arguments| Box::pin(start_run(session, arguments)),
        },
        StudioTool {
            name: "get_run",
            title: "Read a run",
            description: "Returns a run: its state, output, error, what it waits for, and its cost.",
            arguments: arguments(&[("workflowId!", workflow_id()), ("runId!", run_id())]),
            answer: run(),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(get_run(session, arguments)),
        },
        StudioTool {
            name: "get_trace",
            title: "Read the trace of a run",
            description: "Returns what each step of a run received, did and returned, with its attempts, times, errors and costs. \
                This is where to look for why a run failed or returned something else than expected.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("runId!", run_id()),
                ("step", text("Only this step and its parts, such as lines or lines[2]/send")),
                ("part", text("A JSON pointer such as /spans/2/output: returns only this part")),
            ]),
            answer: answer(&[
                (
                    "spans",
                    list(
                        "The steps in the order in which they began: step, nodeId, state, input, output, error, children",
                    ),
                ),
                ("omitted", any("The number of steps that are left out")),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(get_trace(session, arguments)),
        },
        StudioTool {
            name: "list_runs",
            title: "List runs",
            description: "Lists the runs of a workflow, newest first.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("state", choice::<RunState>("Only runs in this state")),
                ("limit", whole_number("The maximum number of runs, at most 100")),
                ("cursor", text("The nextCursor of the page before")),
            ]),
            answer: answer(&[("runs", list("The runs")), ("page", page())]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_runs(session, arguments)),
        },
    ]
}

async fn start_run(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "runs"];
    let request = ApiRequest::post(Function::Runs, &path).fields(&arguments, &["input", "idempotencyKey"]);
    Ok(describe_run(session.load(request).await?))
}

async fn get_run(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "runs", text_of(&arguments, "runId")];
    Ok(describe_run(session.load(ApiRequest::get(Function::Runs, &path)).await?))
}

fn describe_run(run: Value) -> ToolAnswer {
    let mut text = format!("The run {} is {}.", text_of(&run, "id"), text_of(&run, "state"));
    if let Some(problem) = run["error"]["message"].as_str() {
        text.push_str(&format!(" {problem}"));
    }
    ToolAnswer::new(text, run)
}

async fn get_trace(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "runs", text_of(&arguments, "runId"), "trace"];
    let trace = session.load(ApiRequest::get(Function::Runs, &path).query(&arguments, &["step"])).await?;
    let spans = trace["spans"].as_array().into_iter().flatten().map(|span| {
        let problem = span["error"]["message"].as_str().map(|problem| format!(" ({problem})")).unwrap_or_default();
        format!("\n- {}: {}{problem}", text_of(span, "step"), text_of(span, "state"))
    });
    let text: String = spans.collect();
    ToolAnswer::part_of(format!("The steps:{text}"), trace, arguments["part"].as_str())
}

async fn list_runs(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "runs"];
    let request = ApiRequest::get(Function::Runs, &path).query(&arguments, &["state", "limit", "cursor"]);
    Ok(ToolAnswer::list("runs", session.send(request).await?, "No run matches. start_run starts one."))
}
