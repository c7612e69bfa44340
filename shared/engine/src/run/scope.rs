//! The state of one scope of a run: which of its edges are decided, and the outputs of its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::json::is_deeper_than;
use serde_json::{Map, Value};

use super::outcome::{StepError, too_deep};
use crate::value_size::{MAX_VALUE_DEPTH, add_size};

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
    /// The outputs of earlier rounds that scripts for items may read, if the scope is a round of a loop.
    pub earlier: BTreeMap<usize, Arc<Value>>,
    /// The steps that have ended or are skipped.
    pub resolved: BTreeSet<usize>,
    /// The steps that wait for an effect, or for the iterations of a loop.
    pub active: BTreeSet<usize>,
    /// The element, if the scope is an iteration of a node with `each`.
    pub element: Option<Arc<Value>>,
    /// The variables `item` and `index` of an iteration.
    pub variables: Map<String, Value>,
    /// The approximate memory of its values, without the results of effects.
    pub bytes: usize,
}

/// Whether a step can run, judged by the edges into it.
pub enum Arrival {
    /// An edge is undecided.
    Incomplete,
    /// Every edge is skipped.
    Skipped,
    /// The values of the edges that are taken, in the order of the edges.
    Complete(Vec<Arc<Value>>),
}

impl ScopeState {
    /// Whether a step has begun, has ended or was skipped.
    pub fn has_begun(&self, step: usize) -> bool {
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
pub fn join_values(values: &[Arc<Value>]) -> Result<Arc<Value>, StepError> {
    values.iter().try_fold(0, |bytes, value| add_size(bytes, value))?;
    Ok(Arc::new(Value::Array(values.iter().map(|value| Value::clone(value)).collect())))
}

/// Checks that a value is small and flat enough to be stored and read again.
pub fn check_value(value: &Value) -> Result<(), StepError> {
    if is_deeper_than(value, MAX_VALUE_DEPTH) {
        return Err(too_deep());
    }
    add_size(0, value).map(drop)
}
