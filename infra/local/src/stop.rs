//! When the command is to end.

use local::Failure;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, or the polite kill of a process manager.
pub struct StopSignal {
    interrupted: Signal,
    terminated: Signal,
}

impl StopSignal {
    /// From here on no signal is missed: a parent that ignores Ctrl-C (a script's background job) hands that down, and
    /// one that came before somebody listened would be lost.
    pub fn listen() -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|cause| Failure::Said(format!("Ctrl-C cannot be listened for ({cause})")));
        Ok(Self { interrupted: listen(SignalKind::interrupt())?, terminated: listen(SignalKind::terminate())? })
    }

    pub async fn given(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}
