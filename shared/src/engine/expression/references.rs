//! What an expression names of the graph around it.

use super::Position;
use super::tree::{Expr, Kind, Literal};

/// A variable that is not bound within the text, and what is taken of it by name: `nodes.fetch` is
/// `("nodes", Some("fetch"))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub variable: Box<str>,
    pub member: Option<Box<str>>,
    pub at: Position,
}

/// Collects what a tree names. `is_bound` tells the names that the text itself binds around it.
pub fn collect(expr: &Expr, is_bound: &dyn Fn(&str) -> bool, found: &mut Vec<Reference>) {
    match &expr.kind {
        Kind::Variable(name) if !is_bound(name) => {
            found.push(Reference { variable: name.clone(), member: None, at: expr.at });
        }
        Kind::Member { of, name, .. } => match root(of).filter(|variable| !is_bound(variable)) {
            Some(variable) => {
                found.push(Reference { variable: variable.into(), member: Some(name.clone()), at: expr.at });
            }
            None => collect(of, is_bound, found),
        },
        Kind::Index { of, index, .. } => {
            match (root(of).filter(|variable| !is_bound(variable)), &index.kind) {
                (Some(variable), Kind::Literal(Literal::Text(name))) => {
                    found.push(Reference { variable: variable.into(), member: Some(name.clone()), at: expr.at });
                }
                _ => collect(of, is_bound, found),
            }
            collect(index, is_bound, found);
        }
        Kind::Each(each) => {
            collect(&each.over, is_bound, found);
            let is_bound = |name: &str| *each.variable == *name || is_bound(name);
            for part in each.filter.iter().chain(&each.result) {
                collect(part, &is_bound, found);
            }
        }
        other => other.each_child(&mut |child| collect(child, is_bound, found)),
    }
}

fn root(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        Kind::Variable(name) => Some(name),
        _ => None,
    }
}
