//! The state of a run, without I/O: which steps have ended, which values they have, and which effects are due.
//!
//! [`Execution::settle`] runs every step that needs no effect. It returns after a given amount of work, and the
//! caller calls it again while [`Execution::has_more`]. [`Execution::take_due`] returns the effects that became due. The
//! caller performs them, any number at once, and reports each result with [`Execution::finish`].
//!
//! An edge is undecided, taken or skipped. A step runs when all edges into it are decided and at least one is taken; it
//! is skipped when all are skipped. So every run of an acyclic graph ends, and no step runs twice in one scope.
//!
//! A run is a function of its start and of the results in the order in which they were reported. After a crash, the
//! caller reports the stored results again in this order, and has the same state as before. Choices of a branch are
//! stored too: a later version of the engine could choose differently.

mod agents;
mod ends;
mod facts;
mod items;
mod loops;
mod origins;
mod outcome;
mod paths;
mod race;
mod rounds;
mod scope;
mod steps;
mod usage;
mod view;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use crate::agent::AgentRun;
use crate::compile::ExecutionPlan;
use crate::nodes::DueWork;
use crate::script::ConsoleLine;
pub use agents::LOG_MISMATCH;
use domain::run::AgentAction;
pub use domain::run::{RunEnd, RunError};
pub use facts::RunFacts;
use loops::LoopState;
pub use outcome::{StepError, StepOutcome};
pub use paths::{Iteration, ScopePath, StepPath};
pub use scope::check_value;
use scope::{EdgeState, ScopeState};
use usage::STEP_WORK;

/// The maximum number of steps that a run executes, over all iterations of its loops.
pub const MAX_STEPS: usize = 10_000;
/// The maximum number of steps that a run skips. Each is an event of its log.
pub const MAX_SKIPPED: usize = 50_000;

/// The maximum number of bytes that the scripts of a run write to their consoles. The rest is dropped.
const MAX_CONSOLE_BYTES: usize = 256 * 1024;

/// How a run begins.
pub struct RunStart {
    pub facts: RunFacts,
    /// The trigger that fired. The other triggers of the plan are skipped.
    pub trigger: usize,
    pub input: Value,
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
    pub work: DueWork,
    /// What an agent does, if this is one of its calls.
    pub action: Option<AgentAction>,
    pub input: Arc<Value>,
}

/// Whether the result of a step is stored. That of an agent is computed from the results of its calls, and that of a loop from
/// its iterations.
pub fn is_effect(plan: &ExecutionPlan, path: &StepPath) -> bool {
    path.call.is_some() || plan.steps[path.step].node_type.is_stored && !plan.is_loop(path)
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
    /// A script of the step wrote to its console.
    Printed {
        path: StepPath,
        lines: Vec<ConsoleLine>,
    },
}

pub struct Execution {
    plan: Arc<ExecutionPlan>,
    facts: RunFacts,
    decisions: HashMap<StepPath, Decision>,
    /// The effects with a stored result, which is reported soon.
    recorded: HashSet<StepPath>,
    /// The stored results that were reported before their step began. A retry repeats some steps later than the run before.
    early: HashMap<StepPath, Result<StepOutcome, StepError>>,
    scopes: BTreeMap<ScopePath, ScopeState>,
    loops: BTreeMap<StepPath, LoopState>,
    agents: BTreeMap<StepPath, AgentRun>,
    /// The steps whose edges have changed.
    queue: VecDeque<StepPath>,
    /// The results that follow when the queue is empty.
    reported: VecDeque<(StepPath, Result<StepOutcome, StepError>)>,
    due: Vec<DueEffect>,
    events: Vec<StepEvent>,
    steps: usize,
    skipped: usize,
    work: u64,
    bytes: usize,
    console_bytes: usize,
    /// The number of steps in the graph itself, and in the body of each loop. A node with `each` is its own body.
    scope_sizes: BTreeMap<Option<usize>, usize>,
    output: Option<Arc<Value>>,
    end: Option<RunEnd>,
}

