//! Runs each program in a process of its own (see the crate `isolation`). A script that crashes the engine, or breaks out
//! of it, harms only itself.

mod messages;
mod server;

use std::path::PathBuf;

use engine::script::SourceForm;
use isolation::{Cause, Crash, Failure, ServerProgram};

use crate::budget::limit_of_mark;
use crate::engine::Request;
use crate::limits::LimitKind;
use crate::outcome::{Outcome, ScriptError, SyntaxProblem};
use messages::{Answer, ExecuteTask, Task};
use server::Scripts;

const CRASH: &str = "The script ended the process that ran it. Process less data, or simplify the script.";

static PROGRAM: ServerProgram = ServerProgram::new("run-scripts");
/// A server of its own for scripts that work on items: their library takes longer to load than other scripts take.
static PROGRAM_WITH_ITEMS: ServerProgram = ServerProgram::new("run-item-scripts");

/// Must be the first statement of a program that runs scripts, before it starts a thread. In the process that runs the
/// scripts, it never returns.
pub fn serve_if_asked() {
    PROGRAM.serve_if_asked::<Scripts<false>>();
    PROGRAM_WITH_ITEMS.serve_if_asked::<Scripts<true>>();
}

/// Sets the program that is started to run scripts. It must call [`serve_if_asked`]. Only the first call has an effect.
pub fn use_program(program: PathBuf) {
    PROGRAM.set(program.clone());
    PROGRAM_WITH_ITEMS.set(program);
}

/// The processes that run scripts for this process.
pub struct Processes {
    plain: isolation::Processes,
    with_items: isolation::Processes,
}

impl Default for Processes {
    fn default() -> Self {
        Self::new()
    }
}

impl Processes {
    const fn new() -> Self {
        Self { plain: isolation::Processes::new(&PROGRAM), with_items: isolation::Processes::new(&PROGRAM_WITH_ITEMS) }
    }

    /// Those of this process.
    pub fn shared() -> &'static Self {
        static SHARED: Processes = Processes::new();
        &SHARED
    }

    /// Compiles a source without executing it.
    pub fn check(&self, source: &str, form: SourceForm) -> Result<(), SyntaxProblem> {
        let refuse = |message: String| Err(SyntaxProblem { message, line: 1, column: 1 });
        match self.plain.ask(&Task::Check { source: source.into(), form }) {
            Ok(Answer::Checked(result)) => result,
            Ok(Answer::Executed(_)) => refuse(CRASH.to_owned()),
            Err(Failure::Crashed(crash)) => {
                refuse(limit_before(crash).map_or(CRASH.to_owned(), |kind| kind.to_string()))
            }
            Err(failure) => refuse(failure.to_string()),
        }
    }

    /// Executes a program.
    pub fn execute(&self, request: &Request<'_>) -> Result<Outcome, ScriptError> {
        let processes = if request.view.is_some() { &self.with_items } else { &self.plain };
        match processes.ask(&Task::Execute(ExecuteTask::new(request))) {
            Ok(Answer::Executed(result)) => result?.into_outcome(),
            Ok(Answer::Checked(_)) => Err(ScriptError::Engine(CRASH.to_owned())),
            Err(Failure::Crashed(crash)) => Err(match limit_before(crash) {
                Some(kind) => ScriptError::Limit { kind, console: Vec::new(), work: 0 },
                None => ScriptError::Engine(CRASH.to_owned()),
            }),
            Err(failure) => Err(ScriptError::Engine(failure.to_string())),
        }
    }

    /// The id of the server process of scripts that do not work on items, if it runs.
    pub fn server_id(&self) -> Option<u32> {
        self.plain.server_id()
    }
}

/// The limit that a script reached before its process crashed.
fn limit_before(crash: Crash) -> Option<LimitKind> {
    if crash.cause == Cause::Time { Some(LimitKind::Time) } else { limit_of_mark(crash.mark) }
}
