//! Runs each program in a process of its own. A script that crashes the engine, or breaks out of it, harms only itself.
//!
//! The program that this process executes is started a second time, as a server that has one thread and prepares the
//! engine. It forks for each task, so a task starts fast and finds nothing of other tasks. The fork has hard limits of
//! memory and processor time, and a filter of system calls: it can compute, and answer.

mod crash;
mod filter;
mod messages;
mod server;

use std::ffi::OsStr;
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::engine::Request;
use crate::outcome::{Outcome, ScriptError, SyntaxProblem};
use crate::source::Form;
use messages::{Answer, ExecuteTask, STARTED, Task};

/// The only argument of a server process.
const SERVE_ARGUMENT: &str = "run-scripts";

/// A task may use some seconds of processor time. It gets many more of real time, because the machine may be busy.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A longer answer is cut, and then it is not an answer. Texts may double in length because JSON escapes them twice.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

const CRASH: &str = "The script ended the process that ran it. Process less data, or simplify the script.";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Must be the first statement of a program that runs scripts, before it starts a thread. In the process that runs the
/// scripts, it never returns.
pub fn serve_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() == Some(OsStr::new(SERVE_ARGUMENT)) {
        server::serve();
    }
    // On Linux, this name also works after a new version replaced the file.
    let own = Path::new("/proc/self/exe");
    let own = if own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() };
    if let Ok(own) = own {
        use_program(own);
    }
}

/// Sets the program that is started to run scripts. It must call [`serve_if_asked`]. Only the first call has an effect.
pub fn use_program(program: PathBuf) {
    PROGRAM.get_or_init(|| program);
}

/// The processes that run scripts for this process.
#[derive(Default)]
pub struct Processes {
    server: Mutex<Option<Server>>,
}

impl Processes {
    /// Those of this process.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Processes> = OnceLock::new();
        SHARED.get_or_init(Self::default)
    }

    /// Compiles a source without executing it.
    pub fn check(&self, source: &str, form: Form) -> Result<(), SyntaxProblem> {
        let refuse = |message: String| Err(SyntaxProblem { message, line: 1, column: 1 });
        match self.ask(&Task::Check { source: source.into(), form }) {
            Ok(Answer::Checked(result)) => result,
            Ok(Answer::Crashed(Some(kind))) => refuse(kind.to_string()),
            Ok(Answer::Crashed(None) | Answer::Executed(_)) => refuse(CRASH.to_owned()),
            Ok(Answer::Unlimited(error)) => refuse(describe_unlimited(&error)),
            Err(error) => refuse(describe_failure(&error)),
        }
    }

    /// Executes a program.
    pub fn execute(&self, request: &Request<'_>) -> Result<Outcome, ScriptError> {
        match self.ask(&Task::Execute(ExecuteTask::new(request))) {
            Ok(Answer::Executed(result)) => result?.into_outcome(),
            Ok(Answer::Crashed(Some(kind))) => Err(ScriptError::Limit { kind, console: Vec::new(), work: 0 }),
            Ok(Answer::Crashed(None) | Answer::Checked(_)) => Err(ScriptError::Engine(CRASH.to_owned())),
            Ok(Answer::Unlimited(error)) => Err(ScriptError::Engine(describe_unlimited(&error))),
            Err(error) => Err(ScriptError::Engine(describe_failure(&error))),
        }
    }

    fn ask(&self, task: &Task<'_>) -> io::Result<Answer> {
        let task = serde_json::to_vec(task)?;
        // A server that ended before it started the task is replaced once.
        for _ in 0..2 {
            let Ok(stream) = self.open_task() else {
                self.stop();
                continue;
            };
            if let Some(answer) = exchange(stream, &task)? {
                return Ok(answer);
            }
            self.stop();
        }
        // Names the cause if the server does not even start.
        self.open_task()?;
        Err(io::Error::other("the server of scripts ends at once"))
    }

    /// Opens a connection to a new process.
    fn open_task(&self) -> io::Result<UnixStream> {
        let mut server = self.lock();
        let server = match &mut *server {
            Some(server) => server,
            empty => empty.insert(Server::start()?),
        };
        let (own, other) = UnixStream::pair()?;
        send_descriptor(&server.control, other)?;
        own.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        Ok(own)
    }

    /// Stops the server. Tasks that run go on.
    fn stop(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Server>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of the server process, if it runs.
    pub fn server_id(&self) -> Option<u32> {
        self.lock().as_ref().map(|server| server.process.id())
    }
}

/// Sends a task and reads its answer. Returns nothing if the task never started.
fn exchange(mut stream: UnixStream, task: &[u8]) -> io::Result<Option<Answer>> {
    // The other end may be gone. Then nothing can be read, either.
    let _ = stream.write_all(task).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut bytes = Vec::new();
    match stream.take(MAX_ANSWER_BYTES).read_to_end(&mut bytes) {
        Err(error) if error.kind() != io::ErrorKind::ConnectionReset => return Err(error),
        _ => {}
    }
    let Some((&STARTED, answer)) = bytes.split_first() else { return Ok(None) };
    Ok(Some(serde_json::from_slice(answer).unwrap_or(Answer::Crashed(None))))
}

fn describe_failure(error: &io::Error) -> String {
    format!(
        "No process for scripts can be started ({error}). Try again. If the error continues, report it to the operator."
    )
}

fn describe_unlimited(error: &str) -> String {
    format!(
        "A process for scripts cannot be limited ({error}), so it ran nothing. The operator must allow resource limits and \
         filters of system calls (seccomp)."
    )
}

fn send_descriptor(control: &UnixStream, descriptor: UnixStream) -> io::Result<()> {
    let descriptors = [descriptor.as_fd()];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("the message has no room for a descriptor"));
    }
    sendmsg(control, &[IoSlice::new(&[0])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// A server process. It ends when its control connection is closed.
struct Server {
    control: UnixStream,
    process: Child,
}

impl Server {
    fn start() -> io::Result<Self> {
        let program = PROGRAM.get().ok_or_else(|| io::Error::other("`script::serve_if_asked` was not called"))?;
        let (control, other) = UnixStream::pair()?;
        // Without the environment, which has secrets.
        let process = Command::new(program)
            .arg(SERVE_ARGUMENT)
            .env_clear()
            .stdin(OwnedFd::from(other))
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        Ok(Self { control, process })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}
