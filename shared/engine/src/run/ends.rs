//! The ends of scopes: of the run itself, and of the iterations of loops.

use super::{Execution, Iteration, RunEnd, RunError, ScopePath, StepError, StepEvent, StepPath};

impl Execution {
    /// Ends a scope whose steps are all resolved.
    pub(super) fn end_scope_if_resolved(&mut self, scope: &ScopePath) {
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
                let path = StepPath::new(&parent, loop_step);
                let value = match self.plan.steps[loop_step].has_rounds() {
                    true => self.end_round(&path, scope),
                    false => self.iteration_value(scope, loop_step),
                };
                self.remove_scope(scope);
                self.finish_iteration(&path, index, value);
            }
        }
    }

    /// Ends a scope because a step in it failed: the run, or one iteration of a loop.
    pub(super) fn fail_scope(&mut self, scope: &ScopePath, step: usize, error: StepError) {
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
                let path = StepPath::new(scope, step);
                let item_mode = self.plan.steps[step].item_mode.as_ref().filter(|_| path.is_element());
                let is_item = item_mode.is_some_and(|mode| mode.on_item_error.is_some());
                let is_known = is_item || self.plan.is_loop(&path);
                let error = if is_known { error } else { error.located(&path.display(&self.plan)) };
                self.finish_iteration(&StepPath::new(&parent, loop_step), index, Err(error));
            }
        }
    }

    /// Ends a preview at its last step. The iterations of a loop around the step are canceled.
    pub(super) fn end_preview(&mut self) {
        self.cancel_scopes(&ScopePath::default());
        self.end = Some(RunEnd::Completed { output: self.output.clone().unwrap_or_default() });
    }

    /// Removes a scope and the scopes in it, and cancels their effects.
    pub(super) fn cancel_scopes(&mut self, outer: &ScopePath) {
        // Scopes are ordered by their path, so those in `outer` follow it.
        let following = self.scopes.range(outer.clone()..).map(|(scope, _)| scope);
        let within: Vec<ScopePath> = following.take_while(|scope| scope.is_within(outer)).cloned().collect();
        for scope in within {
            let Some(state) = self.remove_scope(&scope) else { continue };
            for step in state.active {
                let path = StepPath::new(&scope, step);
                self.loops.remove(&path);
                self.cancel_calls(&path);
                self.events.push(StepEvent::Canceled { path });
            }
        }
        self.queue.retain(|path| !path.scope.is_within(outer));
    }
}
