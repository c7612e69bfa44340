//! The audit: compares the logs of all runs with what the witness saw.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::graph::hash;
use domain::run::{RunEvent, RunEventKind, RunValue};
use domain::time::Time;
use serde_json::{Value, json};

use crate::items::{Statistics, StoredRun};
use crate::mcp_witness::ONCE;
use crate::publication::AGENT_PATH;
use crate::witness::Effect;

#[derive(Default)]
pub struct Audit {
    pub events: usize,
    /// The attempts of effects that reached the witness.
    pub attempts: usize,
    /// Calls that were repeated because a kill had left their outcome uncertain.
    pub uncertain_repeats: usize,
    /// The effects of agents.
    pub agent_calls: usize,
    /// The calls of tools that must not be repeated.
    pub once_calls: usize,
    /// How the runs ended.
    pub ends: BTreeMap<String, usize>,
    pub violations: Vec<String>,
}

/// What the log says about one attempt of an effect.
#[derive(Default)]
struct Attempt {
    outcome_at: Option<Time>,
    output: Option<Value>,
}

type Attempts = BTreeMap<(String, u32), Attempt>;

impl Audit {
    /// Compares the counters with the runs.
    pub fn check_statistics(&mut self, runs: &BTreeMap<String, StoredRun>, counted: &Statistics) {
        let of_runs = |state: &str| runs.values().filter(|run| run.state == state).count() as u64;
        let ended = ["completed", "failed", "cancelled"].map(of_runs);
        let expected = Statistics { started: runs.len() as u64, ended, ended_on_days: ended };
        if *counted != expected {
            self.violations.push(format!("the statistics are {counted:?}, but of the runs {expected:?}"));
        }
    }

    /// Checks all runs. `started` are the ids of the runs that the testers have started, and `kills` is when the platform
    /// was killed.
    pub fn new(
        runs: &BTreeMap<String, StoredRun>,
        started: &[String],
        mut effects: HashMap<String, Effect>,
        kills: &[Time],
    ) -> Self {
        let mut audit = Self::default();
        for effect in effects.values() {
            audit.agent_calls += usize::from(effect.path == AGENT_PATH);
            // Only a kill leaves the outcome of a call uncertain.
            let is_repeated = |calls: &[Time]| !kills.iter().any(|kill| calls[0] <= *kill && *kill <= calls[1]);
            if effect.arrivals.windows(2).any(is_repeated) {
                audit.violations.push(format!("{}: an attempt called twice, and no kill was between", effect.path));
            }
            if effect.path.ends_with(ONCE) {
                audit.once_calls += 1;
                if effect.arrivals.len() > 1 {
                    audit.violations.push(format!("{}: called again, although its policy is to fail", effect.path));
                }
            }
        }
        for (id, run) in runs {
            audit.check_run(id, run, &mut effects);
        }
        for effect in effects.values() {
            audit.violations.push(format!("{}: an effect without a recorded intent", effect.path));
        }
        let own: Vec<_> = runs.iter().filter(|(_, run)| !run.is_called).map(|(id, _)| id).collect();
        let mut started: Vec<_> = started.iter().collect();
        started.sort_unstable();
        if own != started {
            let sizes = (own.len(), started.len());
            audit.violations.push(format!("{} runs are stored, but {} were started", sizes.0, sizes.1));
        }
        audit
    }

    fn check_run(&mut self, id: &str, run: &StoredRun, effects: &mut HashMap<String, Effect>) {
        let mut violations = check_numbers(run);
        let events: Vec<&RunEvent> = run.log.values().flatten().collect();
        self.events += events.len();
        let end = run.error.clone().map_or_else(|| run.state.clone(), |error| format!("{}: {error}", run.state));
        *self.ends.entry(end).or_default() += 1;
        violations.extend(check_end(run, &events));

        let mut performed: BTreeMap<String, usize> = BTreeMap::new();
        for ((step, attempt), logged) in attempts(&events, &mut violations) {
            let Some(effect) = effects.remove(&hash(&json!([id, step, attempt]))) else {
                // The answers to calls of an `http` and of an `mcp` node.
                let answers = ["/body/key", "/structuredContent/key"];
                if logged.output.is_some_and(|output| answers.iter().any(|key| output.pointer(key).is_some())) {
                    violations.push(format!("{step}, attempt {attempt}: the witness did not see it"));
                }
                continue;
            };
            self.attempts += 1;
            if let Some(at) = logged.outcome_at
                && effect.arrivals.iter().any(|arrival| *arrival > at)
            {
                violations.push(format!("{step}, attempt {attempt}: called again after its outcome was recorded"));
            }
            self.uncertain_repeats += effect.arrivals.len().saturating_sub(1);
            if effect.is_performed && !effect.is_refused && logged.outcome_at.is_some() {
                *performed.entry(step).or_default() += 1;
            }
        }
        for (step, times) in performed.iter().filter(|(_, times)| **times > 1) {
            violations.push(format!("{step}: performed {times} times"));
        }
        self.violations.extend(violations.into_iter().map(|violation| format!("run {id}: {violation}")));
    }
}

