//! What an execution gives: a value and the lines of the console, or an error.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::LimitKind;

/// The result of a script that ended normally.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The returned value. It is null if the script returns nothing that JSON can represent.
    pub value: Value,
    pub console: Vec<ConsoleLine>,
    /// The steps that the script took.
    pub work: u64,
}

/// One call of `console.log` or of a similar function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    pub level: ConsoleLevel,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConsoleLevel {
    Debug,
    Info,
    Log,
    Warn,
    Error,
}

/// A position in the user's source. Lines and columns start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A source that does not compile, with the position in it. Lines and columns start at 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message} (line {line}, column {column})")]
pub struct SyntaxProblem {
    pub message: String,
    pub line: u32,
    pub column: u32,
}

/// An exception that the script did not catch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    /// The name of the error, such as `TypeError`. It is empty if the thrown value is not an error.
    pub name: String,
    pub message: String,
    /// The innermost position in the user's source.
    pub position: Option<Position>,
    pub console: Vec<ConsoleLine>,
    pub work: u64,
}

/// Why a script gave no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ScriptError {
    #[error("{}", .0.message)]
    Syntax(SyntaxProblem),
    #[error("{}", describe_thrown(.0))]
    Thrown(Box<Thrown>),
    /// The script reached a limit, even if it caught the exceptions that followed.
    #[error("{kind}")]
    Limit { kind: LimitKind, console: Vec<ConsoleLine>, work: u64 },
    #[error("The returned promise never settles: nothing that it waits for can still happen. Return a value.")]
    Unsettled { console: Vec<ConsoleLine> },
    #[error("The result is not JSON: {message}")]
    Result { message: String, console: Vec<ConsoleLine> },
    #[error("The script cannot run: {0}")]
    Engine(String),
}

impl ScriptError {
    /// The code under which workflows report the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "code_syntax",
            Self::Thrown(_) => "code_error",
            Self::Limit { .. } => "code_limit",
            Self::Unsettled { .. } => "code_unsettled",
            Self::Result { .. } => "code_result",
            Self::Engine(_) => "code_engine",
        }
    }

    /// The lines that the script wrote before it failed.
    pub fn console(&self) -> &[ConsoleLine] {
        match self {
            Self::Thrown(thrown) => &thrown.console,
            Self::Limit { console, .. } | Self::Unsettled { console } | Self::Result { console, .. } => console,
            Self::Syntax(_) | Self::Engine(_) => &[],
        }
    }
}

fn describe_thrown(thrown: &Thrown) -> String {
    let Thrown { name, message, position, .. } = thrown;
    let place = position.map_or(String::new(), |Position { line, column }| format!(" (line {line}, column {column})"));
    match (name.as_str(), message.as_str()) {
        ("", message) => format!("{message}{place}"),
        (name, "") => format!("{name}{place}"),
        (name, message) => format!("{name}: {message}{place}"),
    }
}
