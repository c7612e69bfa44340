//! The graph as a whole: where it begins and ends, what can be reached, which nodes are the body of which loop, and in
//! what order they come.

use std::collections::BTreeSet;

use super::{Plan, Problems, Severity};
use crate::engine::nodes::Category;
use crate::engine::nodes::r#loop::{ITEM, NEXT};

/// Finds the plan's order and the loops' bodies.
pub fn arrange(plan: &mut Plan, problems: &mut Problems) {
    bodies(plan, problems);
    ends(plan, problems);
    reached(plan, problems);
    plan.order = order(plan, problems);
}

impl Plan {
    /// Whether it leads from a loop's body back to the loop.
    fn is_back(&self, edge: usize) -> bool {
        let edge = &self.edges[edge];
        edge.to_port == NEXT && self.steps[edge.to].node_type.is_loop()
    }

    /// Every step that can be reached from `starts`, without following what `leads` does not.
    fn reach(&self, starts: impl IntoIterator<Item = usize>, leads: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = starts.into_iter().collect();
        let mut open: Vec<usize> = reached.iter().copied().collect();
        while let Some(step) = open.pop() {
            for &edge in self.steps[step].outgoing.iter().filter(|edge| leads(**edge)) {
                let next = self.edges[edge].to;
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
        reached
    }

    fn steps_where(&self, wanted: impl Fn(&super::Step) -> bool) -> impl Iterator<Item = usize> {
        self.steps.iter().enumerate().filter(move |(_, step)| wanted(step)).map(|(index, _)| index)
    }
}

/// The body of a loop: what hangs on `item`, up to where it comes back. Nothing else leads into it, nothing out of it.
fn bodies(plan: &mut Plan, problems: &mut Problems) {
    let loops: Vec<usize> = plan.steps_where(|step| step.node_type.is_loop()).collect();
    let mut bodies: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for &index in &loops {
        let outgoing = plan.steps[index].outgoing.iter().map(|edge| &plan.edges[*edge]);
        let firsts: Vec<usize> = outgoing.filter(|edge| edge.from_port == ITEM).map(|edge| edge.to).collect();
        if firsts.is_empty() && !problems.unread.contains(&index) {
            problems.error("empty_loop", index, "has no body: connect its output `item`".to_owned());
        }
        let mut body = plan.reach(firsts, |edge| !plan.is_back(edge) || plan.edges[edge].to != index);
        // A body that leads into its own loop by `in` is a cycle, and said to be one.
        body.remove(&index);
        for &edge in &plan.steps[index].incoming {
            let edge = &plan.edges[edge];
            if edge.to_port == NEXT && !body.contains(&edge.from) {
                let message = "comes to `next` of a loop whose body it is not in".to_owned();
                problems.error("loop_entered", edge.from, message);
            }
        }
        for edge in &plan.edges {
            let is_first = edge.from == index && edge.from_port == ITEM;
            if body.contains(&edge.to) && !body.contains(&edge.from) && !is_first {
                let body_of = &plan.steps[index].id;
                let message = format!("leads into the body of loop `{body_of}`, which only its `item` does");
                problems.error("loop_entered", edge.from, message);
            }
        }
        bodies.push((index, body));
    }
    // The innermost is the smallest that holds the step.
    bodies.sort_by_key(|(_, body)| body.len());
    for step in 0..plan.steps.len() {
        plan.steps[step].within = bodies.iter().find(|(_, body)| body.contains(&step)).map(|(index, _)| *index);
    }
}

/// Where runs begin, and what they come to.
fn ends(plan: &Plan, problems: &mut Problems) {
    if plan.steps.is_empty() {
        return problems.whole(Severity::Error, "empty_graph", "the graph has no nodes");
    }
    if plan.steps_where(|step| step.node_type.is_trigger()).next().is_none() {
        let message = "nothing starts a run: add a node input, webhook, schedule or message";
        problems.whole(Severity::Error, "missing_trigger", message);
    }
    let gives = |name: &str| plan.steps.iter().any(|step| step.node_type.name == name);
    let acts = plan.steps.iter().any(|step| step.node_type.effects);
    if !gives("send_result") && !gives("send_message") && !acts {
        let message = "a run comes to nothing: add a node send_result or send_message";
        problems.whole(Severity::Error, "missing_output", message);
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let is_waited_for = matches!(step.node_type.name, "webhook" | "input");
        let answers = |index: &usize| plan.steps[*index].node_type.name == "send_result";
        if is_waited_for && !plan.reach([index], |_| true).iter().any(answers) {
            problems.warn("no_result", index, "leads to no send_result: its runs have no output".to_owned());
        }
        let ends = step.node_type.category == Category::Output || step.node_type.is_unknown();
        if !ends && step.outgoing.is_empty() && step.node_type.is_trigger() {
            problems.error("unconnected", index, "leads nowhere".to_owned());
        }
    }
}

fn reached(plan: &Plan, problems: &mut Problems) {
    let reached = plan.reach(plan.steps_where(|step| step.node_type.is_trigger()), |_| true);
    for (index, step) in plan.steps.iter().enumerate() {
        if !reached.contains(&index) {
            let message = if step.incoming.is_empty() { "nothing leads to it" } else { "no trigger leads to it" };
            problems.error("unreachable", index, message.to_owned());
        }
    }
}

/// Steps behind those they depend on; those that stand in a circle come last, and are named.
fn order(plan: &Plan, problems: &mut Problems) -> Vec<usize> {
    let waits_for = |step: &super::Step| step.incoming.iter().filter(|edge| !plan.is_back(**edge)).count();
    let mut waiting: Vec<usize> = plan.steps.iter().map(waits_for).collect();
    let mut ready: BTreeSet<usize> = (0..waiting.len()).filter(|step| waiting[*step] == 0).collect();
    let mut order = Vec::with_capacity(waiting.len());
    while let Some(step) = ready.pop_first() {
        order.push(step);
        for &edge in plan.steps[step].outgoing.iter().filter(|edge| !plan.is_back(**edge)) {
            let next = plan.edges[edge].to;
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.insert(next);
            }
        }
    }
    for step in (0..waiting.len()).filter(|step| waiting[*step] > 0) {
        // What only stands behind a circle is not in it.
        let next =
            plan.steps[step].outgoing.iter().filter(|edge| !plan.is_back(**edge)).map(|edge| plan.edges[*edge].to);
        if plan.reach(next, |edge| !plan.is_back(edge)).contains(&step) {
            problems.error("cycle", step, "is in a circle; only a loop goes around".to_owned());
        }
    }
    order
}
