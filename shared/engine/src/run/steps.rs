//! How one step runs: from the values of its edges to the edges that it decides.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::scope::{Arrival, EdgeState, check_value, join_values};
use super::{
    Decision, DueEffect, Execution, MAX_CONSOLE_BYTES, MAX_SKIPPED, MAX_STEPS, ScopePath, StepError, StepEvent,
    StepOutcome, StepPath,
};
use crate::compile::Each;
use crate::nodes::item_mode::{SEVERAL, to_items};
use crate::nodes::r#loop::ITEM;
use crate::nodes::policy::OnError;
use crate::nodes::send_result::SendResultNode;
use crate::nodes::{ERROR, Fields, Join, NodeAction, OUT, each};
use crate::schema::Program;
use crate::script::{ConsoleLine, Surroundings, seed_of};
use crate::value_size::memory_of_fields;

impl Execution {
    /// Runs or skips a step if the edges into it say so.
    pub(super) fn resolve(&mut self, path: StepPath) {
        let Some(state) = self.scopes.get(&path.scope) else { return };
        if state.has_begun(path.step) {
            return;
        }
        if let Some(element) = state.element.clone() {
            return self.run_step(path, vec![element]);
        }
        if self.plan.leaves_out(path.step) {
            return self.skip(path);
        }
        let join = self.plan.steps[path.step].join;
        let edges: Vec<usize> = self.plan.inputs_of(path.step).collect();
        if let Join::First { cancels_losers } = join
            && let Some(winner) = self.find_winner(&path, &edges)
        {
            return self.take_winner(path, winner, cancels_losers);
        }
        match state.arrival(&edges) {
            Arrival::Incomplete => {}
            Arrival::Skipped => self.skip(path),
            Arrival::Complete(values) => self.run_step(path, values),
        }
    }

