//! The state of a run, without I/O: which steps have ended, which values they have, and which effects are due.
//!
//! [`Execution`] runs every step that needs nothing from outside. [`Execution::take_due`] returns the effects that became
//! due. The caller performs them, any number at once, and reports each result with [`Execution::finish`].
//!
//! An edge is undecided, taken or skipped. A step runs when all edges into it are decided and at least one is taken; it
//! is skipped when all are skipped. So every run of an acyclic graph ends, and no step runs twice in one scope.
//!
//! A run is a function of its start and of the results in the order in which they were reported. After a crash, the
//! caller reports the stored results again in this order, and has the same state as before. Choices of a branch are
//! stored too: a later version of the engine could choose differently.

mod fields;
mod loops;
mod outcome;
mod paths;
mod pure;
mod race;
mod scope;
mod steps;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::compile::ExecutionPlan;
pub use domain::run::{RunEnd, RunError};
use loops::LoopState;
pub use outcome::{StepError, StepOutcome};
pub use paths::{Iteration, ScopePath, StepPath};
pub use pure::is_effect;
use scope::{EdgeState, ScopeState};

/// The maximum number of steps that a run executes, over all iterations of its loops.
pub const MAX_STEPS: usize = 10_000;

/// How a run begins.
pub struct RunStart {
    pub run_id: String,
    /// The trigger that fired. The other triggers of the plan are skipped.
    pub trigger: usize,
    pub input: Value,
    /// The time of the run, which `now()` returns. It is the same after a restart, so that values do not change.
    pub now: Timestamp,
}

/// What an earlier process stored of a run.
#[derive(Default)]
pub struct History {
    /// The results of effects, in the order in which they were reported.
    pub results: Vec<(StepPath, Result<StepOutcome, StepError>)>,
    pub decisions: HashMap<StepPath, Decision>,
}

/// A choice that a run keeps after a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The port at which a condition or a switch continued.
    Port(String),
    /// The edge whose value a `merge` with the mode `first` took.
    Winner(usize),
}

/// An effect that is due: a call of another system, or a wait.
#[derive(Debug, PartialEq)]
pub struct DueEffect {
    pub path: StepPath,
    /// The configuration with the value of each expression in its place.
    pub config: Map<String, Value>,
    pub input: Arc<Value>,
}

/// What happened to a step, in the order in which it happened.
#[derive(Clone, Debug, PartialEq)]
pub enum StepEvent {
    Started {
        path: StepPath,
        input: Arc<Value>,
    },
    Completed {
        path: StepPath,
        outcome: StepOutcome,
    },
    Failed {
        path: StepPath,
        error: StepError,
    },
    Skipped {
        path: StepPath,
    },
    /// The step had begun, and its result no longer matters.
    Canceled {
        path: StepPath,
    },
    Decided {
        path: StepPath,
        decision: Decision,
    },
}

pub struct Execution {
    plan: Arc<ExecutionPlan>,
    run_id: String,
    now: Timestamp,
    decisions: HashMap<StepPath, Decision>,
    /// The effects with a stored result, which is reported soon.
    recorded: HashSet<StepPath>,
    scopes: BTreeMap<ScopePath, ScopeState>,
    loops: BTreeMap<StepPath, LoopState>,
    /// The steps whose edges have changed.
    queue: VecDeque<StepPath>,
    due: Vec<DueEffect>,
    events: Vec<StepEvent>,
    steps: usize,
    /// The number of steps in the graph itself, and in the body of each loop.
    scope_sizes: BTreeMap<Option<usize>, usize>,
    output: Option<Arc<Value>>,
    end: Option<RunEnd>,
}

impl Execution {
    pub fn new(plan: Arc<ExecutionPlan>, start: RunStart, history: History) -> Self {
        let RunStart { run_id, trigger, input, now } = start;
        let History { results, decisions } = history;
        let mut scope_sizes = BTreeMap::new();
        for step in &plan.steps {
            *scope_sizes.entry(step.parent_loop).or_default() += 1;
        }
        let mut execution = Self {
            plan,
            run_id,
            now,
            decisions,
            recorded: results.iter().map(|(path, _)| path.clone()).collect(),
            scopes: BTreeMap::from([(ScopePath::default(), ScopeState::default())]),
            loops: BTreeMap::new(),
            queue: VecDeque::new(),
            due: Vec::new(),
            events: Vec::new(),
            steps: 0,
            scope_sizes,
            output: None,
            end: None,
        };
        execution.fire(trigger, Arc::new(input));
        execution.settle();
        for (path, result) in results {
            execution.finish(&path, result);
        }
        execution
    }

