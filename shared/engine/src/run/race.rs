//! A `merge` with the mode `first`: the first value wins. With `cancelLosers`, the steps that only lead to it are skipped
//! when there is a winner.

use std::collections::BTreeSet;

use super::scope::EdgeState;
use super::{Decision, Execution, StepEvent, StepPath};

impl Execution {
    /// The edge that wins: the stored winner if its value has arrived, or the first edge with a value.
    pub(super) fn find_winner(&self, path: &StepPath, edges: &[usize]) -> Option<usize> {
        let state = self.scopes.get(&path.scope)?;
        let is_taken = |edge: &usize| matches!(state.edges.get(edge), Some(EdgeState::Taken(_)));
        match self.decisions.get(path) {
            Some(Decision::Winner(winner)) => Some(*winner).filter(is_taken),
            _ => edges.iter().copied().find(is_taken),
        }
    }

    pub(super) fn take_winner(&mut self, path: StepPath, winner: usize, cancels_losers: bool) {
        let Some(EdgeState::Taken(value)) = self.scopes.get(&path.scope).and_then(|state| state.edges.get(&winner))
        else {
            return;
        };
        let value = value.clone();
        if !self.decisions.contains_key(&path) {
            let decision = Decision::Winner(winner);
            self.events.push(StepEvent::Decided { path: path.clone(), decision });
        }
        if cancels_losers {
            for step in self.find_losers(&path) {
                self.cancel_step(StepPath::new(&path.scope, step));
            }
        }
        self.run_step(path, vec![value]);
    }

    /// Returns the unfinished steps whose every path leads to the merge. Finished steps are traversed, but not returned.
    fn find_losers(&self, merge: &StepPath) -> Vec<usize> {
        let Some(state) = self.scopes.get(&merge.scope) else { return Vec::new() };
        let mut losers = BTreeSet::new();
        for &index in self.plan.order.iter().rev() {
            let step = &self.plan.steps[index];
            if step.parent_loop != merge.scope.loop_step() || index == merge.step {
                continue;
            }
            // The edges into the body of a loop lead back to the loop.
            let ends = step.outgoing.iter().map(|edge| self.plan.edges[*edge].to);
            let mut ends = ends.filter(|to| self.plan.steps[*to].parent_loop != Some(index)).peekable();
            if ends.peek().is_some() && ends.all(|to| to == merge.step || losers.contains(&to)) {
                losers.insert(index);
            }
        }
        losers.into_iter().filter(|step| !state.resolved.contains(step)).collect()
    }

    /// Skips a step, and cancels its effect, its iterations or its agent if it has begun.
    fn cancel_step(&mut self, path: StepPath) {
        if self.is_active(&path) {
            self.cancel_iterations(&path);
            self.cancel_calls(&path);
            self.events.push(StepEvent::Canceled { path: path.clone() });
        }
        self.skip(path);
    }
}
