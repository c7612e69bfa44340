//! A run, and the processes that carry it out one after the other.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use tokio::time::{Instant, sleep};

use super::effects::{Call, ScriptedEffects};
use super::journal::{MemoryJournal, Store};
use super::text::{check_intents, check_log, describe};
use super::*;
use crate::compile::compile;
use crate::drive::driver::drive_within;
use crate::drive::limits::Limits;
use crate::graph_builder::graph;

/// The time of the clock after a time since the start of the test.
pub fn at(since_start: Duration) -> Time {
    Time::from_millis(1_772_434_800_000).plus(since_start)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Left(Departure),
    Crashed,
}

pub struct World {
    pub plan: Arc<ExecutionPlan>,
    pub store: Arc<Mutex<Store>>,
    pub effects: ScriptedEffects,
    pub clock: Clock,
    /// How long the shift of a process is.
    pub shift: Duration,
    /// Is canceled when the process stops.
    pub stop: CancellationToken,
    pub suspects: SuspectGate,
    pub limits: Limits,
}

impl World {
    pub fn new(
        nodes: &[(&str, &str, Value)],
        connections: &str,
        script: impl Fn(&Effect) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let (plan, problems) = compile(&graph(nodes, connections)).finish();
        Self::with_plan(Arc::new(plan.unwrap_or_else(|| panic!("{problems:?}"))), script)
    }

    /// The input of the run is `{"n": 1}`.
    pub fn with_plan(plan: Arc<ExecutionPlan>, script: impl Fn(&Effect) -> Reply + Send + Sync + 'static) -> Self {
        let start = Instant::now();
        let input = RunValue::Value(json!({"n": 1}));
        let queued = RunEvent { at: at(Duration::ZERO), kind: RunEventKind::RunQueued { input } };
        let store = Arc::new(Mutex::new(Store::default()));
        store.lock().unwrap().log.push(queued);
        Self {
            plan,
            effects: ScriptedEffects::new(&store, script),
            store,
            clock: Clock::new(move || at(start.elapsed())),
            shift: seconds(900),
            stop: CancellationToken::new(),
            suspects: SuspectGate::default(),
            limits: Limits::RUN,
        }
    }

    /// Carries out the run in a new process, until it leaves or crashes.
    pub async fn process(&self) -> Exit {
        let mut journal = MemoryJournal::claim(&self.store);
        let (log, crashes) = {
            let store = self.store.lock().unwrap();
            (store.log.clone(), store.crashes)
        };
        let (stored, performed) = (log.len(), self.performed());
        let trigger = self.plan.steps.iter().position(|step| step.node_type.is_trigger()).unwrap();
        let plan = self.plan.clone();
        let run = ClaimedRun { facts: RunFacts::new("r1", at(Duration::ZERO)), plan, trigger, log, crashes };
        let shift = Shift {
            clock: self.clock.clone(),
            ends_at: self.clock.now().plus(self.shift),
            stop: self.stop.clone(),
            suspects: self.suspects.clone(),
        };
        let exit = {
            let mut driven = pin!(drive_within(self.limits, run, shift, &mut journal, &self.effects));
            let exit = poll_fn(|context| {
                let polled = driven.as_mut().poll(context);
                if std::mem::take(&mut self.store.lock().unwrap().has_crashed) {
                    return Poll::Ready(Exit::Crashed);
                }
                polled.map(|departure| Exit::Left(departure.unwrap()))
            });
            exit.await
        };
        let mut store = self.store.lock().unwrap();
        check_log(&store.log);
        let interrupted: Vec<_> = store.log[..stored].iter().map(describe).collect();
        let may_repeat = |attempt: &String| {
            store.has_doubts || !performed.contains(attempt) || interrupted.contains(&format!("{attempt} interrupted"))
        };
        check_intents(&store.log, stored, may_repeat);
        store.has_doubts = matches!(exit, Exit::Crashed | Exit::Left(Departure::Lost));
        store.crashes += u32::from(store.has_doubts);
        drop(store);
        self.check_keys();
        exit
    }

