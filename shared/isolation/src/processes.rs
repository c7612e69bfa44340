//! The side of the caller: starts the server, and opens a connection for each task.

use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::messages::{Failure, read_end};
use crate::program::ServerProgram;

/// A task may use some seconds of processor time. It gets many more of real time, because the machine may be busy.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A longer answer is cut, and then it is not an answer. Texts may double in length because JSON escapes them twice.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// The processes that carry out tasks of a kind.
#[derive(Debug)]
pub struct Processes {
    program: &'static ServerProgram,
    server: Mutex<Option<Server>>,
}

impl Processes {
    pub const fn new(program: &'static ServerProgram) -> Self {
        Self { program, server: Mutex::new(None) }
    }

    /// Carries out a task, and waits for its answer.
    pub fn ask<A: DeserializeOwned>(&self, task: &impl Serialize) -> Result<A, Failure> {
        let task = serde_json::to_vec(task).map_err(io::Error::other)?;
        // A server that ended before it started the task is replaced once.
        for _ in 0..2 {
            let Ok(stream) = self.open_task() else {
                self.stop();
                continue;
            };
            if let Some(end) = read_end(&exchange(stream, &task)?) {
                return end;
            }
            self.stop();
        }
        // Names the cause if the server does not even start.
        self.open_task()?;
        Err(io::Error::other("its server ends at once").into())
    }

    /// Opens a connection to a new process.
    fn open_task(&self) -> io::Result<UnixStream> {
        let mut server = self.lock();
        let server = match &mut *server {
            Some(server) => server,
            empty => empty.insert(Server::start(self.program)?),
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

/// Sends a task and reads what its process sends.
fn exchange(mut stream: UnixStream, task: &[u8]) -> io::Result<Vec<u8>> {
    // The other end may be gone. Then nothing can be read, either.
    let _ = stream.write_all(task).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut bytes = Vec::new();
    match stream.take(MAX_ANSWER_BYTES).read_to_end(&mut bytes) {
        Err(error) if error.kind() != io::ErrorKind::ConnectionReset => Err(error),
        _ => Ok(bytes),
    }
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
#[derive(Debug)]
struct Server {
    control: UnixStream,
    process: Child,
}

impl Server {
    fn start(program: &ServerProgram) -> io::Result<Self> {
        let path = program.path()?;
        let (control, other) = UnixStream::pair()?;
        // Without the environment, which has secrets.
        let process = Command::new(path)
            .arg(program.argument)
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
