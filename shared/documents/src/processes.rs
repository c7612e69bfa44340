//! Reads each file in a process of its own (see the crate `isolation`).

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::PathBuf;
use std::time::Duration;

use domain::run::StepError;
use engine::nodes::read_file::ReadFileNode;
use isolation::{Cause, Failure, Limits, Processes, ServerProgram, Workload};
use serde_json::Value;

use crate::problems::{too_large, unreadable};
use crate::reading;

/// A file of a value has less than a megabyte. It is compressed, so its content may be much more.
const LIMITS: Limits = Limits { memory_bytes: 256 << 20, cpu_time: Duration::from_secs(10) };

static PROGRAM: ServerProgram = ServerProgram::new("read-documents");
static PROCESSES: Processes = Processes::new(&PROGRAM);

/// Must be called in `main` of a program that reads documents, before it starts a thread. In the process that reads them, it
/// never returns.
pub fn serve_if_asked() {
    PROGRAM.serve_if_asked::<Documents>();
}

/// Sets the program that is started to read documents. It must call [`serve_if_asked`]. Only the first call has an effect.
pub fn use_program(program: PathBuf) {
    PROGRAM.set(program);
}

/// The id of the process that starts others, if it runs.
pub fn server_id() -> Option<u32> {
    PROCESSES.server_id()
}

/// Why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    /// Because of the file or the configuration.
    Refused(StepError),
    /// No process could be started. Another attempt may succeed.
    Unavailable(StepError),
}

/// Reads a file, and waits for the result.
pub fn read(node: &ReadFileNode<Value, String>) -> Result<Value, ReadError> {
    let failure = match PROCESSES.ask::<Result<Value, StepError>>(node) {
        Ok(result) => return result.map_err(ReadError::Refused),
        Err(failure) => failure,
    };
    Err(match failure {
        Failure::Crashed(crash) => ReadError::Refused(match crash.cause {
            Cause::Time => too_large("it takes more than 10 seconds of processor time; split it, or read less of it"),
            Cause::Other => unreadable(),
        }),
        failure => ReadError::Unavailable(StepError::new("platform_busy", failure.to_string())),
    })
}

struct Documents;

impl Workload for Documents {
    type Task = ReadFileNode<Value, String>;
    type Answer = Result<Value, StepError>;

    fn prepare() -> io::Result<Self> {
        // A damaged file makes some readers panic. Their messages would show parts of it in the log.
        set_hook(Box::new(|_| {}));
        Ok(Self)
    }

    fn limits(&self, _: &Self::Task) -> Limits {
        LIMITS
    }

    fn run(&self, task: Self::Task) -> Self::Answer {
        let read = AssertUnwindSafe(|| reading::read(task));
        catch_unwind(read).unwrap_or_else(|_| Err(unreadable()))
    }
}
