//! Resolves the names in expressions: each must exist, and have a value by the time the expression is evaluated.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Bound::{Included, Unbounded};

use super::upstream::StepSet;
use super::{ExecutionPlan, PlanStep, Problems, Severity};
use crate::expression::{TextPosition, VariableReference};
use crate::nodes::{each, item_mode};
use crate::schema::Program;
use crate::script::NAMED;
use domain::expression::VARIABLES;
use domain::language::Translated;
use domain::translated;

/// The members of a node and of `vars`.
const NODE_MEMBER: &str = "output";
const ITEM_MEMBER: &str = "item";
const VARS_MEMBERS: [&str; 2] = ["item", "index"];
/// `RunFacts` (`run/facts.rs`) gives them their values.
const RUN_MEMBERS: [&str; 4] = ["id", "startedAt", "scheduledAt", "origin"];

/// Returns the steps whose outputs the expressions of a step read. An expression that reads `nodes` as a whole reads all
/// steps before it.
pub fn read_steps(
    step: &PlanStep,
    indexes: &HashMap<&str, usize>,
    names: &HashMap<&str, usize>,
    upstream: &StepSet,
) -> Vec<usize> {
    let mut read = BTreeSet::new();
    for VariableReference { variable, member, .. } in step.programs.values().flat_map(Program::references) {
        let known = match &*variable {
            "nodes" => indexes,
            NAMED if step.item_mode.is_some() => names,
            _ => continue,
        };
        match member {
            Some(node) => read.extend(known.get(&*node)),
            None => read.extend(known.values().filter(|step| upstream.has(**step))),
        }
    }
    read.into_iter().collect()
}

/// Returns the steps of which the scripts of a step read only the item that the current one comes from: `$('name').item`.
pub fn read_items(step: &PlanStep, names: &HashMap<&str, usize>) -> Vec<usize> {
    let (mut of_item, mut whole) = (BTreeSet::new(), BTreeSet::new());
    for VariableReference { variable, member, field, .. } in step.programs.values().flat_map(Program::references) {
        let is_of_item = field.is_some_and(|(name, _)| *name == *ITEM_MEMBER);
        match member.and_then(|name| names.get(&*name)) {
            Some(&named) if *variable == *NAMED && is_of_item => drop(of_item.insert(named)),
            Some(&named) if *variable == *NAMED => drop(whole.insert(named)),
            None if *variable == *NAMED => return Vec::new(),
            _ => {}
        }
    }
    of_item.difference(&whole).copied().collect()
}

pub fn check(
    plan: &ExecutionPlan,
    indexes: &HashMap<&str, usize>,
    names: &HashMap<&str, usize>,
    upstream: &[StepSet],
    problems: &mut Problems,
) {
    let ids = indexes.keys().copied().collect();
    for (index, step) in plan.steps.iter().enumerate() {
        for (field, program) in &step.programs {
            // The list of `each` is evaluated before its elements are known, and results after them.
            let of_list = [item_mode::RESULT, item_mode::ERROR_OF_ITEM, each::ITEMS];
            let is_element =
                step.each.is_some() && field.strip_prefix("config.").is_none_or(|field| !of_list.contains(&field));
            let has_vars = is_element || step.parent_loop.is_some();
            let mut check = ReferenceCheck {
                plan,
                index,
                has_vars,
                ids: &ids,
                indexes,
                names,
                upstream,
                explained: HashSet::new(),
            };
            for reference in &program.references() {
                if let Some((severity, code, at, message)) = check.check_reference(reference, problems) {
                    // In a script, the name may be in a comment or a text.
                    let severity = if program.is_script() { Severity::Warning } else { severity };
                    problems.add(severity, code, index, Some(field), Some(at), message);
                }
            }
        }
    }
}

/// Resolves the names in one expression of a step.
struct ReferenceCheck<'g> {
    plan: &'g ExecutionPlan,
    index: usize,
    /// Whether `vars.item` and `vars.index` have a value.
    has_vars: bool,
    ids: &'g BTreeSet<&'g str>,
    indexes: &'g HashMap<&'g str, usize>,
    /// The nodes by their names, which scripts for items use.
    names: &'g HashMap<&'g str, usize>,
    upstream: &'g [StepSet],
    /// Parts of node ids with dashes, which the expression reads as subtracted variables. One hint explains them all.
    explained: HashSet<&'g str>,
}

