//! What the report of a backend means for a workbench: its next status, its events, and when to look again.

use std::time::Duration;

use super::{
    Change, EventKind, EventLog, Intent, MAX_REJECTIONS, Minutes, Rejection, RunState, StopCause, Usage, Workbench,
    WorkbenchStatus,
};
use crate::text::shorten_to;
use crate::time::Time;

/// What a backend observed after one step towards the intent.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub phase: Phase,
    /// Refusals and failures that the backend found, as reason and message.
    pub rejections: Vec<(String, String)>,
    /// The objects that a deletion has not removed yet.
    pub remaining: Vec<String>,
    pub usage: Option<Usage>,
    pub dashboard: Option<String>,
    /// The name of what runs instead of the image of the workbench.
    pub substitute: Option<String>,
    /// The last time at which a user or a program was active in the environment. None if the backend cannot measure it:
    /// then the workbench is never stopped as idle.
    pub active_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// There is no backend.
    NotInstalled,
    /// The environment has not reached the target yet.
    Progressing,
    Running,
    Stopped,
    /// The environment cannot start, and time will not change that.
    Failed,
    /// Nothing of the environment is left.
    Gone,
}

/// What an observation changes, and when the workbench must be observed again.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// None if the workbench stays as it is.
    pub change: Option<Change>,
    /// None if only a user can change the workbench from now on.
    pub next_in: Option<Duration>,
}

/// The maximum length of a rejection's message.
const MAX_MESSAGE_CHARS: usize = 1_000;
/// How soon a step is followed by the next one.
const BUSY_INTERVAL: Duration = Duration::from_secs(2);
/// The pause of an environment that takes long, and of one without a backend.
const IDLE_INTERVAL: Duration = Duration::from_secs(20);
/// How often the usage of a ready workbench is measured.
const MEASURED_EVERY: Duration = Duration::from_secs(60);
/// How long steps follow each other quickly.
const BUSY_AFTER_CHANGE: Duration = Duration::from_secs(60);
/// A deletion that takes longer than this shows what it waits for.
const DELETION_SHOWN_AFTER: Minutes = Minutes(5);

impl Report {
    pub fn new(phase: Phase) -> Self {
        Self {
            phase,
            rejections: Vec::new(),
            remaining: Vec::new(),
            usage: None,
            dashboard: None,
            substitute: None,
            active_at: None,
        }
    }

    #[must_use]
    pub fn rejected(mut self, reason: &str, message: impl Into<String>) -> Self {
        self.rejections.push((reason.to_owned(), message.into()));
        self
    }
}

impl Workbench {
    /// What a backend must bring about.
    pub fn target(&self) -> Intent {
        match (self.intent, self.status) {
            // A failed environment must not start by itself, long after its failure was reported.
            (Intent::Run, WorkbenchStatus::Failed) => Intent::Stop,
            (intent, _) => intent,
        }
    }

    /// The last moment at which the environment may become ready.
    pub fn deadline(&self) -> Time {
        self.started_at.plus(self.provisioning_timeout.duration())
    }

    /// The consequence of a report.
    pub fn observed(&self, report: &Report, now: Time) -> Observed {
        let change = self.change(now, |after, log| {
            after.was_provided |= report.phase != Phase::NotInstalled;
            after.add_rejections(&report.rejections, log);
            match after.target() {
                Intent::Run => after.observe_run(report, log),
                Intent::Stop => after.observe_stop(report, log),
                Intent::Delete => after.observe_deletion(report, log),
            }
        });
        let Self { updated_at, revision, .. } = change.after;
        let is_unchanged = change.after == Self { updated_at, revision, ..self.clone() };
        let next_in = if is_unchanged { self } else { &change.after }.next_in(report.phase, now);
        Observed { change: (!is_unchanged).then_some(change), next_in }
    }

