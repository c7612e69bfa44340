//! Workflows: a draft that the owner edits, and published releases that run.

mod change;
mod patch;
mod release;
mod state;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::channel::{self, AvailableResources, ChannelRequest, Channels};
use super::graph::{Graph, GraphIn, hash};
use super::id::{ReleaseId, WorkflowId};
use super::identity::Account;
use super::language::Language;
use super::problem::StatusProblem;
use super::reference::Reference;
use super::sharing::Sharing;
use super::time::Time;
use super::tool_mark::ToolMark;
use super::{object, schema};
use crate::{Result, text_schemas};

pub use change::WorkflowChange;
pub use patch::EditableWorkflow;
pub use release::{Dependencies, Manifest, ManifestRelease, Release, ReleaseDeployment};
pub use state::Lifecycle;

const DEFAULT_NAME: &str = "Nuevo workflow";
pub const MAX_NAME_CHARS: usize = 200;
pub const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// The revision of a new workflow.
pub const FIRST_REVISION: u64 = 1;

#[derive(Clone, Debug, PartialEq)]
pub struct Workflow {
    pub id: WorkflowId,
    /// The account under which it is stored: that of the user who created it, even if they are not the owner any more.
    pub account: Account,
    pub sharing: Sharing,
    pub name: String,
    pub description: Option<String>,
    pub graph: Graph,
    pub channels: Channels,
    /// Set if assistants can call it as a tool.
    pub tool: Option<ToolMark>,
    pub lifecycle: Lifecycle,
    /// The active release.
    pub active: Option<Active>,
    /// The number of releases, which is also the number of the last one.
    pub releases: u64,
    /// References of the active release whose target was deleted.
    pub gone: BTreeSet<Reference>,
    pub created_at: Time,
    pub updated_at: Time,
    /// Counts the changes by the owner, and those of `gone` when a target is deleted or restored.
    pub revision: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    pub release: ReleaseId,
    pub number: u64,
    /// The hash of the published content, to detect whether the draft differs.
    pub content_hash: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowState {
    /// The workflow was never published
    Draft,
    Published,
    /// Triggers are refused
    Paused,
    /// The active release cannot run
    NeedsAttention,
    Archived,
}

text_schemas! {
    WorkflowName(1, MAX_NAME_CHARS);
    WorkflowDescription(0, MAX_DESCRIPTION_CHARS);
}

/// The initial content of a new workflow.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = WorkflowIn, title = "WorkflowCreate")]
pub struct NewWorkflow {
    #[schema(value_type = Option<WorkflowName>)]
    pub name: Option<String>,
    #[schema(value_type = Option<WorkflowDescription>)]
    pub description: Option<String>,
    #[serde(deserialize_with = "object::one")]
    #[schema(value_type = GraphIn)]
    pub graph: Graph,
}

impl Workflow {
    pub fn new(id: WorkflowId, account: Account, given: NewWorkflow) -> Result<Self> {
        let created_at = Time::from_uuid(id.uuid());
        let workflow = Self {
            id,
            account,
            sharing: Sharing::of(account.user),
            name: given.name.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
            description: given.description,
            graph: given.graph,
            channels: Channels::new(),
            tool: None,
            lifecycle: Lifecycle::Live,
            active: None,
            releases: 0,
            gone: BTreeSet::new(),
            created_at,
            updated_at: created_at,
            revision: FIRST_REVISION,
        };
        workflow.check()?;
        Ok(workflow)
    }

    /// Copies the draft into a new workflow of an account.
    pub fn cloned(&self, id: WorkflowId, account: Account, name: Option<String>) -> Result<Self> {
        let copy_of = |name: &str| {
            let kept: String = name.chars().take(MAX_NAME_CHARS - " (copy)".len()).collect();
            format!("{kept} (copy)")
        };
        let name = Some(name.unwrap_or_else(|| copy_of(&self.name)));
        let given = NewWorkflow { name, description: self.description.clone(), graph: self.graph.clone() };
        Self::new(id, account, given)
    }

    pub fn state(&self) -> WorkflowState {
        match (self.lifecycle, &self.active) {
            (Lifecycle::Archived, _) => WorkflowState::Archived,
            (_, None) => WorkflowState::Draft,
            (Lifecycle::Paused, _) => WorkflowState::Paused,
            (Lifecycle::Live, _) if !self.gone.is_empty() => WorkflowState::NeedsAttention,
            (Lifecycle::Live, _) => WorkflowState::Published,
        }
    }

    /// A hash that is equal for drafts that differ only on the canvas, in positions and notes.
    pub fn content_hash(&self) -> String {
        hash(&json!({"graph": self.graph.without_canvas(), "channels": self.channels}))
    }

    pub fn has_unpublished_changes(&self) -> bool {
        self.active.as_ref().is_none_or(|active| active.content_hash != self.content_hash())
    }

    /// The problems that keep the active release from working.
    pub fn problems(&self, language: Language) -> Vec<StatusProblem> {
        self.gone.iter().map(|reference| StatusProblem::deleted_reference(reference, language)).collect()
    }

    /// Replaces the configuration of all channels.
    pub fn with_channels(
        &self,
        requests: &[ChannelRequest],
        resources: &AvailableResources,
        now: Time,
    ) -> Result<Self> {
        self.check_editable()?;
        let channels = channel::configured(requests, &self.graph, resources)?;
        Ok(Self { channels, updated_at: now.max(self.updated_at), revision: self.revision + 1, ..self.clone() })
    }

    /// The workflow, marked as a tool for assistants or not.
    pub fn with_tool_mark(&self, tool: Option<ToolMark>, now: Time) -> Self {
        Self { tool, updated_at: now.max(self.updated_at), revision: self.revision + 1, ..self.clone() }
    }

    fn check(&self) -> Result<()> {
        schema::check_text::<WorkflowName>("name", &self.name)?;
        schema::check_text::<WorkflowDescription>("description", self.description.as_deref().unwrap_or_default())?;
        self.graph.check()
    }
}
