//! Events as short texts, such as `call #1` for the intent of the first attempt of the step `call`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::run::RunEventKind::*;

use super::*;
use crate::drive::events::EventKey;

pub fn step_of(kind: &RunEventKind) -> Option<&String> {
    match kind {
        StepStarted { step, .. }
        | StepRetried { step, .. }
        | StepInterrupted { step, .. }
        | StepDelayed { step, .. }
        | StepAsked { step, .. }
        | StepCalled { step, .. }
        | StepCompleted { step, .. }
        | StepFailed { step, .. }
        | StepSkipped { step }
        | StepCanceled { step }
        | BranchWon { step, .. } => Some(step),
        RunQueued { .. } | RunCompleted { .. } | RunFailed { .. } | RunCancelled => None,
    }
}

/// Times are in milliseconds since the start of the test.
pub fn describe(event: &RunEvent) -> String {
    let millis = |time: &Time| time.as_millis() - at(Duration::ZERO).as_millis();
    match &event.kind {
        RunQueued { .. } => "queued".to_owned(),
        StepStarted { step, attempt, .. } => format!("{step} #{attempt}"),
        StepRetried { step, attempt, error, next_at } => {
            format!("{step} #{attempt} {}, next at {}", error.code, millis(next_at))
        }
        StepInterrupted { step, attempt } => format!("{step} #{attempt} interrupted"),
        StepDelayed { step, until } => format!("{step} until {}", millis(until)),
        StepAsked { step, expires_at, .. } => format!("{step} asks until {}", millis(expires_at)),
        StepCalled { step, until, .. } => match until {
            Some(until) => format!("{step} waits for a run until {}", millis(until)),
            None => format!("{step} waits for a run"),
        },
        StepCompleted { step, port, .. } => format!("{step} > {port}"),
        StepFailed { step, error } => format!("{step} failed: {}", error.code),
        StepSkipped { step } => format!("{step} skipped"),
        StepCanceled { step } => format!("{step} canceled"),
        BranchWon { step, connection } => format!("{step} takes {connection}"),
        RunCompleted { .. } => "completed".to_owned(),
        RunFailed { error } => format!("failed: {}: {}", error.node_id.as_deref().unwrap_or_default(), error.code),
        RunCancelled => "cancelled".to_owned(),
    }
}

/// The attempt of each step that has begun and has no result, with the number of times it has begun.
pub fn open_attempts(log: &[RunEvent]) -> BTreeMap<&String, (u32, u32)> {
    let mut open = BTreeMap::new();
    for event in log {
        let Some(step) = step_of(&event.kind) else { continue };
        match event.kind {
            StepStarted { attempt, .. } => {
                let (before, times) = open.get(step).copied().unwrap_or((attempt, 0));
                open.insert(step, (attempt, if before == attempt { times + 1 } else { 1 }));
            }
            StepInterrupted { .. } => {
                open.entry(step).and_modify(|(_, times)| *times -= 1);
            }
            _ => drop(open.remove(step)),
        }
    }
    open
}

/// Checks the intents of one process, which are those from a place in the log on: each is there once. An attempt that
/// began before begins again only where it is allowed to.
pub fn check_intents(log: &[RunEvent], from: usize, may_repeat: impl Fn(&String) -> bool) {
    let is_intent = |event: &&RunEvent| matches!(event.kind, StepStarted { .. });
    let before: BTreeSet<String> = log[..from].iter().filter(is_intent).map(describe).collect();
    let mut begun = BTreeSet::new();
    for attempt in log[from..].iter().filter(is_intent).map(describe) {
        assert!(!before.contains(&attempt) || may_repeat(&attempt), "{attempt} begins again: {:#?}", all(log));
        assert!(begun.insert(attempt.clone()), "{attempt} begins twice in a process: {:#?}", all(log));
    }
}

/// Checks what holds for every log: no computed event is doubled, a step has one result, and no attempt begins after it.
/// An attempt begins at most once more than it is recovered,
/// not counting those that an orderly stop interrupted, and the next attempt only after a retry or a question.
pub fn check_log(log: &[RunEvent]) {
    let mut ended = BTreeSet::new();
    let mut due = BTreeMap::new();
    let mut computed = HashSet::new();
    for event in log {
        let is_new = EventKey::new(&event.kind).is_none_or(|key| computed.insert(key));
        assert!(is_new, "{} is stored twice: {:#?}", describe(event), all(log));
        let Some(step) = step_of(&event.kind) else { continue };
        match &event.kind {
            StepCompleted { output: Some(_), .. } | StepFailed { .. } | StepCanceled { .. } => {
                assert!(ended.insert(step), "{step} ends twice: {:#?}", all(log));
            }
            StepStarted { .. } | StepRetried { .. } | StepDelayed { .. } | StepAsked { .. } | StepCalled { .. } => {
                assert!(!ended.contains(step), "{step} goes on after its end: {:#?}", all(log));
            }
            _ => {}
        }
        match event.kind {
            StepStarted { attempt, .. } => {
                let (next, times) = due.entry(step).or_insert((1, 0));
                assert_eq!(*next, attempt, "{step}: {:#?}", all(log));
                *times += 1;
                assert!(*times <= MAX_CRASHES + 1, "{step} begins {times} times: {:#?}", all(log));
            }
            StepInterrupted { .. } => drop(due.entry(step).and_modify(|(_, times)| *times -= 1)),
            StepRetried { .. } | StepAsked { .. } => {
                due.entry(step).and_modify(|(next, times)| (*next, *times) = (*next + 1, 0));
            }
            _ => {}
        }
    }
}

fn all(log: &[RunEvent]) -> Vec<String> {
    log.iter().map(describe).collect()
}
