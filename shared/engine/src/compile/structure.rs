//! Validates the structure of a graph: triggers and outputs, reachability, the bodies of loops, cycles, and the
//! topological order.

use std::collections::BTreeSet;

use super::upstream::{StepSet, upstream};
use super::{ExecutionPlan, PlanStep, Problems, Severity};
use crate::nodes::Category;
use crate::nodes::form::FormNode;
use crate::nodes::form_page::FormPageNode;
use crate::nodes::input::InputNode;
use crate::nodes::r#loop::{DONE, ITEM, NEXT, RESULT};
use crate::nodes::schedule::{MAX_SCHEDULES, ScheduleNode};
use crate::nodes::send_result::SendResultNode;
use crate::nodes::webhook::WebhookNode;
use domain::translated;

/// Sets the plan's order and the bodies of its loops, and returns the upstream steps of each step.
pub fn analyze_structure(plan: &mut ExecutionPlan, problems: &mut Problems) -> Vec<StepSet> {
    find_loop_bodies(plan, problems);
    check_triggers_and_outputs(plan, problems);
    check_reachability(plan, problems);
    plan.order = sort_topologically(plan);
    let upstream_steps = upstream(plan, |_| true);
    if plan.order.len() < plan.steps.len() {
        // A cycle through an unknown port is reported only as an unknown port.
        report_cycles(plan, &upstream(plan, |edge| !problems.invalid_edges.contains(&edge)), problems);
    }
    upstream_steps
}

impl ExecutionPlan {
    /// The step of a node; none if the plan has no node with this id.
    pub fn find_step(&self, node_id: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.id == node_id)
    }

    /// The name of the type of a node; empty if the plan has no such node.
    pub fn type_of(&self, node_id: &str) -> &'static str {
        self.find_step(node_id).map_or("", |step| self.steps[step].node_type.name)
    }

    /// Whether the edge leads from a loop's body back to the loop.
    pub fn is_back_edge(&self, edge: usize) -> bool {
        let edge = &self.edges[edge];
        matches!(&*edge.to_port, NEXT | RESULT) && self.steps[edge.to].node_type.is_loop
    }

    /// The edges into a step, without those that lead back to a loop.
    pub fn inputs_of(&self, step: usize) -> impl Iterator<Item = usize> {
        self.steps[step].incoming.iter().copied().filter(|edge| !self.is_back_edge(*edge))
    }

    /// The step and all that follow it. If it is in a loop, the loop follows, but not the other steps of its body. In the next
    /// round of a loop in rounds, they do.
    pub fn downstream(&self, step: usize) -> BTreeSet<usize> {
        let mut steps = self.reach([step], |edge| !self.is_back_edge(edge));
        let mut inner = step;
        while let Some(outer) = self.steps[inner].parent_loop {
            let has_rounds = self.steps[outer].has_rounds();
            let begins_body =
                |edge: usize| !has_rounds && self.edges[edge].from == outer && self.edges[edge].from_port == ITEM;
            steps.extend(self.reach([outer], |edge| !self.is_back_edge(edge) && !begins_body(edge)));
            inner = outer;
        }
        steps
    }

    /// The loops around a step, the innermost first. Those of an invalid graph may be in a circle.
    pub fn enclosing_loops(&self, step: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.steps[step].parent_loop, |outer| self.steps[*outer].parent_loop)
            .take(self.steps.len())
    }

    /// Returns every step that can be reached from `starts` over the edges for which `leads` is true.
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

    fn steps_where(&self, wanted: impl Fn(&PlanStep) -> bool) -> impl Iterator<Item = usize> {
        self.steps.iter().enumerate().filter(move |(_, step)| wanted(step)).map(|(index, _)| index)
    }
}

