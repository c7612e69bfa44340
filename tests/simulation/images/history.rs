//! Runs one history, from its seed to its end.

use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use domain::id::TransactionId;
use domain::image::{GeneratedImages, ImageFailure, ImageOrder, JOB_DEADLINE, StoredPicture};
use domain::ledger::{Adjustment, CallOrigin, EntryKind};
use domain::money::Money;
use domain::usage::{Quantities, Tokens, UsageSource};
use domain::{Error, ProviderTrouble};
use gateway::Served;
use gateway::leases::{CallUsage, LeasePools, Taken};
use store::image_jobs::{ATTEMPT, ImageHint};
use store::leases::CallEnd;
use store::{ImageJobs, Leases, Ledger};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::oracle::{Oracle, check_at_end};
use super::protocol::ImageProtocol;
use super::rules::Rule;
use super::scenario::{Attempt, Request, Scenario};
use crate::machine::process::Process;
use crate::machine::queue::receive;
use crate::machine::report::Report;
use crate::machine::runner::run_in_virtual_time;
use crate::machine::simulated::replace_killed;
use crate::machine::world::World;

/// By then all jobs have failed at their deadlines, and all leases have expired.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// The number of messages that a process handles at once.
const SLOTS: usize = 3;
/// The most that the clocks of two processes differ.
const SKEW: Duration = Duration::from_secs(5);

pub fn run(seed: u64, disabled_rule: Option<Rule>) -> Report<Oracle> {
    run_in_virtual_time(seed, async {
        let protocol = Arc::new(ImageProtocol::new(Scenario::from_seed(seed), disabled_rule));
        let scenario = &protocol.scenario;
        let world = World::new(seed, scenario.starts_at, scenario.faults, protocol.clone());
        grant_credits(&world, scenario).await;
        drop(timeout(LONGEST, run_scenario(&world, &protocol)).await);
        check_at_end(&Process::without_faults(&world, "auditor"), &protocol).await;
        let findings = std::mem::take(&mut protocol.accounts().findings);
        Report { findings, trace: world.take_trace() }
    })
}

async fn grant_credits(world: &Arc<World>, scenario: &Scenario) {
    let operator = Process::without_faults(world, "operator");
    let adjustment = Adjustment {
        id: TransactionId::new(),
        org: scenario.payer.org,
        kind: EntryKind::Credit,
        amount: scenario.credits,
        balance_after: Money::ZERO,
        reason: String::new(),
        request_id: String::new(),
        created_at: operator.now(),
    };
    Ledger::new(&operator.context()).unwrap().adjust(adjustment).await.unwrap();
}

async fn run_scenario(world: &Arc<World>, protocol: &Arc<ImageProtocol>) {
    let scenario = &protocol.scenario;
    let mut tasks = JoinSet::new();
    for number in 0..scenario.requests.len() {
        let process = Process::immortal(world, format!("gateway {number}"));
        let protocol = protocol.clone();
        tasks.spawn(async move { start(&process, &protocol, &protocol.scenario.requests[number]).await });
    }
    for (number, faults) in scenario.workers.iter().enumerate() {
        tasks.spawn(work(Process::new(world, format!("worker {number}"), faults), protocol.clone()));
    }
    for (number, faults) in scenario.tickers.iter().enumerate() {
        let process = Process::new(world, format!("ticker {number}"), faults);
        let protocol = protocol.clone();
        tasks.spawn(async move { process.clone().run_until_killed(tick(&process, &protocol)).await });
    }
    protocol.join(tasks).await;
}

/// Starts a job, as the gateway does.
async fn start(process: &Process, protocol: &ImageProtocol, request: &Request) {
    process.sleep_until(request.at).await;
    let (scenario, context) = (&protocol.scenario, process.context());
    let leases = LeasePools::new(&context).unwrap();
    let taken = leases.take_for_job(&scenario.payer, &scenario.model, scenario.need(request)).await;
    let mut slot = match taken {
        Ok(Taken::Slot(slot)) => slot,
        Ok(Taken::Short(_)) => return protocol.accounts().findings.count("refused for credits"),
        Err(error) => return protocol.record_failure(process, "a grant", &error),
    };
    let order = ImageOrder {
        id: request.id,
        account: scenario.account(),
        key: None,
        model: scenario.model.name.clone(),
        alias: None,
        request: Default::default(),
        edited: None,
        call: CallOrigin::default(),
        lease: slot.lease(),
        idempotency_key: None,
        created_at: process.now(),
    };
    let created = ImageJobs::new(&context).unwrap().create(order, None).await;
    slot.hand_over();
    if let Err(error) = created {
        protocol.record_failure(process, "a new job", &error);
    }
}

/// Runs one worker process after the other.
async fn work(first: Process, protocol: Arc<ImageProtocol>) {
    replace_killed(first, |process| {
        let protocol = protocol.clone();
        Box::pin(async move {
            let slots = (0..SLOTS).map(|_| serve(process, &protocol));
            process.run_until_killed(async { drop(futures::future::join_all(slots).await) }).await;
            protocol.accounts().findings.count("workers killed");
        })
    })
    .await;
}

