//! Tools that read and change the drafts of workflows.

use domain::workflow::WorkflowState;
use serde_json::{Value, json};

use super::catalog::page;
use super::{Effect, StudioTool, ToolResult, text_of};
use crate::answer::{ToolAnswer, describe_problems};
use crate::api::{ApiRequest, Function, Session};
use crate::edits::edit_graph;
use crate::refusal::Refusal;
use crate::schema::{answer, arguments, choice, id, list, object, slug, text, truth, whole_number};

const NODE: &str = "Nodes: {\"id\": \"ask\", \"type\": \"model\", \"name\": \"Ask\", \"config\": {…}}; ids have letters, \
    digits, - and _. Connections: {\"from\": \"a\", \"to\": \"b\"}, or with ports {\"from\": {\"node\": \"a\", \"port\": \
    \"true\"}, \"to\": {\"node\": \"b\", \"port\": \"in\"}}";

pub fn tools() -> Vec<StudioTool> {
    let workflow_id = || id("The id of the workflow");
    let revision = || {
        whole_number(
            "The revision that you last read. If somebody has changed the draft since, nothing is changed and you get \
            the error precondition_failed",
        )
    };
    let saved = || {
        answer(&[
            ("workflowId", text("The id of the workflow")),
            ("name", text("The name")),
            ("revision", whole_number("The new revision: send it with the next change")),
            ("problems", list("What validate_workflow finds. The draft is saved with them")),
        ])
    };
    let connections = |description| json!({"type": "array", "maxItems": 2000, "items": {"type": "object"}, "description": description});
    vec![
        StudioTool {
            name: "list_workflows",
            title: "List workflows",
            description: "Lists the workflows that you may see, those that changed last first.",
            arguments: arguments(&[
                ("search", text("Only workflows whose name contains this text")),
                ("state", choice::<WorkflowState>("Only workflows in this state")),
                ("page", whole_number("The page, from 1")),
            ]),
            answer: answer(&[("workflows", list("The workflows, without their graphs")), ("page", page())]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(list_workflows(session, arguments)),
        },
        StudioTool {
            name: "get_workflow",
            title: "Read a workflow",
            description: "Returns a workflow with the graph of its draft, its state and its revision. Read it before you change \
                it. Of a large graph, parts are left out; `part` returns them.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("part", text("A JSON pointer such as /graph/nodes/3: returns only this part")),
            ]),
            answer: answer(&[
                ("id", text("The id of the workflow")),
                ("name", text("The name")),
                ("state", text("draft, published, paused, needs_attention or archived")),
                ("revision", whole_number("The revision: send it with changes")),
                ("hasUnpublishedChanges", truth("Whether the draft differs from the active release")),
                ("graph", object("The draft: nodes, connections and notes")),
                ("problems", list("What the active release refers to and no longer exists")),
            ]),
            effect: Effect::Reads,
            call: |session, arguments| Box::pin(get_workflow(session, arguments)),
        },
        StudioTool {
            name: "create_workflow",
            title: "Create a workflow",
            description: "Creates a draft: from a graph, from a template, or empty. It may have problems, which the answer lists. \
                Nothing runs until it is published.",
            arguments: arguments(&[
                ("name", text("The name. Defaults to that of the template, or to Untitled")),
                ("description", text("What it is for")),
                ("graph", object(&format!("{{\"nodes\": […], \"connections\": […]}}. {NODE}"))),
                ("template", slug("The id or slug of a template, in place of a graph")),
                (
                    "idempotencyKey",
                    id("A UUID that is new for each workflow: a repeated call with it returns the first one"),
                ),
            ]),
            answer: saved(),
            effect: Effect::Adds,
            call: |session, arguments| Box::pin(create_workflow(session, arguments)),
        },
        StudioTool {
            name: "update_draft",
            title: "Replace parts of a draft",
            description: "Changes a draft with a JSON merge patch (RFC 7396): what the patch omits stays, null removes, and a list \
                replaces the whole list, so send all nodes or use edit_draft. Releases and runs do not change.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("revision!", revision()),
                (
                    "patch!",
                    object(&format!(
                        "Any of {{\"name\", \"description\", \"graph\": {{\"nodes\": […], \"connections\": […]}}}}. {NODE}"
                    )),
                ),
            ]),
            answer: saved(),
            effect: Effect::Changes,
            call: |session, arguments| Box::pin(update_draft(session, arguments)),
        },
        StudioTool {
            name: "edit_draft",
            title: "Edit nodes of a draft",
            description: "Changes single nodes and connections of a draft, by their ids. First nodes are changed, added and \
                removed, then connections are removed, then added. Releases and runs do not change.",
            arguments: arguments(&[
                ("workflowId!", workflow_id()),
                ("revision!", revision()),
                (
                    "nodes",
                    json!({
                        "type": "object",
                        "additionalProperties": {"type": ["object", "null"]},
                        "description": "By the id of the node: a merge patch of the node, such as {\"ask\": {\"config\": {\"prompt\": \
                            \"…\"}}}; a node with a type, to add it; or null, to remove it with its connections",
                    }),
                ),
                (
                    "disconnect",
                    connections(
                        "The connections to remove, such as {\"from\": \"a\", \"to\": \"b\"}. An end without a \
                    port stands for all ports",
                    ),
                ),
                ("connect", connections("The connections to add")),
            ]),
            answer: saved(),
            effect: Effect::Changes,
            call: |session, arguments| Box::pin(edit_draft(session, arguments)),
        },
    ]
}