    fn observe_run(&mut self, report: &Report, log: &mut EventLog) {
        let now = log.at;
        match report.phase {
            Phase::Running => {
                self.run_state = Some(RunState::Running);
                if self.status != WorkbenchStatus::Ready {
                    self.status = WorkbenchStatus::Ready;
                    log.add(EventKind::Ready, "the workbench is ready", None);
                }
                self.dashboard.clone_from(&report.dashboard);
                self.substitute.clone_from(&report.substitute);
                self.usage = report.usage;
                // An activity before the last start does not count, and the clock of the environment may be ahead.
                let reported = report.active_at.map(|at| at.clamp(self.started_at.min(now), now));
                self.active_at = reported.max(self.active_at);
                if self.is_idle(now) {
                    self.begin_stop(StopCause::Idle, None, log);
                }
            }
            // A ready workbench stays ready: its backend starts the environment again.
            _ if self.status == WorkbenchStatus::Ready => {
                self.run_state = Some(RunState::Starting);
                self.usage = None;
            }
            Phase::Failed => self.fail(log),
            phase if now >= self.deadline() => {
                let minutes = self.provisioning_timeout.0;
                let (reason, message) = match phase {
                    Phase::NotInstalled => ("NO_BACKEND", format!("no backend was installed within {minutes} minutes")),
                    _ => ("PROVISIONING_TIMEOUT", format!("the workbench was not ready within {minutes} minutes")),
                };
                self.add_rejections(&[(reason.to_owned(), message)], log);
                self.fail(log);
            }
            Phase::NotInstalled => {
                if self.status != WorkbenchStatus::NotInstalled {
                    self.status = WorkbenchStatus::NotInstalled;
                    self.run_state = None;
                    log.add(EventKind::NotInstalled, "no backend is installed that could provide the workbench", None);
                }
            }
            Phase::Progressing | Phase::Stopped | Phase::Gone => {
                if self.status != WorkbenchStatus::Provisioning {
                    self.status = WorkbenchStatus::Provisioning;
                    self.run_state = Some(RunState::Starting);
                    log.add(EventKind::Provisioning, "the environment is being provided", None);
                }
            }
        }
    }

    fn fail(&mut self, log: &mut EventLog) {
        self.status = WorkbenchStatus::Failed;
        self.run_state = None;
        self.dashboard = None;
        self.usage = None;
        let reason = self.rejections.first().filter(|rejection| rejection.at >= self.started_at);
        let reason = reason.map_or("the backend named no reason", |rejection| &rejection.message);
        let message = format!("the workbench failed: {reason}");
        log.add(EventKind::Failed, &message, None);
    }

    fn observe_stop(&mut self, report: &Report, log: &mut EventLog) {
        if self.is_at_rest(report.phase)
            && self.status == WorkbenchStatus::Ready
            && self.run_state != Some(RunState::Stopped)
        {
            self.run_state = Some(RunState::Stopped);
            self.usage = None;
            log.add(EventKind::Stopped, "the workbench is stopped; its storage is kept", None);
        }
    }

    fn observe_deletion(&mut self, report: &Report, log: &mut EventLog) {
        if self.is_gone(report.phase) {
            self.status = WorkbenchStatus::Deleted;
            log.add(EventKind::Deleted, "nothing of the environment is left", None);
        } else if self.is_deletion_overdue(log.at) {
            let cause = match report.phase {
                Phase::NotInstalled => "the backend of the environment is not installed any more".to_owned(),
                _ if report.remaining.is_empty() => "the environment still exists".to_owned(),
                _ => format!("these objects still exist: {}", report.remaining.join(", ")),
            };
            let minutes = DELETION_SHOWN_AFTER.0;
            let message = format!("the deletion was not complete within {minutes} minutes and continues: {cause}");
            self.add_rejections(&[("DELETION_BLOCKED".to_owned(), message)], log);
        }
    }

    fn is_deletion_overdue(&self, now: Time) -> bool {
        let requested_at = self.deletion_requested_at;
        requested_at.is_some_and(|requested_at| requested_at.plus(DELETION_SHOWN_AFTER.duration()) <= now)
    }

    /// Whether nothing of the environment is left. Without a backend, that is known only if none has ever provided it.
    fn is_gone(&self, phase: Phase) -> bool {
        phase == Phase::Gone || (phase == Phase::NotInstalled && !self.was_provided)
    }

    /// Whether the environment does not run.
    pub fn is_at_rest(&self, phase: Phase) -> bool {
        phase == Phase::Stopped || self.is_gone(phase)
    }