async fn serve(process: &Process, protocol: &ImageProtocol) {
    let worker = Worker {
        process: process.clone(),
        protocol,
        jobs: ImageJobs::new(&process.context()).unwrap(),
        leases: LeasePools::new(&process.context()).unwrap(),
    };
    loop {
        let delivery = receive(process).await;
        let hint = serde_json::from_str(&delivery.body).expect("the message is a hint");
        match worker.handle(hint).await {
            Ok(()) => delivery.delete(),
            Err(error) => protocol.record_failure(process, "a message", &error),
        }
    }
}

struct Worker<'a> {
    process: Process,
    protocol: &'a ImageProtocol,
    jobs: ImageJobs,
    leases: LeasePools,
}

impl Worker<'_> {
    /// Carries out a job, as the gateway does.
    async fn handle(&self, hint: ImageHint) -> Result<()> {
        let owned_from = Instant::now();
        let Some(job) = self.jobs.claim(hint).await? else { return Ok(()) };
        let Some(lease) = self.jobs.lease(&job.order).await? else {
            return self.jobs.fail(&job, ImageFailure::timeout(), self.process.now()).await;
        };
        let mut slot = self.leases.slot_of_job(lease);
        slot.hand_over();
        let scenario = &self.protocol.scenario;
        let request = scenario.requests.iter().find(|request| request.id == hint.job).unwrap();
        let Attempt { takes, images } = request.attempts[(job.attempt as usize - 1) % request.attempts.len()];
        let (ends_at, owned_until) = (Instant::now() + takes, owned_from + ATTEMPT - SKEW);
        if Instant::now() < owned_until {
            let at_work = AtWork::begin(self.protocol, hint);
            sleep_until(ends_at.min(owned_until)).await;
            drop(at_work);
        }
        // From here on, another worker may have the job.
        sleep_until(ends_at).await;
        self.process.wait_until_running().await;
        let Some(images) = images else {
            let failure = ImageFailure {
                trouble: ProviderTrouble::Failed,
                code: "provider_unavailable".to_owned(),
                message: String::new(),
                param: None,
            };
            return self.jobs.fail(&job, failure, self.process.now()).await;
        };
        let (counted, served) = ((Tokens::default(), UsageSource::Provider), Served::first("simulated", "m"));
        let usage = CallUsage::of_tokens(&CallOrigin::default(), None, served, counted);
        let charge = slot.price_call(CallUsage { quantities: Quantities::of_images(images), ..usage });
        let picture = StoredPicture { object: "images/1.png".to_owned(), revised_prompt: None };
        let pictures = vec![picture; usize::try_from(images).map_err(Error::internal)?];
        let generated = GeneratedImages { pictures, cost: charge.cost, tokens: Tokens::default() };
        if slot.record_once(&charge, CallEnd::Images(&job, &generated)).await? {
            slot.close_if_finished().await;
        } else {
            self.protocol.accounts().findings.count("late results refused");
        }
        Ok(())
    }
}

/// A worker that calls the provider for a job.
struct AtWork<'a>(&'a ImageProtocol, ImageHint);

impl<'a> AtWork<'a> {
    fn begin(protocol: &'a ImageProtocol, hint: ImageHint) -> Self {
        let mut accounts = protocol.accounts();
        let job = accounts.jobs.entry(hint.job).or_default();
        job.at_work += 1;
        if job.at_work > 1 {
            let what = format!("job {} has {} workers", hint.job.uuid().as_u128(), job.at_work);
            accounts.findings.record_violation(Oracle::TwoWorkers, what);
        }
        Self(protocol, hint)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.accounts().jobs.entry(self.1.job).or_default().at_work -= 1;
    }
}

/// Runs the ticker's part each minute.
async fn tick(process: &Process, protocol: &ImageProtocol) {
    let (jobs, leases) = (ImageJobs::new(&process.context()).unwrap(), Leases::new(&process.context()).unwrap());
    let last = 2 * JOB_DEADLINE.as_secs() / 60;
    for minute in 1..=last {
        process.sleep_until(Duration::from_secs(60 * minute)).await;
        if let Err(error) = jobs.send_due(process.now(), 200).await {
            protocol.record_failure(process, "a tick", &error);
        }
        if let Err(error) = sweep(process, protocol, &leases).await {
            protocol.record_failure(process, "a sweep", &error);
        }
    }
}

async fn sweep(process: &Process, protocol: &ImageProtocol, leases: &Leases) -> Result<()> {
    let now = process.now();
    let mut expired = leases.expired(now, 200).await?;
    // Sorted by their grants: the order of random ids would not follow from the seed.
    expired.sort_by_key(|(_, id)| protocol.accounts().leases.iter().position(|lease| lease == id));
    for (org, id) in expired {
        leases.sweep(org, id, now).await?;
    }
    Ok(())
}