    /// An attempt has the same key each time, and each attempt has another one.
    fn check_keys(&self) {
        let calls = self.calls();
        let attempts =
            calls.iter().map(|call| ((&call.effect.step, call.effect.attempt), &call.effect.idempotency_key));
        let attempts: BTreeSet<_> = attempts.collect();
        let names: BTreeSet<_> = attempts.iter().map(|(name, _)| name).collect();
        let keys: BTreeSet<_> = attempts.iter().map(|(_, key)| key).collect();
        assert_eq!((names.len(), keys.len()), (attempts.len(), attempts.len()), "{attempts:#?}");
    }

    /// Carries out the run in one process, which parks it, and waits until the run is due.
    pub async fn park(&self) -> Duration {
        let Exit::Left(Departure::Parked { wake_at: Some(wake_at) }) = self.process().await else {
            panic!("the run is not parked: {:?}", self.lines());
        };
        let wait = wake_at.as_millis() - self.clock.now().as_millis();
        let wait = Duration::from_millis(wait.try_into().unwrap());
        sleep(wait).await;
        wait
    }

    /// Carries out the run to its end, in as many processes as it needs.
    pub async fn finish(&self) {
        loop {
            match self.process().await {
                Exit::Left(Departure::Ended) => return,
                Exit::Left(Departure::Parked { wake_at: Some(wake_at) }) => {
                    while self.clock.now() < wake_at {
                        sleep(seconds(1)).await;
                    }
                }
                Exit::Left(Departure::HandedOver) | Exit::Crashed => {}
                left => panic!("{left:?}: {:?}", self.lines()),
            }
        }
    }

    /// Carries out the run in one process to its end.
    pub async fn finish_at_once(&self) {
        assert_eq!(self.process().await, Exit::Left(Departure::Ended), "{:?}", self.lines());
    }

    /// Sets when the process crashes.
    pub fn crash(&self, crash: impl Fn(usize) -> Option<Crash> + Send + 'static) {
        self.store.lock().unwrap().faults.crash = Some(Box::new(crash));
    }

    /// A person answers a review after a time.
    pub async fn answer(&self, after: Duration, step: &str, answer: ReviewAnswer) {
        sleep(after).await;
        self.store.lock().unwrap().answer(step, answer);
    }

    pub fn review(&self, step: &str) -> (NewReview, ReviewState) {
        self.store.lock().unwrap().reviews[step].clone()
    }

    pub fn now(&self) -> Duration {
        Duration::from_millis((self.clock.now().as_millis() - at(Duration::ZERO).as_millis()).try_into().unwrap())
    }

    pub fn calls(&self) -> Vec<Call> {
        self.effects.witness.lock().unwrap().calls.clone()
    }

    /// The attempts that were performed, such as `call #1`.
    pub fn performed(&self) -> Vec<String> {
        self.calls().iter().map(|call| format!("{} #{}", call.effect.step, call.effect.attempt)).collect()
    }

    /// When each attempt of a step began.
    pub fn times_of(&self, step: &str) -> Vec<Duration> {
        self.calls().iter().filter(|call| call.effect.step == step).map(|call| call.at).collect()
    }

    /// The steps whose attempt was dropped, in alphabetical order.
    pub fn dropped(&self) -> Vec<String> {
        let mut dropped = self.effects.witness.lock().unwrap().dropped.clone();
        dropped.sort();
        dropped
    }

    /// The events so far, as texts.
    pub fn lines(&self) -> Vec<String> {
        self.store.lock().unwrap().log.iter().map(describe).collect()
    }

    /// The events of each write, as texts.
    pub fn writes(&self) -> Vec<String> {
        let store = self.store.lock().unwrap();
        store.writes.iter().map(|events| events.iter().map(describe).collect::<Vec<_>>().join("; ")).collect()
    }

    pub fn output(&self) -> Value {
        match self.store.lock().unwrap().end.as_ref() {
            Some(RunEnd::Completed { output }) => Value::clone(output),
            end => panic!("the run has no output: {end:?}"),
        }
    }

    /// The node and the code of the error with which the run ended.
    pub fn failure(&self) -> String {
        match self.store.lock().unwrap().end.as_ref() {
            Some(RunEnd::Failed(error)) => format!("{}: {}", error.node_id.as_deref().unwrap_or_default(), error.code),
            end => panic!("the run did not fail: {end:?}"),
        }
    }
}
