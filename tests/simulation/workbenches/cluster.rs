//! The cluster: it executes each call some time after it was sent, also if its sender has been killed or has given up since.

use std::sync::Arc;
use std::time::Duration;

use domain::id::WorkbenchId;
use domain::token::{SecretToken, TokenKind};
use domain::workbench::{Intent, Phase, Report, Usage, Workbench};
use domain::{Error, Result};
use futures::FutureExt;
use futures::future::BoxFuture;
use labs::{Backend, Environments, Permit, backend_error};
use tests::cluster::calls_to_target;
use tokio::time::sleep;

use super::oracle::Oracle;
use super::protocol::WorkbenchProtocol;
use super::rules::Rule;
use crate::machine::process::Process;
use crate::machine::random::{happens, millis};

/// The objects of an environment, in the order of their creation.
pub const OBJECTS: [&str; 3] = ["storage", "process", "route"];

/// A call takes effect at most this long after it was sent, as the API server of a real cluster ends each request by then.
const SERVER_TIME_MS: u64 = 60_000;

/// The connection of one worker to the cluster.
pub struct Cluster {
    pub process: Process,
    pub protocol: Arc<WorkbenchProtocol>,
    pub environments: Environments,
}

impl Cluster {
    /// Sends a call, which takes effect later. A process that was suspended sends it when it wakes up, even if the step has
    /// run into its timeout: the call is then polled before the timer.
    async fn change(&self, permit: &Permit, change: Change) -> Result<()> {
        let (process, protocol, permit) = (self.process.clone(), self.protocol.clone(), permit.clone());
        let sent = tokio::spawn(async move {
            process.wait_until_running().await;
            if protocol.disabled_rule != Some(Rule::ActsOnlyWithAPermit)
                && let Err(error) = permit.check()
            {
                protocol.accounts().findings.count("steps cut by their permit");
                return Err(error);
            }
            let latency = draw_latency(&process);
            match draw_fate(&process) {
                Fate::Answered => {
                    sleep(latency).await;
                    change.take_effect(&process, &protocol);
                    return Ok(());
                }
                Fate::RequestLost => sleep(latency).await,
                Fate::AnswerLost => {
                    let server_time = millis(&mut process.world.state().random, 0, SERVER_TIME_MS);
                    let process = process.clone();
                    tokio::spawn(async move {
                        sleep(server_time).await;
                        protocol.accounts().findings.count("answers lost");
                        change.take_effect(&process, &protocol);
                    });
                    sleep(latency).await;
                }
            }
            Err(Error::busy("the call was not answered"))
        });
        sent.await.expect("the call does not panic")
    }

    async fn make_step(&self, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id;
        sleep(draw_latency(&self.process)).await;
        let found = self.protocol.accounts().workbenches.entry(id).or_default().objects.clone();
        let target = workbench.target();
        let calls = calls_to_target(target, &OBJECTS, &found);
        let key = match calls.contains(&("process", true)) {
            true => match self.environments.load(workbench, permit).await {
                Ok(environment) => environment.get("ATELIER_API_KEY").map(|key| hash_key(key)),
                // Like the real backend, which makes no call without its environment.
                Err(_) => return Ok(backend_error()),
            },
            false => None,
        };
        for (object, is_wanted) in calls {
            let change = Change { id, attempt: permit.attempt(), object, is_wanted, key: key.clone() };
            self.change(permit, change).await?;
        }
        // Only a second read shows that no other call has changed the objects meanwhile.
        let found = self.protocol.accounts().workbenches.entry(id).or_default().objects.clone();
        let is_reached = calls_to_target(target, &OBJECTS, &found).is_empty();
        // The answer to the second read takes time too.
        sleep(draw_latency(&self.process)).await;
        Ok(match target {
            _ if !is_reached => Report::new(Phase::Progressing),
            Intent::Run if self.is_in_trouble() => {
                Report::new(Phase::Progressing).rejected("UNSCHEDULABLE", "0/1 nodes are available")
            }
            Intent::Run => {
                let cpu = Some(self.process.world.state().random.u64(..2_000));
                Report { usage: Some(Usage { cpu, ..Usage::default() }), ..Report::new(Phase::Running) }
            }
            Intent::Stop => Report::new(Phase::Stopped),
            Intent::Delete => Report::new(Phase::Gone),
        })
    }

    fn is_in_trouble(&self) -> bool {
        let after: Duration = self.process.world.began().elapsed();
        self.protocol.scenario.troubles.iter().any(|(from, until)| (*from..*until).contains(&after))
    }
}

/// A call that creates or removes an object.
struct Change {
    id: WorkbenchId,
    attempt: u64,
    object: &'static str,
    is_wanted: bool,
    /// The hash of the key that a new process gets.
    key: Option<String>,
}

impl Change {
    fn take_effect(&self, process: &Process, protocol: &WorkbenchProtocol) {
        let Self { id, attempt, object, is_wanted, .. } = *self;
        let number = id.uuid().as_u128();
        process.world.note(|| format!("workbench {number}: {object} is changed by claim {attempt}"));
        let mut accounts = protocol.accounts();
        let account = accounts.workbenches.entry(id).or_default();
        if is_wanted {
            account.objects.insert(object);
        } else {
            account.objects.remove(object);
        }
        if object == "process" {
            account.key = self.key.clone().filter(|_| is_wanted);
        }
        let latest = account.claims;
        if attempt < latest {
            let what = format!("claim {attempt} changes workbench {number} after claim {latest}");
            accounts.findings.record_violation(Oracle::StaleEffect, what);
        }
    }
}

/// The hash by which a key is stored.
fn hash_key(secret: &str) -> String {
    SecretToken::parse(TokenKind::ApiKey, secret).expect("the environment has a key").hash().as_str().to_owned()
}

/// What becomes of a call.
enum Fate {
    Answered,
    /// It never reaches the cluster.
    RequestLost,
    /// It takes effect, and its sender never learns it.
    AnswerLost,
}

fn draw_fate(process: &Process) -> Fate {
    let random = &mut process.world.state().random;
    if happens(random, process.faults.request_lost) {
        Fate::RequestLost
    } else if happens(random, process.faults.answer_lost) {
        Fate::AnswerLost
    } else {
        Fate::Answered
    }
}

fn draw_latency(process: &Process) -> Duration {
    let random = &mut process.world.state().random;
    if random.u8(..4) == 0 { millis(random, 1_500, 15_000) } else { millis(random, 50, 1_500) }
}

impl Backend for Cluster {
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, Result<Report>> {
        self.make_step(workbench, permit).boxed()
    }
}
