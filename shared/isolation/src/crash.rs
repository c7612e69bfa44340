//! Reports for a task that ends its process: the handler of fatal signals sends the signal and the mark of the workload.
#![expect(unsafe_code, reason = "handlers of signals have no safe interface")]

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::Workload;
use crate::messages::CRASHED;

/// The signals of crashes, of forbidden system calls, and of the kernel's limit of processor time.
const FATAL: [i32; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGSYS, libc::SIGXCPU];

static CONNECTION: AtomicI32 = AtomicI32::new(-1);

/// Sends a crash of this process to a connection.
pub fn report_to<W: Workload>(connection: &UnixStream) -> io::Result<()> {
    CONNECTION.store(connection.as_raw_fd(), Ordering::Relaxed);
    for signal in FATAL {
        // SAFETY: The handler only reads memory that is never changed, writes and ends the process. It runs on the stack that
        // Rust prepared for the main thread, so it also works when the stack is full.
        let installed = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = report_crash::<W> as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK;
            libc::sigaction(signal, &action, std::ptr::null_mut())
        };
        if installed != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

extern "C" fn report_crash<W: Workload>(signal: i32) {
    // The numbers of signals are small.
    let report = [CRASHED, signal as u8, W::mark()];
    // SAFETY: Both calls are safe in a handler. A report that is not written is a crash, too.
    unsafe {
        libc::write(CONNECTION.load(Ordering::Relaxed), report.as_ptr().cast(), report.len());
        libc::_exit(1)
    }
}
