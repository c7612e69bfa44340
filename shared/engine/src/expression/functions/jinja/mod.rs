//! Functions that mean what Jinja means by their names: jinja2 3.1.6, but for the differences that `engine/README.md`
//! lists. Where CEL has a function of the same name, it is another one.

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

use super::super::operators::printed;
use super::super::value::Text;
use super::*;

pub use attribute::is_place;
pub use lists::DICT;
pub use text::{IS_LOWER, IS_SAFE, IS_UPPER, SAME_AS};

pub fn all() -> impl Iterator<Item = &'static Function> {
    let mine = [ordering::ALL, lists::ALL, text::ALL, markup::ALL, printf::ALL];
    mine.into_iter().chain([rounding::ALL, conversion::ALL, sizes::ALL]).flatten()
}

/// An argument that may be left out, where null is not the same as leaving it out.
fn given<'v, 'a>(arguments: &'v [Value<'a>], place: usize) -> Option<&'v Value<'a>> {
    arguments.get(place).filter(|argument| !argument.is_undefined())
}

/// An argument that is false when it is left out. A text is refused: it is meant for another argument.
fn flag(arguments: &[Value], place: usize) -> Result<bool, Why> {
    match optional(arguments, place) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(Why::Text(format!("argument {place} is true or false, got {}", other.kind()))),
    }
}

/// Any value as the text that it prints.
fn as_text<'a>(value: &Value<'a>, budget: &mut Budget) -> Result<Text<'a>, Why> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        other => printed(other, budget).map(|text| Text::Made(text.into())),
    }
}
