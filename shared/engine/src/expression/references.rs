//! Collects the variables that an expression refers to.

use super::TextPosition;
use super::tree::{Expr, ExprKind, Literal};

/// A reference to a variable that the text does not bind itself, with the names taken from it: for
/// `nodes.fetch.output.x` they are `nodes`, `fetch` and `output`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableReference {
    pub variable: Box<str>,
    pub member: Option<Box<str>>,
    pub at: TextPosition,
    /// The field taken from the member, and its position.
    pub field: Option<(Box<str>, TextPosition)>,
}

/// Collects the references of a tree. `is_bound` is true for the names that the text binds.
pub fn collect(expr: &Expr, is_bound: &dyn Fn(&str) -> bool, found: &mut Vec<VariableReference>) {
    let mut add = |variable: &str, member: Option<&str>, at, field| {
        let (variable, member) = (variable.into(), member.map(Into::into));
        found.push(VariableReference { variable, member, at, field });
    };
    if let Some((of, name)) = selected_member(expr) {
        let outer = selected_member(of).and_then(|(whole, member)| Some((unbound_variable(whole, is_bound)?, member)));
        return match (unbound_variable(of, is_bound), outer) {
            (Some(variable), _) => add(variable, Some(name), expr.at, None),
            (_, Some((variable, member))) => add(variable, Some(member), of.at, Some((name.into(), expr.at))),
            _ => collect(of, is_bound, found),
        };
    }
    match &expr.kind {
        ExprKind::Variable(name) if !is_bound(name) => add(name, None, expr.at, None),
        ExprKind::Comprehension(comprehension) => {
            collect(&comprehension.over, is_bound, found);
            let is_own = |name: &str| *comprehension.variable == *name || comprehension.second.as_deref() == Some(name);
            let is_bound = |name: &str| is_own(name) || is_bound(name);
            for part in comprehension.filter.iter().chain(&comprehension.result) {
                collect(part, &is_bound, found);
            }
        }
        other => other.each_child(&mut |child| collect(child, is_bound, found)),
    }
}

/// Returns the object and the name of `x.y` and of `x["y"]`.
fn selected_member(expr: &Expr) -> Option<(&Expr, &str)> {
    match &expr.kind {
        ExprKind::Member { of, name, .. } => Some((of, name)),
        ExprKind::Index { of, index, .. } => match &index.kind {
            ExprKind::Literal(Literal::Text(name)) => Some((of, name)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the name of a variable, unless the text binds it.
fn unbound_variable<'e>(expr: &'e Expr, is_bound: &dyn Fn(&str) -> bool) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Variable(name) => Some(&**name).filter(|name| !is_bound(name)),
        _ => None,
    }
}
