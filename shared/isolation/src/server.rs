//! The server process: forks for each task. It has one thread, so a fork is a whole copy.
#![expect(unsafe_code, reason = "`fork` and signals have no safe interface")]

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::messages::{ANSWERED, STARTED, UNLIMITED};
use crate::{Limits, Workload, crash, filter};

/// Serves tasks until the control connection, which is the standard input, is closed.
pub fn serve<W: Workload>(argument: &str) -> ! {
    // Ctrl-C reaches the whole group of processes. This process ends when the one that started it is ready.
    // Ended children need no attention.
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGCHLD] {
        // SAFETY: No handler of this process is replaced.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    match serve_tasks::<W>() {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("The process `{argument}` stopped: {error}");
            std::process::exit(1)
        }
    }
}

fn serve_tasks<W: Workload>() -> io::Result<()> {
    // SAFETY: The standard input is used only here.
    let control = UnixStream::from(unsafe { OwnedFd::from_raw_fd(libc::STDIN_FILENO) });
    close_inherited();
    forbid_files()?;
    let workload = W::prepare()?;
    while let Some(connection) = receive_descriptor(&control)? {
        // SAFETY: This process has one thread, so no lock is held by another one.
        match unsafe { libc::fork() } {
            -1 => return Err(io::Error::last_os_error()),
            0 => {
                // A task that is taken over must not take the tasks of others.
                drop(control);
                run_task(&workload, UnixStream::from(connection))
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

/// No process writes files, or leaves an image of its memory.
fn forbid_files() -> io::Result<()> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none)?;
    setrlimit(Resource::Fsize, none)?;
    Ok(())
}

/// Runs one task in this process, which then ends.
fn run_task<W: Workload>(workload: &W, mut connection: UnixStream) -> ! {
    let answered = answer_task(workload, &mut connection);
    // SAFETY: Ends the process without the handlers of its parent, and without the time to free its memory.
    unsafe { libc::_exit(i32::from(answered.is_err())) }
}

fn answer_task<W: Workload>(workload: &W, connection: &mut UnixStream) -> io::Result<()> {
    connection.write_all(&[STARTED])?;
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes)?;
    let task = serde_json::from_slice(&bytes)?;
    let isolated = limit_resources(&workload.limits(&task), bytes.len() as u64)
        .and_then(|()| crash::report_to::<W>(connection))
        .and_then(|()| filter::install());
    let end = match isolated {
        Err(error) => [&[UNLIMITED], error.to_string().as_bytes()].concat(),
        Ok(()) => {
            let mut end = vec![ANSWERED];
            serde_json::to_writer(&mut end, &workload.run(task))?;
            end
        }
    };
    connection.write_all(&end)
}

/// The hard limits of the kernel.
fn limit_resources(limits: &Limits, task_bytes: u64) -> io::Result<()> {
    let limit = |value| Rlimit { current: Some(value), maximum: Some(value.saturating_add(1)) };
    setrlimit(Resource::Cpu, limit(limits.cpu_time.as_secs().saturating_add(1)))?;
    #[cfg(target_os = "linux")]
    {
        let statistics = std::fs::read_to_string("/proc/self/statm")?;
        let pages = statistics.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
        let pages = pages.ok_or_else(|| io::Error::other("the size of this process is unknown"))?;
        let size = pages * rustix::param::page_size() as u64;
        // The task and its copies.
        setrlimit(Resource::As, limit(size.saturating_add(limits.memory_bytes).saturating_add(4 * task_bytes)))?;
    }
    Ok(())
}
