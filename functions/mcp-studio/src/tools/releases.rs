//! Tools that compare and publish drafts.

use serde_json::{Value, json};

use super::drafts::load_workflow;
use super::{Effect, StudioTool, ToolResult, text_of};
use crate::answer::ToolAnswer;
use crate::api::{ApiRequest, Function, Session};
use crate::schema::{answer, arguments, id, object, text, truth};

pub fn tools() -> Vec<StudioTool> {
    let workflow_id = || id("The id of the workflow");
    vec![
        StudioTool {
            name: "diff_workflow",
            title: "Compare versions",
            description: "Compares the active release with the draft, or any two versions: which nodes and connections were added, \
                removed and changed. Look at it before you publish.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("from", id("The id of the release to compare from. Defaults to the active release")),
                ("to", id("The id of the release to compare to. Defaults to the draft")),
            ]),
            answer: answer(&[(
                "published",
                truth("False if the workflow was never published, so there is nothing to compare"),
            )]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(diff_workflow(session, arguments)),
        },
        StudioTool {
            name: "publish_workflow",
            title: "Publish a draft",
            description: "Makes the draft the active release: its triggers start runs from now on. A draft with errors is refused, \
                with the problems that validate_workflow finds. Ask the person first if the workflow is already in use.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("notes", text("What changed, for those who read the releases")),
            ]),
            answer: answer(&[
                ("release", object("The release: id, number, notes")),
                ("deployment", object("Its activation")),
                ("state", text("The state of the workflow")),
            ]),
            effect: Effect::Changes,
            call: |session, arguments| Box::pin(publish_workflow(session, arguments)),
        },
    ]
}

async fn diff_workflow(session: Session<'_>, arguments: Value) -> ToolResult {
    let from = match arguments["from"].as_str() {
        Some(from) => from.to_owned(),
        None => {
            let workflow = load_workflow(session, &arguments).await?;
            let Some(active) = workflow["activeRelease"]["id"].as_str() else {
                let text = "The workflow was never published: everything in its draft is new.";
                return Ok(ToolAnswer::new(text, json!({"published": false})));
            };
            active.to_owned()
        }
    };
    let to = arguments["to"].as_str().unwrap_or("draft");
    let path = ["workflows", text_of(&arguments, "workflowId"), "releases", &from, "diff", to];
    let mut differences = session.load(ApiRequest::get(Function::Workflows, &path)).await?;
    differences["published"] = true.into();
    let text = match to {
        "draft" => format!("Release {} compared with the draft.", differences["from"]),
        _ => format!("Release {} compared with release {}.", differences["from"], differences["to"]),
    };
    Ok(ToolAnswer::new(text, differences))
}

async fn publish_workflow(session: Session<'_>, arguments: Value) -> ToolResult {
    let path = ["workflows", text_of(&arguments, "workflowId"), "publish"];
    let published = session.load(ApiRequest::post(Function::Workflows, &path).fields(&arguments, &["notes"])).await?;
    let text = format!("Published as release {}.", published["release"]["number"]);
    let value = json!({
        "release": published["release"],
        "deployment": published["deployment"],
        "state": published["workflow"]["state"],
    });
    Ok(ToolAnswer::new(text, value))
}
