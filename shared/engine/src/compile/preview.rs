//! What a preview changes in a plan: pinned outputs, and the step at which it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::ExecutionPlan;

/// The changes of a preview.
#[derive(Debug, Default)]
pub struct PreviewChanges {
    pinned: BTreeMap<usize, PinnedOutput>,
    /// The step at which the preview ends, and the steps that run before it.
    end: Option<(usize, BTreeSet<usize>)>,
    /// Whether delays take their time. Otherwise, they end at once.
    keeps_delays: bool,
}

/// An output that replaces the execution of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedOutput {
    pub port: String,
    pub value: Arc<Value>,
}

impl ExecutionPlan {
    /// Changes the plan of a draft to that of a preview. With `until`, only this step and those that lead to it run.
    pub fn previewed(self, pinned: BTreeMap<usize, PinnedOutput>, until: Option<usize>) -> Self {
        let end = until.map(|until| (until, self.find_needed(until)));
        Self { preview: Some(PreviewChanges { pinned, end, keeps_delays: false }), ..self }
    }

    /// Changes a plan to that of a test: a preview whose delays take their time, as a participant sees them.
    pub fn tested(self) -> Self {
        Self { preview: Some(PreviewChanges { keeps_delays: true, ..PreviewChanges::default() }), ..self }
    }

    pub fn skips_delays(&self) -> bool {
        self.preview.as_ref().is_some_and(|preview| !preview.keeps_delays)
    }

    pub fn is_preview(&self) -> bool {
        self.preview.is_some()
    }

    pub fn pinned(&self, step: usize) -> Option<&PinnedOutput> {
        self.preview.as_ref()?.pinned.get(&step)
    }

    /// Whether the preview ends when this step has completed.
    pub fn ends_at(&self, step: usize) -> bool {
        self.end().is_some_and(|(until, _)| *until == step)
    }

    /// Whether the preview ends without this step.
    pub fn leaves_out(&self, step: usize) -> bool {
        self.end().is_some_and(|(_, needed)| !needed.contains(&step))
    }

    fn end(&self) -> Option<&(usize, BTreeSet<usize>)> {
        self.preview.as_ref()?.end.as_ref()
    }

    /// Returns a step, the steps that lead to it, and the bodies of the loops among them. Of a loop around the step, only
    /// what leads to the step or to a further round is needed.
    fn find_needed(&self, until: usize) -> BTreeSet<usize> {
        let (mut needed, mut open) = (BTreeSet::from([until]), vec![until]);
        while let Some(step) = open.pop() {
            let is_body = |inner: &usize| self.steps[*inner].parent_loop == Some(step) && !self.is_around(step, until);
            let body = (0..self.steps.len()).filter(is_body);
            let rounds = self.steps[step].incoming.iter().copied().filter(|_| self.steps[step].has_rounds());
            let edges = self.inputs_of(step).chain(rounds);
            for before in edges.map(|edge| self.edges[edge].from).chain(body) {
                if needed.insert(before) {
                    open.push(before);
                }
            }
        }
        needed
    }

    fn is_around(&self, loop_step: usize, inner: usize) -> bool {
        self.enclosing_loops(inner).any(|outer| outer == loop_step)
    }
}
