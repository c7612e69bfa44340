//! The nodes of the syntax tree that the parser builds from their parts.

use super::super::calls::check_call;
use super::super::functions::{self, pattern::ExpressionPattern, suggestions};
use super::super::operators::ExpressionOperator;
use super::super::tree::{Expr, ExprKind, Literal, Parsed};
use super::super::{SyntaxError, TextPosition};
use super::macros::MACROS;
use domain::language::Translated;
use domain::translated;

pub fn balanced(mut parts: Vec<Expr>, is_or: bool) -> Parsed {
    if parts.len() <= 1 {
        let message = Translated::new("the expression is empty", "la expresión está vacía");
        return parts.pop().ok_or_else(|| SyntaxError::new(TextPosition::default(), message));
    }
    let right = balanced(parts.split_off(parts.len() / 2), is_or)?;
    let left = balanced(parts, is_or)?;
    let at = right.at;
    Expr::new(ExprKind::Logical { is_or, left: Box::new(left), right: Box::new(right) }, at)
}

pub fn binary(operator: ExpressionOperator, left: Expr, right: Expr, at: TextPosition) -> Parsed {
    Expr::new(ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right), lenient: false }, at)
}

pub fn member(of: Expr, name: Box<str>, at: TextPosition) -> Parsed {
    Expr::new(ExprKind::Member { of: Box::new(of), name, optional: false }, at)
}

/// Makes all parts of a path optional, for `has`.
pub fn optional(kind: ExprKind) -> ExprKind {
    let make_optional = |mut of: Box<Expr>| {
        of.kind = optional(std::mem::replace(&mut of.kind, ExprKind::Literal(Literal::Null)));
        of
    };
    match kind {
        ExprKind::Member { of, name, .. } => ExprKind::Member { of: make_optional(of), name, optional: true },
        ExprKind::Index { of, index, .. } => ExprKind::Index { of: make_optional(of), index, optional: true },
        other => other,
    }
}

pub fn build_call(name: &str, mut arguments: Vec<Expr>, at: TextPosition) -> Parsed {
    if let Some((_, forms)) = MACROS.iter().find(|(known, _)| *known == name) {
        let message = Translated::new(
            format!("`{name}` must be written as {}", forms.join(" or ")),
            format!("`{name}` debe escribirse como {}", forms.join(" o ")),
        );
        return Err(SyntaxError::new(at, message));
    }
    let function = functions::find_cel_function(name).ok_or_else(|| {
        let message = translated!("there is no function `{name}`", "no hay ninguna función `{name}`");
        SyntaxError::new(at, message.with(&suggestions::suggest_in_cel(name)))
    })?;
    check_call(function, name, &arguments, at)?;
    if let ("matches", [_, Expr { kind: ExprKind::Literal(Literal::Text(pattern)), at: there, .. }]) =
        (name, &arguments[..])
    {
        // The pattern is compiled only to validate it. It is not kept, because a draft may have thousands.
        ExpressionPattern::check(pattern).map_err(|problem| SyntaxError::new(*there, problem))?;
        let pattern = pattern.clone();
        let text = Box::new(arguments.swap_remove(0));
        return Expr::new(ExprKind::Matches { text, pattern }, at);
    }
    // As an operator, it can use the index of a list that is searched repeatedly.
    if name == "contains"
        && let (Some(part), Some(whole)) = (arguments.pop(), arguments.pop())
    {
        return binary(ExpressionOperator::Within, part, whole, at);
    }
    Expr::new(ExprKind::Call { function, arguments }, at)
}
