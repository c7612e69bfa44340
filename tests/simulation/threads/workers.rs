//! Worker processes, which answer messages and erase participants by the platform's own code, and tickers.

use std::sync::Arc;
use std::time::Duration;

use domain::run::{Run, StepError};
use domain::thread::{Author, Thread};
use domain::{Error, Result};
use engine::compile::ExecutionPlan;
use engine::drive::{Effect, EffectError, EffectOutcome, Effects, RetryHint, SuspectGate};
use engine::nodes::OUT;
use engine::nodes::Operation;
use engine::run::StepOutcome;
use messaging::{Delivered, Deliveries};
use runner::{
    Admission, Answerer, Answerers, AnsweringRelease, Erasures, HintHandler, Performers, Plans, ThreadRuns, Worker,
};
use serde_json::json;
use store::{Runs, Threads};
use tokio::time::{sleep, timeout};

use super::people::deliveries;
use super::protocol::ThreadProtocol;
use super::provider::SimulatedProvider;
use super::scenario::{TRIGGER, WorkerLife};
use crate::machine::process::Process;
use crate::machine::queue::receive;
use crate::machine::random::millis;
use crate::machine::simulated::replace_killed;

/// The number of messages that a process handles at once.
const SLOTS: usize = 2;
/// The number of hints that a tick sends.
const LIMIT: u32 = 200;

/// One release answers all messages.
#[derive(Clone)]
struct OneRelease(Arc<ThreadProtocol>);

impl Plans for OneRelease {
    async fn plan(&self, _: &Run) -> Result<Arc<ExecutionPlan>> {
        Ok(self.0.scenario.plan.clone())
    }
}

impl Admission for OneRelease {
    async fn admits(&self, _: &Run) -> Result<bool> {
        Ok(true)
    }
}

impl Answerers for OneRelease {
    async fn find(&self, _: &Thread) -> Result<Answerer> {
        let scenario = &self.0.scenario;
        let plan = scenario.plan.clone();
        let trigger = plan.find_step(TRIGGER).expect("the plan has its trigger");
        let retention = scenario.inbox.retention;
        Ok(Answerer::Release(Box::new(AnsweringRelease { startable: scenario.release, retention, plan, trigger })))
    }
}

/// Runs one worker process after the other.
pub async fn work(first: Process, protocol: Arc<ThreadProtocol>, life: &WorkerLife) {
    let shift = life.shift;
    replace_killed(first, |process| {
        let protocol = protocol.clone();
        Box::pin(async move {
            let suspects = SuspectGate::default();
            let slots = (0..SLOTS).map(|_| serve(process, &protocol, shift, &suspects));
            process.run_until_killed(async { drop(futures::future::join_all(slots).await) }).await;
            protocol.accounts().findings.count("workers killed");
        })
    })
    .await;
}

/// Handles one message after the other. Each invocation is killed at the end of its shift.
async fn serve(process: &Process, protocol: &Arc<ThreadProtocol>, shift: Duration, suspects: &SuspectGate) {
    let context = process.context();
    let release = OneRelease(protocol.clone());
    let (runs, threads) = (Runs::new(&context).unwrap(), Threads::new(&context).unwrap());
    let (clock, suspects) = (context.clock.clone(), suspects.clone());
    let performers = SimulatedPerformers { process: process.clone(), deliveries: deliveries(process, protocol) };
    let handler = HintHandler {
        erasures: Erasures { threads: threads.clone(), runs: runs.clone() },
        threads: ThreadRuns { threads, runs: runs.clone(), answerers: release.clone(), clock: clock.clone() },
        worker: Worker {
            runs,
            admission: release.clone(),
            plans: release,
            performers,
            clock,
            stop: context.stop,
            suspects,
        },
    };
    loop {
        let delivery = receive(process).await;
        let hint = serde_json::from_str(&delivery.body).expect("the message is a hint");
        let lateness = Duration::from_secs(process.world.state().random.u64(0..20));
        match timeout(shift + lateness, handler.handle(hint, process.now().plus(shift))).await {
            Ok(Ok(())) => delivery.delete(),
            Ok(Err(error)) => protocol.record_failure(process, "a message", &error),
            Err(_) => protocol.accounts().findings.count("invocations killed"),
        }
    }
}

struct SimulatedPerformers {
    process: Process,
    deliveries: Deliveries<SimulatedProvider>,
}

struct SimulatedEffects<'a> {
    performers: &'a SimulatedPerformers,
    run: Run,
}

impl Performers for SimulatedPerformers {
    fn of_run(&self, run: &Run) -> impl Effects + Send {
        SimulatedEffects { performers: self, run: run.clone() }
    }
}

impl Effects for SimulatedEffects<'_> {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        if let Operation::SendMessage(node) = &*effect.operation {
            return self.reply(&effect.step, &node.text).await;
        }
        let process = &self.performers.process;
        let takes = millis(&mut process.world.state().random, 5, 6_000);
        sleep(takes).await;
        process.wait_until_running().await;
        Ok(EffectOutcome::Completed(StepOutcome::new(OUT, json!({}))))
    }
}

impl SimulatedEffects<'_> {
    /// Sends a reply, as the effect of `send_message` does.
    async fn reply(&self, step: &str, text: &str) -> Result<EffectOutcome, EffectError> {
        let SimulatedPerformers { deliveries, .. } = self.performers;
        let protocol = &deliveries.sender.protocol;
        let thread = self.run.thread.as_ref().expect("the run has a thread").id;
        let key = format!("{}/{step}", self.run.id);
        let error = |retry| EffectError { error: StepError::new("failed", "It was not sent."), retry };
        match deliveries.deliver(thread, &Author::Run(self.run.id), &key, text).await {
            Ok(Delivered::Sent(message)) => {
                protocol.accounts().delivered.insert(message.id);
                Ok(EffectOutcome::Completed(StepOutcome::new(OUT, json!({"status": "sent"}))))
            }
            Ok(Delivered::Suppressed) => {
                protocol.accounts().findings.count("replies suppressed");
                Ok(EffectOutcome::Completed(StepOutcome::new(OUT, json!({"status": "suppressed"}))))
            }
            Ok(Delivered::Postponed { wait, .. }) => Err(error(RetryHint::After(wait))),
            Ok(Delivered::Uncertain { .. }) => Err(error(RetryHint::Uncertain)),
            Ok(Delivered::Refused(_)) | Err(Error::NotFound { .. }) => Err(error(RetryHint::Never)),
            Err(failure) => {
                protocol.record_failure(&self.performers.process, "a reply", &failure);
                Err(error(RetryHint::After(Duration::from_secs(1))))
            }
        }
    }
}

/// Runs the ticker's part each minute.
pub async fn tick(process: Process, protocol: Arc<ThreadProtocol>) {
    let context = process.context();
    let (runs, threads) = (Runs::new(&context).unwrap(), Threads::new(&context).unwrap());
    for minute in 1.. {
        process.sleep_until(Duration::from_secs(60 * minute)).await;
        let now = process.now();
        if let Err(error) = runs.send_due(now).await {
            protocol.record_failure(&process, "a tick of runs", &error);
        }
        if let Err(error) = threads.send_due(now, LIMIT).await {
            protocol.record_failure(&process, "a tick of threads", &error);
        }
    }
}
