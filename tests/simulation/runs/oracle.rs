//! The oracles of the protocol of runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::id::RunId;
use domain::run::{AgentActionKind, ExchangeDetector, RunEventKind, RunValue};
use engine::nodes::Operation;
use engine::run::LOG_MISMATCH;
use serde_json::Value;

use super::accounts::{Accounts, RunAccount};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// An operation failed with an error that its caller did not cause.
    Failed,
    /// A run that was started never ended.
    NeverEnds,
    /// The events of a log are not numbered without gaps, or the log goes on after its end. Or the head counts other
    /// exchanges than the log has.
    BrokenLog,
    /// An effect began, and the log does not have its intent.
    NoIntent,
    /// An effect began although its result was stored.
    RepeatedAfterResult,
    /// An effect began in a process that had lost the run.
    LostRun,
    /// An attempt took place twice, although its node does not allow that.
    RepeatedUncertain,
    /// The repetition of an attempt had another idempotency key.
    OtherKey,
    /// Two attempts of a step sent different requests.
    OtherRequest,
    /// After a crash, an agent made other calls than before.
    OtherCalls,
    /// A step has two results, or one that its effect did not return.
    WrongResult,
    /// Something began after the run was stopped.
    BeganAfterStop,
    /// A stopped run did not end as cancelled.
    StopIgnored,
    /// A review is open, although its step was canceled.
    ReviewLeftOpen,
    /// An accepted answer did not reach the run in time.
    AnswerLost,
    /// Two people were notified that their answer counts.
    AnsweredTwice,
    /// A delay ended before its time.
    TooEarly,
    /// A healthy run ended as crashed, or a poisonous one did not.
    WrongCrash,
    /// A key started two runs.
    StartedTwice,
    /// The log of a parent and the run that it has called do not name each other.
    WrongCall,
    /// A step has another result than the run that it started.
    WrongCallResult,
    /// A run goes on long after nobody needs it any more.
    Orphan,
    /// A holder dropped its effects because the storage did not answer.
    GaveUp,
    /// The counters or the lists do not agree with the runs.
    WrongStatistics,
}

/// A run goes on within this time after an answer: the claim of a holder that was killed lasts 930 s, and the ticker looks
/// again after five minutes.
const ANSWER_WITHIN: Duration = Duration::from_secs(1_350);
/// If nothing fails, a run that is no longer needed is stopped within this time.
const STOP_WITHIN: Duration = Duration::from_secs(30);
/// The clocks of two processes differ by at most this.
const MAX_SKEW_MS: i64 = 4_000;

/// Checks what must hold when everything has come to rest.
pub fn check_at_end(accounts: &mut Accounts, is_calm: bool) {
    let mut violations = Vec::new();
    for (id, run) in &accounts.runs {
        let mut report = |oracle: Oracle, what: String| violations.push((oracle, format!("run {id}: {what}")));
        if !run.is_started {
            continue;
        }
        if !run.has_ended() {
            report(Oracle::NeverEnds, format!("its state is {}", run.state()));
        }
        if run.head["next_event"].as_u64() != Some(run.log.len() as u64 + 1) {
            report(Oracle::BrokenLog, format!("{} events, next {}", run.log.len(), run.head["next_event"]));
        }
        let mut detector = ExchangeDetector::default();
        let exchanges = run.kinds().filter(|kind| detector.detect(kind).is_some()).count() as u64;
        if run.head["exchanges"].as_u64() != Some(exchanges) {
            report(Oracle::BrokenLog, format!("{exchanges} exchanges, {} are counted", run.head["exchanges"]));
        }
        check_results(run, &mut report);
        if !run.has_poison {
            check_answers(run, &mut report);
        }
        check_delays(run, &mut report);
        check_calls(*id, run, &accounts.runs, &mut report);
        check_dropped(*id, run, &accounts.runs, is_calm, &mut report);
        let has_crashed =
            run.kinds().any(|kind| matches!(kind, RunEventKind::RunFailed { error } if error.code == "crashed"));
        if has_crashed && !run.has_poison {
            report(Oracle::WrongCrash, "a healthy run crashed".to_owned());
        }
        let is_mismatch =
            |kind: &RunEventKind| matches!(kind, RunEventKind::StepFailed { error, .. } if error.code == LOG_MISMATCH);
        for step in canceled_steps(run).filter(|step| run.open_reviews.contains(*step)) {
            report(Oracle::ReviewLeftOpen, format!("{step} was canceled"));
        }
        if run.kinds().any(is_mismatch) {
            report(Oracle::OtherCalls, "an agent does not make the calls of the log".to_owned());
        }
        if run.stopped_after.is_some() && run.state() != "cancelled" {
            report(Oracle::StopIgnored, format!("it ended as {}", run.state()));
        }
    }
    for (oracle, what) in violations {
        accounts.findings.record_violation(oracle, what);
    }
}

