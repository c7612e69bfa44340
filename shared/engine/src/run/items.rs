//! Nodes that work on items (`itemMode`): their input, and how their values become items. `view.rs` is what their scripts see.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::scope::{EdgeState, check_value};
use super::{Execution, ScopePath, StepError, StepOutcome, StepPath};
use crate::nodes::code::CodeNode;
use crate::nodes::item_mode::{
    ERROR_OF_ITEM, RESULT, SEVERAL, count_items, error_item, error_of, message_of, origins, pair, to_items, with_index,
    without_index,
};
use crate::nodes::r#loop::DONE;
use crate::nodes::{ERROR, OUT};

/// The results of a node that ran for each item, by the index of the item.
pub(super) struct ItemResults {
    pub values: BTreeMap<usize, Arc<Value>>,
    pub errors: BTreeMap<usize, StepError>,
}

impl Execution {
    /// The input of a step: the items of all edges into its first port.
    pub(super) fn input_items(&self, path: &StepPath) -> Result<Arc<Value>, StepError> {
        let items = Value::Array(self.items_into(&path.scope, path.step, 0));
        check_value(&items).map(|()| Arc::new(items))
    }

    /// The items of the edges into an input port of a step, in the order of the connections.
    pub(super) fn items_into(&self, scope: &ScopePath, step: usize, port: usize) -> Vec<Value> {
        self.taken_into(scope, step, port).flat_map(|(_, value)| to_items(value)).collect()
    }

    /// The number of items at the first input port of a step, which are not copied for it.
    fn count_input(&self, path: &StepPath) -> usize {
        self.taken_into(&path.scope, path.step, 0).map(|(_, value)| count_items(value)).sum()
    }

    /// The edges into an input port of a step that are taken, with their values.
    pub(super) fn taken_into(
        &self,
        scope: &ScopePath,
        step: usize,
        port: usize,
    ) -> impl Iterator<Item = (usize, &Value)> {
        let name = self.plan.steps[step].inputs.get(port);
        let edges = self.scopes.get(scope).map(|state| &state.edges);
        self.plan.inputs_of(step).filter_map(move |edge| match edges?.get(&edge)? {
            EdgeState::Taken(value) if Some(&self.plan.edges[edge].to_port) == name => Some((edge, &**value)),
            _ => None,
        })
    }

    /// The outcome of a step that passes its items on.
    pub(super) fn pass_items(&self, path: &StepPath, input: &Value) -> StepOutcome {
        let items = to_items(input).into_iter().enumerate().map(|(index, item)| with_index(item, index));
        self.items_outcome(path, vec![(OUT.into(), items.collect())])
    }

    /// The outcome of a step that gives items at several ports.
    pub(super) fn split_items(&self, path: &StepPath, values: &Map<String, Value>) -> StepOutcome {
        let ports = self.plan.steps[path.step].outputs.iter();
        let ports = ports.map(|port| (Cow::Owned(port.clone()), values.get(port).map(to_items).unwrap_or_default()));
        self.items_outcome(path, ports.collect())
    }

    /// The outcome of a step that ran once: the items of its value.
    pub(super) fn itemize(&mut self, path: &StepPath, outcome: StepOutcome) -> Result<StepOutcome, StepError> {
        let StepOutcome { port, value } = outcome;
        let plan = self.plan.clone();
        let step = &plan.steps[path.step];
        let value = self.select_results(path, RESULT, vec![(0, Value::clone(&value))])?.swap_remove(0).1;
        let count = self.count_input(path);
        let items = to_items(&value);
        // An item whose origin is not named comes from the only one, or from the one at its place.
        let is_in_order = items.len() == count;
        let keeps_origin = step.node_type.is::<CodeNode>();
        let items = items.into_iter().enumerate().map(|(index, item)| {
            if keeps_origin && origins(&item).next().is_some() {
                item
            } else if count == 1 {
                with_index(item, 0)
            } else if is_in_order {
                with_index(item, index)
            } else {
                without_index(item)
            }
        });
        Ok(self.items_outcome(path, vec![(port.into(), items.collect())]))
    }