/// Finds the body of each loop: the steps that can be reached from its output `item` without passing the loop again. No
/// other edge may lead into a body.
fn find_loop_bodies(plan: &mut ExecutionPlan, problems: &mut Problems) {
    let loops: Vec<usize> = plan.steps_where(|step| step.node_type.is_loop).collect();
    let mut bodies: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for &index in &loops {
        let starts = loop_entry_edges(plan, index);
        if starts.is_empty() && !problems.unreadable_nodes.contains(&index) {
            let message =
                translated!("has no body; connect its output `item`", "no tiene cuerpo; conecte su salida `item`");
            problems.error("empty_loop", index, message);
        }
        // A body that leads into the `in` of its own loop is a cycle, and is reported as one.
        let firsts = starts.iter().map(|edge| plan.edges[*edge].to).filter(|first| *first != index);
        let body = plan.reach(firsts, |edge| plan.edges[edge].to != index);
        for &edge in &plan.steps[index].incoming {
            let is_back_edge = plan.is_back_edge(edge);
            let edge = &plan.edges[edge];
            if is_back_edge && !body.contains(&edge.from) {
                let message = translated!(
                    "is connected to `{}` of a loop, but is not in its body; remove this connection",
                    "está conectado a `{}` de un bucle, pero no está en su cuerpo; quite esta conexión",
                    edge.to_port
                );
                problems.error("loop_entered", edge.from, message);
            }
        }
        for (edge_index, edge) in plan.edges.iter().enumerate() {
            if body.contains(&edge.to) && !body.contains(&edge.from) && !starts.contains(&edge_index) {
                let body_of = &plan.steps[index].id;
                let message = translated!(
                    "is connected into the body of loop `{body_of}`; connect it before the loop, since only `item` leads into a body",
                    "está conectado al cuerpo del bucle `{body_of}`; conéctelo antes del bucle, ya que solo `item` lleva a un cuerpo"
                );
                problems.error("loop_entered", edge.from, message);
            }
        }
        if !body.is_empty() {
            warn_about_loop(plan, index, &body, problems);
        }
        bodies.push((index, body));
    }
    // The innermost body is the smallest one that contains the step.
    bodies.sort_by_key(|(_, body)| body.len());
    for step in 0..plan.steps.len() {
        plan.steps[step].parent_loop = bodies.iter().find(|(_, body)| body.contains(&step)).map(|(index, _)| *index);
    }
}

/// The edges that begin a loop's body: those of its output `item`. If there are none, edges from unknown ports are used
/// instead, since those are already reported.
fn loop_entry_edges(plan: &ExecutionPlan, loop_step: usize) -> Vec<usize> {
    let step = &plan.steps[loop_step];
    let edges_from = |wanted: &dyn Fn(&String) -> bool| -> Vec<usize> {
        step.outgoing.iter().copied().filter(|edge| wanted(&plan.edges[*edge].from_port)).collect()
    };
    match edges_from(&|port| port == ITEM) {
        none if none.is_empty() => edges_from(&|port| !step.outputs.contains(port)),
        starts => starts,
    }
}

/// Warns about loops that run but probably do not return what their author intended.
fn warn_about_loop(plan: &ExecutionPlan, loop_step: usize, body: &BTreeSet<usize>, problems: &mut Problems) {
    let step = &plan.steps[loop_step];
    let comes_back = |edge: &usize| plan.edges[*edge].to_port != RESULT && body.contains(&plan.edges[*edge].from);
    if !step.incoming.iter().any(comes_back) {
        let message = match step.has_rounds() {
            true => translated!(
                "its body is not connected back to `next`, so it has only one round",
                "su cuerpo no vuelve a `next`, así que solo tiene una ronda"
            ),
            false => translated!(
                "its body is not connected back to `next`, so its results are lost",
                "su cuerpo no vuelve a `next`, así que sus resultados se pierden"
            ),
        };
        problems.warn("loop_open", loop_step, message);
    }
    let is_followed = step.outgoing.iter().any(|edge| plan.edges[*edge].from_port == DONE);
    if !is_followed && !step.has_rounds() && body.iter().any(|step| plan.steps[*step].node_type.is::<SendResultNode>())
    {
        let message = translated!(
            "nothing is connected to `done`, so the send_result in its body returns the output of one element only",
            "no hay nada conectado a `done`, así que el send_result de su cuerpo devuelve la salida de un solo elemento"
        );
        problems.warn("loop_result", loop_step, message);
    }
}

