//! The messaging provider of the simulation: it accepts parts of messages after some time, or refuses them, or its answer
//! is lost.

use std::sync::Arc;
use std::time::Duration;

use domain::id::{MessageId, ThreadId};
use domain::thread::Thread;
use messaging::{SendError, Sender};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::accounts::{Accounts, Outgoing};
use super::oracle::Oracle;
use super::protocol::ThreadProtocol;
use crate::machine::process::Process;
use crate::machine::random::millis;

/// The connection of one process to the provider.
#[derive(Clone)]
pub struct SimulatedProvider {
    pub process: Process,
    pub protocol: Arc<ThreadProtocol>,
}

enum Fate {
    Accepted,
    /// Accepted, but the answer is lost.
    AnswerLost,
    RateLimited,
    Refused,
}

impl Sender for SimulatedProvider {
    async fn send(&self, thread: &Thread, _: &str, key: &str) -> Result<Option<String>, SendError> {
        let Self { process, protocol } = self;
        process.wait_until_running().await;
        let _in_flight = InFlight::begin(protocol, thread.id, key);
        let (travels, answers, fate) = {
            let random = &mut process.world.state().random;
            let fate = match random.u8(..20) {
                0 => Fate::AnswerLost,
                1 | 2 => Fate::RateLimited,
                3 => Fate::Refused,
                _ => Fate::Accepted,
            };
            // Some answers come after the end of the permit.
            let answers = if random.u8(..8) == 0 { millis(random, 5_000, 25_000) } else { millis(random, 5, 2_000) };
            (millis(random, 1, 800), answers, fate)
        };
        let arrives = matches!(fate, Fate::Accepted | Fate::AnswerLost);
        let (sender, arrived) = oneshot::channel();
        let (provider, thread, key) = (self.clone(), thread.id, key.to_owned());
        // A separate task: a request that was sent arrives even if its sender is dropped.
        tokio::spawn(async move {
            sleep(travels).await;
            if arrives {
                provider.accept(thread, &key);
            }
            let _ = sender.send(());
        });
        let _ = arrived.await;
        sleep(answers).await;
        process.wait_until_running().await;
        match fate {
            Fate::Accepted => Ok(None),
            Fate::AnswerLost => {
                protocol.accounts().findings.count("parts uncertain");
                Err(SendError::Uncertain { message: "the connection was cut".to_owned() })
            }
            Fate::RateLimited => {
                let wait = Some(Duration::from_secs(3));
                Err(SendError::NotSent { wait, message: "too many messages".to_owned() })
            }
            Fate::Refused => {
                protocol.accounts().findings.count("parts refused");
                Err(SendError::Refused { code: "blocked".to_owned(), message: "blocked".to_owned() })
            }
        }
    }
}

impl SimulatedProvider {
    /// A part arrives at the provider.
    fn accept(&self, id: ThreadId, key: &str) {
        let world = &self.process.world;
        let mut accounts = self.protocol.accounts();
        let Accounts { findings, threads, delivered, outgoing, accepted, .. } = &mut *accounts;
        let (message, part) = read_key(key);
        let Outgoing { number, is_of_operator, run } = outgoing[&message];
        let name = format!("part {part} of number {number} of {id}");
        world.note(|| format!("the provider accepts {name} from {}", self.process.name));
        findings.count("parts accepted");
        let thread = threads.entry(id).or_default();
        if let Some(holder) = thread.holder.as_ref().filter(|_| !is_of_operator) {
            findings.record_violation(Oracle::BotOverHuman, format!("{name}, while {holder} holds the thread"));
        }
        if run.is_some() && run == thread.overtaken {
            findings.record_violation(Oracle::BotOverHuman, format!("{name}: an operator took over from its run"));
        }
        if delivered.contains(&message) {
            findings.record_violation(Oracle::SentAgain, name.clone());
        }
        let times = accepted.entry(key.to_owned()).or_default();
        *times += 1;
        if *times > 1 && run.is_some() && self.protocol.scenario.sends_once {
            findings.record_violation(Oracle::SentTwice, name);
        }
    }
}

/// Reads the key of a part: `msg_<message>_<part>`.
fn read_key(key: &str) -> (MessageId, &str) {
    let read = key.strip_prefix("msg_").and_then(|key| key.rsplit_once('_'));
    let (message, part) = read.expect("a key names the message and the part");
    (message.parse().expect("a key has the id of a message"), part)
}

/// A part that a process is sending.
struct InFlight<'a> {
    protocol: &'a ThreadProtocol,
    thread: ThreadId,
}

impl<'a> InFlight<'a> {
    fn begin(protocol: &'a ThreadProtocol, thread: ThreadId, key: &str) -> Self {
        let mut accounts = protocol.accounts();
        let other = accounts.threads.entry(thread).or_default().in_flight.replace(key.to_owned());
        if let Some(other) = other {
            accounts.findings.record_violation(Oracle::TwoSenders, format!("{other} and {key}"));
        }
        Self { protocol, thread }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.protocol.accounts().threads.entry(self.thread).or_default().in_flight = None;
    }
}
