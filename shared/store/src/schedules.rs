//! The schedules of workflows: an item for each node of type `schedule` of an active release. The sparse index `due` lists
//! an item only while its workflow may start runs.
//!
//! - The transaction that activates a release, and the one that pauses, resumes or archives a workflow, also writes its
//!   schedules. A schedule that keeps its times keeps its progress. The attention worker removes those of a deleted
//!   workflow.
//! - The ticker finds due schedules in the index, which lags, and reads each item again. A run starts in the transaction
//!   that moves the schedule on (`Runs::start_scheduled`), so each scheduled time starts one run.
//! - Every write requires the revision that was read, so of concurrent tickers one moves the schedule on, and none does
//!   after a pause.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::item::parse;
use super::keys::{self, Key};
use super::table::Table;
use super::write::Write;
use domain::id::{OrgId, ReleaseId, RunId, UserId, WorkflowId};
use domain::identity::Account;
use domain::schedule::{CatchUp, DEFAULT_GRACE_SECONDS, Overlap, PlannedSchedule, ScheduleSettings};
use domain::time::Time;
use domain::workflow::{Active, Workflow};
use domain::{Error, Result};
use platform::{Context, config};

/// A schedule of the active release of a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveSchedule {
    pub account: Account,
    pub workflow: WorkflowId,
    pub node_id: String,
    pub release: ReleaseId,
    pub release_number: u64,
    pub settings: ScheduleSettings,
    pub progress: ScheduleProgress,
    /// The last run that the schedule started.
    pub last_run: Option<RunId>,
    /// When the workflow was resumed last.
    pub resumed_at: Option<Time>,
    revision: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleProgress {
    /// The next scheduled time. All earlier times have started a run, were dropped, or are in `queued`.
    pub planned_at: Time,
    /// Scheduled times that will start a run, oldest first.
    pub queued: Vec<Time>,
    /// When the ticker handles the schedule next; `None` while the workflow may not start runs.
    pub due_at: Option<Time>,
}

/// The key of a schedule: its workflow, and the id of its node.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleId {
    pub workflow: WorkflowId,
    pub node_id: String,
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct ScheduleItem {
    pk: String,
    sk: String,
    rev: u64,
    org: OrgId,
    user: UserId,
    workflow: WorkflowId,
    release: ReleaseId,
    release_number: u64,
    cron: String,
    zone: String,
    catch_up: CatchUp,
    overlap: Overlap,
    #[serde(default = "default_grace_seconds")]
    grace_seconds: u64,
    /// The input of each run, as JSON text.
    input: String,
    planned_at: Time,
    queued: Vec<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due_shard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resumed_at: Option<Time>,
}

fn default_grace_seconds() -> u64 {
    DEFAULT_GRACE_SECONDS.into()
}

#[derive(Clone)]
pub struct Schedules {
    entities: Table,
}

impl Schedules {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Finds the schedules that are due: at most `limit` in each shard.
    pub async fn due(&self, now: Time, limit: u32) -> Result<Vec<ScheduleId>> {
        let due = self.entities.query_due(keys::SCHEDULES_DUE, now, limit).await?;
        due.iter().map(|item| schedule_id(Key::from_item(item))).collect()
    }

    pub async fn find(&self, id: &ScheduleId) -> Result<Option<ActiveSchedule>> {
        let item = self.entities.get(&keys::schedule(id.workflow, &id.node_id)).await?;
        item.map(|item| parse::<ScheduleItem>(item)?.try_into()).transpose()
    }

    /// Moves a schedule on without a run. Returns false if it has changed since it was read.
    pub async fn save(&self, schedule: &ActiveSchedule, progress: &ScheduleProgress) -> Result<bool> {
        Ok(self.entities.write(progress_write(&self.entities, schedule, progress)).await?.is_written())
    }
}

fn schedule_id(key: Option<Key>) -> Result<ScheduleId> {
    let Key { pk, sk } = key.ok_or_else(|| Error::internal("an item of the due index has no key"))?;
    Ok(ScheduleId { workflow: keys::read_id(keys::SCHEDULE, &pk)?, node_id: sk })
}

/// The write that moves a schedule on, on condition that it has not changed since it was read.
pub(super) fn progress_write(entities: &Table, schedule: &ActiveSchedule, progress: &ScheduleProgress) -> Write {
    let ActiveSchedule { workflow, node_id, revision, .. } = schedule;
    let ScheduleProgress { planned_at, queued, due_at } = progress;
    let write = entities.update(keys::schedule(*workflow, node_id)).require_is(ScheduleItem::REV, revision);
    let write = write
        .set(ScheduleItem::REV, revision + 1)
        .set(ScheduleItem::PLANNED_AT, planned_at)
        .set(ScheduleItem::QUEUED, queued);
    set_due(write, *workflow, *due_at)
}

fn set_due(write: Write, workflow: WorkflowId, due_at: Option<Time>) -> Write {
    let shard = due_at.map(|_| keys::SCHEDULES_DUE.of(workflow.uuid()));
    write.set_or_remove(ScheduleItem::DUE_SHARD, shard).set_or_remove(ScheduleItem::DUE_AT, due_at)
}

impl ActiveSchedule {
    /// The schedule after the write of its progress.
    pub fn moved_on(self, progress: ScheduleProgress, last_run: Option<RunId>) -> Self {
        Self { progress, last_run, revision: self.revision + 1, ..self }
    }
}

