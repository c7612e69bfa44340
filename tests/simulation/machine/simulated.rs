//! What the protocols have in common: a scenario, the rule that is switched off, the accounts of the oracles, and the tasks of
//! the processes.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use domain::Error;
use futures::future::BoxFuture;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::process::Process;
use super::report::Findings;

/// A new process replaces a killed one after this time.
const RESTART_AFTER: Duration = Duration::from_secs(5);

/// The accounts of a protocol's oracles.
pub trait OracleAccounts: Default {
    type Oracle;

    /// The oracle of internal errors of the platform.
    const FAILED: Self::Oracle;

    fn findings(&mut self) -> &mut Findings<Self::Oracle>;
}

/// A protocol with the scenario `S`, the rules `R` and the accounts `A`.
pub struct Simulated<S, R, A> {
    pub scenario: S,
    /// The rule that is switched off.
    pub disabled_rule: Option<R>,
    accounts: Mutex<A>,
}

impl<S, R, A: OracleAccounts> Simulated<S, R, A> {
    pub fn new(scenario: S, disabled_rule: Option<R>) -> Self {
        Self { scenario, disabled_rule, accounts: Mutex::default() }
    }

    pub fn accounts(&self) -> MutexGuard<'_, A> {
        self.accounts.lock().unwrap()
    }

    pub fn record_failure(&self, process: &Process, what: &str, error: &Error) {
        self.accounts().findings().record_failure(A::FAILED, process, what, error);
    }

    /// Waits until all tasks have ended. A panic is a violation.
    pub async fn join(&self, mut tasks: JoinSet<()>) {
        while let Some(ended) = tasks.join_next().await {
            if let Err(panic) = ended {
                self.accounts().findings().record_violation(A::FAILED, panic.to_string());
            }
        }
    }
}

/// Runs one process after the other. `live` returns when its process is killed; the next process is immortal.
pub async fn replace_killed(first: Process, live: impl for<'a> Fn(&'a Process) -> BoxFuture<'a, ()>) {
    let name = first.name.clone();
    let mut process = first;
    for restarts in 1.. {
        live(&process).await;
        process.world.note(|| format!("{} is killed", process.name));
        sleep(RESTART_AFTER).await;
        process = Process::immortal(&process.world, format!("{name} restart {restarts}"));
    }
}