    /// Runs the trigger, and skips the other triggers.
    fn fire(&mut self, trigger: usize, input: Arc<Value>) {
        let root = ScopePath::default();
        let plan = self.plan.clone();
        for (step, _) in plan.steps.iter().enumerate().filter(|(_, step)| step.node_type.is_trigger()) {
            let path = StepPath::new(&root, step);
            if step == trigger {
                self.run_step(path, vec![input.clone()]);
            } else {
                self.skip(path);
            }
        }
    }

    /// Reports the result of an effect, and runs every step that can run then. The result of a canceled effect is
    /// ignored.
    pub fn finish(&mut self, path: &StepPath, result: Result<StepOutcome, StepError>) {
        if self.end.is_none() && self.is_active(path) && !self.loops.contains_key(path) {
            self.complete(path.clone(), result);
            self.settle();
        }
    }

    /// Returns the effects that became due since the last call.
    pub fn take_due(&mut self) -> Vec<DueEffect> {
        let mut due = std::mem::take(&mut self.due);
        // A failure or the winner of a race may have canceled an effect before anybody saw it.
        due.retain(|effect| self.end.is_none() && self.is_active(&effect.path));
        due
    }

    /// Runs every step that needs nothing from outside.
    fn settle(&mut self) {
        while self.end.is_none() {
            let Some(path) = self.queue.pop_front() else { break };
            self.resolve(path);
        }
    }

    /// Returns what happened since the last call.
    pub fn take_events(&mut self) -> Vec<StepEvent> {
        std::mem::take(&mut self.events)
    }

    pub fn end(&self) -> Option<&RunEnd> {
        self.end.as_ref()
    }

    pub fn plan(&self) -> &ExecutionPlan {
        &self.plan
    }

    /// Whether a step waits for the result of an effect or for the iterations of its loop.
    pub fn is_active(&self, path: &StepPath) -> bool {
        self.scopes.get(&path.scope).is_some_and(|scope| scope.active.contains(&path.step))
    }

    /// Decides an edge, and queues the step that it leads to.
    fn set_edge(&mut self, scope: &ScopePath, edge: usize, edge_state: EdgeState) {
        let Some(state) = self.scopes.get_mut(scope) else { return };
        state.edges.entry(edge).or_insert(edge_state);
        if !self.plan.is_back_edge(edge) {
            self.queue.push_back(StepPath::new(scope, self.plan.edges[edge].to));
        }
    }

    /// Ends a scope whose steps are all resolved.
    fn end_scope_if_resolved(&mut self, scope: &ScopePath) {
        let Some(state) = self.scopes.get(scope) else { return };
        if state.resolved.len() < self.scope_sizes.get(&scope.loop_step()).copied().unwrap_or_default() {
            return;
        }
        match scope.parent() {
            None => {
                let output = self.output.clone().unwrap_or_default();
                self.end = Some(RunEnd::Completed { output });
            }
            Some((parent, Iteration { loop_step, index })) => {
                let value = self.iteration_value(scope, loop_step);
                self.scopes.remove(scope);
                self.finish_iteration(&StepPath::new(&parent, loop_step), index, value);
            }
        }
    }

    /// Ends a scope because a step in it failed: the run, or one iteration of a loop.
    fn fail_scope(&mut self, scope: &ScopePath, step: usize, error: StepError) {
        match scope.parent() {
            None => {
                self.cancel_scopes(scope);
                let StepError { code, message } = error;
                let node_id = Some(self.plan.steps[step].id.clone());
                self.end = Some(RunEnd::Failed(RunError { code, message, node_id }));
            }
            Some((parent, Iteration { loop_step, index })) => {
                self.cancel_scopes(scope);
                // The loop reports the error, so the message names the element and the step.
                let is_loop = self.plan.steps[step].node_type.is_loop();
                let place = StepPath::new(scope, step).display(&self.plan);
                let error = if is_loop { error } else { error.located(&place) };
                self.finish_iteration(&StepPath::new(&parent, loop_step), index, Err(error));
            }
        }
    }

    /// Ends a preview at its last step. The iterations of a loop around the step are canceled.
    fn end_preview(&mut self) {
        self.cancel_scopes(&ScopePath::default());
        self.end = Some(RunEnd::Completed { output: self.output.clone().unwrap_or_default() });
    }

    /// Removes a scope and the scopes in it, and cancels their effects.
    fn cancel_scopes(&mut self, outer: &ScopePath) {
        // Scopes are ordered by their path, so those in `outer` follow it.
        let following = self.scopes.range(outer.clone()..).map(|(scope, _)| scope);
        let within: Vec<ScopePath> = following.take_while(|scope| scope.is_within(outer)).cloned().collect();
        for scope in within {
            let Some(state) = self.scopes.remove(&scope) else { continue };
            for step in state.active {
                let path = StepPath::new(&scope, step);
                self.loops.remove(&path);
                self.events.push(StepEvent::Canceled { path });
            }
        }
        self.queue.retain(|path| !path.scope.is_within(outer));
    }
}

#[cfg(test)]
pub(crate) mod tests;
