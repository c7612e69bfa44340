//! Validates calls of functions when an expression is parsed.

use super::functions::{Function, PLAIN_FORMAT, SURPLUS};
use super::tree::{Expr, ExprKind, Literal};
use super::{SyntaxError, TextPosition};

/// Validates a call: the number of arguments, and literal formats without a placeholder.
pub fn check_call(function: &Function, name: &str, arguments: &[Expr], at: TextPosition) -> Result<(), SyntaxError> {
    let (fewest, most) = function.takes;
    if !(fewest..=most).contains(&arguments.len()) {
        return Err(SyntaxError::new(at, format!("`{name}` takes {}", describe_count(fewest, most))));
    }
    let has_place = |form: &Expr| !matches!(&form.kind, ExprKind::Literal(Literal::Text(text)) if !text.contains('%'));
    let is_empty = |values: &Expr| matches!(&values.kind, ExprKind::List(values) if values.is_empty());
    match (name, arguments) {
        ("format", [form, values @ ..]) if !has_place(form) && !values.iter().all(is_empty) => {
            Err(SyntaxError::new(form.at, SURPLUS))
        }
        ("date", [_, form, ..]) if !has_place(form) => Err(SyntaxError::new(form.at, PLAIN_FORMAT)),
        _ => Ok(()),
    }
}

/// Describes a number of arguments, as in `2 to 3 arguments`.
pub fn describe_count(fewest: usize, most: usize) -> String {
    match (fewest, most) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (fewest, most) if fewest == most => format!("{fewest} arguments"),
        (fewest, most) => format!("{fewest} to {most} arguments"),
    }
}
