//! The provider that delivers messages, operators, and the user who reminds and erases participants.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::id::ThreadId;
use domain::thread::{Author, Thread};
use domain::{Error, Result};
use messaging::{Delivered, Deliveries};
use store::Threads;
use tokio::time::sleep;

use super::oracle::Oracle;
use super::protocol::ThreadProtocol;
use super::provider::SimulatedProvider;
use super::rules::Rule;
use super::scenario::{PlannedErasure, PlannedReminder, PlannedTake};
use crate::machine::faults::ProcessFaults;
use crate::machine::process::Process;
use crate::machine::random::{happens, millis};

/// A client tries again after a failure.
const TRIES: usize = 40;
/// A thread whose operator is gone is released by somebody else.
const ABANDONED: Duration = Duration::from_secs(900);

pub fn deliveries(process: &Process, protocol: &Arc<ThreadProtocol>) -> Deliveries<SimulatedProvider> {
    let threads = Threads::new(&process.context()).unwrap();
    let sender = SimulatedProvider { process: process.clone(), protocol: protocol.clone() };
    let clock = match protocol.disabled_rule {
        // There always seems to be time.
        Some(Rule::SendsOnlyWithAPermit) => process.clock_behind(Duration::from_secs(1_000)),
        _ => process.clock(),
    };
    Deliveries { threads, sender, clock }
}

/// The provider delivers a message until it is acknowledged, each time to another process.
pub async fn participate(process: Process, protocol: Arc<ThreadProtocol>, number: usize) {
    let moments = &protocol.scenario.messages[number].delivered_at;
    for (again, at) in moments.iter().enumerate() {
        process.sleep_until(*at).await;
        if again > 0 {
            protocol.accounts().findings.count("deliveries repeated");
        }
        for attempt in 0..TRIES {
            let (dies, after) = {
                let random = &mut process.world.state().random;
                (happens(random, 200), millis(random, 1, 60))
            };
            let killed_at = dies.then(|| process.world.began().elapsed() + after);
            let faults = ProcessFaults { killed_at, ..ProcessFaults::default() };
            let hook = Process::new(&process.world, format!("hook {number} {again} {attempt}"), &faults);
            let mut outcome = None;
            hook.run_until_killed(async { outcome = Some(receive(&hook, &protocol, number).await) }).await;
            match outcome {
                Some(Ok(())) => {
                    protocol.accounts().acknowledged.insert(number);
                    break;
                }
                Some(Err(error)) => protocol.record_failure(&hook, "a delivery", &error),
                None => hook.world.note(|| format!("{} is killed", hook.name)),
            }
            sleep(Duration::from_secs(7)).await;
        }
    }
}

async fn receive(hook: &Process, protocol: &ThreadProtocol, number: usize) -> Result<()> {
    let threads = Threads::new(&hook.context()).unwrap();
    threads.receive(&protocol.scenario.inbox, &protocol.scenario.inbound(number)).await
}

/// An operator takes a thread, may answer, and releases it.
pub async fn operate(process: Process, protocol: Arc<ThreadProtocol>, number: usize) {
    let PlannedTake { chat, at, lasts, writes, .. } = protocol.scenario.takes[number];
    let (thread, name) = (protocol.scenario.thread(chat), format!("operator {number}"));
    let work = async {
        process.sleep_until(at).await;
        let deliveries = deliveries(&process, &protocol);
        let operator = Operator { process: &process, protocol: &protocol, deliveries, thread, name: &name };
        if !operator.take().await {
            return;
        }
        if writes {
            operator.answer().await;
        }
        process.sleep_until(at + lasts).await;
        operator.release(Some(&name)).await;
    };
    process.run_until_killed(work).await;
    // If the operator is gone, somebody else releases the thread.
    let supervisor = Process::immortal(&process.world, format!("supervisor {number}"));
    supervisor.sleep_until(at + ABANDONED).await;
    let deliveries = deliveries(&supervisor, &protocol);
    let is_abandoned = protocol
        .accounts()
        .threads
        .get(&thread)
        .is_some_and(|thread| thread.control.hold.as_ref().is_some_and(|hold| hold.operator == name));
    if is_abandoned {
        Operator { process: &supervisor, protocol: &protocol, deliveries, thread, name: &name }.release(None).await;
    }
}

struct Operator<'a> {
    process: &'a Process,
    protocol: &'a ThreadProtocol,
    deliveries: Deliveries<SimulatedProvider>,
    thread: ThreadId,
    name: &'a str,
}

