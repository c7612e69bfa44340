//! The signals that stop the command: SIGINT (Ctrl-C) and SIGTERM.

use local::Failure;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for Ctrl-C, or for the SIGTERM of a process manager.
pub struct StopSignal {
    interrupted: Signal,
    terminated: Signal,
}

impl StopSignal {
    /// Starts to listen. Call it early: a background job of a script inherits an ignored SIGINT, and would lose a
    /// signal that arrives before this call.
    pub fn listen() -> Result<Self, Failure> {
        let listen = |kind| signal(kind).map_err(|cause| Failure::Other(format!("cannot listen for Ctrl-C ({cause})")));
        Ok(Self { interrupted: listen(SignalKind::interrupt())?, terminated: listen(SignalKind::terminate())? })
    }

    pub async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}
