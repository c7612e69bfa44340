//! Scripts: JavaScript that users write. The crate `script` runs it, and only the functions that execute or check code link
//! that crate. They give [`crate::compile::compile_with`] an interpreter, which the plan keeps.

mod names;

use std::fmt::Debug;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::expression::{SyntaxError, VariableReference};
use domain::run::StepError;

/// Runs scripts. The same call always gives the same result.
pub trait Interpreter: Debug + Send + Sync {
    /// Compiles a source without executing it.
    fn check(&self, source: &str) -> Result<(), SyntaxError>;

    /// Executes a source, which is the body of an async function.
    fn execute(&self, source: &str, surroundings: &Surroundings<'_>) -> ExecutedScript;
}

/// The interpreter of this process, if it has one.
pub type OwnInterpreter = Option<Arc<dyn Interpreter>>;

/// What a script sees of the run.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The global variables.
    pub variables: &'a Map<String, Value>,
    /// The time, which stands still.
    pub now: Timestamp,
    /// The seed of the random numbers.
    pub seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExecutedScript {
    pub result: Result<Value, StepError>,
    /// The work, in steps of expressions.
    pub work: u64,
    pub console: Vec<ConsoleLine>,
}

/// A line that a script wrote to its console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ConsoleLine {
    /// `debug`, `info`, `log`, `warn` or `error`.
    #[schema(example = "log")]
    pub level: &'static str,
    pub text: String,
}

/// A script of a node.
#[derive(Debug)]
pub struct Script {
    source: String,
    interpreter: OwnInterpreter,
}

impl Script {
    /// Without an interpreter, the source is not checked.
    pub fn parse(source: &str, interpreter: &OwnInterpreter) -> Result<Self, SyntaxError> {
        if let Some(interpreter) = interpreter {
            interpreter.check(source)?;
        }
        Ok(Self { source: source.to_owned(), interpreter: interpreter.clone() })
    }

    /// The references to `nodes`, as far as the source shows them.
    pub fn references(&self) -> Vec<VariableReference> {
        names::find_nodes(&self.source)
    }

    pub fn can_execute(&self) -> bool {
        self.interpreter.is_some()
    }

    pub fn execute(&self, surroundings: &Surroundings<'_>) -> ExecutedScript {
        match &self.interpreter {
            Some(interpreter) => interpreter.execute(&self.source, surroundings),
            // The driver leaves such a run to another process before its first step.
            None => ExecutedScript {
                result: Err(StepError::new("code_engine", "This process does not run scripts.")),
                work: 0,
                console: Vec::new(),
            },
        }
    }
}

/// The seed of the random numbers of a step: the same in each execution of the step, and another one for each step.
pub fn seed_of(run: &str, step: &str) -> u64 {
    // FNV-1a: it never changes, and the numbers are not secret.
    let bytes = run.bytes().chain([0]).chain(step.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::seed_of;

    #[test]
    fn each_step_of_each_run_has_a_seed_that_never_changes() {
        assert_eq!(seed_of("r1", "code"), 4_070_600_196_959_634_321);
        assert_ne!(seed_of("r1", "code"), seed_of("r2", "code"));
        assert_ne!(seed_of("r1", "each[0]/code"), seed_of("r1", "each[1]/code"));
    }
}
