//! The state machine of a workflow: which transitions are allowed, and the errors for the others.

use serde::{Deserialize, Serialize};

use super::{Active, Workflow, WorkflowState};
use crate::time::Time;
use crate::{Error, Result};

/// The lifecycle that the owner requested. The [`WorkflowState`] follows from it and from the releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    #[default]
    Live,
    Paused,
    Archived,
}

fn impossible<T>(state: WorkflowState, what: &str) -> Result<T> {
    let state = match state {
        WorkflowState::Draft => "was never published",
        WorkflowState::Published => "is published",
        WorkflowState::Paused => "is paused",
        WorkflowState::NeedsAttention => "needs attention",
        WorkflowState::Archived => "is archived; restore it first",
    };
    Err(Error::invalid_state(format!("the workflow cannot {what}: it {state}")))
}

fn unpublished<T>() -> Result<T> {
    let message = "the workflow was never published; publish it first".to_owned();
    Err(Error::Conflict { code: "unpublished_changes", message })
}

impl WorkflowState {
    pub fn may_start(self) -> bool {
        self.check_startable().is_ok()
    }

    /// Checks whether runs may start. A workflow that needs attention starts them, and its runs show what is missing.
    pub fn check_startable(self) -> Result<()> {
        match self {
            Self::Published | Self::NeedsAttention => Ok(()),
            Self::Draft => unpublished(),
            Self::Paused => {
                let message = "the workflow is paused; resume it first".to_owned();
                Err(Error::Conflict { code: "workflow_paused", message })
            }
            Self::Archived => impossible(self, "start a run"),
        }
    }
}

impl Workflow {
    pub fn paused(&self, now: Time) -> Result<Self> {
        match self.state() {
            WorkflowState::Published | WorkflowState::NeedsAttention => Ok(self.with_lifecycle(Lifecycle::Paused, now)),
            WorkflowState::Draft => unpublished(),
            state => impossible(state, "be paused"),
        }
    }

    pub fn resumed(&self, now: Time) -> Result<Self> {
        match self.state() {
            WorkflowState::Paused => Ok(self.with_lifecycle(Lifecycle::Live, now)),
            WorkflowState::Draft => unpublished(),
            state => impossible(state, "be resumed"),
        }
    }

    pub fn archived(&self, now: Time) -> Result<Self> {
        match self.state() {
            WorkflowState::Archived => impossible(WorkflowState::Archived, "be archived"),
            _ => Ok(self.with_lifecycle(Lifecycle::Archived, now)),
        }
    }

    /// Restores an archived workflow. If it was ever published, it becomes paused, so that nothing runs until its owner
    /// resumes it.
    pub fn restored(&self, now: Time) -> Result<Self> {
        match (self.state(), &self.active) {
            (WorkflowState::Archived, Some(_)) => Ok(self.with_lifecycle(Lifecycle::Paused, now)),
            (WorkflowState::Archived, None) => Ok(self.with_lifecycle(Lifecycle::Live, now)),
            _ => {
                let message = "the workflow cannot be restored: it is not archived".to_owned();
                Err(Error::invalid_state(message))
            }
        }
    }

    /// Checks whether the state allows publishing the draft.
    pub fn check_publishable(&self) -> Result<()> {
        match self.state() {
            WorkflowState::Archived => impossible(WorkflowState::Archived, "be published"),
            _ if !self.has_unpublished_changes() => {
                let message =
                    "the draft has no changes since the active release; change it before you publish".to_owned();
                Err(Error::Conflict { code: "no_changes", message })
            }
            _ => Ok(()),
        }
    }

    /// Activates a new release. Publishing a paused workflow resumes it.
    pub fn published(&self, active: Active, now: Time) -> Self {
        let releases = active.number;
        Self { active: Some(active), releases, gone: Default::default(), ..self.with_lifecycle(Lifecycle::Live, now) }
    }