    /// Ends a step that ran for each item.
    pub(super) fn finish_items(&mut self, path: &StepPath, results: ItemResults) -> Result<StepOutcome, StepError> {
        let ItemResults { values, errors } = results;
        let mode = self.plan.steps[path.step].item_mode.clone().unwrap_or_default();
        let values = values.into_iter().map(|(index, value)| (index, Arc::unwrap_or_clone(value))).collect();
        let mut errors = self.errors_of_items(path, errors)?;
        let mut by_index: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for (index, value) in self.select_results(path, RESULT, values)? {
            let items = to_items(&value).into_iter();
            let (failed, done): (Vec<_>, _) = items.partition(|item| mode.keeps_errors() && error_of(item).is_some());
            errors.extend(failed.iter().filter_map(error_of).map(|error| (index, error.clone())));
            by_index.insert(index, pair(done, index).collect());
        }
        errors.sort_by_key(|(index, _)| *index);
        let input = if errors.is_empty() { Vec::new() } else { self.items_into(&path.scope, path.step, 0) };
        let mut failed = Vec::new();
        for (index, error) in errors {
            let of = input.get(index).filter(|_| mode.has_error_port());
            let item = with_index(error_item(error, of), index);
            if mode.has_error_port() { failed.push(item) } else { by_index.entry(index).or_default().push(item) }
        }
        let mut ports = vec![(OUT.into(), by_index.into_values().flatten().collect())];
        if mode.has_error_port() {
            ports.push((ERROR.into(), failed));
        }
        Ok(self.items_outcome(path, ports))
    }

    /// What items that failed have in their field `error`.
    fn errors_of_items(
        &mut self,
        path: &StepPath,
        errors: BTreeMap<usize, StepError>,
    ) -> Result<Vec<(usize, Value)>, StepError> {
        let errors = errors.into_iter();
        if self.selects(path, ERROR_OF_ITEM) {
            return self.select_results(
                path,
                ERROR_OF_ITEM,
                errors.map(|(index, error)| (index, error.to_value())).collect(),
            );
        }
        Ok(errors.map(|(index, error)| (index, message_of(&error))).collect())
    }

    /// Ends a loop: its items are those that came back to it.
    pub(super) fn finish_batches(&mut self, path: &StepPath, results: BTreeMap<usize, Arc<Value>>) -> StepOutcome {
        let input = self.count_input(path);
        let came_back = results.values().filter(|value| !value.is_null()).flat_map(|value| to_items(value));
        let items: Vec<Value> = came_back.map(without_index).collect();
        let is_in_order = items.len() == input;
        let items = items.into_iter().enumerate();
        let items = items.map(|(index, item)| if is_in_order { with_index(item, index) } else { item }).collect();
        self.items_outcome(path, vec![(DONE.into(), items)])
    }

    /// The outcome of a failed step whose run goes on.
    pub(super) fn error_items(&mut self, path: &StepPath, port: &str, error: &StepError) -> StepOutcome {
        let own = self.errors_of_items(path, BTreeMap::from([(0, error.clone())])).ok();
        let shown = own.and_then(|mut own| own.pop()).map_or_else(|| message_of(error), |(_, shown)| shown);
        StepOutcome::new(port, Value::Array(vec![error_item(shown, None)]))
    }

    /// Whether a field with an expression for values of the step is set.
    fn selects(&self, path: &StepPath, field: &str) -> bool {
        self.plan.steps[path.step].programs.contains_key(&format!("config.{field}"))
    }

    /// What the expression of a field makes of values of a step, such as the field `result` of those that become its items.
    fn select_results(
        &mut self,
        path: &StepPath,
        field: &str,
        values: Vec<(usize, Value)>,
    ) -> Result<Vec<(usize, Value)>, StepError> {
        if values.is_empty() || !self.selects(path, field) {
            return Ok(values);
        }
        let input = self.input_items(path)?;
        let selected = self.evaluate(path, &input, &values, |fields| fields.value(field))?;
        match selected {
            Some(Value::Array(selected)) if selected.len() == values.len() => {
                Ok(values.into_iter().map(|(index, _)| index).zip(selected).collect())
            }
            // The script can have changed the methods of lists.
            _ => Err(StepError::new(
                "code_result",
                format!("config.{field}: the JavaScript must give one value for each item"),
            )),
        }
    }

    pub(super) fn items_outcome(&self, path: &StepPath, ports: Vec<(Cow<'static, str>, Vec<Value>)>) -> StepOutcome {
        let step = &self.plan.steps[path.step];
        let mode = step.item_mode.clone().unwrap_or_default();
        let (port, value) = mode.outcome(ports, self.count_input(path), step.splits_items());
        StepOutcome::new(port, value)
    }

    /// The value at a port of an outcome; none if the run does not continue there.
    pub(super) fn value_at(outcome: &StepOutcome, port: &str) -> Option<Arc<Value>> {
        match &*outcome.value {
            _ if outcome.port == port => Some(outcome.value.clone()),
            Value::Object(values) if outcome.port == SEVERAL => values.get(port).cloned().map(Arc::new),
            _ => None,
        }
    }
}
