//! Loops in rounds: what came back from one round is the input of the next. Only what later rounds need is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::{Execution, ScopePath, StepError, StepOutcome, StepPath};
use crate::nodes::item_mode::{origins, to_items, with_index, without_index};
use crate::nodes::r#loop::{DONE, LoopStart, MAX_ROUNDS, NEXT, RESULT};
use crate::value_size::add_size;

/// What a loop in rounds keeps of the rounds so far.
#[derive(Default)]
pub struct Rounds {
    /// The steps of the body that scripts for items read.
    read: BTreeSet<usize>,
    /// Their last outputs.
    pub earlier: BTreeMap<usize, Arc<Value>>,
}

impl Execution {
    /// Prepares the first round: each of its items names itself as its origin.
    pub(super) fn begin_rounds(&self, path: &StepPath, start: &mut LoopStart) -> Rounds {
        if start.max_rounds.is_none() {
            return Rounds::default();
        }
        let plan = &self.plan;
        if plan.steps[path.step].item_mode.is_some() {
            for items in &mut start.items {
                let numbered = to_items(items).into_iter().enumerate();
                *items = Value::Array(numbered.map(|(index, item)| with_index(item, index)).collect());
            }
        }
        let readers = plan.steps.iter().filter(|step| step.item_mode.is_some());
        let is_body = |step: &usize| plan.steps[*step].parent_loop == Some(path.step);
        Rounds {
            read: readers.flat_map(|step| step.reads.iter().copied()).filter(is_body).collect(),
            ..Rounds::default()
        }
    }

    /// Keeps what a round leaves, and returns what the next one gets; none if nothing came back.
    pub(super) fn end_round(&mut self, path: &StepPath, scope: &ScopePath) -> Result<Option<Arc<Value>>, StepError> {
        let keeps_all = self.plan.steps[path.step].item_mode.is_some();
        let (next, result) = match keeps_all {
            true => (self.items_back(path, scope, NEXT), self.items_back(path, scope, RESULT)),
            false => (self.value_back(scope, path.step, NEXT)?, self.value_back(scope, path.step, RESULT)?),
        };
        let outputs = self.scopes.get(scope).map(|state| &state.outputs);
        let Some(state) = self.loops.get_mut(path) else { return Ok(None) };
        let Rounds { read, earlier } = &mut state.rounds;
        let kept = read.iter().filter_map(|step| Some((*step, outputs?.get(step)?.clone())));
        earlier.extend(kept);
        if let Some(result) = result {
            if !keeps_all {
                (state.bytes, state.results) = Default::default();
            }
            state.bytes = add_size(state.bytes, &result)?;
            state.results.insert(state.start.items.len(), result);
        }
        let Some(next) = next else { return Ok(None) };
        let most = state.start.max_rounds.unwrap_or_default();
        if state.start.items.len() >= most {
            let message = format!(
                "config.{MAX_ROUNDS}: something came back to `{NEXT}` after {most} rounds; allow more rounds, or end the body earlier"
            );
            return Err(StepError::new("too_many_rounds", message));
        }
        state.start.items.push(Value::clone(&next));
        Ok(Some(next))
    }

    /// Ends a loop in rounds: its items are all that reached the port `result`, and another value is the last one there.
    pub(super) fn finish_rounds(&self, path: &StepPath, results: BTreeMap<usize, Arc<Value>>) -> StepOutcome {
        if self.plan.steps[path.step].item_mode.is_none() {
            return StepOutcome::new(DONE, results.into_values().next_back().unwrap_or_default());
        }
        let items = results.values().flat_map(|value| to_items(value)).collect();
        self.items_outcome(path, vec![(DONE.into(), items)])
    }

    /// The items that came back to a port. Each names the item of the loop's input that it comes from. None without items.
    fn items_back(&mut self, path: &StepPath, scope: &ScopePath, port: &str) -> Option<Arc<Value>> {
        let mut visited = 0;
        let first = self.element_of(scope, path.step).and_then(Value::as_array);
        let mut items = Vec::new();
        for (edge, value) in self.taken_back(scope, path.step, port) {
            for (index, item) in to_items(&value).into_iter().enumerate() {
                let found = self.trace_edge(scope, edge, index, path.step, &mut visited);
                let origin = found.first().and_then(|(_, index)| origins(first?.get(*index)?).next());
                items.push(match origin {
                    Some((_, index)) => with_index(item, index),
                    None => without_index(item),
                });
            }
        }
        self.work += visited as u64;
        (!items.is_empty()).then(|| Arc::new(Value::Array(items)))
    }

    /// The output of a step in an earlier round of a loop around a scope.
    pub(super) fn earlier_output_of(&self, scope: &ScopePath, step: usize) -> Option<&Value> {
        let outer = self.plan.steps[step].parent_loop?;
        let mut scope = scope.clone();
        while scope.loop_step() != Some(outer) {
            scope = scope.parent()?.0;
        }
        self.scopes.get(&scope)?.earlier.get(&step).map(|value| &**value)
    }
}
