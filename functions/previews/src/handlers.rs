//! The handler of previews.

use axum::extract::State;
use domain::id::{RunId, WorkflowId};
use effects::{EffectOrigin, EffectOwner};
use runner::{ExampleEffects, Preview, PreviewEnd, PreviewReport};
use serde_json::Value;
use web::builder::{Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted};
use web::language::AcceptLanguageHeaders;
use web::{OptionalJson, Path, Result};

use crate::draft::Draft;
use crate::dto::{PreviewErrorOut, PreviewIn, PreviewNodeState, PreviewOut, PreviewState};
use crate::nodes::NodeList;
use crate::{LIMIT, Stores};

/// Preview a workflow's draft
///
/// Carries out the draft and returns the output of each node. No run is stored. Effects are real, and calls of models are
/// charged, unless it is `dry`. Pin the output of a node to replace its execution. Delays do not wait. A preview ends at a review that is not
/// pinned, and after 25 seconds.
///
/// The draft must have a valid graph. Its channels may be incomplete. References are checked only when a node uses
/// them.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/preview", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), AcceptLanguageHeaders),
    request_body = Option<PreviewIn>,
    responses(
        (status = 200, description = "What happened, also if a node failed", body = Data<PreviewOut>),
        (status = 409, description = "`invalid_state`: the workflow is archived", body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn preview_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(workflow_id): Path<WorkflowId>,
    OptionalJson(request): OptionalJson<PreviewIn>,
) -> Result<Data<PreviewOut>> {
    let account = access.account;
    let workflow = stores.workflows.get(account, workflow_id).await?;
    workflow.check_previewable()?;
    let is_dry = request.dry;
    let Draft { plan, trigger, input } = Draft::new(workflow.graph, request).await?;
    let id = RunId::new();
    let owner = EffectOwner {
        account,
        payer: access.caller.account(),
        workflow: Some(workflow_id),
        request_prefix: format!("preview/{id}"),
        origin: EffectOrigin::Preview { conversation: None },
    };
    let preview = Preview { id, plan: plan.clone(), trigger, input, clock: stores.clock };
    let report = match is_dry {
        true => preview.carry_out(ExampleEffects(plan.clone()), LIMIT).await?,
        false => preview.carry_out(stores.performers.of_owner(owner), LIMIT).await?,
    };
    let PreviewReport { events, outputs, end } = report;
    Ok(Data { data: preview_response(NodeList::new(&plan, events, outputs), end) })
}

fn preview_response(nodes: NodeList, end: PreviewEnd) -> PreviewOut {
    let (state, error) = match &end {
        PreviewEnd::Completed { .. } => (PreviewState::Completed, None),
        PreviewEnd::Failed(error) => (PreviewState::Failed, Some(error.clone().into())),
        PreviewEnd::Waiting => (PreviewState::Waiting, Some(describe_waiting(&nodes))),
        PreviewEnd::Timeout => (PreviewState::Timeout, Some(describe_timeout(&nodes))),
    };
    let (output, output_bytes) = match end {
        PreviewEnd::Completed { output } => output.into_response(),
        _ => (Value::Null, None),
    };
    let (nodes, omitted_nodes) = nodes.into_response();
    PreviewOut { state, output, output_bytes, error, nodes, omitted_nodes }
}

fn describe_waiting(nodes: &NodeList) -> PreviewErrorOut {
    let node_id = nodes.find(PreviewNodeState::Waiting).map(|node| node.node_id.clone());
    let id = node_id.as_deref().unwrap_or_default();
    let message = format!("the review `{id}` waits for a person; pin its output to continue: `pinned.{id}`");
    PreviewErrorOut { code: "review_open".to_owned(), message, node_id }
}

fn describe_timeout(nodes: &NodeList) -> PreviewErrorOut {
    let node_id = nodes.find(PreviewNodeState::Timeout).map(|node| node.node_id.clone());
    let message =
        format!("the preview took longer than {} s; pin the outputs of slow nodes, or set `until`", LIMIT.as_secs());
    PreviewErrorOut { code: "timeout".to_owned(), message, node_id }
}
