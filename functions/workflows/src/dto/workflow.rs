//! Request and response bodies of workflows.

use domain::graph::Graph;
use domain::problem::StatusProblem;
use domain::sharing::{Access as EntityAccess, TeamRole};
use domain::tool_mark::ToolMark;
use domain::workflow::{Active, Workflow, WorkflowName, WorkflowState};
use engine::compile::ProblemOut;
use serde::{Deserialize, Serialize};
use store::workflows::{Impact, Named, WorkflowSummary};
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;
use web::language;

/// A workflow without its graph.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WorkflowSummary")]
pub struct WorkflowSummaryOut {
    id: Uuid,
    name: String,
    #[schema(required)]
    description: Option<String>,
    state: WorkflowState,
    /// The revision number, which increases with each change of the workflow.
    revision: u64,
    /// The active release. Null if the workflow was never published.
    #[schema(required)]
    active_release: Option<ActiveReleaseOut>,
    /// Whether the draft differs from the active release. Positions and notes are ignored.
    has_unpublished_changes: bool,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    /// How assistants see the workflow as a tool. It is absent if the workflow is not marked as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tool: Option<ToolMark>,
    access: EntityAccess,
}

/// The active release of a workflow.
#[derive(Serialize, ToSchema)]
pub struct ActiveReleaseOut {
    id: Uuid,
    number: u64,
}

impl From<Active> for ActiveReleaseOut {
    fn from(Active { release, number, .. }: Active) -> Self {
        Self { id: release.uuid(), number }
    }
}

impl From<WorkflowSummary> for WorkflowSummaryOut {
    fn from(workflow: WorkflowSummary) -> Self {
        let WorkflowSummary { id, name, description, state, revision, active, .. } = workflow;
        let WorkflowSummary { has_unpublished_changes, created_at, updated_at, tool, access, .. } = workflow;
        Self {
            id: id.uuid(),
            name,
            description,
            state,
            revision,
            active_release: active.map(ActiveReleaseOut::from),
            has_unpublished_changes,
            created_at: created_at.to_string(),
            updated_at: updated_at.to_string(),
            tool,
            access,
        }
    }
}

/// A workflow with its draft.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Workflow")]
pub struct WorkflowOut {
    #[serde(flatten)]
    workflow: WorkflowSummaryOut,
    /// The draft: its nodes, connections and notes.
    graph: Graph,
    /// The references of the active release that no longer exist. The response to the creation and to a change of a draft
    /// also has the first 100 problems that `validate` finds; they do not prevent saving.
    problems: Vec<WorkflowProblemOut>,
}

/// A problem of the active release, or one of the draft.
#[derive(Serialize)]
#[serde(untagged)]
pub enum WorkflowProblemOut {
    Draft(ProblemOut),
    Release(StatusProblem),
}

// The derived schema would be `oneOf`, but a problem of the draft has all fields of one of the release.
impl PartialSchema for WorkflowProblemOut {
    fn schema() -> RefOr<Schema> {
        let any = AnyOfBuilder::new().item(ProblemOut::schema()).item(StatusProblem::schema());
        RefOr::T(Schema::AnyOf(any.build()))
    }
}

impl ToSchema for WorkflowProblemOut {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ProblemOut::schemas(schemas);
    }
}

impl WorkflowOut {
    /// The workflow as a user with this role sees it.
    pub fn new(workflow: Workflow, role: TeamRole) -> Self {
        let problems = workflow.problems(language::of_request()).into_iter().map(WorkflowProblemOut::Release).collect();
        Self { workflow: WorkflowSummary::new(&workflow, role).into(), problems, graph: workflow.graph }
    }

    /// The response to a change of the draft.
    pub fn with_draft_problems(workflow: Workflow, role: TeamRole, found: Vec<ProblemOut>) -> Self {
        let mut response = Self::new(workflow, role);
        response.problems.extend(found.into_iter().map(WorkflowProblemOut::Draft));
        response
    }
}

/// The options of copying a workflow.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
#[schema(title = "Clone")]
pub struct CloneIn {
    /// The name of the copy. Defaults to the name of the original followed by `(copy)`.
    #[schema(value_type = Option<WorkflowName>)]
    pub name: Option<String>,
}

/// The workflows to archive.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "BatchArchive")]
pub struct BatchArchiveIn {
    /// The ids of the workflows.
    #[schema(min_items = 1, max_items = 100)]
    pub ids: Vec<String>,
}

/// The result of archiving several workflows.
#[derive(Serialize, ToSchema)]
#[schema(title = "BatchArchived")]
pub struct BatchArchivedOut {
    /// The ids of the archived workflows.
    #[schema(value_type = Vec<Uuid>)]
    pub archived: Vec<String>,
    /// The workflows that were not archived.
    pub failed: Vec<BatchFailureOut>,
}

/// A workflow that was not archived, and the error.
#[derive(Serialize, ToSchema)]
pub struct BatchFailureOut {
    /// The id as it was sent.
    pub id: String,
    /// The error code.
    #[schema(example = "workflow_not_found")]
    pub code: String,
    /// The error message.
    #[schema(example = "no such workflow")]
    pub message: String,
}

/// The agents and workflows that deleting a workflow affects.
#[derive(Serialize, ToSchema)]
#[schema(title = "DeleteImpact")]
pub struct ImpactOut {
    /// Agents that use the workflow as a tool.
    agents: Vec<NamedOut>,
    /// Workflows whose active release runs the workflow.
    workflows: Vec<NamedOut>,
}

/// An agent or a workflow.
#[derive(Serialize, ToSchema)]
pub struct NamedOut {
    id: Uuid,
    name: String,
}

impl From<Named> for NamedOut {
    fn from(Named { id, name }: Named) -> Self {
        Self { id, name }
    }
}

impl From<Impact> for ImpactOut {
    fn from(Impact { agents, workflows }: Impact) -> Self {
        let named = |all: Vec<Named>| all.into_iter().map(NamedOut::from).collect();
        Self { agents: named(agents), workflows: named(workflows) }
    }
}