fn canceled_steps(run: &RunAccount) -> impl Iterator<Item = &str> {
    run.kinds().filter_map(|kind| match kind {
        RunEventKind::StepCanceled { step } => Some(step.as_str()),
        _ => None,
    })
}

fn check_results(run: &RunAccount, report: &mut impl FnMut(Oracle, String)) {
    let mut results = BTreeMap::new();
    for kind in run.kinds() {
        let RunEventKind::StepCompleted { step, output: Some(output), .. } = kind else { continue };
        if results.insert(step.clone(), output).is_some() {
            report(Oracle::WrongResult, format!("{step} has two results"));
        }
        let value = serde_json::to_value(output).expect("a value is JSON");
        let is_call = run.performed.iter().any(|performed| performed.step == *step);
        let has_called =
            run.kinds().any(|kind| matches!(kind, RunEventKind::StepCalled { step: of, .. } if of == step));
        if let Some(key) = value["value"]["key"].as_str().filter(|_| is_call && !has_called)
            && !run.performed.iter().any(|performed| performed.step == *step && performed.key == key)
        {
            report(Oracle::WrongResult, format!("{step} has the result of another call"));
        }
    }
}

fn check_answers(run: &RunAccount, report: &mut impl FnMut(Oracle, String)) {
    for (step, answers) in &run.answers {
        let Some(last) = answers.last() else { continue };
        let has_gone_on = run.log.iter().any(|(at, event)| match &event.kind {
            RunEventKind::StepCompleted { step: of, .. }
            | RunEventKind::StepFailed { step: of, .. }
            | RunEventKind::StepStarted { step: of, .. }
            | RunEventKind::StepCanceled { step: of } => of == step && *at >= *last && *at <= *last + ANSWER_WITHIN,
            RunEventKind::RunCompleted { .. } | RunEventKind::RunFailed { .. } | RunEventKind::RunCancelled => {
                *at <= *last + ANSWER_WITHIN
            }
            _ => false,
        });
        if !has_gone_on {
            report(Oracle::AnswerLost, format!("{step} did not go on after the answer at {last:?}"));
        }
        // A step that is asked again after an uncertain attempt has more than one review.
        let asked = run.kinds().filter(|kind| matches!(kind, RunEventKind::StepAsked { step: of, .. } if of == step));
        if answers.len() > asked.count() {
            report(Oracle::AnsweredTwice, format!("{step} was answered {} times", answers.len()));
        }
        let has_expired = run.kinds().any(|kind| {
            matches!(kind, RunEventKind::StepCompleted { step: of, port, .. } if of == step && port == "expired")
        });
        if has_expired {
            report(Oracle::AnswerLost, format!("{step} expired after an answer"));
        }
    }
}

/// Checks the runs that a run has started, and the run that has started it.
fn check_calls(
    id: RunId,
    run: &RunAccount,
    runs: &BTreeMap<RunId, RunAccount>,
    report: &mut impl FnMut(Oracle, String),
) {
    let mut called = BTreeMap::new();
    for kind in run.kinds() {
        match kind {
            RunEventKind::StepCalled { step, run_id, .. } => {
                if runs.get(run_id).and_then(RunAccount::parent) != Some((id, step)) {
                    report(Oracle::WrongCall, format!("{step} has started {run_id}, which is not its run"));
                }
                called.insert(step, *run_id);
            }
            RunEventKind::StepCompleted { step, output: Some(output), .. } => {
                let Some(child) = called.get(step).and_then(|id| runs.get(id)) else { continue };
                let is_same =
                    |kind: &RunEventKind| matches!(kind, RunEventKind::RunCompleted { output: own } if own == output);
                if !child.kinds().any(is_same) {
                    report(Oracle::WrongCallResult, format!("{step} has the result {output:?}"));
                }
            }
            _ => {}
        }
    }
    let Some((parent, step)) = run.parent() else { return };
    let Some(parent) = runs.get(&parent) else { return };
    let is_call = |kind: &RunEventKind| matches!(kind, RunEventKind::StepCalled { run_id, .. } if *run_id == id);
    if !parent.kinds().any(is_call) {
        report(Oracle::WrongCall, format!("{step} has not started it"));
    }
}

