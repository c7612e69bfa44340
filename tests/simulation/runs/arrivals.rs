//! Processes in which runs arrive, and which carry them out as far as they can.

use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use runner::{Arrivals, Arrived, ArrivingRun};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::effects::SimulatedPerformers;
use super::people::{note_start, request};
use super::protocol::RunProtocol;
use super::scenario::PlannedRun;
use crate::machine::process::Process;
use crate::machine::simulated::replace_killed;

/// A client tries again after a failure.
const TRIES: usize = 20;

/// Receives the request for a run, sometimes again with the same key. The client sends it again if the process is killed.
pub async fn receive(first: Process, protocol: Arc<RunProtocol>, number: usize) {
    replace_killed(first, |process| {
        let protocol = protocol.clone();
        Box::pin(async move {
            let planned = &protocol.scenario.runs[number];
            let kill = Arc::new(Notify::new());
            let requests = async {
                for at in planned.moments() {
                    process.sleep_until(at).await;
                    for _ in 0..TRIES {
                        match Box::pin(carry_out(process, &protocol, planned, &kill)).await {
                            Ok(()) => break,
                            Err(error) => protocol.record_failure(process, "an arrival", &error),
                        }
                        sleep(Duration::from_secs(2)).await;
                    }
                }
                std::future::pending().await
            };
            tokio::select! {
                biased;
                () = kill.notified() => {}
                () = process.run_until_killed(requests) => {}
            }
            protocol.accounts().findings.count("arrivals killed");
        })
    })
    .await;
}

async fn carry_out(
    process: &Process,
    protocol: &Arc<RunProtocol>,
    planned: &PlannedRun,
    kill: &Arc<Notify>,
) -> Result<()> {
    let context = process.context();
    let performers = SimulatedPerformers {
        process: process.clone(),
        protocol: protocol.clone(),
        kill: kill.clone(),
        calls_only: true,
    };
    let arrivals = Arrivals::new(&context, protocol.runs(&context), performers);
    let (new, start_key) = request(protocol, planned);
    let id = new.id;
    let run = ArrivingRun { new, start_key, plan: planned.plan.clone(), trigger: 0 };
    let stored = watch::Sender::new(false);
    let shift = planned.arrival.as_ref().map(|arrival| arrival.shift).unwrap_or_default();
    // The platform kills an invocation at the end of its shift, or later.
    let lateness = Duration::from_secs(process.world.state().random.u64(0..600));
    let shift_ends_at = process.now().plus(shift);
    match timeout(shift + lateness, arrivals.carry_out_until(shift_ends_at, run, &stored)).await {
        Ok(arrived) => {
            let (id, is_repeated) = match arrived? {
                Arrived::Ended(_) => {
                    protocol.accounts().findings.count("arrivals ended");
                    (id, false)
                }
                Arrived::GoesOn => (id, false),
                Arrived::Before(first) => (first, true),
            };
            note_start(process, protocol, planned, id, is_repeated);
        }
        // The client has no answer, and does not ask again.
        Err(_) => protocol.accounts().findings.count("invocations killed"),
    }
    Ok(())
}
