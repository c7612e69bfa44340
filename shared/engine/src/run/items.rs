//! Nodes that work on items (`itemMode`): their input, what their scripts see of the run, and how their values become items.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::scope::{EdgeState, check_value};
use super::{Execution, ScopePath, StepError, StepOutcome, StepPath};
use crate::nodes::code::CodeNode;
use crate::nodes::item_mode::{
    ItemError, RESULT, SEVERAL, error_item, item_at, items_at, pair, paired_index, to_items, with_index, without_index,
};
use crate::nodes::r#loop::{DONE, ITEM};
use crate::nodes::{ERROR, OUT};

/// The most nodes between an item and the one that it comes from.
const MAX_HOPS: usize = 1_000;

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
    fn items_into(&self, scope: &ScopePath, step: usize, port: usize) -> Vec<Value> {
        self.taken_into(scope, step, port).flat_map(|(_, value)| to_items(value)).collect()
    }

    /// The edges into an input port of a step that are taken, with their values.
    fn taken_into(&self, scope: &ScopePath, step: usize, port: usize) -> impl Iterator<Item = (usize, &Value)> {
        let name = self.plan.steps[step].inputs.get(port);
        let edges = self.scopes.get(scope).map(|state| &state.edges);
        self.plan.inputs_of(step).filter_map(move |edge| match edges?.get(&edge)? {
            EdgeState::Taken(value) if Some(&self.plan.edges[edge].to_port) == name => Some((edge, &**value)),
            _ => None,
        })
    }

    /// What the scripts of a step see beside the variables. `outputs` are the values of the step that become items.
    pub(super) fn view(&self, path: &StepPath, input: &Value, outputs: &[(usize, Value)]) -> Value {
        let plan = &self.plan;
        let step = &plan.steps[path.step];
        let (list, index) = match path.scope.parent().filter(|_| path.is_element()) {
            Some((parent, iteration)) => (parent, iteration.index),
            None => (path.scope.clone(), 0),
        };
        let ports = 0..step.inputs.len();
        let inputs: Vec<Vec<Value>> = match path.is_element() {
            true => vec![vec![input.clone()]],
            false => ports.map(|port| self.items_into(&list, path.step, port)).collect(),
        };
        let indexes = if path.is_element() { index..index + 1 } else { 0..inputs.first().map_or(0, Vec::len) };
        let named = step.reads.iter().filter_map(|&read| {
            let view = self.view_node(&list, path.step, read, indexes.clone())?;
            Some((plan.steps[read].name.clone(), view))
        });
        let mode = step.item_mode.as_ref();
        let outputs = outputs.iter().map(|(index, output)| json!({"index": index, "output": output}));
        json!({
            "items": inputs.first(),
            "inputs": inputs,
            "index": 0,
            "itemIndex": index,
            "node": {"id": step.id, "name": step.name},
            "nodes": Map::from_iter(named),
            "previous": self.taken_into(&list, path.step, 0).next().map(|(edge, _)| {
                let edge = &plan.edges[edge];
                json!({"name": plan.steps[edge.from].name, "port": self.port_index(edge.from, &edge.from_port)})
            }),
            "workflow": {"id": self.facts.workflow},
            "execution": {"id": self.facts.id, "mode": self.facts.origin},
            "zone": mode.and_then(|mode| mode.zone.as_deref()),
            "outputs": mode.filter(|_| outputs.len() > 0).map(|_| outputs.collect::<Vec<_>>()),
        })
    }

    /// What the scripts of a step see of another step: its items at each port, and for each item of the step the one that it
    /// comes from. None if the other step has not run.
    fn view_node(&self, scope: &ScopePath, step: usize, read: usize, indexes: std::ops::Range<usize>) -> Option<Value> {
        let other = &self.plan.steps[read];
        // Within the body of a loop, its items are those of the iteration.
        let value = self.output_of(scope, read).map(|value| &**value).or_else(|| self.element_of(scope, read))?;
        let splits = other.splits_items() && value.is_object();
        let ports: &[String] = if splits { &other.outputs } else { &other.outputs[..1] };
        let sources: Vec<_> = indexes.map(|index| self.trace(scope, step, index, read)).collect();
        let port = sources.iter().flatten().map(|(port, _)| *port).next();
        let port =
            port.or_else(|| self.port_towards(read, step)).filter(|port| *port < ports.len()).unwrap_or_default();
        // A copy of all items for each item would be quadratic.
        let only = match &sources[..] {
            [Some((_, index))] if self.plan.steps[step].reads_of_item.contains(&read) => Some(*index),
            _ => None,
        };
        let outputs = ports.iter().enumerate().map(|(at, name)| match (only, splits) {
            (Some(_), _) if at != port => Vec::new(),
            (Some(index), true) => value.get(name).and_then(|items| item_at(items, index)).into_iter().collect(),
            (Some(index), false) => item_at(value, index).into_iter().collect(),
            (None, true) => items_at(value, name),
            (None, false) => to_items(value),
        });
        let outputs: Vec<Vec<Value>> = outputs.collect();
        let paired = sources.iter().map(|source| match source {
            Some(_) if only.is_some() => Some(0),
            Some((at, index)) if *at == port || !splits => Some(*index),
            _ => None,
        });
        let paired: Vec<Option<usize>> = paired.collect();
        Some(json!({"id": other.id, "outputs": outputs, "port": port, "paired": paired}))
    }

    /// The element of the iteration of a loop that a scope is in.
    fn element_of(&self, scope: &ScopePath, loop_step: usize) -> Option<&Value> {
        let mut scope = scope.clone();
        loop {
            if scope.loop_step() == Some(loop_step) {
                return self.scopes.get(&scope)?.variables.get("item");
            }
            scope = scope.parent()?.0;
        }
    }

    /// The item of another step that an item of a step's input comes from: the port of the other step, and the index there.
    fn trace(&self, scope: &ScopePath, mut step: usize, index: usize, target: usize) -> Option<(usize, usize)> {
        let (mut scope, mut input, mut index) = (Cow::Borrowed(scope), 0, index);
        for _ in 0..MAX_HOPS {
            let mut sources = self.taken_into(&scope, step, input);
            let (edge, value) = sources.find(|(_, value)| {
                let count = value.as_array().map_or(1, Vec::len);
                let is_here = index < count;
                if !is_here {
                    index -= count;
                }
                is_here
            })?;
            drop(sources);
            let edge = &self.plan.edges[edge];
            if edge.from == target {
                return Some((self.port_index(target, &edge.from_port), index));
            }
            let item = match value {
                Value::Array(items) => items.get(index)?,
                one => one,
            };
            let is_entry = self.plan.steps[edge.from].node_type.is_loop && edge.from_port == ITEM;
            if is_entry {
                scope = Cow::Owned(scope.parent()?.0);
            }
            (input, index) = match paired_index(item) {
                Some(paired) => paired,
                // The nodes that do not work on items keep their order.
                None if self.plan.steps[edge.from].item_mode.is_none() => (0, index),
                None => return None,
            };
            step = edge.from;
        }
        None
    }

    fn port_index(&self, step: usize, port: &str) -> usize {
        self.plan.steps[step].outputs.iter().position(|output| output == port).unwrap_or_default()
    }

    /// The port of a step that leads to another step.
    fn port_towards(&self, from: usize, to: usize) -> Option<usize> {
        let (mut seen, mut next) = (vec![false; self.plan.steps.len()], vec![to]);
        while let Some(step) = next.pop() {
            for edge in self.plan.inputs_of(step).map(|edge| &self.plan.edges[edge]) {
                if edge.from == from {
                    return Some(self.port_index(from, &edge.from_port));
                }
                if !std::mem::replace(&mut seen[edge.from], true) {
                    next.push(edge.from);
                }
            }
        }
        None
    }

    /// The outcome of a step that passes its items on.
    pub(super) fn pass_items(&self, path: &StepPath, input: &Value) -> StepOutcome {
        let items = to_items(input).into_iter().enumerate().map(|(index, item)| with_index(item, index));
        self.items_outcome(path, vec![(OUT.into(), items.collect())])
    }

    /// The outcome of a step that gives items at several ports.
    pub(super) fn split_items(&self, path: &StepPath, values: &Map<String, Value>) -> StepOutcome {
        let ports = self.plan.steps[path.step].outputs.iter().filter(|port| *port != ERROR);
        let ports = ports.map(|port| (Cow::Owned(port.clone()), values.get(port).map(to_items).unwrap_or_default()));
        self.items_outcome(path, ports.collect())
    }

    /// The outcome of a step that ran once: the items of its value.
    pub(super) fn itemize(&mut self, path: &StepPath, outcome: StepOutcome) -> Result<StepOutcome, StepError> {
        let StepOutcome { port, value } = outcome;
        let plan = self.plan.clone();
        let step = &plan.steps[path.step];
        let value = self.select_results(path, vec![(0, Value::clone(&value))])?.swap_remove(0).1;
        let count = self.items_into(&path.scope, path.step, 0).len();
        let items = to_items(&value);
        // An item whose origin is not named comes from the only one, or from the one at its place.
        let is_in_order = items.len() == count;
        let keeps_origin = step.node_type.is::<CodeNode>();
        let items = items.into_iter().enumerate().map(|(index, item)| match paired_index(&item) {
            Some(_) if keeps_origin => item,
            _ if count == 1 => with_index(item, 0),
            _ if is_in_order => with_index(item, index),
            _ => without_index(item),
        });
        Ok(self.items_outcome(path, vec![(port.into(), items.collect())]))
    }

    /// Ends a step that ran for each item.
    pub(super) fn finish_items(&mut self, path: &StepPath, results: ItemResults) -> Result<StepOutcome, StepError> {
        let ItemResults { values, errors } = results;
        let values = values.into_iter().map(|(index, value)| (index, Arc::unwrap_or_clone(value))).collect();
        let results = self.select_results(path, values)?;
        let mut by_index: BTreeMap<usize, Vec<Value>> =
            results.into_iter().map(|(index, value)| (index, pair(to_items(&value), index).collect())).collect();
        let mut failed = Vec::new();
        let mode = self.plan.steps[path.step].item_mode.clone().unwrap_or_default();
        let input = if errors.is_empty() { Vec::new() } else { self.items_into(&path.scope, path.step, 0) };
        for (index, error) in errors {
            match mode.on_item_error {
                Some(ItemError::Branch) => failed.push(with_index(error_item(&error, input.get(index)), index)),
                _ => drop(by_index.insert(index, vec![with_index(error_item(&error, None), index)])),
            }
        }
        let items = by_index.into_values().flatten().collect();
        let mut ports = vec![(OUT.into(), items)];
        if mode.has_error_port() {
            ports.push((ERROR.into(), failed));
        }
        Ok(self.items_outcome(path, ports))
    }

    /// Ends a loop: its items are those that came back to it.
    pub(super) fn finish_batches(&mut self, path: &StepPath, results: BTreeMap<usize, Arc<Value>>) -> StepOutcome {
        let input = self.items_into(&path.scope, path.step, 0).len();
        let came_back = results.values().filter(|value| !value.is_null()).flat_map(|value| to_items(value));
        let items: Vec<Value> = came_back.map(without_index).collect();
        let is_in_order = items.len() == input;
        let items = items.into_iter().enumerate();
        let items = items.map(|(index, item)| if is_in_order { with_index(item, index) } else { item }).collect();
        self.items_outcome(path, vec![(DONE.into(), items)])
    }

    /// The outcome of a failed step whose run goes on.
    pub(super) fn error_items(&self, port: &str, error: &StepError) -> StepOutcome {
        StepOutcome::new(port, Value::Array(vec![error_item(error, None)]))
    }

    /// The values of a step that become its items, as the field `result` selects them.
    fn select_results(
        &mut self,
        path: &StepPath,
        values: Vec<(usize, Value)>,
    ) -> Result<Vec<(usize, Value)>, StepError> {
        let plan = self.plan.clone();
        if values.is_empty() || !plan.steps[path.step].programs.contains_key(&format!("config.{RESULT}")) {
            return Ok(values);
        }
        let input = self.input_items(path)?;
        let selected = self.evaluate(path, &input, &values, |fields| fields.value(RESULT))?;
        let Some(Value::Array(selected)) = selected else { return Ok(Vec::new()) };
        Ok(values.into_iter().map(|(index, _)| index).zip(selected).collect())
    }

    fn items_outcome(&self, path: &StepPath, ports: Vec<(Cow<'static, str>, Vec<Value>)>) -> StepOutcome {
        let step = &self.plan.steps[path.step];
        let (port, value) = step.item_mode.clone().unwrap_or_default().outcome(ports, step.splits_items());
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
