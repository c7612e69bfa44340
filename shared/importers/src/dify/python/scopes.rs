//! Finds the names that a block assigns: Python's variables belong to their function.

use std::collections::BTreeSet;

use super::tree::{Argument, Expr, Part, Statement};

/// The variables that the statements assign, without those of nested functions.
pub fn assigned(body: &[Statement], names: &mut BTreeSet<String>) {
    for statement in body {
        match statement {
            Statement::Assign(targets, value) => {
                targets.iter().for_each(|target| target_names(target, names));
                walruses(value, names);
            }
            Statement::Update(target, _, value) => {
                target_names(target, names);
                walruses(value, names);
            }
            Statement::If(branches, otherwise) => {
                for (condition, body) in branches {
                    walruses(condition, names);
                    assigned(body, names);
                }
                assigned(otherwise, names);
            }
            Statement::For(target, items, body) => {
                target_names(target, names);
                walruses(items, names);
                assigned(body, names);
            }
            Statement::While(condition, body) => {
                walruses(condition, names);
                assigned(body, names);
            }
            Statement::Try(attempt) => {
                for body in [&attempt.body, &attempt.otherwise, &attempt.finally] {
                    assigned(body, names);
                }
                for handler in &attempt.handlers {
                    names.extend(handler.name.clone());
                    assigned(&handler.body, names);
                }
            }
            Statement::Expr(value) | Statement::Return(Some(value)) => walruses(value, names),
            _ => {}
        }
    }
}

/// The functions that the statements define.
pub fn defined(body: &[Statement], names: &mut BTreeSet<String>) {
    for statement in body {
        match statement {
            Statement::Define(function) => drop(names.insert(function.name.clone())),
            Statement::If(branches, otherwise) => {
                branches.iter().for_each(|(_, body)| defined(body, names));
                defined(otherwise, names);
            }
            Statement::Try(attempt) => defined(&attempt.body, names),
            Statement::For(_, _, body) | Statement::While(_, body) => defined(body, names),
            _ => {}
        }
    }
}

/// The names that the statements declare with `global` or `nonlocal`.
pub fn outer(body: &[Statement], names: &mut BTreeSet<String>) {
    for statement in body {
        match statement {
            Statement::Outer(declared) => names.extend(declared.iter().cloned()),
            Statement::If(branches, otherwise) => {
                branches.iter().for_each(|(_, body)| outer(body, names));
                outer(otherwise, names);
            }
            Statement::Try(attempt) => outer(&attempt.body, names),
            Statement::For(_, _, body) | Statement::While(_, body) => outer(body, names),
            _ => {}
        }
    }
}

pub fn target_names(target: &Expr, names: &mut BTreeSet<String>) {
    match target {
        Expr::Name(name) => drop(names.insert(name.clone())),
        Expr::Tuple(items) | Expr::List(items) => items.iter().for_each(|item| target_names(item, names)),
        Expr::Star(target) => target_names(target, names),
        _ => {}
    }
}

fn walruses(value: &Expr, names: &mut BTreeSet<String>) {
    if let Expr::Walrus(name, _) = value {
        names.insert(name.clone());
    }
    children(value).into_iter().for_each(|child| walruses(child, names));
}

/// The parts of an expression.
fn children<'e>(value: &'e Expr) -> Vec<&'e Expr> {
    match value {
        Expr::Format(parts) => {
            let value = |part: &'e Part| if let Part::Value(value, ..) = part { Some(value) } else { None };
            parts.iter().filter_map(value).collect()
        }
        Expr::List(items) | Expr::Tuple(items) | Expr::Set(items) => items.iter().collect(),
        Expr::Dict(entries) => entries.iter().flat_map(|(key, value)| key.iter().chain([value])).collect(),
        Expr::Negative(value)
        | Expr::Not(value)
        | Expr::Attribute(value, _)
        | Expr::Star(value)
        | Expr::Walrus(_, value) => {
            vec![value]
        }
        Expr::Binary(_, left, right) | Expr::And(left, right) | Expr::Or(left, right) | Expr::Index(left, right) => {
            vec![left, right]
        }
        Expr::Compare(left, others) => [&**left].into_iter().chain(others.iter().map(|(_, value)| value)).collect(),
        Expr::Choice(condition, then, otherwise) => vec![condition, then, otherwise],
        Expr::Call(called, arguments) => {
            let value = |argument: &'e Argument| match argument {
                Argument::Plain(value) | Argument::Named(_, value) => value,
            };
            [&**called].into_iter().chain(arguments.iter().map(value)).collect()
        }
        Expr::Slice(value, bounds) => [&**value].into_iter().chain(bounds.iter().flatten()).collect(),
        Expr::Comprehension(_, value, other, clauses) => {
            let clauses = clauses.iter().flat_map(|clause| [&clause.items].into_iter().chain(&clause.conditions));
            [&**value].into_iter().chain(other.as_deref()).chain(clauses).collect()
        }
        Expr::Lambda(_, body) => vec![body],
        Expr::None | Expr::Bool(_) | Expr::Number(_) | Expr::Text(_) | Expr::Name(_) => Vec::new(),
    }
}
