//! Loops: each element of the list gets a scope of its own, in which the body runs once. The body of a node with `each` is the
//! node itself. The list of a loop in rounds grows: what came back is its next element (`rounds.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::items::ItemResults;
use super::rounds::Rounds;
use super::scope::{EdgeState, ScopeState, join_values};
use super::{Execution, ScopePath, StepError, StepOutcome, StepPath};
use crate::nodes::OUT;
use crate::nodes::item_mode::to_items;
use crate::nodes::r#loop::{DONE, ITEM, LoopStart, NEXT, OnItemError};
use crate::value_size::{add_size, memory_of};

pub struct LoopState {
    pub start: LoopStart,
    /// What a loop in rounds keeps of the rounds so far.
    pub rounds: Rounds,
    /// The index of the next iteration to begin.
    next: usize,
    running: usize,
    /// The results so far. An element that is left out has none.
    pub results: BTreeMap<usize, Arc<Value>>,
    /// The errors of elements that are left out.
    errors: BTreeMap<usize, StepError>,
    /// The size of the results so far.
    pub bytes: usize,
}

impl Execution {
    pub(super) fn begin_loop(&mut self, path: StepPath, mut start: LoopStart) {
        let rounds = self.begin_rounds(&path, &mut start);
        let bytes = start.items.iter().map(memory_of).sum();
        self.hold(&path.scope, bytes);
        self.activate(&path);
        let (results, errors) = Default::default();
        self.loops.insert(path.clone(), LoopState { start, rounds, next: 0, running: 0, results, errors, bytes: 0 });
        self.continue_loop(&path);
    }

    /// Begins iterations up to the loop's concurrency, and ends the loop after the last one.
    fn continue_loop(&mut self, path: &StepPath) {
        while let Some(state) = self.loops.get_mut(path) {
            if state.running == 0 && state.next == state.start.items.len() {
                let (values, errors) = (std::mem::take(&mut state.results), std::mem::take(&mut state.errors));
                self.loops.remove(path);
                return self.finish_loop(path, ItemResults { values, errors });
            }
            if state.running == state.start.concurrency || state.next == state.start.items.len() {
                return;
            }
            let index = state.next;
            state.next += 1;
            state.running += 1;
            let item = std::mem::take(&mut state.start.items[index]);
            let earlier = state.rounds.earlier.clone();
            self.begin_iteration(path, index, item, earlier);
        }
    }

    fn finish_loop(&mut self, path: &StepPath, results: ItemResults) {
        let step = &self.plan.steps[path.step];
        let (is_list, on_items) = (step.each.is_some(), step.item_mode.is_some());
        let outcome = match (is_list, on_items) {
            _ if step.has_rounds() => Ok(self.finish_rounds(path, results.values)),
            (true, true) => self.finish_items(path, results),
            (false, true) => Ok(self.finish_batches(path, results.values)),
            (_, false) => {
                let values = results.values.into_values().map(Arc::unwrap_or_clone).collect();
                Ok(StepOutcome::new(if is_list { OUT } else { DONE }, Value::Array(values)))
            }
        };
        self.end_step(path.clone(), outcome);
    }

    fn begin_iteration(&mut self, path: &StepPath, index: usize, item: Value, earlier: BTreeMap<usize, Arc<Value>>) {
        let scope = path.scope.iteration(path.step, index);
        let plan = self.plan.clone();
        let variables = Map::from_iter([("item".to_owned(), item.clone()), ("index".to_owned(), index.into())]);
        // The item is in the variables, and on the edges or in the element.
        let bytes = self.charge(&item);
        let item = Arc::new(item);
        let element = plan.steps[path.step].each.is_some().then(|| item.clone());
        let is_element = element.is_some();
        let bytes = 2 * bytes + earlier.values().map(|value| memory_of(value)).sum::<usize>();
        self.scopes.insert(scope.clone(), ScopeState { element, variables, earlier, ..ScopeState::default() });
        self.hold(&scope, bytes);
        if is_element {
            return self.queue.push_back(StepPath::new(&scope, path.step));
        }
        for &edge in plan.steps[path.step].outgoing.iter().filter(|edge| plan.edges[**edge].from_port == ITEM) {
            self.set_edge(&scope, edge, EdgeState::Taken(item.clone()));
        }
    }

