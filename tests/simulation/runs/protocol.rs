//! The protocol of runs as the machine sees it: the rule that is switched off, and the accounts of what was committed.

use std::sync::{Mutex, MutexGuard};

use domain::Error;
use domain::id::RunId;
use domain::run::{RunEvent, RunEventKind};
use platform::Context;
use serde_json::Value;
use store::{Runs, keys};
use tokio::sync::Notify;

use super::accounts::Accounts;
use super::oracle::{Oracle, first_number, text};
use super::rules::Rule;
use super::scenario::Scenario;
use crate::machine::database::{ENTITIES, JOURNAL};
use crate::machine::dynamodb_json::Write;
use crate::machine::process::Process;
use crate::machine::protocol::Protocol;
use crate::machine::world::World;

pub struct RunProtocol {
    pub scenario: Scenario,
    /// The rule that is switched off.
    pub disabled_rule: Option<Rule>,
    accounts: Mutex<Accounts>,
    /// A review was opened.
    pub opened: Notify,
    /// A run was claimed.
    pub claimed: Notify,
    /// Events were stored.
    pub committed: Notify,
}

impl RunProtocol {
    pub fn new(scenario: Scenario, disabled_rule: Option<Rule>) -> Self {
        let mut accounts = Accounts::default();
        for run in &scenario.runs {
            accounts.runs.entry(run.id).or_default().has_poison = run.has_poison;
        }
        Self {
            scenario,
            disabled_rule,
            accounts: Mutex::new(accounts),
            opened: Notify::new(),
            claimed: Notify::new(),
            committed: Notify::new(),
        }
    }

    pub fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap()
    }

    /// The store of a process that carries out runs.
    pub fn runs(&self, context: &Context) -> Runs {
        let runs = Runs::new(context).unwrap();
        match self.scenario.transaction_bytes {
            Some(max_bytes) => runs.with_small_transactions(max_bytes),
            None => runs,
        }
    }

    pub fn record_failure(&self, process: &Process, what: &str, error: &Error) {
        self.accounts().findings.record_failure(Oracle::Failed, process, what, error);
    }

    fn record_write(&self, world: &World, write: &Write) -> Option<String> {
        let id: RunId = write.pk.strip_prefix(keys::RUN)?.parse().ok()?;
        let mut accounts = self.accounts();
        let Accounts { findings, runs } = &mut *accounts;
        let run = runs.entry(id).or_default();
        match write.table {
            JOURNAL => {
                let part = write.item();
                let events: Vec<RunEvent> = serde_json::from_str(text(&part, "events")).expect("a part has events");
                if first_number(write.sk) != Some(run.log.len() + 1) {
                    let what = format!("run {id}: a part begins at {}, after {} events", write.sk, run.log.len());
                    findings.record_violation(Oracle::BrokenLog, what);
                }
                let ends = |kind: &RunEventKind| {
                    matches!(
                        kind,
                        RunEventKind::RunCompleted { .. } | RunEventKind::RunFailed { .. } | RunEventKind::RunCancelled
                    )
                };
                if run.kinds().any(ends) {
                    findings.record_violation(Oracle::BrokenLog, format!("run {id}: the log goes on after its end"));
                }
                let is_begin = |kind: &RunEventKind| matches!(kind, RunEventKind::StepStarted { .. });
                if run.stopped_after.is_some() && events.iter().any(|event| is_begin(&event.kind)) {
                    findings.record_violation(Oracle::BeganAfterStop, format!("run {id}: {events:?}"));
                }
                self.committed.notify_waiters();
                let line = format!("run {id}: {}", text(&part, "events"));
                let now = world.began().elapsed();
                run.log.extend(events.into_iter().map(|event| (now, event)));
                Some(line)
            }
            ENTITIES if write.sk == keys::run(id).sk => {
                let epoch = run.epoch();
                run.head = world.database.item(ENTITIES, write.pk, write.sk);
                run.is_started |= run.parent().is_some();
                if run.epoch() > epoch {
                    self.claimed.notify_waiters();
                }
                if run.epoch() > epoch.max(1) {
                    // The holder before may wake up now.
                    world.alarm.notify_waiters();
                }
                match run.state() {
                    "paused" => findings.count("runs parked"),
                    "queued" if run.epoch() > 0 => findings.count("runs handed over"),
                    _ => {}
                }
                let Value::Object(head) = &run.head else { return None };
                let shown = [
                    "state",
                    "epoch",
                    "next_event",
                    "claimed_until",
                    "wake_at",
                    "due_at",
                    "wakes",
                    "seen_wakes",
                    "crashes",
                    "reached",
                    "stop",
                ];
                let shown = shown.iter().filter_map(|name| Some(format!("{name} {}", head.get(*name)?)));
                Some(format!("run {id}: {}", shown.collect::<Vec<_>>().join(", ")))
            }
            _ => {
                let review = world.database.item(ENTITIES, write.pk, write.sk);
                if let Some(step) = write.sk.strip_prefix(keys::REVIEW) {
                    let state = text(&review, "state");
                    match state {
                        "open" => run.open_reviews.insert(step.to_owned()),
                        _ => run.open_reviews.remove(step),
                    };
                    match state {
                        "open" => self.opened.notify_waiters(),
                        "answered" => run.answers.entry(step.to_owned()).or_default().push(world.began().elapsed()),
                        "canceled" => findings.count("reviews canceled"),
                        _ => {}
                    }
                }
                Some(format!("{} of run {id}: {}", write.sk, text(&review, "state")))
            }
        }
    }
}

impl Protocol for RunProtocol {
    fn rewrite(&self, _: &World, operation: &str, request: &mut Value) {
        if let Some(rule) = self.disabled_rule {
            rule.rewrite(&self.accounts(), operation, request);
        }
    }

    fn record_writes(&self, world: &World, writes: &[Write]) -> Vec<String> {
        writes.iter().filter_map(|write| self.record_write(world, write)).collect()
    }

    /// The due index lags: it misses some runs for a while.
    fn lag(&self, world: &World, query: &Value, items: &mut Vec<Value>) {
        if query["IndexName"] != "due" {
            return;
        }
        if self.disabled_rule == Some(Rule::SendsDueRunsAgain) {
            items.clear();
        }
        let mut state = world.state();
        items.retain(|_| state.random.u8(..4) != 0);
    }
}
