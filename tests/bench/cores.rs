//! Keeps processes on one core, so that the mock and the load take nothing from the gateway that is measured.

use std::process::Stdio;
use std::thread;

use tokio::process::Command;

use crate::Result;

/// The core of the mock and of the load.
pub const FIRST: usize = 0;

/// The core of the gateways.
pub fn last() -> Result<usize> {
    match thread::available_parallelism()?.get() {
        1 => Err("this machine has one core; leave --one-core out".into()),
        cores => Ok(cores - 1),
    }
}

/// Moves a process with all its threads. What it starts from now on stays on the core, too.
pub async fn pin(process: u32, core: usize) -> Result<()> {
    let mut taskset = Command::new("taskset");
    taskset.args(["--all-tasks", "--cpu-list", "--pid", &core.to_string(), &process.to_string()]).stdout(Stdio::null());
    let status = taskset.status().await.map_err(|error| format!("cannot start taskset: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("taskset ended with {status}").into()) }
}
