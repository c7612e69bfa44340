//! A workbench: an isolated lab environment with resources, an owner and editors.
//!
//! Users set the intent of a workbench. A worker moves its environment towards the intent, step by step, and reports what
//! it observes. [`Workbench::observed`] decides what the report means for the status:
//!
//! ```text
//! pending → provisioning → ready | failed        ready, failed → deleting → deleted
//! pending → not_installed → provisioning | failed     (no backend yet)
//! ready → provisioning → ready                   (stopped, then started)
//! failed → pending                               (started again)
//! ```

mod cluster_access;
mod observation;
mod plan;
pub mod refusals;
mod resources;
mod variables;

use serde::{Deserialize, Serialize};

use crate::id::{OrgId, UserId, WorkbenchId};
use crate::money::Money;
use crate::time::Time;
use crate::{Result, text_schemas};

pub use cluster_access::{ClusterAccess, ClusterLogin, ClusterLoginType};
pub use observation::{Observed, Phase, Report};
pub use plan::{
    Minutes, RequestedResources, WorkbenchImage, WorkbenchPlan, WorkbenchPlanText, WorkbenchSize, WorkbenchSpec,
    is_jupyter,
};
pub use resources::{ResourceDimension, Resources};
pub use variables::{Variables, VariablesPatch, check_variable};

/// The maximum number of editors of a workbench. Each has an entry in a list, and a deletion removes all in one write.
pub const MAX_EDITORS: usize = 40;
/// The number of rejections that are kept.
const MAX_REJECTIONS: usize = 10;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workbench {
    pub id: WorkbenchId,
    pub org: OrgId,
    pub owner: UserId,
    pub name: String,
    pub spec: WorkbenchSpec,
    pub image: WorkbenchImage,
    /// The times of its plan, when it was created.
    pub idle_stop: Option<Minutes>,
    pub provisioning_timeout: Minutes,
    /// The monthly spending cap of its API key, from the plan when it was created. None: it gets no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_cap: Option<Money>,
    pub editors: Vec<UserId>,
    pub intent: Intent,
    pub status: WorkbenchStatus,
    /// Whether the environment runs. None before it exists, after a failure, and while it is deleted.
    pub run_state: Option<RunState>,
    pub stopped_by: Option<StopCause>,
    /// Whether a backend has ever been asked to provide the environment.
    #[serde(default)]
    pub was_provided: bool,
    /// When the environment was last asked to start.
    pub started_at: Time,
    /// When the deletion was requested.
    #[serde(default)]
    pub deletion_requested_at: Option<Time>,
    /// The address of the environment, as its backend reported it.
    pub dashboard: Option<String>,
    /// What runs instead of its image, as its backend reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substitute: Option<String>,
    pub usage: Option<Usage>,
    /// Newest first.
    pub rejections: Vec<Rejection>,
    pub active_at: Option<Time>,
    /// The number of its last event.
    pub events: u64,
    pub created_at: Time,
    pub updated_at: Time,
    pub revision: u64,
}

/// What users want of a workbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    Run,
    Stop,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkbenchStatus {
    Pending,
    Provisioning,
    Ready,
    Failed,
    Deleting,
    Deleted,
    /// No backend is installed that could provide the environment.
    NotInstalled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Starting,
    Running,
    Stopping,
    Stopped,
}

/// Why a workbench was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    User,
    /// Nothing happened in it for the time of its plan.
    Idle,
}

/// The amounts that a workbench uses. None where the backend cannot measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub cpu: Option<u64>,
    pub memory: Option<u64>,
    pub gpumem: Option<u64>,
    pub storage: Option<u64>,
}

/// Why the environment could not be provided, or was ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rejection {
    pub at: Time,
    /// A stable identifier, such as `QUOTA_EXCEEDED`.
    pub reason: String,
    pub message: String,
}

/// The access of a user to a workbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Owner,
    Editor,
}

impl Access {
    /// Fails unless this access includes the required one. An owner can do everything that an editor can.
    pub fn require(self, required: Self) -> Result<()> {
        match (required, self) {
            (Self::Owner, Self::Editor) => Err(refusals::not_owner()),
            _ => Ok(()),
        }
    }
}

/// An entry of the event log of a workbench.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkbenchEvent {
    pub number: u64,
    pub at: Time,
    #[serde(flatten)]
    pub detail: EventDetail,
    /// The user who caused it. None for what the platform did.
    pub actor: Option<UserId>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventDetail {
    pub kind: EventKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    Created,
    NotInstalled,
    Provisioning,
    Ready,
    Rejected,
    Failed,
    Starting,
    Stopping,
    Stopped,
    MemberAdded,
    MemberRemoved,
    VariablesChanged,
    Deleting,
    Deleted,
}

/// A changed workbench, and the events of the change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub after: Workbench,
    pub events: Vec<WorkbenchEvent>,
}

/// The content of a new workbench.
pub struct NewWorkbench {
    pub id: WorkbenchId,
    pub org: OrgId,
    pub owner: UserId,
    pub name: String,
    pub spec: WorkbenchSpec,
    pub image: WorkbenchImage,
}

