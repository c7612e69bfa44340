//! Checks the syntax of a source.

use crate::limits::{LimitKind, Limits};
use crate::outcome::SyntaxProblem;
use crate::sandbox::Sandbox;
use crate::source::Form;

/// A program that compiles.
pub struct Program;

impl Program {
    /// Compiles a source. It is never executed.
    pub fn check(source: &str, form: Form) -> Result<(), SyntaxProblem> {
        let limits = Limits::default();
        let refuse = |message: &str| Err(SyntaxProblem { message: message.to_owned(), line: 1, column: 1 });
        if source.len() > limits.source_bytes {
            return refuse(&LimitKind::Source.to_string());
        }
        let Ok(sandbox) = Sandbox::open(&limits) else {
            return refuse("The engine has not enough memory to compile the source. Try again later.");
        };
        sandbox.arm();
        let checked = sandbox.with(|ctx| form.check(&ctx, source));
        checked.unwrap_or_else(|error| refuse(&error.to_string()))
    }
}
