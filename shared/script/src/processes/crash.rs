//! Answers for a script that ends its process: the handler of fatal signals sends an answer that was rendered before.
#![expect(unsafe_code, reason = "handlers of signals have no safe interface")]

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use super::messages::Answer;
use crate::budget::last_stop;
use crate::limits::LimitKind;

/// The signals of crashes, of forbidden system calls, and of the kernel's limit of processor time.
const FATAL: [i32; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGSYS, libc::SIGXCPU];

static ANSWERS: OnceLock<Answers> = OnceLock::new();
static CONNECTION: AtomicI32 = AtomicI32::new(-1);

struct Answers {
    crash: Vec<u8>,
    limits: [(LimitKind, Vec<u8>); LimitKind::ALL.len()],
}

impl Answers {
    fn render() -> io::Result<Self> {
        let render = |kind| serde_json::to_vec(&Answer::Crashed(kind)).map_err(io::Error::other);
        let mut limits = LimitKind::ALL.map(|kind| (kind, Vec::new()));
        for (kind, answer) in &mut limits {
            *answer = render(Some(*kind))?;
        }
        Ok(Self { crash: render(None)?, limits })
    }

    fn find(&self, kind: Option<LimitKind>) -> &[u8] {
        self.limits.iter().find(|(known, _)| Some(*known) == kind).map_or(&self.crash, |(_, answer)| answer)
    }
}

/// Renders the answers: a handler cannot allocate.
pub fn prepare() -> io::Result<()> {
    let answers = Answers::render()?;
    ANSWERS.get_or_init(|| answers);
    Ok(())
}

/// Sends a crash of this process to a connection.
pub fn answer_to(connection: &UnixStream) -> io::Result<()> {
    CONNECTION.store(connection.as_raw_fd(), Ordering::Relaxed);
    for signal in FATAL {
        // SAFETY: The handler only reads memory that is never changed, writes and ends the process. It runs on the stack that
        // Rust prepared for the main thread, so it also works when the stack is full.
        let installed = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = answer_crash as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK;
            libc::sigaction(signal, &action, std::ptr::null_mut())
        };
        if installed != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

extern "C" fn answer_crash(signal: i32) {
    let kind = if signal == libc::SIGXCPU { Some(LimitKind::Time) } else { last_stop() };
    let answer = ANSWERS.get().map_or(&[][..], |answers| answers.find(kind));
    // SAFETY: Both calls are safe in a handler. An answer that is not written is a crash, too.
    unsafe {
        libc::write(CONNECTION.load(Ordering::Relaxed), answer.as_ptr().cast(), answer.len());
        libc::_exit(1)
    }
}
