//! Validates calls of functions when an expression is parsed.

use super::functions::{Function, PLAIN_FORMAT, SURPLUS};
use super::tree::{Expr, ExprKind, Literal};
use super::{SyntaxError, TextPosition};
use domain::translated;

/// Validates a call: the number of arguments, and literal formats without a placeholder.
pub fn check_call(function: &Function, name: &str, arguments: &[Expr], at: TextPosition) -> Result<(), SyntaxError> {
    let (fewest, most) = function.takes;
    if !(fewest..=most).contains(&arguments.len()) {
        return Err(wrong_count(name, fewest, most, at));
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

/// The error of a call with the wrong number of arguments: the function takes `2 to 3 arguments`.
pub fn wrong_count(name: &str, fewest: usize, most: usize, at: TextPosition) -> SyntaxError {
    let takes = match (fewest, most) {
        (0, 0) => translated!("takes no arguments", "no recibe argumentos"),
        (1, 1) => translated!("takes 1 argument", "recibe 1 argumento"),
        (fewest, most) if fewest == most => translated!("takes {fewest} arguments", "recibe {fewest} argumentos"),
        (fewest, most) => {
            translated!("takes {fewest} to {most} arguments", "recibe de {fewest} a {most} argumentos")
        }
    };
    SyntaxError::new(at, takes.map(|takes| format!("`{name}` {takes}")))
}
