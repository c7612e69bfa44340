//! The interpreter of the workflow engine: each script runs in a process of its own.

use std::sync::Arc;

use domain::language::Translated;
use domain::run::StepError;
use engine::expression::{SyntaxError, TextPosition};
use engine::script::{ConsoleLine, ExecutedScript, Interpreter, OwnInterpreter, SourceForm, Surroundings};

use crate::engine::Request;
use crate::limits::Limits;
use crate::outcome::{self, ConsoleLevel, Outcome, ScriptError, SyntaxProblem};
use crate::processes::Processes;

/// What the start of a process costs, as work of a run: some milliseconds.
const START_WORK: u64 = 20_000;

/// The interpreter of this process.
pub fn interpreter() -> OwnInterpreter {
    Some(Arc::new(ProcessInterpreter))
}

#[derive(Debug)]
struct ProcessInterpreter;

impl Interpreter for ProcessInterpreter {
    fn check(&self, source: &str, form: SourceForm) -> Result<(), SyntaxError> {
        wait(|| Processes::shared().check(source, form)).map_err(|problem| {
            let SyntaxProblem { message, line, column } = problem;
            SyntaxError::new(TextPosition { line, column }, Translated::untranslated(message))
        })
    }

    fn execute(&self, source: &str, form: SourceForm, surroundings: &Surroundings<'_>) -> ExecutedScript {
        let Surroundings { variables: globals, now, seed, view } = *surroundings;
        let limits = Limits::default();
        let request = Request { source, form, globals, now_ms: now.as_millisecond(), seed, view, limits };
        let (result, work, console) = match wait(|| Processes::shared().execute(&request)) {
            Ok(Outcome { value, console, work }) => (Ok(value), work, console),
            Err(error) => {
                let work = match &error {
                    ScriptError::Thrown(thrown) => thrown.work,
                    // A loop of such nodes must end, too.
                    ScriptError::Limit { .. } | ScriptError::Engine(_) => limits.steps,
                    ScriptError::Syntax(_) | ScriptError::Unsettled { .. } | ScriptError::Result { .. } => 0,
                };
                (Err(StepError::new(error.code(), error.to_string())), work, error.console().to_vec())
            }
        };
        let console = console.into_iter().map(translate_line).collect();
        ExecutedScript { result, work: START_WORK + work, console }
    }
}

fn translate_line(outcome::ConsoleLine { level, text }: outcome::ConsoleLine) -> ConsoleLine {
    let level = match level {
        ConsoleLevel::Debug => "debug",
        ConsoleLevel::Info => "info",
        ConsoleLevel::Log => "log",
        ConsoleLevel::Warn => "warn",
        ConsoleLevel::Error => "error",
    };
    ConsoleLine { level, text }
}

/// Waits for a process. In a runtime of several threads, the tasks of this thread go on in another one.
fn wait<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(feature = "multi-thread")]
    if let Ok(runtime) = tokio::runtime::Handle::try_current()
        && runtime.runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread
    {
        return tokio::task::block_in_place(work);
    }
    work()
}