/// Checks that a run ends soon after nobody needs it any more.
fn check_dropped(
    id: RunId,
    run: &RunAccount,
    runs: &BTreeMap<RunId, RunAccount>,
    is_calm: bool,
    report: &mut impl FnMut(Oracle, String),
) {
    let parent = run.parent().and_then(|(parent, _)| runs.get(&parent));
    let dropped_at = parent.and_then(|parent| parent.dropped_at(id));
    let within = if is_calm { STOP_WITHIN } else { ANSWER_WITHIN };
    if let (Some(dropped_at), Some((last, _))) = (dropped_at, run.log.last())
        && *last > dropped_at + within
    {
        report(Oracle::Orphan, format!("it goes on at {last:?}, and nobody needs it since {dropped_at:?}"));
    }
}

fn check_delays(run: &RunAccount, report: &mut impl FnMut(Oracle, String)) {
    let mut untils = BTreeMap::new();
    for kind in run.log.iter() {
        match &kind.1.kind {
            RunEventKind::StepDelayed { step, until } => drop(untils.insert(step.clone(), *until)),
            RunEventKind::StepCompleted { step, .. } => {
                if let Some(until) = untils.get(step)
                    && kind.1.at.as_millis() < until.as_millis() - MAX_SKEW_MS
                {
                    report(Oracle::TooEarly, format!("{step} waits until {until} and ended at {}", kind.1.at));
                }
            }
            _ => {}
        }
    }
}

/// Whether a step is one element of a node with `each`, such as `n1[2]/n1`, or a call of its agent.
fn is_element(step: &str) -> bool {
    let mut parts = step.rsplit('/').map(|part| part.split('[').next());
    parts.next() == parts.next()
}

/// Counts the events of the logs, to show that the histories contain them.
pub fn count_events(accounts: &mut Accounts) {
    let mut counts = Vec::new();
    for run in accounts.runs.values() {
        let mut attempts = BTreeSet::new();
        for performed in &run.performed {
            counts.push("attempts");
            if is_element(&performed.step) {
                counts.push("attempts of elements");
            }
            if !attempts.insert((&performed.step, performed.attempt)) {
                counts.push("uncertain attempts repeated");
                if is_element(&performed.step) {
                    counts.push("uncertain attempts of elements repeated");
                }
            }
            if let Operation::Mcp(call) = &*performed.operation {
                let is_of_agent = call.on_uncertain.is_some();
                counts.push(if is_of_agent { "tools of agents called" } else { "tools of nodes called" });
            }
        }
        for kind in run.kinds() {
            counts.extend(match kind {
                RunEventKind::RunCompleted { .. } => Some("runs completed"),
                RunEventKind::RunFailed { error } if error.code == "crashed" => Some("runs crashed"),
                RunEventKind::RunFailed { .. } => Some("runs failed"),
                RunEventKind::RunCancelled => Some("runs cancelled"),
                RunEventKind::StepRetried { .. } => Some("attempts retried"),
                RunEventKind::StepInterrupted { .. } => Some("attempts interrupted"),
                RunEventKind::StepDelayed { .. } => Some("delays"),
                RunEventKind::StepCalled { .. } => Some("runs called"),
                RunEventKind::StepCompleted { port, .. } if port == "expired" => Some("reviews expired"),
                RunEventKind::StepStarted { action: Some(action), .. } => Some(match action.kind {
                    AgentActionKind::Load => "agents loaded",
                    AgentActionKind::Model => "models asked",
                    _ => "tools called",
                }),
                RunEventKind::StepFailed { error, .. } if error.code == "outcome_unknown" => {
                    Some("uncertain attempts failed")
                }
                RunEventKind::StepAsked { step, .. } if run.performed.iter().any(|before| before.step == *step) => {
                    Some("uncertain attempts asked about")
                }
                RunEventKind::StepAsked { action: Some(_), .. } => Some("functions asked"),
                RunEventKind::StepCompleted { output: Some(RunValue::Value(Value::String(text))), .. }
                    if text.starts_with("answer ") =>
                {
                    Some("agents answered")
                }
                RunEventKind::StepCanceled { .. } => Some("steps canceled"),
                RunEventKind::BranchWon { .. } => Some("races"),
                _ => None,
            });
        }
    }
    for what in counts {
        accounts.findings.count(what);
    }
}

/// The number of an event in a part of a log.
pub fn first_number(sk: &str) -> Option<usize> {
    sk.parse().ok()
}

pub fn text<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name].as_str().unwrap_or_default()
}
