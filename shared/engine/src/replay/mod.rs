//! Replays a recorded run against a release, its own or another one. No effect is performed: each takes the result that
//! the log has for its step. A comparison of two replays shows what a change of a workflow would have done.

mod compare;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::compile::ExecutionPlan;
use crate::drive::{Limits, Masks, restore};
use crate::nodes;
use crate::nodes::DueWork;
use crate::run::{DueEffect, Execution, History, RunFacts, RunStart, StepError, StepEvent, StepOutcome, StepPath};
use domain::Result;
use domain::run::{RunEnd, RunEvent};

pub use compare::{Difference, NodeComparison, compare};

/// What a replay takes from the log of a run.
pub struct Recording {
    facts: RunFacts,
    /// The id of the trigger node.
    trigger: String,
    input: Value,
    /// The results of the effects, with the paths of their steps, in the order in which they arrived.
    results: Vec<(String, Result<StepOutcome, StepError>)>,
}

impl Recording {
    /// `plan` is that of the run's own release.
    pub fn new(facts: RunFacts, trigger: &str, plan: &ExecutionPlan, log: Vec<RunEvent>) -> Result<Self> {
        let restored = restore(plan, log)?;
        let results = restored.history.results.into_iter().map(|(path, result)| (path.display(plan), result));
        Ok(Self { facts, trigger: trigger.to_owned(), input: restored.input, results: results.collect() })
    }
}

/// What happened to the steps of a replay, by their paths.
#[derive(Debug, Default)]
pub struct Replay {
    pub steps: BTreeMap<String, ReplayedStep>,
    /// None if the replay needs a result that the log does not have, or exceeds a limit.
    pub end: Option<RunEnd>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayedStep {
    pub state: ReplayState,
    pub port: Option<String>,
    pub input: Option<Arc<Value>>,
    pub output: Option<Arc<Value>>,
    pub error: Option<StepError>,
    /// What an effect would have been performed with, and the fields of the node that all types have.
    pub request: Option<(DueWork, Map<String, Value>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayState {
    /// It waits for a result that the log does not have, or for a step that does.
    #[default]
    Waiting,
    Completed,
    Failed,
    Skipped,
    Canceled,
}

/// Replays a run. None if the release does not have the trigger of the run.
pub fn replay(recording: &Recording, plan: &Arc<ExecutionPlan>) -> Option<Replay> {
    let trigger = plan.find_step(&recording.trigger)?;
    let start = RunStart { facts: recording.facts.clone(), trigger, input: recording.input.clone() };
    let mut player = Player {
        execution: Execution::new(plan.clone(), start, History::default()),
        places: HashMap::new(),
        waiting: BTreeSet::new(),
        masks: Masks::default(),
        replay: Replay::default(),
    };
    for (place, (step, _)) in recording.results.iter().enumerate() {
        player.places.extend(StepPath::parse(step, plan).map(|path| (path, place)));
    }
    player.play(recording, plan);
    Some(player.replay)
}

struct Player {
    execution: Execution,
    /// The places of the recorded results.
    places: HashMap<StepPath, usize>,
    /// The places of the results that effects wait for.
    waiting: BTreeSet<(usize, StepPath)>,
    masks: Masks,
    replay: Replay,
}

impl Player {
    fn play(&mut self, recording: &Recording, plan: &ExecutionPlan) {
        loop {
            let within_limits = Limits::SHOWN.settle(&mut self.execution);
            self.note_events(plan);
            for effect in self.execution.take_due() {
                self.note_effect(effect, plan);
            }
            if !within_limits || self.execution.end().is_some() {
                break;
            }
            // Of the effects that are due, the one whose result arrived first goes first.
            let Some((place, path)) = self.waiting.pop_first() else { break };
            self.execution.finish(&path, recording.results[place].1.clone());
        }
        self.replay.end = self.execution.end().cloned();
        for (step, replayed) in &mut self.replay.steps {
            self.masks.hide_in_step(plan, step, &mut replayed.input, &mut replayed.output);
        }
        if let Some(RunEnd::Completed { output }) = &mut self.replay.end {
            self.masks.hide_in_value(Arc::make_mut(output));
        }
    }

    fn note_effect(&mut self, effect: DueEffect, plan: &ExecutionPlan) {
        let DueEffect { path, work, input, .. } = effect;
        let settings = match path.call {
            None => nodes::shared_fields(&plan.steps[path.step].config),
            Some(_) => Map::new(),
        };
        let step = self.replay.steps.entry(path.display(plan)).or_default();
        step.input.get_or_insert(input);
        step.request = Some((work, settings));
        self.waiting.extend(self.places.get(&path).map(|place| (*place, path)));
    }

    fn note_events(&mut self, plan: &ExecutionPlan) {
        let events = self.execution.take_events();
        self.masks.observe(plan, &events);
        for event in events {
            let (path, state) = match &event {
                StepEvent::Started { path, .. } => (path, ReplayState::Waiting),
                StepEvent::Completed { path, .. } => (path, ReplayState::Completed),
                StepEvent::Failed { path, .. } => (path, ReplayState::Failed),
                StepEvent::Skipped { path } => (path, ReplayState::Skipped),
                StepEvent::Canceled { path } => (path, ReplayState::Canceled),
                StepEvent::Decided { .. } | StepEvent::Printed { .. } => continue,
            };
            let step = self.replay.steps.entry(path.display(plan)).or_default();
            // A step that has failed or was canceled may still go on at a port.
            if !matches!(step.state, ReplayState::Failed | ReplayState::Canceled) {
                step.state = state;
            }
            match event {
                StepEvent::Started { input, .. } => step.input = Some(input),
                StepEvent::Completed { outcome: StepOutcome { port, value }, .. } => {
                    (step.port, step.output) = (Some(port), Some(value));
                }
                StepEvent::Failed { error, .. } => step.error = Some(error),
                _ => {}
            }
        }
    }
}
