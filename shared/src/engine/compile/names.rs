//! What expressions name: whether it is there, and known by the time the expression is evaluated.

use std::collections::HashMap;

use super::upstream::Steps;
use super::{Plan, Problems, Severity};
use crate::engine::expression::Reference;
use crate::engine::schema::Program;

const VARIABLES: [&str; 4] = ["input", "nodes", "vars", "run"];

pub fn check(plan: &Plan, places: &HashMap<&str, usize>, before: &[Steps], problems: &mut Problems) {
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
                        Some(&named) if !is_known(plan, index, named, before) => {
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

/// Whether the named step has a value by then. A loop has none as long as its body runs.
fn is_known(plan: &Plan, index: usize, named: usize, before: &[Steps]) -> bool {
    let mut around = std::iter::successors(plan.steps[index].within, |around| plan.steps[*around].within);
    before[index].has(named) && !around.by_ref().take(plan.steps.len()).any(|around| around == named)
}
