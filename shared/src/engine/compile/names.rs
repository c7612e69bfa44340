//! What expressions name: whether it is there, and known by the time the expression is evaluated.

use std::collections::HashMap;

use super::{Plan, Problems, Severity};
use crate::engine::expression::Reference;
use crate::engine::nodes::r#loop::{ITEM, NEXT};
use crate::engine::schema::Program;

const VARIABLES: [&str; 4] = ["input", "nodes", "vars", "run"];

pub fn check(plan: &Plan, places: &HashMap<&str, usize>, problems: &mut Problems) {
    let upstream = upstream(plan);
    for (index, step) in plan.steps.iter().enumerate() {
        for (field, program) in &step.programs {
            let named = match program {
                Program::Condition(expression) => expression.references(),
                Program::Text(template) => template.references(),
            };
            for Reference { variable, member, at } in named {
                let mut error = |code, message| problems.field(code, index, field, Some(at), message);
                match (&*variable, member.as_deref()) {
                    ("nodes", Some(node)) => match places.get(node) {
                        None => error("unknown_reference", format!("there is no node `{node}`")),
                        Some(&named) if !upstream[index].has(named) => {
                            error("not_upstream", format!("node `{node}` does not come before this one"));
                        }
                        Some(_) => {}
                    },
                    ("vars", Some("item" | "index")) if step.within.is_none() => {
                        let message = "there are no `vars.item` and `vars.index` outside of a loop's body".to_owned();
                        problems.add(Severity::Warning, "no_loop", index, Some(field), Some(at), message);
                    }
                    (known, _) if VARIABLES.contains(&known) => {}
                    (unknown, _) => {
                        let message = format!("there is no `{unknown}`; there are {}", VARIABLES.join(", "));
                        error("unknown_variable", message);
                    }
                }
            }
        }
    }
}

/// A set of steps, a bit each.
#[derive(Clone)]
struct Steps(Vec<u64>);

impl Steps {
    fn has(&self, step: usize) -> bool {
        self.0[step / 64] & (1 << (step % 64)) != 0
    }

    fn add(&mut self, step: usize) {
        self.0[step / 64] |= 1 << (step % 64);
    }

    fn add_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(bits, others)| *bits |= others);
    }
}

/// All that comes before each step. A loop's body does not come before what follows the loop: it was run as often as
/// there were elements.
fn upstream(plan: &Plan) -> Vec<Steps> {
    let mut upstream = vec![Steps(vec![0; plan.steps.len().div_ceil(64)]); plan.steps.len()];
    for &step in &plan.order {
        for &edge in &plan.steps[step].incoming {
            let edge = &plan.edges[edge];
            if edge.to_port == NEXT && plan.steps[edge.to].node_type.is_loop() {
                continue;
            }
            let before = upstream[edge.from].clone();
            upstream[step].add_all(&before);
            // A loop has no value as long as its body runs.
            if edge.from_port != ITEM || !plan.steps[edge.from].node_type.is_loop() {
                upstream[step].add(edge.from);
            }
        }
    }
    upstream
}