    /// Activates an earlier release. A paused workflow stays paused.
    pub fn with_active(&self, active: Active, now: Time) -> Result<Self> {
        self.check_activatable()?;
        Ok(Self { active: Some(active), gone: Default::default(), ..self.with_lifecycle(self.lifecycle, now) })
    }

    pub fn check_activatable(&self) -> Result<()> {
        match self.state() {
            WorkflowState::Archived => impossible(WorkflowState::Archived, "change its release"),
            _ => Ok(()),
        }
    }

    /// Checks whether the state allows previewing the draft.
    pub fn check_previewable(&self) -> Result<()> {
        match self.state() {
            WorkflowState::Archived => impossible(WorkflowState::Archived, "be previewed"),
            _ => Ok(()),
        }
    }

    pub fn check_editable(&self) -> Result<()> {
        match self.state() {
            WorkflowState::Archived => impossible(WorkflowState::Archived, "be edited"),
            _ => Ok(()),
        }
    }

    fn with_lifecycle(&self, lifecycle: Lifecycle, now: Time) -> Self {
        Self { lifecycle, updated_at: now.max(self.updated_at), revision: self.revision + 1, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OrgId, ReleaseId, UserId, WorkflowId};
    use crate::identity::Account;
    use crate::reference::Reference;
    use crate::workflow::NewWorkflow;

    fn draft() -> Workflow {
        let account = Account { org: OrgId::new(), user: UserId::new() };
        Workflow::new(WorkflowId::new(), account, NewWorkflow::default()).unwrap()
    }

    fn published() -> Workflow {
        let draft = draft();
        let active = Active { release: ReleaseId::new(), number: 1, content_hash: draft.content_hash() };
        draft.published(active, Time::now())
    }

    fn needs_attention() -> Workflow {
        Workflow { gone: [Reference::Model("gone".to_owned())].into(), ..published() }
    }

    /// Every transition from every state: the new state, or the error code.
    #[test]
    fn every_transition_has_an_outcome() {
        let now = Time::now();
        let states = [
            draft(),
            published(),
            published().paused(now).unwrap(),
            needs_attention(),
            draft().archived(now).unwrap(),
            published().archived(now).unwrap(),
        ];
        let outcome = |outcome: Result<Workflow>| match outcome {
            Ok(workflow) => format!("{:?}", workflow.state()),
            Err(Error::Conflict { code, .. }) => code.to_owned(),
            Err(other) => panic!("{other}"),
        };
        let table = states.map(|workflow| {
            let publish = workflow.check_publishable().map(|()| workflow.clone());
            let start = workflow.state().check_startable().map(|()| workflow.clone());
            [
                workflow.paused(now),
                workflow.resumed(now),
                workflow.archived(now),
                workflow.restored(now),
                publish,
                start,
            ]
            .map(outcome)
            .join(" ")
        });
        assert_eq!(
            table,
            [
                "unpublished_changes unpublished_changes Archived invalid_state Draft unpublished_changes",
                "Paused invalid_state Archived invalid_state no_changes Published",
                "invalid_state Published Archived invalid_state no_changes workflow_paused",
                "Paused invalid_state Archived invalid_state no_changes NeedsAttention",
                "invalid_state invalid_state invalid_state Draft invalid_state invalid_state",
                "invalid_state invalid_state invalid_state Paused invalid_state invalid_state",
            ]
        );
    }

    #[test]
    fn publishing_and_activating_clear_needs_attention() {
        let workflow = needs_attention();
        let active = workflow.active.clone().unwrap();
        assert_eq!(workflow.state(), WorkflowState::NeedsAttention);
        assert_eq!(workflow.with_active(active.clone(), Time::now()).unwrap().state(), WorkflowState::Published);
        assert_eq!(workflow.published(active.clone(), Time::now()).state(), WorkflowState::Published);
        let paused = published().paused(Time::now()).unwrap();
        assert_eq!(paused.with_active(active.clone(), Time::now()).unwrap().state(), WorkflowState::Paused);
        assert_eq!(paused.published(active, Time::now()).state(), WorkflowState::Published);
    }
}
