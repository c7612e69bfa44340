//! The server process: forks for each task. It has one thread, so a fork is a whole copy.
#![expect(unsafe_code, reason = "`fork` and signals have no safe interface")]

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Resource, Rlimit, setrlimit};

use super::messages::{Answer, STARTED, Task};
use super::{crash, filter};
use crate::limits::{Limits, RESERVE_BYTES};
use crate::program::Program;
use crate::sandbox::Sandbox;

/// What a process needs beside the memory of the script: the task, its answer, and their copies.
const OTHER_BYTES: u64 = 256 << 20;

/// The kernel's limit of processor time, beyond that of the sandbox, which is finer.
const EXTRA_SECONDS: u64 = 1;

/// Serves tasks until the control connection, which is the standard input, is closed.
pub fn serve() -> ! {
    // Ctrl-C reaches the whole group of processes. This process ends when the one that started it is ready.
    // Ended children need no attention.
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGCHLD] {
        // SAFETY: No handler of this process is replaced.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    match serve_tasks() {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("The server of scripts stopped: {error}");
            std::process::exit(1)
        }
    }
}

fn serve_tasks() -> io::Result<()> {
    // SAFETY: The standard input is used only here.
    let control = UnixStream::from(unsafe { OwnedFd::from_raw_fd(libc::STDIN_FILENO) });
    close_inherited();
    forbid_files()?;
    let sandbox = Sandbox::open().map_err(io::Error::other)?;
    crash::prepare()?;
    while let Some(connection) = receive_descriptor(&control)? {
        // SAFETY: This process has one thread, so no lock is held by another one.
        match unsafe { libc::fork() } {
            -1 => return Err(io::Error::last_os_error()),
            0 => {
                // A script that breaks out of the engine must not take the tasks of others.
                drop(control);
                run_task(&sandbox, UnixStream::from(connection))
            }
            _ => drop(connection),
        }
    }
    Ok(())
}

/// The descriptor of the next task's connection, or nothing if there are no more tasks.
fn receive_descriptor(control: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let (mut byte, mut space) = ([0], [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))]);
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let message = rustix::io::retry_on_intr(|| {
        recvmsg(control, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::empty())
    })?;
    if message.bytes == 0 {
        return Ok(None);
    }
    let received = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    received.map(Some).ok_or_else(|| io::Error::other("a task has no connection"))
}

/// Closes what the parent's parent left open: the parent itself passes on only the first three.
fn close_inherited() {
    const MOST: i32 = 1024;
    for descriptor in libc::STDERR_FILENO + 1..MOST {
        // SAFETY: Nothing in this process uses these descriptors yet.
        unsafe { libc::close(descriptor) };
    }
}

/// No process of scripts writes files, or leaves an image of its memory.
fn forbid_files() -> io::Result<()> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none)?;
    setrlimit(Resource::Fsize, none)?;
    Ok(())
}

/// Runs one task in this process, which then ends.
fn run_task(sandbox: &Sandbox, mut connection: UnixStream) -> ! {
    let answered = answer_task(sandbox, &mut connection);
    // SAFETY: Ends the process without the handlers of its parent, and without the time to free its memory.
    unsafe { libc::_exit(i32::from(answered.is_err())) }
}

fn answer_task(sandbox: &Sandbox, connection: &mut UnixStream) -> io::Result<()> {
    connection.write_all(&[STARTED])?;
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes)?;
    let task: Task<'_> = serde_json::from_slice(&bytes)?;
    let limits = match &task {
        Task::Check { .. } => Limits::default(),
        Task::Execute(task) => task.limits,
    };
    let isolated = limit_resources(&limits, bytes.len() as u64)
        .and_then(|()| crash::answer_to(connection))
        .and_then(|()| filter::install());
    let answer = match (isolated, task) {
        (Err(error), _) => Answer::Unlimited(error.to_string()),
        (Ok(()), Task::Check { source, form }) => Answer::Checked(Program::check_in(sandbox, &source, form)),
        (Ok(()), Task::Execute(task)) => Answer::Executed(task.run(sandbox)),
    };
    let answer = serde_json::to_vec(&answer)?;
    connection.write_all(&answer)
}

/// The hard limits of the kernel. The sandbox reaches its own earlier, unless the engine fails.
fn limit_resources(limits: &Limits, task_bytes: u64) -> io::Result<()> {
    let limit = |value| Rlimit { current: Some(value), maximum: Some(value.saturating_add(1)) };
    setrlimit(Resource::Cpu, limit(limits.cpu_time.as_secs() + 1 + EXTRA_SECONDS))?;
    #[cfg(target_os = "linux")]
    {
        let statistics = std::fs::read_to_string("/proc/self/statm")?;
        let pages = statistics.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
        let pages = pages.ok_or_else(|| io::Error::other("the size of this process is unknown"))?;
        let script = (limits.memory_bytes.saturating_add(RESERVE_BYTES)) as u64;
        let size = pages * rustix::param::page_size() as u64;
        setrlimit(Resource::As, limit(size.saturating_add(script).saturating_add(4 * task_bytes + OTHER_BYTES)))?;
    }
    Ok(())
}
