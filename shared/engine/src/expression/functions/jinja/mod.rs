//! Functions with the semantics of jinja2 3.1.6. `engine/README.md` lists the differences. A function of CEL with the
//! same name is a separate one.

mod attribute;
mod conversion;
mod lists;
mod markup;
mod ordering;
pub mod printf;
mod rounding;
mod sizes;
mod text;

use std::borrow::Cow;

use super::super::operators::format_value;
use super::super::value::Text;
use super::*;

pub use attribute::is_index;
pub use lists::DICT;
pub use text::{IS_LOWER, IS_SAFE, IS_UPPER, SAME_AS};

pub fn all() -> impl Iterator<Item = &'static Function> {
    let mine = [ordering::ALL, lists::ALL, text::ALL, markup::ALL, printf::ALL];
    mine.into_iter().chain([rounding::ALL, conversion::ALL, sizes::ALL]).flatten()
}

/// Returns an optional argument; unlike in `optional`, null does not count as omitted.
fn provided<'v, 'a>(arguments: &'v [Value<'a>], place: usize) -> Option<&'v Value<'a>> {
    arguments.get(place).filter(|argument| !argument.is_undefined())
}

/// Reads a flag, which is false by default. A text is refused, because it is probably meant for another argument.
fn flag(arguments: &[Value], place: usize) -> Result<bool, Cause> {
    match optional(arguments, place) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(Cause::Text(format!("argument {place} must be true or false, got {}", other.kind()))),
    }
}

/// Converts any value to the text that a template prints.
fn as_text<'a>(value: &Value<'a>, budget: &mut EvaluationBudget) -> Result<Text<'a>, Cause> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        other => format_value(other, budget).map(|text| Text::Owned(text.into())),
    }
}
