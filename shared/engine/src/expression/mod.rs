//! Expressions: conditions and values in CEL, templates in Jinja. Both languages are parsed into one tree (`tree`),
//! which one evaluator runs within a budget (`budget`): no saved text can hang, crash or exhaust the process, and
//! failures never show a value.
//!
//! This module parses CEL itself, because its grammar is small and every node needs a position for messages. minijinja
//! parses Jinja. The evaluators of both libraries are not used: the one of cel has no budget, and the one of minijinja
//! counts instructions, but neither bytes nor work. The tests compare the results with both libraries.

mod access;
mod budget;
mod calls;
mod cel;
mod comparison;
mod comprehension;
mod datetime;
mod evaluate;
mod functions;
mod hints;
mod index;
mod jinja;
pub mod literal;
mod markup;
mod number;
mod operators;
mod references;
mod tree;
mod value;

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use jiff::Timestamp;
use serde_json::Value as Json;

pub use cel::Expression;
pub use jinja::JinjaTemplate;
pub use references::VariableReference;

use domain::language::Translated;
use domain::translated;
use tree::Expr;
use value::Value;

/// A position in a text. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    pub line: u32,
    pub column: u32,
}

impl TextPosition {
    pub fn describe(self) -> Translated<String> {
        translated!("line {}, column {}", "línea {}, columna {}", self.line, self.column)
    }
}

/// A syntax error of an expression or a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub at: TextPosition,
    pub message: Translated<String>,
}

impl SyntaxError {
    pub fn new(at: TextPosition, message: impl Into<Translated<String>>) -> Self {
        Self { at, message: message.into() }
    }

    /// The position and the message.
    pub fn describe(&self) -> Translated<String> {
        self.at.describe().map(|at| format!("{at}: ")).with(&self.message)
    }
}

/// The description in English.
impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe().en)
    }
}

/// The input of evaluations: the variables, and the current time.
pub struct Scope<'a> {
    variables: &'a serde_json::Map<String, Json>,
    now: Timestamp,
    steps: Cell<u64>,
}

impl<'a> Scope<'a> {
    pub fn new(variables: &'a serde_json::Map<String, Json>, now: Timestamp) -> Self {
        Self { variables, now, steps: Cell::new(0) }
    }

    /// The number of steps of all evaluations so far.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    fn variable(&self, name: &str) -> Option<&'a Json> {
        self.variables.get(name)
    }
}

/// A runtime failure of an evaluation. It names the expression, but never shows a value. Records of runs store its message,
/// which is in English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationError {
    pub code: EvaluationErrorCode,
    pub at: TextPosition,
    pub message: Cow<'static, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationErrorCode {
    /// The budget is used up.
    Limit,
    Failed,
}

impl EvaluationErrorCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Limit => "expression_limit",
            Self::Failed => "expression_failed",
        }
    }
}

impl EvaluationError {
    fn new(cause: Cause, expr: &Expr) -> Self {
        match (cause, expr.path()) {
            (Cause::Undefined, Some(path)) => {
                let hint =
                    if path.ends_with(".length") { "; for its size write size(x), or x | length in Jinja" } else { "" };
                Self::at(Cause::Text(format!("`{path}` does not exist{hint}")), expr.at)
            }
            (cause, _) => Self::at(cause, expr.at),
        }
    }

    fn at(cause: Cause, at: TextPosition) -> Self {
        let (code, message): (_, Cow<str>) = match cause {
            Cause::Limit(message) => (EvaluationErrorCode::Limit, message.into()),
            Cause::Undefined => (EvaluationErrorCode::Failed, "this value does not exist".into()),
            Cause::Message(message) => (EvaluationErrorCode::Failed, message.into()),
            Cause::Text(message) => (EvaluationErrorCode::Failed, message.into()),
        };
        Self { code, at, message }
    }

    fn is_limit(&self) -> bool {
        self.code == EvaluationErrorCode::Limit
    }
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at.describe().en, self.message)
    }
}

/// A failure without its position.
#[derive(Debug)]
enum Cause {
    Limit(&'static str),
    Undefined,
    Message(&'static str),
    Text(String),
}

impl Cause {
    /// The operator does not take operands of these types.
    fn mismatch(operator: &str, left: &Value, right: &Value) -> Self {
        Self::Text(format!("cannot use {operator} between {} and {}", left.kind(), right.kind()))
    }
}

type Outcome<'a> = Result<Value<'a>, Cause>;

#[cfg(test)]
mod tests;
