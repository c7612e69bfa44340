//! What scripts of nodes that work on items see of the run, beside the variables: the items of their node, those of the nodes that
//! they name, and which of these each item comes from.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::origins::MAX_VISITED;
use super::{Execution, ScopePath, StepError, StepPath};
use crate::nodes::item_mode::{ItemMode, count_items, item_at, items_at, to_items};
use domain::run::RunOrigin;

impl Execution {
    /// What the scripts of a step see beside the variables. `outputs` are the values of the step that become items.
    pub(super) fn view(
        &mut self,
        path: &StepPath,
        input: &Value,
        outputs: &[(usize, Value)],
    ) -> Result<Value, StepError> {
        let mut visited = 0;
        let view = self.build_view(path, input, outputs, &mut visited);
        self.work += visited as u64;
        if visited > MAX_VISITED {
            let message = "its items come from too many nodes before it; process fewer items at once, in a loop";
            return Err(StepError::new("code_limit", message));
        }
        self.charge(&view);
        Ok(view)
    }

    fn build_view(&self, path: &StepPath, input: &Value, outputs: &[(usize, Value)], visited: &mut usize) -> Value {
        let plan = &self.plan;
        let step = &plan.steps[path.step];
        let (list, index) = match path.scope.parent().filter(|_| path.is_element()) {
            Some((parent, iteration)) => (parent, iteration.index),
            None => (path.scope.clone(), 0),
        };
        // A copy of all items for each item would be quadratic.
        let is_alone = path.is_element() && !step.reads_whole_input;
        let ports = 0..step.inputs.len();
        let inputs: Vec<Vec<Value>> = match is_alone {
            true => vec![vec![input.clone()]],
            false => ports.map(|port| self.items_into(&list, path.step, port)).collect(),
        };
        let indexes = if is_alone { index..index + 1 } else { 0..inputs.first().map_or(0, Vec::len) };
        let named = step.reads.iter().filter_map(|&read| {
            let view = self.view_node(&list, path.step, read, indexes.clone(), visited)?;
            Some((plan.steps[read].name.clone(), view))
        });
        let named = Map::from_iter(named);
        let mode = step.item_mode.as_ref();
        let outputs = outputs.iter().map(|(index, output)| json!({"index": index, "output": output}));
        json!({
            "inputs": inputs,
            "index": if is_alone { 0 } else { index },
            "itemIndex": index,
            "node": {"id": step.id, "name": step.name},
            "nodes": named,
            "previous": self.taken_into(&list, path.step, 0).next().map(|(edge, _)| {
                let edge = &plan.edges[edge];
                json!({"name": plan.steps[edge.from].name, "port": self.port_index(edge.from, &edge.from_port)})
            }),
            "runIndex": list.parent().map_or(0, |(_, iteration)| iteration.index),
            "keepsErrors": step.each.is_some() && mode.is_some_and(ItemMode::keeps_errors),
            "workflow": {"id": self.facts.workflow, "active": self.facts.origin != RunOrigin::Manual},
            "execution": {"id": self.facts.id, "mode": self.facts.origin},
            "zone": mode.and_then(|mode| mode.zone.as_deref()),
            "outputs": mode.filter(|_| outputs.len() > 0).map(|_| outputs.collect::<Vec<_>>()),
        })
    }

    /// What the scripts of a step see of another step: its items at each port, and for each item of the step the one that it
    /// comes from. None if the other step has not run.
    fn view_node(
        &self,
        scope: &ScopePath,
        step: usize,
        read: usize,
        indexes: Range<usize>,
        visited: &mut usize,
    ) -> Option<Value> {
        let other = &self.plan.steps[read];
        // Within the body of a loop, its items are those of the iteration.
        let own = self.output_of(scope, read).map(|value| &**value).or_else(|| self.element_of(scope, read));
        let value = own.or_else(|| self.earlier_output_of(scope, read))?;
        let splits = other.splits_items() && value.is_object();
        let ports: &[String] = if splits { &other.outputs } else { other.outputs.get(..1).unwrap_or_default() };
        let place = |index: usize| match own {
            Some(_) => self.trace(scope, step, index, read, visited),
            None => place_in_earlier(value, splits.then_some(ports), index).into_iter().collect(),
        };
        let sources: Vec<_> = indexes.map(place).collect();
        let port = sources.iter().flatten().map(|(port, _)| *port).next();
        let port =
            port.or_else(|| self.port_towards(read, step)).filter(|port| *port < ports.len()).unwrap_or_default();
        let only = match &sources[..] {
            [found] if !found.is_empty() && self.plan.steps[step].reads_of_item.contains(&read) => Some(&found[..]),
            _ => None,
        };
        let outputs = ports.iter().enumerate().map(|(at, name)| match (only, splits) {
            (Some(&[(_, index)]), true) if at == port => {
                value.get(name).and_then(|items| item_at(items, index)).into_iter().collect()
            }
            (Some(&[(_, index)]), false) if at == port => item_at(value, index).into_iter().collect(),
            (Some(_), _) => Vec::new(),
            (None, true) => items_at(value, name),
            (None, false) => to_items(value),
        });
        let outputs: Vec<Vec<Value>> = outputs.collect();
        let paired = sources.iter().map(|found| {
            let found: Vec<usize> =
                found.iter().filter(|(at, _)| *at == port || !splits).map(|(_, index)| *index).collect();
            match &found[..] {
                [] => Value::Null,
                [_] if only.is_some() => 0.into(),
                [index] => (*index).into(),
                several => json!(several),
            }
        });
        let paired: Vec<Value> = paired.collect();
        Some(json!({"id": other.id, "outputs": outputs, "port": port, "paired": paired}))
    }

    /// The element of the iteration of a loop that a scope is in.
    pub(super) fn element_of(&self, scope: &ScopePath, loop_step: usize) -> Option<&Value> {
        let mut scope = scope.clone();
        loop {
            if scope.loop_step() == Some(loop_step) {
                return self.scopes.get(&scope)?.variables.get("item");
            }
            scope = scope.parent()?.0;
        }
    }

    pub(super) fn port_index(&self, step: usize, port: &str) -> usize {
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
}

/// The item of an earlier round that belongs to an item: the one at the same place, or the only one. `ports` are those that the
/// value has items for.
fn place_in_earlier(value: &Value, ports: Option<&[String]>, index: usize) -> Option<(usize, usize)> {
    let (port, count) = match ports {
        None => (0, count_items(value)),
        Some(ports) => ports.iter().enumerate().find_map(|(port, name)| Some((port, count_items(value.get(name)?))))?,
    };
    let index = if count == 1 { 0 } else { index };
    (index < count).then_some((port, index))
}