/// Checks that the events are numbered from 1 without gaps.
fn check_numbers(run: &StoredRun) -> Vec<String> {
    let mut expected = 1;
    let mut violations = Vec::new();
    for (first, events) in &run.log {
        if *first != expected {
            violations.push(format!("event {expected} is missing; the next one is {first}"));
        }
        expected = first + events.len() as u64;
    }
    if expected != run.next_event {
        violations.push(format!("the next event is {}, but the log ends before {expected}", run.next_event));
    }
    violations
}

fn check_end(run: &StoredRun, events: &[&RunEvent]) -> Vec<String> {
    let is_end = |event: &&&RunEvent| {
        matches!(
            event.kind,
            RunEventKind::RunCompleted { .. } | RunEventKind::RunFailed { .. } | RunEventKind::RunCancelled
        )
    };
    let ends = events.iter().filter(is_end).count();
    if !["completed", "failed", "cancelled"].contains(&run.state.as_str()) {
        return vec![format!("the run has not ended: it is {}", run.state)];
    }
    match (ends, events.last().filter(is_end)) {
        (1, Some(_)) => Vec::new(),
        _ => vec![format!("the log has {ends} ends")],
    }
}

/// The attempts of all steps, with their outcomes.
fn attempts(events: &[&RunEvent], violations: &mut Vec<String>) -> Attempts {
    let (mut attempts, mut last): (Attempts, BTreeMap<&str, u32>) = Default::default();
    let mut failed = HashSet::new();
    for RunEvent { at, kind } in events {
        let (step, attempt, output) = match kind {
            RunEventKind::StepStarted { step, attempt, .. } => {
                if let Some(before) = last.insert(step, *attempt).filter(|before| before < attempt)
                    && attempts.get(&(step.clone(), before)).is_none_or(|before| before.outcome_at.is_none())
                {
                    violations.push(format!("{step}, attempt {attempt}: attempt {before} has no outcome"));
                }
                attempts.entry((step.clone(), *attempt)).or_default();
                continue;
            }
            RunEventKind::StepRetried { step, attempt, .. } => (step, *attempt, None),
            // A step that goes on after its failure.
            RunEventKind::StepCompleted { step, output: None, .. } if failed.contains(step.as_str()) => continue,
            RunEventKind::StepCompleted { step, output, .. } => {
                let Some(attempt) = last.get(step.as_str()) else { continue };
                (step, *attempt, output.as_ref())
            }
            RunEventKind::StepFailed { step, .. } => {
                let Some(attempt) = last.get(step.as_str()) else { continue };
                failed.insert(step.as_str());
                (step, *attempt, None)
            }
            _ => continue,
        };
        let logged = attempts.entry((step.clone(), attempt)).or_default();
        if logged.outcome_at.replace(*at).is_some() {
            violations.push(format!("{step}, attempt {attempt}: two outcomes are recorded"));
        }
        logged.output = match output {
            Some(RunValue::Value(value)) => Some(value.clone()),
            _ => None,
        };
    }
    attempts
}

#[cfg(test)]
mod tests {
    use domain::run::StepError;

    use super::*;

    fn at(millis: i64, kind: RunEventKind) -> RunEvent {
        RunEvent { at: Time::from_millis(millis), kind }
    }

    /// A run that has called the witness once, at 10 ms, and stored the outcome at 20 ms.
    fn run() -> StoredRun {
        let step = || "call".to_owned();
        let output = RunValue::Value(json!({"status": 200, "body": {"key": "key"}}));
        let events = vec![
            at(0, RunEventKind::RunQueued { input: RunValue::Value(Value::Null) }),
            at(5, RunEventKind::StepStarted { step: step(), attempt: 1, action: None }),
            at(
                20,
                RunEventKind::StepCompleted {
                    step: step(),
                    port: "out".to_owned(),
                    output: Some(output),
                    chosen: false,
                },
            ),
            at(21, RunEventKind::RunCompleted { output: RunValue::Value(Value::Null) }),
        ];
        StoredRun { state: "completed".to_owned(), next_event: 5, log: [(1, events)].into(), ..StoredRun::default() }
    }

    fn effect(arrivals: &[i64]) -> Effect {
        let arrivals = arrivals.iter().map(|millis| Time::from_millis(*millis)).collect();
        Effect { path: "run/call".to_owned(), arrivals, is_performed: true, is_refused: false }
    }

    fn key(attempt: u32) -> String {
        hash(&json!(["run", "call", attempt]))
    }

    fn violations(run: StoredRun, effects: &[(String, Effect)]) -> Vec<String> {
        let effects = effects.iter().cloned().collect();
        Audit::new(&[("run".to_owned(), run)].into(), &["run".to_owned()], effects, &[Time::from_millis(12)]).violations
    }

