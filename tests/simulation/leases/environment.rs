//! An environment of the gateway: it serves calls with slots of the leases in its memory, by the gateway's own code.

use std::sync::Arc;
use std::time::Duration;

use domain::Error;
use domain::call_facts::CallLabels;
use domain::id::RunId;
use domain::lease::Shortage;
use domain::ledger::CallOrigin;
use domain::run::RunStep;
use domain::time::{Clock, Time};
use domain::usage::{Tokens, UsageSource};
use gateway::Served;
use gateway::leases::{CallUsage, LeasePools, LeaseSlot, SlotRequest, Taken};
use platform::Context;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::protocol::LeaseProtocol;
use super::rules::Rule;
use super::scenario::{Call, CallOutcome};
use crate::machine::process::Process;

/// How many times a charge is attempted.
const TRIES: usize = 3;
/// The provider of all calls.
pub const PROVIDER: &str = "simulated";

pub struct Environment {
    process: Process,
    protocol: Arc<LeaseProtocol>,
    leases: LeasePools,
}

impl Environment {
    pub fn new(process: Process, protocol: Arc<LeaseProtocol>) -> Self {
        let clock = match protocol.disabled_rule {
            Some(Rule::EndsWithItsMinute) => lagging_clock(&process),
            _ => process.clock(),
        };
        let leases = LeasePools::new(&Context { clock, ..process.context() }).unwrap();
        Self { process, protocol, leases }
    }

    /// Serves a call from its arrival until it ends or is dropped.
    pub async fn serve(&self, call: &Call) {
        self.process.sleep_until(call.at).await;
        match call.outcome {
            CallOutcome::DroppedAfter(after) => drop(timeout(after, self.serve_to_end(call)).await),
            _ => self.serve_to_end(call).await,
        }
    }

    async fn serve_to_end(&self, call: &Call) {
        let scenario = &self.protocol.scenario;
        let payer = &scenario.payers[call.payer];
        let unlimited = self.protocol.disabled_rule == Some(Rule::LimitsLabels);
        let labels = if unlimited { CallLabels::default() } else { labels_of(call) };
        let model = (&scenario.models[call.model]).into();
        let mut slot = match self.leases.take(SlotRequest { payer, model, need: call.need, labels: &labels }).await {
            Ok(Taken::Slot(slot)) => slot,
            Ok(Taken::Short(shortage)) => return self.record_refusal(call, shortage),
            Err(error) => return self.record_failure(call, &error),
        };
        if call.outcome == CallOutcome::NeverReachesItsProvider {
            sleep(call.takes).await;
            self.process.wait_until_running().await;
            return slot.put_back();
        }
        self.protocol.accounting().admit(payer, call, self.process.now());
        self.process.world.note(|| format!("{}: call {} is admitted", self.process.name, call.number));
        sleep(call.takes).await;
        self.process.wait_until_running().await;
        self.charge(call, slot).await;
    }

    async fn charge(&self, call: &Call, mut slot: LeaseSlot) {
        let tokens = Tokens { input: call.input, cached: call.cached, output: call.output, ..Tokens::default() };
        let origin = CallOrigin {
            request_id: call.number.to_string(),
            step: step_of(call),
            labels: labels_of(call),
            ..CallOrigin::default()
        };
        let (counted, served) = ((tokens, UsageSource::Provider), Served::first(PROVIDER, "m"));
        let charge = slot.price_call(CallUsage::of_tokens(&origin, None, served, counted));
        for _ in 0..TRIES {
            match slot.record(&charge).await {
                Ok(()) => {
                    self.protocol.accounting().answered.insert(call.number.to_string(), charge.cost);
                    return slot.close_if_finished().await;
                }
                Err(error) => self.record_failure(call, &error),
            }
            sleep(Duration::from_secs(1)).await;
            self.process.wait_until_running().await;
        }
    }

    fn record_refusal(&self, call: &Call, shortage: Shortage) {
        self.process.world.note(|| format!("{}: call {} is refused {shortage:?}", self.process.name, call.number));
        self.protocol.accounting().findings.count(match shortage {
            Shortage::Credits { .. } => "refused for credits",
            Shortage::Cap { .. } => "refused for a cap",
            Shortage::Rate { .. } => "refused for a rate",
            Shortage::Revoked(_) => "refused as revoked",
        });
    }

    fn record_failure(&self, call: &Call, error: &Error) {
        self.protocol.record_failure(&self.process, &format!("call {}", call.number), error);
    }
}

/// A clock that is up to 15 s behind. With it, leases are used past the end of their minute.
fn lagging_clock(process: &Process) -> Clock {
    const LAG_MS: i64 = 15_000;
    const BEFORE_THE_MINUTE_MS: i64 = 7_000;
    let process = process.clone();
    Clock::new(move || {
        let now_ms = process.now().as_millis() + BEFORE_THE_MINUTE_MS;
        Time::from_millis(now_ms / LAG_MS * LAG_MS - BEFORE_THE_MINUTE_MS)
    })
}

/// The labels of a call. Some of its tags belong to no other call.
fn labels_of(call: &Call) -> CallLabels {
    let tags =
        (0..call.number % 11).map(|tag| if tag < 2 { format!("tag {tag}") } else { format!("{}/{tag}", call.number) });
    let end_user = (!call.number.is_multiple_of(4)).then(|| format!("user {}", call.number % 3));
    CallLabels { end_user, tags: tags.collect() }
}

/// The step for which a call is made. A third of the calls are made for runs: each payer has one, with four steps.
fn step_of(call: &Call) -> Option<RunStep> {
    let run = RunId::from(Uuid::from_u128(call.payer as u128));
    call.number.is_multiple_of(3).then(|| RunStep {
        run,
        workflow: None,
        path: format!("each[{}]/ask", call.number % 4),
    })
}
