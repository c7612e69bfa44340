//! The differences between two replays of a run, node by node.

use std::collections::BTreeMap;

use super::{Replay, ReplayState, ReplayedStep};
use crate::compile::ExecutionPlan;
use domain::run::node_id_of;

/// What became of a node in another release.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeComparison {
    pub node_id: String,
    /// Whether the node itself differs between the releases: its type or its configuration. None if only one of them has it.
    pub is_edited: Option<bool>,
    /// The steps of the node that differ, in the order of their paths. Empty if all are equal.
    pub differences: Vec<Difference>,
    /// The steps that would have performed an effect which the log does not have: another request, or one that was never
    /// made.
    pub new_effects: Vec<String>,
}

/// A step that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub step: String,
    /// None if the step does not occur.
    pub before: Option<ReplayedStep>,
    pub after: Option<ReplayedStep>,
}

/// Compares a replay with that of the run's own release. The nodes are in the order of the new release, then those that it
/// no longer has.
pub fn compare(
    (before, before_plan): (&Replay, &ExecutionPlan),
    (after, after_plan): (&Replay, &ExecutionPlan),
) -> Vec<NodeComparison> {
    let ordered =
        |plan: &ExecutionPlan| -> Vec<String> { plan.order.iter().map(|step| plan.steps[*step].id.clone()).collect() };
    let mut ids = ordered(after_plan);
    ids.extend(ordered(before_plan).into_iter().filter(|id| after_plan.find_step(id).is_none()));
    let (mut old, mut new) = (by_node(before), by_node(after));
    let mut compared = Vec::new();
    for node_id in ids {
        let (old, new) =
            (old.remove(node_id.as_str()).unwrap_or_default(), new.remove(node_id.as_str()).unwrap_or_default());
        let is_edited = is_edited(&node_id, before_plan, after_plan);
        let mut steps: Vec<&str> = old.keys().chain(new.keys()).copied().collect();
        steps.sort_unstable();
        steps.dedup();
        let differing = steps.iter().filter(|step| old.get(*step) != new.get(*step));
        let differences = differing.map(|step| Difference {
            step: (*step).to_owned(),
            before: old.get(step).map(|step| ReplayedStep::clone(step)),
            after: new.get(step).map(|step| ReplayedStep::clone(step)),
        });
        let differences = differences.collect();
        let is_new = |step: &&str| new.get(*step).is_some_and(|after| is_new_effect(old.get(*step).copied(), after));
        let new_effects = steps.into_iter().filter(is_new).map(str::to_owned).collect();
        compared.push(NodeComparison { node_id, is_edited, differences, new_effects });
    }
    compared
}

fn by_node(replay: &Replay) -> BTreeMap<&str, BTreeMap<&str, &ReplayedStep>> {
    let mut nodes: BTreeMap<&str, BTreeMap<&str, &ReplayedStep>> = BTreeMap::new();
    for (step, replayed) in &replay.steps {
        nodes.entry(node_id_of(step)).or_default().insert(step, replayed);
    }
    nodes
}

fn is_edited(node_id: &str, before: &ExecutionPlan, after: &ExecutionPlan) -> Option<bool> {
    let (before, after) = (&before.steps[before.find_step(node_id)?], &after.steps[after.find_step(node_id)?]);
    Some(before.node_type.name != after.node_type.name || before.config != after.config)
}

/// Whether the log has no result for the request of a step.
fn is_new_effect(before: Option<&ReplayedStep>, after: &ReplayedStep) -> bool {
    match (before.and_then(|before| before.request.as_ref()), &after.request) {
        (_, None) => false,
        (None, Some(_)) => after.state != ReplayState::Canceled,
        (Some(before), Some(after)) => before != after,
    }
}