text_schemas! {
    /// A DNS label.
    WorkbenchName(
        1, 40, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        "lowercase letters, digits and hyphens, with no hyphen at either end"
    );
}

impl Workbench {
    pub fn create(new: NewWorkbench, plan: &WorkbenchPlan, now: Time) -> Change {
        let NewWorkbench { id, org, owner, name, spec, image } = new;
        let before = Self {
            id,
            org,
            owner,
            name,
            spec,
            image,
            idle_stop: plan.idle_stop,
            provisioning_timeout: plan.provisioning_timeout,
            key_cap: plan.key_cap,
            editors: Vec::new(),
            intent: Intent::Run,
            status: WorkbenchStatus::Pending,
            run_state: None,
            stopped_by: None,
            was_provided: false,
            started_at: now,
            deletion_requested_at: None,
            dashboard: None,
            substitute: None,
            usage: None,
            rejections: Vec::new(),
            active_at: None,
            events: 0,
            created_at: now,
            updated_at: now,
            revision: 0,
        };
        before.change(now, |_, log| log.add(EventKind::Created, "the workbench was created", Some(owner)))
    }

    pub fn access(&self, user: UserId) -> Option<Access> {
        if self.owner == user {
            return Some(Access::Owner);
        }
        self.editors.contains(&user).then_some(Access::Editor)
    }

    /// Deletes the workbench. Its environment is removed later.
    pub fn delete(&self, actor: UserId, now: Time) -> Result<Change> {
        match self.status {
            WorkbenchStatus::Ready | WorkbenchStatus::Failed => Ok(self.change(now, |after, log| {
                after.intent = Intent::Delete;
                after.status = WorkbenchStatus::Deleting;
                after.deletion_requested_at = Some(now);
                after.run_state = None;
                after.dashboard = None;
                log.add(EventKind::Deleting, "the deletion was requested", Some(actor));
            })),
            WorkbenchStatus::Deleting | WorkbenchStatus::Deleted => Err(refusals::deletion_in_progress()),
            WorkbenchStatus::Pending | WorkbenchStatus::Provisioning | WorkbenchStatus::NotInstalled => {
                Err(refusals::invalid_state(
                    "only a ready or failed workbench can be deleted; wait until its status is one of them",
                ))
            }
        }
    }

    /// Stops the environment and keeps its storage. None if it is stopping or stopped.
    pub fn stop(&self, cause: StopCause, actor: Option<UserId>, now: Time) -> Result<Option<Change>> {
        match (self.status, self.intent) {
            (WorkbenchStatus::Ready, Intent::Run) => Ok(Some(self.change(now, |after, log| {
                after.begin_stop(cause, actor, log);
            }))),
            (WorkbenchStatus::Ready, _) => Ok(None),
            (WorkbenchStatus::Deleting | WorkbenchStatus::Deleted, _) => Err(refusals::deletion_in_progress()),
            _ => Err(refusals::invalid_state("only a ready workbench can be stopped; wait until it is ready")),
        }
    }

    /// Starts the environment of a stopped or failed workbench. None if it runs or is starting.
    pub fn start(&self, actor: UserId, now: Time) -> Result<Option<Change>> {
        let status = match (self.status, self.intent) {
            (WorkbenchStatus::Ready, Intent::Stop) => WorkbenchStatus::Provisioning,
            (WorkbenchStatus::Failed, _) => WorkbenchStatus::Pending,
            (WorkbenchStatus::Deleting | WorkbenchStatus::Deleted, _) => return Err(refusals::deletion_in_progress()),
            _ => return Ok(None),
        };
        Ok(Some(self.change(now, |after, log| {
            after.intent = Intent::Run;
            after.status = status;
            after.run_state = Some(RunState::Starting);
            after.stopped_by = None;
            after.dashboard = None;
            after.active_at = None;
            after.started_at = now;
            log.add(EventKind::Starting, "the start was requested", Some(actor));
        })))
    }

    /// Makes a user an editor. None if the user is one.
    pub fn add_editor(&self, user: UserId, actor: UserId, now: Time) -> Result<Option<Change>> {
        if self.status == WorkbenchStatus::Deleting {
            return Err(refusals::deletion_in_progress());
        }
        if user == self.owner {
            return Err(refusals::member_is_owner());
        }
        if self.editors.contains(&user) {
            return Ok(None);
        }
        if self.editors.len() >= MAX_EDITORS {
            let problem = format!("the workbench has {MAX_EDITORS} editors, the maximum; remove one first");
            return Err(refusals::invalid_state(&problem));
        }
        Ok(Some(self.change(now, |after, log| {
            after.editors.push(user);
            log.add(EventKind::MemberAdded, &format!("{user} became an editor"), Some(actor));
        })))
    }

    /// Removes an editor. None if the user is not one.
    pub fn remove_editor(&self, user: UserId, actor: UserId, now: Time) -> Result<Option<Change>> {
        if self.status == WorkbenchStatus::Deleting {
            return Err(refusals::deletion_in_progress());
        }
        if !self.editors.contains(&user) {
            return Ok(None);
        }
        Ok(Some(self.change(now, |after, log| {
            after.editors.retain(|editor| *editor != user);
            log.add(EventKind::MemberRemoved, &format!("{user} was removed from the editors"), Some(actor));
        })))
    }