async fn list_workflows(session: Session<'_>, arguments: Value) -> ToolResult {
    let request = ApiRequest::get(Function::Workflows, &["workflows"]).query(&arguments, &["search", "state", "page"]);
    Ok(ToolAnswer::list("workflows", session.send(request).await?, "No workflow matches. create_workflow creates one."))
}

/// Reads a workflow with its draft.
pub async fn load_workflow(session: Session<'_>, arguments: &Value) -> Result<Value, Refusal> {
    let id = text_of(arguments, "workflowId");
    session.load(ApiRequest::get(Function::Workflows, &["workflows", id])).await
}

async fn get_workflow(session: Session<'_>, arguments: Value) -> ToolResult {
    let workflow = load_workflow(session, &arguments).await?;
    let text = format!(
        "{}, {}, revision {}, {} nodes.",
        text_of(&workflow, "name"),
        text_of(&workflow, "state"),
        workflow["revision"],
        workflow["graph"]["nodes"].as_array().map_or(0, Vec::len),
    );
    ToolAnswer::part_of(text, workflow, arguments["part"].as_str())
}

async fn create_workflow(session: Session<'_>, arguments: Value) -> ToolResult {
    let request = match arguments["template"].as_str() {
        Some(_) if ["graph", "description"].iter().any(|name| !arguments[*name].is_null()) => {
            let problem =
                "give a template, or a graph with its description, and not both; change the new draft afterwards";
            return Err(Refusal::invalid("template", problem));
        }
        Some(template) => {
            let path = ["workflows", "templates", template, "instantiate"];
            ApiRequest::post(Function::Workflows, &path).fields(&arguments, &["name"])
        }
        None => {
            let request = ApiRequest::post(Function::Workflows, &["workflows"]);
            request.fields(&arguments, &["name", "description", "graph"])
        }
    };
    let created = session.load(request.idempotency_key(arguments["idempotencyKey"].as_str())).await?;
    Ok(describe_saved("Created", created))
}

async fn update_draft(session: Session<'_>, arguments: Value) -> ToolResult {
    save_draft(session, &arguments, arguments["patch"].clone()).await
}

async fn edit_draft(session: Session<'_>, arguments: Value) -> ToolResult {
    let mut workflow = load_workflow(session, &arguments).await?;
    // Edits of an older draft are refused by its revision, also if they do not fit the draft of today.
    if workflow["revision"] == arguments["revision"] {
        edit_graph(&mut workflow["graph"], &arguments)?;
    }
    save_draft(session, &arguments, json!({"graph": workflow["graph"]})).await
}

async fn save_draft(session: Session<'_>, arguments: &Value, patch: Value) -> ToolResult {
    let request = ApiRequest::patch(Function::Workflows, &["workflows", text_of(arguments, "workflowId")]).body(patch);
    let saved = session.load(request.if_match(arguments["revision"].as_u64())).await?;
    Ok(describe_saved("Saved", saved))
}

fn describe_saved(verb: &str, mut workflow: Value) -> ToolAnswer {
    let problems = workflow["problems"].take();
    let found = problems.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = format!("{verb} as revision {} of {}", workflow["revision"], text_of(&workflow, "id"));
    match found.len() {
        0 => text.push_str(", without problems."),
        count => text.push_str(&format!(", with {count} problems:{}", describe_problems(found))),
    }
    let value = json!({
        "workflowId": workflow["id"],
        "name": workflow["name"],
        "revision": workflow["revision"],
        "problems": problems,
    });
    ToolAnswer::new(text, value)
}