    #[test]
    fn a_repeated_call_is_accepted_only_before_its_outcome_is_stored() {
        assert_eq!(violations(run(), &[(key(1), effect(&[10, 15]))]), [""; 0]);
        let late = violations(run(), &[(key(1), effect(&[10, 25]))]);
        assert_eq!(late, ["run run: call, attempt 1: called again after its outcome was recorded"]);
        let calm = violations(run(), &[(key(1), effect(&[10, 15, 16]))]);
        assert_eq!(calm, ["run/call: an attempt called twice, and no kill was between"]);
    }

    #[test]
    fn a_call_whose_policy_is_to_fail_is_not_repeated() {
        let once = |arrivals: &[i64]| Effect { path: "run/p0_once".to_owned(), ..effect(arrivals) };
        assert_eq!(violations(run(), &[(key(1), once(&[10]))]), [""; 0]);
        let again = violations(run(), &[(key(1), once(&[10, 15]))]);
        assert_eq!(again, ["run/p0_once: called again, although its policy is to fail"]);
    }

    #[test]
    fn a_step_that_goes_on_after_its_failure_has_one_outcome() {
        let mut run = run();
        let events = run.log.get_mut(&1).unwrap();
        let error = StepError::new("crashed", "again and again".to_owned());
        let failed = at(20, RunEventKind::StepFailed { step: "call".to_owned(), error });
        let goes_on = RunEventKind::StepCompleted {
            step: "call".to_owned(),
            port: "out".to_owned(),
            output: None,
            chosen: false,
        };
        events.splice(2..3, [failed, at(20, goes_on)]);
        run.next_event = 6;
        assert_eq!(violations(run, &[(key(1), effect(&[10]))]), [""; 0]);
    }

    #[test]
    fn counters_that_differ_from_the_runs_are_violations() {
        let runs = [("run".to_owned(), run())].into();
        let ended = [1, 0, 0];
        let mut audit = Audit::default();
        audit.check_statistics(&runs, &Statistics { started: 1, ended, ended_on_days: ended });
        assert_eq!(audit.violations, [""; 0]);
        audit.check_statistics(&runs, &Statistics { started: 1, ended, ended_on_days: [2, 0, 0] });
        assert_eq!(audit.violations.len(), 1);
    }

    #[test]
    fn lost_and_unrecorded_effects_are_violations() {
        assert_eq!(violations(run(), &[]), ["run run: call, attempt 1: the witness did not see it"]);
        let unrecorded = violations(run(), &[(key(1), effect(&[10])), (key(2), effect(&[12]))]);
        assert_eq!(unrecorded, ["run/call: an effect without a recorded intent"]);
    }

    #[test]
    fn an_effect_that_two_attempts_performed_is_a_violation() {
        let mut twice = run();
        let error = StepError::new("timeout", "no answer".to_owned());
        let retried =
            RunEventKind::StepRetried { step: "call".to_owned(), attempt: 1, error, next_at: Time::from_millis(12) };
        let events = twice.log.get_mut(&1).unwrap();
        let again = RunEventKind::StepStarted { step: "call".to_owned(), attempt: 2, action: None };
        events.splice(2..2, [at(12, retried), at(13, again)]);
        twice.next_event = 7;
        let found = violations(twice, &[(key(1), effect(&[10])), (key(2), effect(&[14]))]);
        assert_eq!(found, ["run run: call: performed 2 times"]);
    }

    #[test]
    fn an_attempt_without_an_outcome_is_followed_by_no_other() {
        let mut run = run();
        let again = RunEventKind::StepStarted { step: "call".to_owned(), attempt: 2, action: None };
        run.log.get_mut(&1).unwrap().insert(2, at(13, again));
        run.next_event = 6;
        let found = violations(run, &[(key(1), effect(&[10])), (key(2), effect(&[14]))]);
        assert_eq!(found, ["run run: call, attempt 2: attempt 1 has no outcome"]);
    }

    #[test]
    fn gaps_missing_ends_and_unknown_runs_are_violations() {
        let effects = [(key(1), effect(&[10]))];
        let mut gap = run();
        let events = gap.log.remove(&1).unwrap();
        gap.log = [(1, events[..2].to_vec()), (4, events[2..].to_vec())].into();
        gap.next_event = 6;
        assert_eq!(violations(gap, &effects), ["run run: event 3 is missing; the next one is 4"]);

        let mut open = run();
        open.log.get_mut(&1).unwrap().pop();
        (open.state, open.next_event) = ("paused".to_owned(), 4);
        assert_eq!(violations(open, &effects), ["run run: the run has not ended: it is paused"]);

        let unknown = Audit::new(&[("run".to_owned(), run())].into(), &[], effects.into(), &[]);
        assert_eq!(unknown.violations, ["1 runs are stored, but 0 were started"]);
    }
}
