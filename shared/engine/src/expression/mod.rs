//! What users write to compute: conditions in CEL, texts in Jinja. Both are read into one tree (`tree`), which one
//! evaluator walks within a budget (`budget`): no text that can be saved hangs, crashes or bloats whoever evaluates
//! it, and what fails never shows a value.
//!
//! CEL is read here; its grammar is small, and every node gets a place to point at. Jinja is read by minijinja. Both
//! libraries' own evaluators were tried: cel has no budget at all, minijinja's counts instructions and neither bytes nor
//! work. The tests hold ours to theirs where they agree with what people expect.

mod budget;
mod cel;
mod evaluate;
mod functions;
mod hints;
mod index;
mod jinja;
mod markup;
mod moment;
mod operators;
mod references;
mod tree;
mod value;
mod walk;

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde_json::Value as Json;

pub use cel::Expression;
pub use jinja::Template;
pub use references::Reference;

use tree::Expr;
use value::Value;

/// Where something stands in a text: both count from one, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Why a text is not an expression or a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub at: Position,
    pub message: Cow<'static, str>,
}

impl Problem {
    fn new(at: Position, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.at.line, self.at.column, self.message)
    }
}

/// What an evaluation sees: the variables, and what time it is.
pub struct Scope<'a> {
    pub variables: &'a serde_json::Map<String, Json>,
    pub now: Timestamp,
}

impl<'a> Scope<'a> {
    fn variable(&self, name: &str) -> Option<&'a Json> {
        self.variables.get(name)
    }
}

/// Why an evaluation came to no result. It names what stands in the text, never what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: FailureCode,
    pub problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCode {
    /// It takes more than an evaluation may.
    Limit,
    Failed,
}

impl FailureCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Limit => "expression_limit",
            Self::Failed => "expression_failed",
        }
    }
}

impl Failure {
    fn new(why: Why, expr: &Expr) -> Self {
        match (why, expr.path()) {
            (Why::Undefined, Some(path)) => {
                let hint = if path.ends_with(".length") { "; a size is size(x), or x | length in Jinja" } else { "" };
                Self::at(Why::Text(format!("`{path}` is not there{hint}")), expr.at)
            }
            (why, _) => Self::at(why, expr.at),
        }
    }

    fn at(why: Why, at: Position) -> Self {
        let (code, message): (_, Cow<str>) = match why {
            Why::Limit(message) => (FailureCode::Limit, message.into()),
            Why::Undefined => (FailureCode::Failed, "there is no such value".into()),
            Why::Message(message) => (FailureCode::Failed, message.into()),
            Why::Text(message) => (FailureCode::Failed, message.into()),
        };
        Self { code, problem: Problem::new(at, message) }
    }

    fn is_limit(&self) -> bool {
        self.code == FailureCode::Limit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

/// The same before it is known where.
#[derive(Debug)]
enum Why {
    Limit(&'static str),
    Undefined,
    Message(&'static str),
    Text(String),
}

type Outcome<'a> = Result<Value<'a>, Why>;

#[cfg(test)]
mod tests;