type ReferenceProblem = (Severity, &'static str, TextPosition, Translated<String>);

impl<'g> ReferenceCheck<'g> {
    fn check_reference(&mut self, reference: &VariableReference, problems: &mut Problems) -> Option<ReferenceProblem> {
        let VariableReference { variable, member, at, field } = reference;
        let error = |code, message| Some((Severity::Error, code, *at, message));
        match (&**variable, member.as_deref()) {
            ("nodes", Some(node)) => match self.indexes.get(node) {
                None => {
                    let message = translated!("there is no node `{node}`", "no hay ningún nodo `{node}`");
                    let ids = self.ids;
                    let fix = self.dashed_id_hint(node).or_else(|| problems.suggest(node, ids.iter().copied()));
                    let other = || {
                        translated!("; use the id of a node before this one", "; use el id de un nodo anterior a este")
                    };
                    error("unknown_reference", message.with(&fix.unwrap_or_else(other)))
                }
                Some(&named) if !self.is_known(named) => {
                    let message = translated!(
                        "node `{node}` does not come before this one; connect it before, or read another node",
                        "el nodo `{node}` no va antes de este; conéctelo antes, o lea otro nodo"
                    );
                    error("not_upstream", message)
                }
                Some(_) => {
                    let (name, at) = field.as_ref().filter(|(name, _)| **name != *NODE_MEMBER)?;
                    let message = translated!(
                        "there is no `nodes.{node}.{name}`; a node has only `{NODE_MEMBER}`",
                        "no existe `nodes.{node}.{name}`; un nodo solo tiene `{NODE_MEMBER}`"
                    );
                    Some((Severity::Error, "unknown_variable", *at, message))
                }
            },
            (NAMED, _) if self.plan.steps[self.index].item_mode.is_none() => None,
            (NAMED, None) => None,
            (NAMED, Some(name)) => {
                let message = match self.names.get(name) {
                    None => translated!(
                        "there is no node with the name `{name}`; use the name of a node before this one",
                        "no hay ningún nodo con el nombre `{name}`; use el nombre de un nodo anterior a este"
                    ),
                    Some(&named) if !self.is_known(named) && !self.has_round(named) => translated!(
                        "node `{name}` does not come before this one; connect it before, or read another node",
                        "el nodo `{name}` no va antes de este; conéctelo antes, o lea otro nodo"
                    ),
                    Some(_) => return None,
                };
                error("unknown_reference", message)
            }
            ("vars", Some(name)) if !VARS_MEMBERS.contains(&name) => {
                let message = translated!(
                    "there is no `vars.{name}`; in the body of a loop and in a node with \"each\", use vars.item or vars.index",
                    "no existe `vars.{name}`; en el cuerpo de un bucle y en un nodo con «each», use vars.item o vars.index"
                );
                error("unknown_variable", message)
            }
            ("vars", Some(_)) if !self.has_vars => {
                let message = translated!(
                    "`vars.item` and `vars.index` have no value here: only in the body of a loop, and in the fields of a node with \"each\" but its list; move this node into a loop",
                    "`vars.item` y `vars.index` no tienen valor aquí: solo en el cuerpo de un bucle y en los campos de un nodo con «each», salvo su lista; mueva este nodo a un bucle"
                );
                Some((Severity::Warning, "no_loop", *at, message))
            }
            ("run", Some(name)) if !RUN_MEMBERS.contains(&name) => {
                let members = RUN_MEMBERS.map(|member| format!("run.{member}")).join(", ");
                let message = translated!(
                    "there is no `run.{name}`; use one of {members}",
                    "no existe `run.{name}`; use uno de {members}"
                );
                error("unknown_variable", message)
            }
            (known, _) if VARIABLES.contains(&known) || self.explained.contains(known) => None,
            (unknown, _) => {
                let message = translated!("unknown variable `{unknown}`", "variable desconocida `{unknown}`");
                let list = || translated!("; use one of {}", "; use una de {}", VARIABLES.join(", "));
                let fix = problems.suggest(unknown, VARIABLES.into_iter()).unwrap_or_else(list);
                error("unknown_variable", message.with(&fix))
            }
        }
    }

    /// Whether the named step has a value when this step runs. A loop has none while its body runs.
    fn is_known(&self, named: usize) -> bool {
        self.upstream[self.index].has(named)
            && !self.plan.enclosing_loops(self.index).any(|enclosing| enclosing == named)
    }

    /// Whether the named step is a loop around this step, or in a loop in rounds around it. Scripts for items see the items of
    /// such a loop in this round, and those of a step in an earlier one.
    fn has_round(&self, named: usize) -> bool {
        if self.plan.enclosing_loops(self.index).any(|around| around == named) {
            return true;
        }
        let enclosing = self.plan.steps[named].parent_loop;
        let has_rounds = |outer: &usize| self.plan.steps[*outer].has_rounds();
        enclosing
            .filter(has_rounds)
            .is_some_and(|outer| self.plan.enclosing_loops(self.index).any(|around| around == outer))
    }

    /// `nodes.my-step` is read as a subtraction. If a node id begins like that, returns a hint and skips the errors for
    /// the rest of the id.
    fn dashed_id_hint(&mut self, node: &str) -> Option<Translated<String>> {
        let start = format!("{node}-");
        let id = self.ids.range::<str, _>((Included(&*start), Unbounded)).next().filter(|id| id.starts_with(&start))?;
        self.explained.extend(id[start.len()..].split('-'));
        Some(translated!(
            "; if you mean `{id}`, write nodes[\"{id}\"]",
            "; si se refiere a `{id}`, escriba nodes[\"{id}\"]"
        ))
    }
}
