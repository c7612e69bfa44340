//! What a run uses: work and memory. Both are counted, not measured, so the counts are the same after a restart. Only the
//! expressions of effects whose results are stored are not evaluated again.

use std::sync::Arc;

use serde_json::Value;

use super::scope::{EdgeState, ScopeState};
use super::{Execution, ScopePath, StepPath, is_effect};
use crate::value_size::memory_of;

/// The work of a step without its expressions and values.
pub const STEP_WORK: u64 = 100;
/// This many bytes are copied with the work of one step of an expression.
const BYTES_PER_WORK: usize = 64;

impl Execution {
    /// The work so far. The unit is one step of an expression.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The approximate memory that the run needs: for the results of all effects, because a restart loads them, and for the
    /// other values in its scopes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Charges for the work to create a value, and returns its size.
    pub(super) fn charge(&mut self, value: &Value) -> usize {
        let bytes = memory_of(value);
        self.charge_bytes(bytes);
        bytes
    }

    pub(super) fn charge_bytes(&mut self, bytes: usize) {
        self.work += (bytes / BYTES_PER_WORK) as u64;
    }

    /// Counts the output of a step, unless it is the input of the step.
    pub(super) fn count_output(&mut self, path: &StepPath, value: &Arc<Value>) {
        let bytes = self.charge(value);
        if is_effect(&self.plan, path) {
            self.bytes += bytes;
        } else if !self.passes_on(path, value) {
            self.hold(&path.scope, bytes);
        }
    }

    fn passes_on(&self, path: &StepPath, value: &Arc<Value>) -> bool {
        let Some(state) = self.scopes.get(&path.scope) else { return false };
        if state.element.as_ref().is_some_and(|element| Arc::ptr_eq(element, value)) {
            return true;
        }
        let mut edges = self.plan.inputs_of(path.step).filter_map(|edge| state.edges.get(&edge));
        edges.any(|edge| matches!(edge, EdgeState::Taken(taken) if Arc::ptr_eq(taken, value)))
    }

    /// Counts values that are in memory until their scope ends.
    pub(super) fn hold(&mut self, scope: &ScopePath, bytes: usize) {
        if let Some(state) = self.scopes.get_mut(scope) {
            state.bytes += bytes;
            self.bytes += bytes;
        }
    }

    pub(super) fn remove_scope(&mut self, scope: &ScopePath) -> Option<ScopeState> {
        let state = self.scopes.remove(scope)?;
        self.bytes -= state.bytes;
        Some(state)
    }
}