    pub(super) fn run_step(&mut self, path: StepPath, values: Vec<Arc<Value>>) {
        if self.end.is_some() {
            return;
        }
        let plan = self.plan.clone();
        let step = &plan.steps[path.step];
        let is_list = values.len() > 1 || step.join == Join::All;
        let works_on_items = step.item_mode.is_some() && !path.is_element();
        let input = match values.first() {
            _ if works_on_items => self.input_items(&path),
            _ if is_list => join_values(&values),
            first => Ok(first.cloned().unwrap_or_default()),
        };
        if let Ok(input) = &input
            && (works_on_items || is_list)
        {
            self.charge(input);
        }
        self.steps += 1;
        let input = match input {
            _ if self.steps > MAX_STEPS => {
                let error = too_many_steps();
                return self.fail_scope(&ScopePath::default(), path.step, error);
            }
            Ok(input) => input,
            Err(error) => return self.complete(path, Err(error)),
        };
        self.events.push(StepEvent::Started { path: path.clone(), input: input.clone() });
        if let Some(pinned) = plan.pinned(path.step).filter(|_| !path.is_element()) {
            let outcome = StepOutcome::new(pinned.port.clone(), pinned.value.clone());
            return self.end_step(path, Ok(outcome));
        }
        if let Some(Decision::Port(port)) = self.decisions.get(&path) {
            let outcome = StepOutcome::new(port.clone(), input);
            return self.complete(path, Ok(outcome));
        }
        if self.take_recorded(&path) {
            // Its result is reported soon, so its configuration is not needed.
            return self.activate(&path);
        }
        let action = match (&step.each, &step.item_mode) {
            (Some(Each { r#loop: Some(each), .. }), _) if !path.is_element() => {
                self.evaluate(&path, &input, &[], |fields| each.start(each::ITEMS, fields))
            }
            (Some(_), Some(mode)) if !path.is_element() => Ok(NodeAction::Loop(mode.start(to_items(&input)))),
            _ => self.evaluate(&path, &input, &[], |fields| plan.config(path.step).evaluate(fields)),
        };
        match action {
            Err(error) => self.complete(path, Err(error)),
            Ok(NodeAction::Pass) if works_on_items => {
                let outcome = self.pass_items(&path, &input);
                self.end_step(path, Ok(outcome));
            }
            Ok(NodeAction::Split(values)) if works_on_items => {
                let outcome = self.split_items(&path, &values);
                self.end_step(path, Ok(outcome));
            }
            Ok(NodeAction::Split(values)) => self.end_step(path, Ok(StepOutcome::new(SEVERAL, Value::Object(values)))),
            Ok(NodeAction::Pass) => self.complete(path, Ok(StepOutcome::new(OUT, input))),
            Ok(NodeAction::Choose(port)) => {
                let decision = Decision::Port(port.to_string());
                self.events.push(StepEvent::Decided { path: path.clone(), decision });
                self.complete(path, Ok(StepOutcome::new(port, input)));
            }
            Ok(NodeAction::Return(value)) => self.complete(path, Ok(StepOutcome::new(OUT, value))),
            Ok(NodeAction::Loop(start)) => self.begin_loop(path, start),
            Ok(NodeAction::Agent(agent)) => self.begin_agent(path, agent),
            Ok(NodeAction::Due(work)) => {
                self.activate(&path);
                self.due.push(DueEffect { path, work, action: None, input });
            }
        }
    }

    /// Evaluates expressions of a step. `outputs` are the values of a node that works on items, which become items.
    pub(super) fn evaluate<R>(
        &mut self,
        path: &StepPath,
        input: &Arc<Value>,
        outputs: &[(usize, Value)],
        work: impl FnOnce(&Fields) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        let plan = self.plan.clone();
        let step = &plan.steps[path.step];
        let variables = self.variables(path, input);
        self.charge_bytes(memory_of_fields(&variables));
        let has_script = step.programs.values().any(Program::is_script);
        let view = match has_script && step.item_mode.is_some() {
            true => Some(self.view(path, input, outputs)?),
            false => None,
        };
        let surroundings = Surroundings {
            variables: &variables,
            now: self.facts.queued_at.into(),
            seed: if has_script { seed_of(&self.facts.id, &path.display(&plan)) } else { 0 },
            view: view.as_ref(),
        };
        let fields = Fields::new((&step.config, &step.programs), input, surroundings);
        let result = work(&fields);
        self.work += fields.steps();
        self.print(path, fields.take_console());
        result
    }

    /// Reports what the scripts of a step wrote, as far as a run may write.
    fn print(&mut self, path: &StepPath, mut lines: Vec<ConsoleLine>) {
        lines.retain(|line| {
            self.console_bytes += line.text.len();
            self.console_bytes <= MAX_CONSOLE_BYTES
        });
        if !lines.is_empty() {
            self.events.push(StepEvent::Printed { path: path.clone(), lines });
        }
    }

    /// The variables that the expressions of a step see. Only the outputs that they read are copied.
    fn variables(&self, path: &StepPath, input: &Value) -> Map<String, Value> {
        let step = &self.plan.steps[path.step];
        if step.programs.is_empty() {
            return Map::new();
        }
        let mut nodes = Map::new();
        for &read in &step.reads {
            if let Some(output) = self.output_of(&path.scope, read) {
                let member = Map::from_iter([("output".to_owned(), Value::clone(output))]);
                nodes.insert(self.plan.steps[read].id.clone(), Value::Object(member));
            }
        }
        let vars = self.scopes.get(&path.scope).map(|scope| scope.variables.clone()).unwrap_or_default();
        Map::from_iter([
            ("input".to_owned(), input.clone()),
            ("nodes".to_owned(), Value::Object(nodes)),
            ("vars".to_owned(), Value::Object(vars)),
            ("run".to_owned(), self.facts.to_value()),
        ])
    }

    /// The output of a step in a scope or in one that encloses it.
    pub(super) fn output_of(&self, scope: &ScopePath, step: usize) -> Option<&Arc<Value>> {
        let mut scope = scope.clone();
        loop {
            if let Some(output) = self.scopes.get(&scope).and_then(|state| state.outputs.get(&step)) {
                return Some(output);
            }
            scope = scope.parent()?.0;
        }
    }

    pub(super) fn activate(&mut self, path: &StepPath) {
        if let Some(state) = self.scopes.get_mut(&path.scope) {
            state.active.insert(path.step);
        }
    }

    fn deactivate(&mut self, path: &StepPath) {
        if let Some(state) = self.scopes.get_mut(&path.scope) {
            state.active.remove(&path.step);
        }
    }

    /// Ends a step with its value.
    pub(super) fn complete(&mut self, path: StepPath, result: Result<StepOutcome, StepError>) {
        let step = &self.plan.steps[path.step];
        if step.item_mode.is_none() || path.is_element() {
            return self.end_step(path, result);
        }
        // The output of the run is the value itself, and not the items that the step passes on.
        if let Ok(outcome) = &result
            && step.node_type.is::<SendResultNode>()
            && self.output.is_none()
            && check_value(&outcome.value).is_ok()
        {
            self.output = Some(outcome.value.clone());
        }
        let result = result.and_then(|outcome| self.itemize(&path, outcome));
        self.end_step(path, result);
    }

    /// Ends a step with what it passes on, and decides the edges that leave it.
    pub(super) fn end_step(&mut self, path: StepPath, result: Result<StepOutcome, StepError>) {
        let plan = self.plan.clone();
        let step = &plan.steps[path.step];
        let result = result.and_then(|outcome| check_value(&outcome.value).map(|()| outcome));
        let has_succeeded = result.is_ok();
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(error) => {
                self.deactivate(&path);
                self.events.push(StepEvent::Failed { path: path.clone(), error: error.clone() });
                match step.policy.on_error() {
                    // `each` decides about an element, and `onError` about the whole list.
                    _ if path.is_element() => return self.fail_scope(&path.scope, path.step, error),
                    OnError::Fail => return self.fail_scope(&path.scope, path.step, error),
                    OnError::Branch if step.item_mode.is_some() => self.error_items(&path, ERROR, &error),
                    OnError::Branch => StepOutcome::new(ERROR, error.to_value()),
                    OnError::Continue if step.item_mode.is_some() => {
                        self.error_items(&path, step.outputs.first().map_or(OUT, |port| port), &error)
                    }
                    // The last port is the negative outcome: `false`, `default`, `done`, `flagged`, `expired`.
                    OnError::Continue => {
                        StepOutcome::new(step.outputs.last().cloned().unwrap_or_default(), Value::Null)
                    }
                }
            }
        };
        self.count_output(&path, &outcome.value);
        let Some(state) = self.scopes.get_mut(&path.scope) else { return };
        state.active.remove(&path.step);
        state.resolved.insert(path.step);
        if outcome.port != ERROR {
            state.outputs.insert(path.step, outcome.value.clone());
        }
        if step.node_type.is::<SendResultNode>() && has_succeeded && self.output.is_none() {
            self.output = Some(outcome.value.clone());
        }
        self.leave(&path, Some(&outcome));
        self.events.push(StepEvent::Completed { path: path.clone(), outcome });
        if plan.ends_at(path.step) && !path.is_element() {
            return self.end_preview();
        }
        self.end_scope_if_resolved(&path.scope);
    }

    pub(super) fn skip(&mut self, path: StepPath) {
        self.skipped += 1;
        if self.skipped > MAX_SKIPPED && self.end.is_none() {
            let error = StepError::new("too_many_steps", format!("a run skips at most {MAX_SKIPPED} steps"));
            return self.fail_scope(&ScopePath::default(), path.step, error);
        }
        let Some(state) = self.scopes.get_mut(&path.scope) else { return };
        state.active.remove(&path.step);
        state.resolved.insert(path.step);
        self.leave(&path, None);
        self.events.push(StepEvent::Skipped { path: path.clone() });
        self.end_scope_if_resolved(&path.scope);
    }

    /// Decides the edges that leave a step. Edges into the body of a loop belong to its iterations. No edge leaves one element
    /// of a node with `each`.
    fn leave(&mut self, path: &StepPath, outcome: Option<&StepOutcome>) {
        if path.is_element() {
            return;
        }
        let plan = self.plan.clone();
        let step = &plan.steps[path.step];
        for &edge in &step.outgoing {
            let port = &plan.edges[edge].from_port;
            if step.node_type.is_loop && port == ITEM {
                continue;
            }
            let value = outcome.and_then(|outcome| Self::value_at(outcome, port));
            let state = value.map_or(EdgeState::Skipped, EdgeState::Taken);
            self.set_edge(&path.scope, edge, state);
        }
    }
}

pub fn too_many_steps() -> StepError {
    StepError::new("too_many_steps", format!("a run executes at most {MAX_STEPS} steps"))
}