impl Execution {
    /// A run at its trigger. It has to be settled.
    pub fn new(plan: Arc<ExecutionPlan>, start: RunStart, history: History) -> Self {
        let RunStart { facts, trigger, input } = start;
        let History { results, decisions } = history;
        let mut scope_sizes = BTreeMap::new();
        for (index, step) in plan.steps.iter().enumerate() {
            *scope_sizes.entry(step.parent_loop).or_default() += 1;
            if step.each.is_some() {
                scope_sizes.insert(Some(index), 1);
            }
        }
        let mut execution = Self {
            plan,
            facts,
            decisions,
            recorded: results.iter().map(|(path, _)| path.clone()).collect(),
            early: HashMap::new(),
            scopes: BTreeMap::from([(ScopePath::default(), ScopeState::default())]),
            loops: BTreeMap::new(),
            agents: BTreeMap::new(),
            queue: VecDeque::new(),
            reported: results.into(),
            due: Vec::new(),
            events: Vec::new(),
            steps: 0,
            skipped: 0,
            work: 0,
            bytes: 0,
            console_bytes: 0,
            scope_sizes,
            output: None,
            end: None,
        };
        execution.fire(trigger, Arc::new(input));
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

    /// Reports the result of an effect. The steps that follow from it run when the run is settled. The result of a canceled
    /// effect is ignored.
    pub fn finish(&mut self, path: &StepPath, result: Result<StepOutcome, StepError>) {
        self.reported.push_back((path.clone(), result));
    }

    /// Returns the results that no step has used yet.
    pub fn take_reported(&mut self) -> VecDeque<(StepPath, Result<StepOutcome, StepError>)> {
        std::mem::take(&mut self.reported)
    }

    /// Returns the effects that became due since the last call; none while steps are left to run, because they may cancel
    /// effects.
    pub fn take_due(&mut self) -> Vec<DueEffect> {
        if self.has_more() {
            return Vec::new();
        }
        let mut due = std::mem::take(&mut self.due);
        // A failure or the winner of a race may have canceled an effect before anybody saw it.
        due.retain(|effect| self.end.is_none() && self.is_active(&effect.path));
        due
    }

    /// Runs the steps that need no effect. It stops when there are no more such steps, or when the work so far reaches
    /// `until`. The order of the steps does not depend on `until`: a result is applied when all steps before it have run.
    pub fn settle(&mut self, until: u64) {
        while self.end.is_none() && self.work < until {
            if let Some(path) = self.queue.pop_front() {
                self.resolve(path);
            } else if let Some((path, result)) = self.reported.pop_front() {
                self.apply(path, result);
            } else {
                break;
            }
            self.work += STEP_WORK;
        }
    }

    fn apply(&mut self, path: StepPath, result: Result<StepOutcome, StepError>) {
        if !self.is_active(&path) {
            let step = path.without_call();
            if path.call.is_some() && self.agents.contains_key(&step) {
                self.fail_mismatched_agent(&step);
            } else if self.recorded.contains(&path) {
                self.early.insert(path, result);
            }
            return;
        }
        match path.call {
            Some(number) => self.finish_call(&path, number, result),
            None if self.loops.contains_key(&path) || self.agents.contains_key(&path) => {}
            None => self.complete(path, result),
        }
    }

    /// Whether the result of an effect that begins is stored. Then it is reported soon.
    fn take_recorded(&mut self, path: &StepPath) -> bool {
        let early = self.early.remove(path);
        self.reported.extend(early.map(|result| (path.clone(), result)));
        self.recorded.remove(path)
    }

    /// Whether steps are left to run that need no effect.
    pub fn has_more(&self) -> bool {
        self.end.is_none() && !(self.queue.is_empty() && self.reported.is_empty())
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

    /// Whether a step waits for the result of an effect, for the iterations of its loop, or for its agent.
    pub fn is_active(&self, path: &StepPath) -> bool {
        if let Some(number) = path.call {
            return self.agents.get(&path.without_call()).is_some_and(|agent| agent.is_open(number));
        }
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
}

#[cfg(test)]
pub(crate) mod tests;