    fn begin_stop(&mut self, cause: StopCause, actor: Option<UserId>, log: &mut EventLog) {
        self.intent = Intent::Stop;
        self.run_state = Some(RunState::Stopping);
        self.stopped_by = Some(cause);
        let message = match cause {
            StopCause::User => "the stop was requested",
            StopCause::Idle => "nothing happened in the workbench for the time of its plan, so it is stopped",
        };
        log.add(EventKind::Stopping, message, actor);
    }

    /// Logs that the environment variables were changed. They are stored apart from the workbench.
    pub fn change_variables(&self, actor: UserId, now: Time) -> Result<Change> {
        if self.status == WorkbenchStatus::Deleting {
            return Err(refusals::deletion_in_progress());
        }
        let message = "the environment variables were changed; they apply from the next start";
        Ok(self.change(now, |_, log| log.add(EventKind::VariablesChanged, message, Some(actor))))
    }

    /// A changed copy in the next revision, with the events that `change` logs.
    fn change(&self, now: Time, change: impl FnOnce(&mut Self, &mut EventLog)) -> Change {
        let mut after = self.clone();
        let mut log = EventLog { at: now, last: self.events, events: Vec::new() };
        change(&mut after, &mut log);
        after.events = log.last;
        after.updated_at = now;
        after.revision += 1;
        Change { after, events: log.events }
    }
}

/// Numbers the events of one change.
struct EventLog {
    at: Time,
    last: u64,
    events: Vec<WorkbenchEvent>,
}

impl EventLog {
    fn add(&mut self, kind: EventKind, message: &str, actor: Option<UserId>) {
        self.last += 1;
        let detail = EventDetail { kind, message: message.to_owned() };
        self.events.push(WorkbenchEvent { number: self.last, at: self.at, detail, actor });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn workbench() -> Workbench {
        let resources = Resources { cpu: 2_000, memory: 4 << 30, gpumem: 0, storage: 10 << 30 };
        let new = NewWorkbench {
            id: WorkbenchId::new(),
            org: OrgId::new(),
            owner: UserId::new(),
            name: "lab".to_owned(),
            spec: WorkbenchSpec { size: Some("small".to_owned()), resources },
            image: WorkbenchImage {
                name: "base".to_owned(),
                reference: "base:1".to_owned(),
                command: Vec::new(),
                python_packages: None,
            },
        };
        let plan = WorkbenchPlan { provisioning_timeout: Minutes(10), ..WorkbenchPlan::default() };
        Workbench::create(new, &plan, Time::from_millis(1_800_000_000_000)).after
    }

    #[test]
    fn a_stored_workbench_or_plan_from_before_keys_has_none() {
        let plan = WorkbenchPlan { key_cap: Some(Money::from_usd(1)), ..WorkbenchPlan::default() };
        let mut stored = serde_json::to_value(&plan).unwrap();
        assert_eq!(serde_json::from_value::<WorkbenchPlan>(stored.clone()).unwrap(), plan);
        stored.as_object_mut().unwrap().remove("key_cap").unwrap();
        assert_eq!(serde_json::from_value::<WorkbenchPlan>(stored).unwrap().key_cap, None);
        let workbench = workbench();
        let stored = serde_json::to_value(&workbench).unwrap();
        assert_eq!(stored.get("key_cap"), None, "a workbench without a key is stored as before");
        assert_eq!(serde_json::from_value::<Workbench>(stored).unwrap(), workbench);
    }

    #[test]
    fn names_are_dns_labels() {
        let is_name = |name: &str| crate::schema::check_text::<WorkbenchName>("name", name).is_ok();
        for name in ["a", "lab-1", "0", &"a".repeat(40)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-a", "a-", "Lab", "a_b", "a.b", "ñ", &"a".repeat(41)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn editors_are_added_once_and_never_the_owner() {
        let lab = workbench();
        let (now, editor) = (lab.created_at, UserId::new());
        let shared = lab.add_editor(editor, lab.owner, now).unwrap().unwrap().after;
        assert_eq!((shared.access(editor), shared.access(lab.owner)), (Some(Access::Editor), Some(Access::Owner)));
        assert_eq!(shared.add_editor(editor, lab.owner, now).unwrap(), None);
        assert!(lab.add_editor(lab.owner, lab.owner, now).is_err());
        let private = shared.remove_editor(editor, lab.owner, now).unwrap().unwrap().after;
        assert_eq!(private.access(editor), None);
        assert_eq!(private.remove_editor(editor, lab.owner, now).unwrap(), None);
    }

    #[test]
    fn editors_are_bounded() {
        let mut lab = workbench();
        for _ in 0..MAX_EDITORS {
            lab = lab.add_editor(UserId::new(), lab.owner, lab.created_at).unwrap().unwrap().after;
        }
        assert!(lab.add_editor(UserId::new(), lab.owner, lab.created_at).is_err());
    }
}