    /// The result of an iteration: the value that came back to the loop, or none. With `each`, it is that of the node.
    pub(super) fn iteration_value(&self, scope: &ScopePath, loop_step: usize) -> Result<Option<Arc<Value>>, StepError> {
        if self.plan.steps[loop_step].each.is_some() {
            return Ok(self.scopes.get(scope).and_then(|state| state.outputs.get(&loop_step)).cloned());
        }
        self.value_back(scope, loop_step, NEXT)
    }

    /// What came back to a port of a loop; none if nothing did.
    pub(super) fn value_back(
        &self,
        scope: &ScopePath,
        loop_step: usize,
        port: &str,
    ) -> Result<Option<Arc<Value>>, StepError> {
        let values: Vec<Arc<Value>> =
            self.taken_back(scope, loop_step, port).into_iter().map(|(_, value)| value).collect();
        match &values[..] {
            [] => Ok(None),
            [value] => Ok(Some(value.clone())),
            several if self.plan.steps[loop_step].item_mode.is_some() => {
                Ok(Some(Arc::new(Value::Array(several.iter().flat_map(|value| to_items(value)).collect()))))
            }
            several => join_values(several).map(Some),
        }
    }

    /// The edges from the body of a loop to one of its ports that are taken, with their values.
    pub(super) fn taken_back(&self, scope: &ScopePath, loop_step: usize, port: &str) -> Vec<(usize, Arc<Value>)> {
        let Some(state) = self.scopes.get(scope) else { return Vec::new() };
        let edges = self.plan.steps[loop_step].incoming.iter().filter(|edge| self.plan.edges[**edge].to_port == port);
        let taken = edges.filter_map(|edge| match state.edges.get(edge) {
            Some(EdgeState::Taken(value)) => Some((*edge, value.clone())),
            _ => None,
        });
        taken.collect()
    }

    pub(super) fn finish_iteration(
        &mut self,
        path: &StepPath,
        index: usize,
        result: Result<Option<Arc<Value>>, StepError>,
    ) {
        let Some(state) = self.loops.get_mut(path) else { return };
        state.running -= 1;
        match (result.map(Option::unwrap_or_default), state.start.on_item_error) {
            (Ok(_), _) if state.start.max_rounds.is_some() => {}
            (Ok(value), _) => match add_size(state.bytes, &value) {
                Ok(bytes) => {
                    state.bytes = bytes;
                    state.results.insert(index, value);
                }
                Err(error) => return self.fail_loop(path, error),
            },
            (Err(_), OnItemError::Null) => {
                state.results.insert(index, Arc::default());
            }
            (Err(error), OnItemError::Skip) => drop(state.errors.insert(index, error)),
            (Err(error), OnItemError::Fail) => return self.fail_loop(path, error),
        }
        self.continue_loop(path);
    }

    /// Ends a loop with an error, and cancels its iterations.
    fn fail_loop(&mut self, path: &StepPath, error: StepError) {
        self.cancel_iterations(path);
        self.complete(path.clone(), Err(error));
    }

    /// Cancels the iterations of a loop, if the step is one.
    pub(super) fn cancel_iterations(&mut self, path: &StepPath) {
        for scope in self.iterations_of(path) {
            self.cancel_scopes(&scope);
        }
        self.loops.remove(path);
    }

    /// The scopes of a loop's iterations that run.
    fn iterations_of(&self, path: &StepPath) -> Vec<ScopePath> {
        let first = path.scope.iteration(path.step, 0);
        let is_own = |scope: &&ScopePath| {
            scope.parent().is_some_and(|(parent, iteration)| parent == path.scope && iteration.loop_step == path.step)
        };
        let following = self.scopes.range(first..).map(|(scope, _)| scope);
        following.take_while(|scope| scope.is_within(&path.scope)).filter(is_own).cloned().collect()
    }
}