    /// Adds the rejections, one for each reason. A backend reports a lasting one again and again; only the first one since
    /// the last start is an event.
    fn add_rejections(&mut self, found: &[(String, String)], log: &mut EventLog) {
        for (reason, message) in found.iter().take(MAX_REJECTIONS) {
            let message = shorten_to(message, MAX_MESSAGE_CHARS).into_owned();
            let known = self.rejections.iter().position(|known| known.reason == *reason);
            let known = known.map(|index| self.rejections.remove(index));
            let is_lasting = known.as_ref().is_some_and(|known| known.at >= self.started_at);
            if !is_lasting {
                log.add(EventKind::Rejected, &message, None);
            }
            let at = known.filter(|known| is_lasting && known.message == message).map_or(log.at, |known| known.at);
            self.rejections.push(Rejection { at, reason: reason.clone(), message });
        }
        self.rejections.sort_by_key(|rejection| std::cmp::Reverse(rejection.at));
        self.rejections.truncate(MAX_REJECTIONS);
    }

    fn is_idle(&self, now: Time) -> bool {
        let idle_at = self.active_at.zip(self.idle_stop).map(|(active_at, limit)| active_at.plus(limit.duration()));
        idle_at.is_some_and(|idle_at| idle_at <= now)
    }

    fn next_in(&self, phase: Phase, now: Time) -> Option<Duration> {
        let step = if self.updated_at.plus(BUSY_AFTER_CHANGE) > now || self.started_at.plus(BUSY_AFTER_CHANGE) > now {
            BUSY_INTERVAL
        } else {
            IDLE_INTERVAL
        };
        match (self.target(), self.status) {
            (_, WorkbenchStatus::Deleted) => None,
            (_, WorkbenchStatus::NotInstalled) => Some(IDLE_INTERVAL),
            (Intent::Run, WorkbenchStatus::Ready) if phase == Phase::Running => Some(MEASURED_EVERY),
            (Intent::Stop, _) if self.is_at_rest(phase) => None,
            _ => Some(step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::workbench;
    use super::*;
    use crate::id::UserId;
    use crate::workbench::Minutes;

    const MINUTE: Duration = Duration::from_secs(60);

    /// The workbench after a report.
    fn after(before: &Workbench, report: &Report, now: Time) -> Workbench {
        before.observed(report, now).change.map_or_else(|| before.clone(), |change| change.after)
    }

    fn running() -> Report {
        Report { dashboard: Some("http://lab".to_owned()), ..Report::new(Phase::Running) }
    }

    #[test]
    fn a_workbench_becomes_ready_and_is_then_measured_every_minute() {
        let pending = workbench();
        let now = pending.created_at;
        let provisioning = after(&pending, &Report::new(Phase::Progressing), now);
        assert_eq!(
            (provisioning.status, provisioning.run_state),
            (WorkbenchStatus::Provisioning, Some(RunState::Starting))
        );
        let again = provisioning.observed(&Report::new(Phase::Progressing), now);
        assert_eq!(again, Observed { change: None, next_in: Some(BUSY_INTERVAL) }, "the same report changes nothing");
        let ready = provisioning.observed(&running(), now);
        assert_eq!(ready.next_in, Some(MEASURED_EVERY));
        let ready = ready.change.unwrap().after;
        assert_eq!((ready.status, ready.dashboard.as_deref()), (WorkbenchStatus::Ready, Some("http://lab")));
        assert_eq!(ready.events, 3, "created, provisioning, ready");
    }

    #[test]
    fn what_is_not_ready_by_the_deadline_fails_with_its_reason_and_is_stopped() {
        let pending = workbench();
        let refused = Report::new(Phase::Progressing).rejected("QUOTA_EXCEEDED", "exceeded quota: cpu");
        let provisioning = after(&pending, &refused, pending.created_at);
        let failed = after(&provisioning, &refused, provisioning.deadline());
        assert_eq!(failed.status, WorkbenchStatus::Failed);
        let reasons: Vec<_> = failed.rejections.iter().map(|rejection| rejection.reason.as_str()).collect();
        assert_eq!(reasons, ["PROVISIONING_TIMEOUT", "QUOTA_EXCEEDED"]);
        assert_eq!(failed.target(), Intent::Stop);
        let late = failed.observed(&running(), failed.deadline().plus(MINUTE));
        assert_eq!(late.change, None, "a failed workbench does not become ready by itself");
        assert_eq!(failed.observed(&Report::new(Phase::Stopped), failed.deadline()).next_in, None);
        let user = failed.owner;
        let again = failed.start(user, failed.deadline()).unwrap().unwrap().after;
        assert_eq!((again.status, again.target()), (WorkbenchStatus::Pending, Intent::Run));
    }

    #[test]
    fn a_missing_backend_is_shown_until_one_is_installed_or_the_deadline_passes() {
        let pending = workbench();
        let missing = after(&pending, &Report::new(Phase::NotInstalled), pending.created_at);
        assert_eq!(missing.status, WorkbenchStatus::NotInstalled);
        assert_eq!(after(&missing, &running(), pending.created_at).status, WorkbenchStatus::Ready);
        assert_eq!(
            after(&missing, &Report::new(Phase::NotInstalled), missing.deadline()).status,
            WorkbenchStatus::Failed
        );
    }

    #[test]
    fn a_failure_of_a_ready_workbench_is_recorded_and_it_stays_ready() {
        let ready = after(&workbench(), &running(), workbench().created_at);
        let killed = Report::new(Phase::Failed).rejected("OOM_KILLED", "the process exceeded its memory");
        let after = after(&ready, &killed, ready.updated_at);
        assert_eq!((after.status, after.rejections[0].reason.as_str()), (WorkbenchStatus::Ready, "OOM_KILLED"));
    }

    #[test]
    fn a_ready_workbench_that_does_not_run_is_starting_and_uses_nothing() {
        let usage = Some(Usage { cpu: Some(250), ..Usage::default() });
        let ready = after(&workbench(), &Report { usage, ..running() }, workbench().created_at);
        assert_eq!((ready.run_state, ready.usage), (Some(RunState::Running), usage));
        for phase in [Phase::Progressing, Phase::Failed, Phase::Stopped, Phase::Gone] {
            let starting = after(&ready, &Report::new(phase), ready.updated_at);
            assert_eq!((starting.status, starting.intent), (WorkbenchStatus::Ready, Intent::Run));
            assert_eq!((starting.run_state, starting.usage), (Some(RunState::Starting), None), "{phase:?}");
            let again = after(&starting, &running(), ready.updated_at);
            assert_eq!((again.run_state, again.events), (Some(RunState::Running), ready.events), "{phase:?}");
        }
    }

    #[test]
    fn one_rejection_of_each_reason_is_kept_and_at_most_ten() {
        let mut lab = workbench();
        for number in 0..3 {
            let again = Report::new(Phase::Progressing).rejected("UNSCHEDULABLE", format!("try {number}"));
            lab = after(&lab, &again, lab.created_at.plus(MINUTE * number));
        }
        assert_eq!((lab.rejections.len(), lab.rejections[0].message.as_str()), (1, "try 2"));
        assert_eq!(lab.events, 3, "created, rejected once, provisioning");
        let many = (0..200).fold(Report::new(Phase::Progressing), |report, number| {
            report.rejected(&format!("REASON_{number}"), "x".repeat(5_000))
        });
        lab = after(&lab, &many, lab.created_at.plus(MINUTE * 4));
        assert_eq!((lab.rejections.len(), lab.events), (10, 13));
        assert!(lab.rejections.iter().all(|rejection| rejection.message.chars().count() <= MAX_MESSAGE_CHARS + 1));
    }

    #[test]
    fn a_slow_environment_is_observed_less_often() {
        let lab = after(&workbench(), &Report::new(Phase::Progressing), workbench().created_at);
        let next = |after: Duration| lab.observed(&Report::new(Phase::Progressing), lab.created_at.plus(after)).next_in;
        assert_eq!((next(MINUTE / 2), next(MINUTE * 2)), (Some(BUSY_INTERVAL), Some(IDLE_INTERVAL)));
    }

    #[test]
    fn an_idle_workbench_is_stopped_and_a_busy_one_is_not() {
        let pending = Workbench { idle_stop: Some(Minutes(30)), ..workbench() };
        let began = pending.created_at;
        let at = |minutes: u32| began.plus(MINUTE * minutes);
        let active_at = |time: Time| Report { active_at: Some(time), ..running() };
        let ready = after(&pending, &active_at(began), began);
        assert_eq!(after(&ready, &active_at(at(29)), at(30)).intent, Intent::Run);
        let unknown = after(&pending, &running(), began);
        assert_eq!(after(&unknown, &running(), at(300)).intent, Intent::Run, "what is not measured is not idle");
        let idle = after(&ready, &active_at(began), at(30));
        assert_eq!(
            (idle.intent, idle.stopped_by, idle.status),
            (Intent::Stop, Some(StopCause::Idle), WorkbenchStatus::Ready)
        );
        let stopped = after(&idle, &Report::new(Phase::Stopped), at(31));
        assert_eq!(stopped.run_state, Some(RunState::Stopped));
        let started = stopped.start(stopped.owner, at(60)).unwrap().unwrap().after;
        assert_eq!((started.status, started.active_at), (WorkbenchStatus::Provisioning, None));
        assert_eq!(after(&started, &active_at(began), at(61)).intent, Intent::Run, "idle time begins again");
    }

    /// The backend was removed from the configuration. Its environments still exist.
    #[test]
    fn without_its_backend_an_environment_is_not_taken_for_gone() {
        let ready = after(&workbench(), &running(), workbench().created_at);
        let deleting = ready.delete(ready.owner, ready.updated_at).unwrap().after;
        let missing = deleting.observed(&Report::new(Phase::NotInstalled), ready.updated_at);
        assert!(missing.change.is_none() && missing.next_in.is_some(), "{missing:?}");
        let later = after(&deleting, &Report::new(Phase::NotInstalled), ready.updated_at.plus(MINUTE * 5));
        assert!(later.rejections[0].message.contains("not installed any more"), "{:?}", later.rejections);
        let never = after(&workbench(), &Report::new(Phase::NotInstalled), workbench().deadline());
        let deleting = never.delete(never.owner, never.updated_at).unwrap().after;
        assert_eq!(
            after(&deleting, &Report::new(Phase::NotInstalled), never.updated_at).status,
            WorkbenchStatus::Deleted
        );
    }

    #[test]
    fn a_deletion_that_takes_long_shows_what_is_left() {
        let ready = after(&workbench(), &running(), workbench().created_at);
        let requested_at = ready.updated_at;
        let deleting = ready.delete(ready.owner, requested_at).unwrap().after;
        let blocked = Report { remaining: vec!["Pod wb-1-0".to_owned()], ..Report::new(Phase::Progressing) };
        assert_eq!(deleting.observed(&blocked, requested_at.plus(MINUTE * 4)).change, None);
        let shown = after(&deleting, &blocked, requested_at.plus(MINUTE * 5));
        let rejection = &shown.rejections[0];
        assert_eq!((shown.status, rejection.reason.as_str()), (WorkbenchStatus::Deleting, "DELETION_BLOCKED"));
        assert!(rejection.message.ends_with("these objects still exist: Pod wb-1-0"), "{}", rejection.message);
        assert_eq!(shown.events, deleting.events + 1);
        assert_eq!(shown.observed(&blocked, requested_at.plus(MINUTE * 60)).change, None, "it is shown once");
        let other = Report { remaining: Vec::new(), ..blocked };
        let changed = after(&shown, &other, requested_at.plus(MINUTE * 61));
        assert_eq!((changed.rejections.len(), changed.events), (1, shown.events), "its text follows, without an event");
        let gone = after(&changed, &Report::new(Phase::Gone), requested_at.plus(MINUTE * 62));
        assert_eq!(gone.status, WorkbenchStatus::Deleted);
    }

    #[test]
    fn a_deletion_ends_when_nothing_is_left() {
        let pending = workbench();
        let user: UserId = pending.owner;
        assert!(pending.delete(user, pending.created_at).is_err());
        let ready = after(&pending, &running(), pending.created_at);
        let deleting = ready.delete(user, ready.updated_at).unwrap().after;
        assert!(deleting.delete(user, ready.updated_at).is_err());
        assert_eq!(deleting.observed(&Report::new(Phase::Progressing), ready.updated_at).change, None);
        let gone = deleting.observed(&Report::new(Phase::Gone), ready.updated_at);
        assert_eq!((gone.change.unwrap().after.status, gone.next_in), (WorkbenchStatus::Deleted, None));
    }
}
