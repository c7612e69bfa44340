//! Which items of an earlier node the items of a node come from (`pairedItem`).

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::scope::EdgeState;
use super::{Execution, ScopePath};
use crate::compile::Edge;
use crate::nodes::item_mode::{count_items, origins};
use crate::nodes::r#loop::ITEM;

/// The most edges that are followed for one script.
pub(super) const MAX_VISITED: usize = 10_000_000;
/// The most origins of one item that are followed. Further ones seldom lead elsewhere, and all of them would be quadratic.
const MAX_ORIGINS: usize = 100;

/// An item of the value of an edge.
struct Place<'s> {
    scope: Cow<'s, ScopePath>,
    edge: usize,
    index: usize,
}

impl Execution {
    /// The items of another step that an item of a step's input comes from: for each the port of the other step, and the index
    /// there. At most two, because a script needs only one, or to know that they differ. `visited` counts the edges on the way.
    pub(super) fn trace(
        &self,
        scope: &ScopePath,
        step: usize,
        index: usize,
        target: usize,
        visited: &mut usize,
    ) -> Vec<(usize, usize)> {
        match self.find_source(scope, step, (0, index), visited) {
            Some((edge, index)) => self.trace_edge(scope, edge, index, target, visited),
            None => Vec::new(),
        }
    }

    /// The same for an item at an edge.
    pub(super) fn trace_edge(
        &self,
        scope: &ScopePath,
        edge: usize,
        index: usize,
        target: usize,
        visited: &mut usize,
    ) -> Vec<(usize, usize)> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut places = vec![Place { scope: Cow::Borrowed(scope), edge, index }];
        while let Some(Place { scope, edge, index }) = places.pop() {
            if found.len() == 2 || *visited > MAX_VISITED {
                break;
            }
            let value = self.scopes.get(&*scope).and_then(|state| state.edges.get(&edge));
            let Some(EdgeState::Taken(value)) = value else { continue };
            let Edge { from, from_port, .. } = &self.plan.edges[edge];
            if *from == target {
                let origin = (self.port_index(target, from_port), index);
                if !found.contains(&origin) {
                    found.push(origin);
                }
                continue;
            }
            let item = match &**value {
                Value::Array(items) => items.get(index),
                one => Some(one),
            };
            let step = &self.plan.steps[*from];
            let scope = match step.node_type.is_loop && from_port == ITEM {
                true => scope.parent().map(|(parent, _)| Cow::Owned(parent)),
                false => Some(scope),
            };
            let (Some(item), Some(scope)) = (item, scope) else { continue };
            let mut several: Vec<_> = origins(item).take(MAX_ORIGINS).collect();
            // The nodes that do not work on items keep their order.
            if several.is_empty() && step.item_mode.is_none() {
                several.push((0, index));
            }
            if several.len() > 1 {
                several.retain(|(input, index)| seen.insert((*from, *input, *index)));
            }
            for origin in several.into_iter().rev() {
                if let Some((edge, index)) = self.find_source(&scope, *from, origin, visited) {
                    places.push(Place { scope: scope.clone(), edge, index });
                }
            }
        }
        found
    }

    /// The edge that an item of an input port came over, and its index there.
    fn find_source(
        &self,
        scope: &ScopePath,
        step: usize,
        (input, mut index): (usize, usize),
        visited: &mut usize,
    ) -> Option<(usize, usize)> {
        for (edge, value) in self.taken_into(scope, step, input) {
            *visited += 1;
            let count = count_items(value);
            if index < count {
                return Some((edge, index));
            }
            index -= count;
        }
        None
    }
}
