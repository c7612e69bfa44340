//! Which items of an earlier node the items of a node come from (`pairedItem`).

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::{Execution, ScopePath};
use crate::nodes::item_mode::origins;
use crate::nodes::r#loop::ITEM;

/// The most edges that are followed for one script.
pub(super) const MAX_VISITED: usize = 10_000_000;
/// The most origins of one item that are followed. Further ones seldom lead elsewhere, and all of them would be quadratic.
const MAX_ORIGINS: usize = 100;

/// An item of the input of a step.
struct Place<'s> {
    scope: Cow<'s, ScopePath>,
    step: usize,
    input: usize,
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
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut places = vec![Place { scope: Cow::Borrowed(scope), step, input: 0, index }];
        while let Some(place) = places.pop() {
            if found.len() == 2 || *visited > MAX_VISITED {
                break;
            }
            let Some((edge, value, index)) = self.find_source(&place, visited) else { continue };
            let edge = &self.plan.edges[edge];
            if edge.from == target {
                let origin = (self.port_index(target, &edge.from_port), index);
                if !found.contains(&origin) {
                    found.push(origin);
                }
                continue;
            }
            let item = match value {
                Value::Array(items) => items.get(index),
                one => Some(one),
            };
            let is_entry = self.plan.steps[edge.from].node_type.is_loop && edge.from_port == ITEM;
            let scope = match is_entry {
                true => place.scope.parent().map(|(parent, _)| Cow::Owned(parent)),
                false => Some(place.scope),
            };
            let (Some(item), Some(scope)) = (item, scope) else { continue };
            let mut several: Vec<_> = origins(item).take(MAX_ORIGINS).collect();
            // The nodes that do not work on items keep their order.
            if several.is_empty() && self.plan.steps[edge.from].item_mode.is_none() {
                several.push((0, index));
            }
            if several.len() > 1 {
                several.retain(|(input, index)| seen.insert((edge.from, *input, *index)));
            }
            let from = several.into_iter().rev();
            places.extend(from.map(|(input, index)| Place { scope: scope.clone(), step: edge.from, input, index }));
        }
        found
    }

    /// The edge that an item came over, the value of that edge, and the index of the item there.
    fn find_source(&self, place: &Place, visited: &mut usize) -> Option<(usize, &Value, usize)> {
        let mut index = place.index;
        for (edge, value) in self.taken_into(&place.scope, place.step, place.input) {
            *visited += 1;
            let count = value.as_array().map_or(1, Vec::len);
            if index < count {
                return Some((edge, value, index));
            }
            index -= count;
        }
        None
    }
}