impl Operator<'_> {
    /// Takes the thread, as the route does. Returns whether the operator has it.
    async fn take(&self) -> bool {
        let inbox = &self.protocol.scenario.inbox;
        let take = async || {
            let thread =
                self.deliveries.threads.take(inbox.account, inbox.workflow, self.thread, &self.name.into()).await?;
            match self.protocol.disabled_rule {
                Some(Rule::TakesWaitForDeliveries) => Ok(thread),
                _ => self.deliveries.wait_for_end(thread).await,
            }
        };
        match self.repeat("a take", take).await {
            Some(Thread { .. }) => {
                self.process.world.note(|| format!("{} has {}", self.name, self.thread));
                let mut accounts = self.protocol.accounts();
                let thread = accounts.threads.entry(self.thread).or_default();
                thread.overtaken = thread.run();
                if let Some(other) = thread.holder.replace(self.name.to_owned()) {
                    let what = format!("{other} and {} hold {}", self.name, self.thread);
                    accounts.findings.record_violation(Oracle::TwoHolders, what);
                }
                true
            }
            None => {
                self.protocol.accounts().findings.count("takes refused");
                false
            }
        }
    }

    async fn answer(&self) {
        let (author, key) = (Author::Operator(self.name.to_owned()), format!("operator/{}", self.name));
        let send = async || self.deliveries.deliver(self.thread, &author, &key, "an operator answers").await;
        if let Some(Delivered::Sent(message)) = self.repeat("an operator's message", send).await {
            let mut accounts = self.protocol.accounts();
            accounts.findings.count("operators answered");
            accounts.delivered.insert(message.id);
        }
    }

    async fn release(&self, operator: Option<&str>) {
        if let Some(thread) = self.protocol.accounts().threads.get_mut(&self.thread) {
            thread.holder = None;
        }
        self.process.world.note(|| format!("{} releases {}", self.name, self.thread));
        let inbox = &self.protocol.scenario.inbox;
        let threads = &self.deliveries.threads;
        let release = async || threads.release(inbox.account, inbox.workflow, self.thread, operator).await;
        self.repeat("a release", release).await;
    }

    /// Tries until it succeeds or is refused.
    async fn repeat<T, F: Future<Output = Result<T>>>(&self, what: &str, attempt: impl Fn() -> F) -> Option<T> {
        for _ in 0..TRIES {
            match attempt().await {
                Ok(done) => return Some(done),
                // Another operator has the thread, or it does not exist, or no longer.
                Err(Error::Conflict { .. } | Error::NotFound { .. }) => return None,
                Err(error) => self.protocol.record_failure(self.process, what, &error),
            }
            sleep(Duration::from_secs(1)).await;
        }
        None
    }
}

/// Reminds a participant.
pub async fn remind(process: Process, protocol: Arc<ThreadProtocol>, number: usize) {
    let PlannedReminder { chat, at } = protocol.scenario.reminders[number];
    process.sleep_until(at).await;
    let (thread, key) = (protocol.scenario.thread(chat), format!("reminder/{number}"));
    let reminded = deliveries(&process, &protocol).deliver(thread, &Author::Reminder, &key, "Are you there?").await;
    match reminded {
        Ok(Delivered::Sent(message)) => {
            let mut accounts = protocol.accounts();
            accounts.findings.count("participants reminded");
            accounts.delivered.insert(message.id);
        }
        Ok(_) | Err(Error::NotFound { .. } | Error::Conflict { .. } | Error::TooManyRequests { .. }) => {}
        Err(error) => protocol.record_failure(&process, "a reminder", &error),
    }
}

/// Erases a participant.
pub async fn erase(process: Process, protocol: Arc<ThreadProtocol>) {
    let Some(PlannedErasure { person, at }) = protocol.scenario.erasure else { return };
    process.sleep_until(at).await;
    let threads = Threads::new(&process.context()).unwrap();
    let scenario = &protocol.scenario;
    let of_person = |number: &usize| scenario.messages[*number].person == person;
    let known: BTreeSet<usize> = protocol.accounts().acknowledged.iter().copied().filter(of_person).collect();
    protocol.accounts().is_erasing = true;
    for _ in 0..TRIES {
        match threads.mark_erased(scenario.inbox.workflow, scenario.participant(person)).await {
            Ok(()) => {
                protocol.accounts().erased = known;
                return;
            }
            Err(Error::NotFound { .. }) => break,
            Err(error) => protocol.record_failure(&process, "an erasure", &error),
        }
        sleep(Duration::from_secs(2)).await;
    }
    protocol.accounts().is_erasing = false;
}
