//! Checks the syntax of a source.

use engine::script::SourceForm;

use crate::limits::{LimitKind, Limits};
use crate::outcome::SyntaxProblem;
use crate::sandbox::Sandbox;
use crate::source;

/// A program that compiles.
pub struct Program;

impl Program {
    /// Compiles a source. It is never executed.
    pub fn check(source: &str, form: SourceForm) -> Result<(), SyntaxProblem> {
        match Sandbox::open() {
            Ok(sandbox) => Self::check_in(&sandbox, source, form),
            Err(_) => refuse("The engine has not enough memory to compile the source. Try again later."),
        }
    }

    /// Compiles a source in a sandbox, which cannot be used again.
    pub fn check_in(sandbox: &Sandbox, source: &str, form: SourceForm) -> Result<(), SyntaxProblem> {
        let limits = Limits::default();
        if source.len() > limits.source_bytes {
            return refuse(&LimitKind::Source.to_string());
        }
        sandbox.arm(&limits);
        let checked = sandbox.with(|ctx| source::check(form, &ctx, source));
        checked.unwrap_or_else(|error| refuse(&error.to_string()))
    }
}

fn refuse(message: &str) -> Result<(), SyntaxProblem> {
    Err(SyntaxProblem { message: message.to_owned(), line: 1, column: 1 })
}