/// Reads the schedules of the active release.
pub(super) async fn find_all(
    entities: &Table,
    workflow: WorkflowId,
    node_ids: &[String],
) -> Result<Vec<ActiveSchedule>> {
    let keys: Vec<Key> = node_ids.iter().map(|node_id| keys::schedule(workflow, node_id)).collect();
    let items = entities.batch_get(&keys).await?;
    items.into_iter().map(|item| parse::<ScheduleItem>(item)?.try_into()).collect()
}

/// The writes that belong to a change of the active release: they store its schedules, and remove those that only the
/// release before had. `workflow` is the workflow after the change.
pub(super) fn switch_schedules(
    entities: &Table,
    workflow: &Workflow,
    active: &Active,
    before: &[ActiveSchedule],
    schedules: &[PlannedSchedule],
) -> Vec<Write> {
    let may_start = workflow.state().may_start();
    let put = |schedule: &PlannedSchedule| {
        let earlier = before.iter().find(|earlier| earlier.node_id == schedule.node_id);
        let item = ScheduleItem::from(activated(workflow, active, schedule, earlier, may_start));
        let write = entities.put(&item);
        match earlier {
            Some(earlier) => write.require_is(ScheduleItem::REV, earlier.revision),
            None => write.require_new(),
        }
    };
    let is_removed = |earlier: &&ActiveSchedule| schedules.iter().all(|schedule| schedule.node_id != earlier.node_id);
    let removed = before.iter().filter(is_removed);
    let removed = removed.map(|earlier| entities.delete(keys::schedule(workflow.id, &earlier.node_id)));
    schedules.iter().map(put).chain(removed).collect()
}

/// A schedule of a release that becomes active. If the previous release had it with the same cron and zone, its next time
/// and its queue are kept.
fn activated(
    workflow: &Workflow,
    active: &Active,
    schedule: &PlannedSchedule,
    earlier: Option<&ActiveSchedule>,
    may_start: bool,
) -> ActiveSchedule {
    let PlannedSchedule { node_id, settings, planned_at } = schedule.clone();
    let kept = earlier.filter(|earlier| earlier.settings.has_times_of(&settings));
    let (planned_at, queued) = match kept {
        Some(kept) => (kept.progress.planned_at, kept.progress.queued.clone()),
        None => (planned_at, Vec::new()),
    };
    let due_at = may_start.then(|| queued.first().copied().unwrap_or(planned_at));
    ActiveSchedule {
        account: workflow.account,
        workflow: workflow.id,
        node_id,
        release: active.release,
        release_number: active.number,
        settings,
        progress: ScheduleProgress { planned_at, queued, due_at },
        last_run: earlier.and_then(|earlier| earlier.last_run),
        resumed_at: earlier.and_then(|earlier| earlier.resumed_at),
        revision: earlier.map_or(1, |earlier| earlier.revision + 1),
    }
}

/// The writes that stop the schedules of a workflow (`None`), or make them due at the time of its resumption.
pub(super) fn reschedule(
    entities: &Table,
    workflow: WorkflowId,
    node_ids: &[String],
    due_at: Option<Time>,
) -> impl Iterator<Item = Write> {
    node_ids.iter().map(move |node_id| {
        let write = entities.update(keys::schedule(workflow, node_id)).require_exists().add(ScheduleItem::REV, 1);
        let write = due_at.into_iter().fold(write, |write, now| write.set(ScheduleItem::RESUMED_AT, now));
        set_due(write, workflow, due_at)
    })
}

/// Removes the schedules of a deleted workflow.
pub(super) async fn remove_all(entities: &Table, workflow: WorkflowId, node_ids: &[String]) -> Result<()> {
    for node_id in node_ids {
        entities.remove(&keys::schedule(workflow, node_id)).await?;
    }
    Ok(())
}

impl From<ActiveSchedule> for ScheduleItem {
    fn from(schedule: ActiveSchedule) -> Self {
        let ActiveSchedule { account, workflow, node_id, release, release_number, .. } = schedule;
        let ScheduleSettings { cron, zone, catch_up, overlap, grace, input } = schedule.settings;
        let ScheduleProgress { planned_at, queued, due_at } = schedule.progress;
        let Key { pk, sk } = keys::schedule(workflow, &node_id);
        Self {
            pk,
            sk,
            rev: schedule.revision,
            org: account.org,
            user: account.user,
            workflow,
            release,
            release_number,
            cron,
            zone,
            catch_up,
            overlap,
            grace_seconds: grace.as_secs(),
            input: input.to_string(),
            planned_at,
            queued,
            due_shard: due_at.map(|_| keys::SCHEDULES_DUE.of(workflow.uuid())),
            due_at,
            last_run: schedule.last_run,
            resumed_at: schedule.resumed_at,
        }
    }
}

impl TryFrom<ScheduleItem> for ActiveSchedule {
    type Error = Error;

    fn try_from(item: ScheduleItem) -> Result<Self> {
        let ScheduleItem { cron, zone, catch_up, overlap, grace_seconds, planned_at, queued, due_at, .. } = item;
        let input: Value = serde_json::from_str(&item.input).map_err(Error::internal)?;
        Ok(Self {
            account: Account { org: item.org, user: item.user },
            workflow: item.workflow,
            node_id: item.sk,
            release: item.release,
            release_number: item.release_number,
            settings: ScheduleSettings {
                cron,
                zone,
                catch_up,
                overlap,
                grace: Duration::from_secs(grace_seconds),
                input,
            },
            progress: ScheduleProgress { planned_at, queued, due_at },
            last_run: item.last_run,
            resumed_at: item.resumed_at,
            revision: item.rev,
        })
    }
}
