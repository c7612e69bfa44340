//! Scripts: JavaScript that users write. The crate `script` runs it, and only the functions that execute or check code link
//! that crate. They give [`crate::compile::compile_with`] an interpreter, which the plan keeps.

mod names;
pub mod tokens;

pub use names::{NAMED, literal_length};

use std::fmt::Debug;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::expression::{SyntaxError, VariableReference};
use domain::run::StepError;

/// Runs scripts. The same call always gives the same result.
pub trait Interpreter: Debug + Send + Sync {
    /// Compiles a source without executing it.
    fn check(&self, source: &str, form: SourceForm) -> Result<(), SyntaxError>;

    fn execute(&self, source: &str, form: SourceForm, surroundings: &Surroundings<'_>) -> ExecutedScript;
}

/// What the source of a script is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SourceForm {
    /// The body of an async function: its `return` gives the result, and it may use `await`.
    #[default]
    Body,
    /// An expression, whose value is the result. It may use `await`.
    Expression,
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
    /// What a script of a node with `itemMode` sees beside the variables (`run/items.rs`).
    pub view: Option<&'a Value>,
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
    pub form: SourceForm,
    interpreter: OwnInterpreter,
}

impl Script {
    /// Without an interpreter, the source is not checked.
    pub fn parse(source: &str, form: SourceForm, interpreter: &OwnInterpreter) -> Result<Self, SyntaxError> {
        if let Some(interpreter) = interpreter {
            interpreter.check(source, form)?;
        }
        Ok(Self { source: source.to_owned(), form, interpreter: interpreter.clone() })
    }

    /// The references to nodes, as far as the source shows them.
    pub fn references(&self) -> Vec<VariableReference> {
        names::find_references(&self.source)
    }

    /// Whether it reads other items of the input than the current one.
    pub fn reads_whole_input(&self) -> bool {
        names::reads_whole_input(&self.source)
    }

    pub fn can_execute(&self) -> bool {
        self.interpreter.is_some()
    }

    /// `field` names the field of the script, such as `config.url`.
    pub fn execute(&self, field: &str, surroundings: &Surroundings<'_>) -> ExecutedScript {
        let Some(interpreter) = &self.interpreter else {
            // The driver leaves such a run to another process before its first step.
            let result = Err(StepError::new("code_engine", "This process does not run scripts."));
            return ExecutedScript { result, work: 0, console: Vec::new() };
        };
        let seed = match self.form {
            SourceForm::Body => surroundings.seed,
            // A node can have several expressions. Each has its own random numbers.
            SourceForm::Expression => hash(surroundings.seed, field.bytes()),
        };
        interpreter.execute(&self.source, self.form, &Surroundings { seed, ..*surroundings })
    }
}

/// The type of a script's value.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "map",
    }
}

/// The seed of the random numbers of a step: the same in each execution of the step, and another one for each step.
pub fn seed_of(run: &str, step: &str) -> u64 {
    hash(0xcbf2_9ce4_8422_2325, run.bytes().chain([0]).chain(step.bytes()))
}

/// FNV-1a: it never changes, and the numbers are not secret.
fn hash(from: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(from, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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