/// Checks that the graph has a trigger and an output.
fn check_triggers_and_outputs(plan: &ExecutionPlan, problems: &mut Problems) {
    if plan.steps.is_empty() {
        let message = translated!(
            "the graph has no nodes; add a trigger, such as input, and the nodes after it",
            "el grafo no tiene nodos; añada un disparador, como input, y los nodos que le siguen"
        );
        return problems.add_graph_problem(Severity::Error, "empty_graph", message);
    }
    if plan.steps_where(|step| step.node_type.is_trigger()).next().is_none() {
        let message = translated!(
            "nothing starts a run; add a node of type input, webhook, form, schedule or message",
            "nada inicia una ejecución; añada un nodo de tipo input, webhook, form, schedule o message"
        );
        problems.add_graph_problem(Severity::Error, "missing_trigger", message);
    }
    let schedules = plan.steps_where(|step| step.node_type.is::<ScheduleNode>()).count();
    if schedules > MAX_SCHEDULES {
        let message = translated!(
            "too many nodes of type schedule: {schedules}, the maximum is {MAX_SCHEDULES}; remove some",
            "demasiados nodos de tipo schedule: {schedules}, el máximo es {MAX_SCHEDULES}; quite algunos"
        );
        problems.add_graph_problem(Severity::Error, "too_many_schedules", message);
    }
    let is_output = |step: &PlanStep| step.node_type.is::<SendResultNode>() || step.node_type.effects;
    if !plan.steps.iter().any(is_output) {
        let message = translated!(
            "a run has no output; add a node of type send_result or send_message",
            "una ejecución no tiene salida; añada un nodo de tipo send_result o send_message"
        );
        problems.add_graph_problem(Severity::Error, "missing_output", message);
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let is_waited_for = step.node_type.is::<WebhookNode>() || step.node_type.is::<InputNode>();
        let answers = |index: &usize| plan.steps[*index].node_type.is::<SendResultNode>();
        if is_waited_for && !plan.reach([index], |_| true).iter().any(answers) {
            let message = translated!(
                "has no send_result after it, so its runs have no output",
                "no tiene ningún send_result después, así que sus ejecuciones no tienen salida"
            );
            problems.warn("no_result", index, message);
        }
        let is_other_trigger = |step: &PlanStep| step.node_type.is_trigger() && !step.node_type.is::<FormNode>();
        let mut others = plan.steps_where(is_other_trigger);
        if step.node_type.is::<FormPageNode>() && others.any(|trigger| plan.reach([trigger], |_| true).contains(&index))
        {
            let message = translated!(
                "in runs that no form has started, no browser shows the page by itself: open it from the run, or lead only \
                 forms to it",
                "en las ejecuciones que no inició un formulario, ningún navegador muestra la página por sí solo: ábrala \
                 desde la ejecución o lleve a él solo formularios"
            );
            problems.warn("page_without_form", index, message);
        }
        let ends = step.node_type.category == Category::Output || step.node_type.is_unknown();
        if !ends && step.outgoing.is_empty() && step.node_type.is_trigger() {
            let message = translated!(
                "has no outgoing connection; connect it to a node",
                "no tiene ninguna conexión de salida; conéctelo a un nodo"
            );
            problems.error("unconnected", index, message);
        }
    }
}

fn check_reachability(plan: &ExecutionPlan, problems: &mut Problems) {
    let reached = plan.reach(plan.steps_where(|step| step.node_type.is_trigger()), |_| true);
    for (index, step) in plan.steps.iter().enumerate() {
        if !reached.contains(&index) {
            let message = if step.incoming.is_empty() {
                translated!(
                    "has no incoming connection; connect or remove it",
                    "no tiene ninguna conexión de entrada; conéctelo o quítelo"
                )
            } else {
                translated!(
                    "cannot be reached from a trigger; connect or remove it",
                    "no se llega a él desde ningún disparador; conéctelo o quítelo"
                )
            };
            problems.error("unreachable", index, message);
        }
    }
}

/// Sorts the steps topologically (Kahn's algorithm). Steps in a cycle, and steps after one, are left out.
fn sort_topologically(plan: &ExecutionPlan) -> Vec<usize> {
    let mut waiting: Vec<usize> = (0..plan.steps.len()).map(|step| plan.inputs_of(step).count()).collect();
    let mut ready: BTreeSet<usize> = (0..waiting.len()).filter(|step| waiting[*step] == 0).collect();
    let mut order = Vec::with_capacity(waiting.len());
    while let Some(step) = ready.pop_first() {
        order.push(step);
        for &edge in plan.steps[step].outgoing.iter().filter(|edge| !plan.is_back_edge(**edge)) {
            let next = plan.edges[edge].to;
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.insert(next);
            }
        }
    }
    order
}

/// Reports each cycle once, at its first step.
fn report_cycles(plan: &ExecutionPlan, upstream_steps: &[StepSet], problems: &mut Problems) {
    const MAX_NAMED: usize = 5;
    let mut reported = BTreeSet::new();
    for step in (0..plan.steps.len()).filter(|step| upstream_steps[*step].has(*step)) {
        if !reported.insert(step) {
            continue;
        }
        let others =
            (0..plan.steps.len()).filter(|other| upstream_steps[step].has(*other) && upstream_steps[*other].has(step));
        let others: Vec<usize> = others.filter(|other| *other != step).collect();
        let named: Vec<String> =
            others.iter().take(MAX_NAMED).map(|other| format!("`{}`", plan.steps[*other].id)).collect();
        let cycle = match (named.join(", "), others.len().saturating_sub(MAX_NAMED)) {
            (named, _) if named.is_empty() => translated!("is connected to itself", "está conectado a sí mismo"),
            (named, 0) => translated!("is in a cycle with {named}", "está en un ciclo con {named}"),
            (named, more) => {
                translated!("is in a cycle with {named} and {more} more", "está en un ciclo con {named} y {more} más")
            }
        };
        let fix = translated!("; use a loop node to repeat steps", "; para repetir pasos, use un nodo de tipo loop");
        problems.error("cycle", step, cycle.with(&fix));
        reported.extend(others);
    }
}
