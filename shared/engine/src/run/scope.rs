//! The state of one scope of a run: which of its edges are decided, and the outputs of its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

/// An edge that has no state yet is undecided.
#[derive(Clone, Debug)]
pub enum EdgeState {
    Taken(Arc<Value>),
    /// The run does not pass this edge.
    Skipped,
}

#[derive(Debug, Default)]
pub struct ScopeState {
    pub edges: BTreeMap<usize, EdgeState>,
    pub outputs: BTreeMap<usize, Arc<Value>>,
    /// The steps that have ended or are skipped.
    pub resolved: BTreeSet<usize>,
    /// The steps that wait for an effect, or for the iterations of a loop.
    pub active: BTreeSet<usize>,
    /// The variables `item` and `index` of an iteration.
    pub variables: Map<String, Value>,
}

/// What the edges into a step say about it.
pub enum Arrival {
    /// An edge is undecided.
    Incomplete,
    /// Every edge is skipped.
    Skipped,
    /// The values of the edges that are taken, in the order of the edges.
    Complete(Vec<Arc<Value>>),
}

impl ScopeState {
    /// Whether a step has begun, ended or was skipped.
    pub fn is_decided(&self, step: usize) -> bool {
        self.resolved.contains(&step) || self.active.contains(&step)
    }

    pub fn arrival(&self, edges: &[usize]) -> Arrival {
        let mut values = Vec::new();
        for edge in edges {
            match self.edges.get(edge) {
                Some(EdgeState::Taken(value)) => values.push(value.clone()),
                Some(EdgeState::Skipped) => {}
                None => return Arrival::Incomplete,
            }
        }
        if values.is_empty() { Arrival::Skipped } else { Arrival::Complete(values) }
    }
}

/// The list of the values of several edges.
pub fn list(values: &[Arc<Value>]) -> Arc<Value> {
    Arc::new(Value::Array(values.iter().map(|value| Value::clone(value)).collect()))
}
