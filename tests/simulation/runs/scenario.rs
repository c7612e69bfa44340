//! A scenario, derived from a seed: the workflows, the runs, the workers, the people and the faults.

use std::sync::Arc;
use std::time::Duration;

use domain::id::{OrgId, RunId, UserId};
use domain::identity::Account;
use domain::run::Run;
use domain::time::Time;
use engine::compile::ExecutionPlan;
use engine::nodes::SLOW;
use fastrand::Rng;
use uuid::Uuid;

use super::graphs::{PlanOptions, random_plan};
use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::process::Process;
use crate::machine::random::millis;

pub struct Scenario {
    pub starts_at: Time,
    pub account: Account,
    pub runs: Vec<PlannedRun>,
    /// The workflows that steps of runs call. The later ones call only those before them.
    pub called: Vec<Arc<ExecutionPlan>>,
    pub workers: Vec<WorkerLife>,
    pub approvers: Vec<ProcessFaults>,
    pub tickers: Vec<ProcessFaults>,
    pub faults: Faults,
    /// Until this time, every worker process stops soon after its start, in an orderly way, and effects are slow.
    pub stops_until: Duration,
    /// Nothing fails.
    pub is_calm: bool,
    /// The agents have tools of MCP servers.
    pub has_mcp_tools: bool,
    /// Holders divide what they store into transactions of at most this size, so that crashes between them are likely.
    pub transaction_bytes: Option<usize>,
    /// A run that has not ended by then never will.
    pub longest: Duration,
}

/// Nested loops with delays, reviews and called workflows may take hours.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// Most ticks fail, and each message that fails comes again much later.
const LONGEST_WITH_UNRELIABLE_STORAGE: Duration = Duration::from_secs(12 * 60 * 60);

pub struct PlannedRun {
    pub id: RunId,
    pub plan: Arc<ExecutionPlan>,
    pub has_poison: bool,
    pub starts_at: Duration,
    /// The client sends the start again, with the same key.
    pub starts_again_at: Option<Duration>,
    pub stops_at: Option<Duration>,
    pub cancels_at: Option<Duration>,
    /// The process in which it arrives, if that process begins to carry it out.
    pub arrival: Option<ArrivalLife>,
}

impl PlannedRun {
    /// When the client sends the start.
    pub fn moments(&self) -> Vec<Duration> {
        let mut moments: Vec<Duration> = std::iter::once(self.starts_at).chain(self.starts_again_at).collect();
        moments.sort();
        moments
    }
}

/// A process in which a run arrives, and how long it carries it out.
pub struct ArrivalLife {
    pub faults: ProcessFaults,
    pub shift: Duration,
}

/// A worker process, and the time that each of its invocations has.
pub struct WorkerLife {
    pub begins_at: Duration,
    pub faults: ProcessFaults,
    pub shift: Duration,
}

/// What the workflows of a scenario have beside calls of other systems.
#[derive(Clone, Copy, Default)]
struct Drawn {
    agents: bool,
    mcp_tools: bool,
    each: bool,
    pages: bool,
}

/// Time for many more stops than an attempt may have crashes.
const STOPS_UNTIL: Duration = Duration::from_secs(240);
/// How long a worker process lives, if its stop is planned.
const STOPS_AFTER: Duration = Duration::from_secs(4);

/// After this time, every new worker and ticker is without faults of its own.
pub const CALM_AFTER: Duration = Duration::from_secs(10 * 60);

impl Scenario {
    pub fn from_seed(seed: u64) -> Self {
        Self::draw(seed, Drawn::default())
    }

    /// Many calls are calls of tools of MCP servers, by nodes and by agents, each with its policy for uncertain attempts.
    pub fn with_mcp_tools(seed: u64) -> Self {
        Self::with_long_shifts(Self::draw(seed, Drawn { agents: true, mcp_tools: true, ..Drawn::default() }))
    }

    /// Some steps of the workflows are agents. Each shift is long enough for the call of a model.
    pub fn with_agents(seed: u64) -> Self {
        Self::with_long_shifts(Self::draw(seed, Drawn { agents: true, ..Drawn::default() }))
    }

    /// Some calls and agents of the workflows are done for each element of a list, and some reviews are pages of forms.
    pub fn with_each(seed: u64) -> Self {
        Self::with_long_shifts(Self::draw(seed, Drawn { agents: true, each: true, pages: true, ..Drawn::default() }))
    }

    fn with_long_shifts(mut scenario: Self) -> Self {
        scenario.workers.iter_mut().for_each(|worker| worker.shift = worker.shift.max(SLOW * 2));
        scenario
    }

    /// Every run is carried out where it arrives, as far as that process can. Half of them wait for nobody and for no time.
    pub fn with_arrivals(seed: u64) -> Self {
        let mut scenario = Self::draw(seed, Drawn::default());
        let random = &mut Rng::with_seed(seed ^ 0x6172_7269_7665);
        for run in &mut scenario.runs {
            let shift = if random.bool() { random.u64(20..=50) } else { random.u64(120..=900) };
            let faults = process_faults(random, scenario.is_calm, &[run.starts_at; 4]);
            run.arrival = Some(ArrivalLife { faults, shift: Duration::from_secs(shift) });
            if random.bool() {
                run.plan = random_plan_without_waits(random, run.has_poison);
            }
        }
        scenario
    }

    /// The plan of a run, if it is one of the scenario.
    pub fn plan_of(&self, run: &Run) -> Option<&Arc<ExecutionPlan>> {
        let planned = self.runs.iter().find(|planned| planned.id == run.id).map(|planned| &planned.plan);
        // The number of a called workflow is the number of its release.
        planned.or(self.called.get(usize::try_from(run.release_number).unwrap_or(usize::MAX)))
    }

    fn draw(seed: u64, drawn: Drawn) -> Self {
        let mut random = Rng::with_seed(seed);
        let random = &mut random;
        let is_calm = random.u8(..6) == 0;
        let starts_at = Time::from_millis(1_772_352_000_000 + random.i64(0..86_400_000));
        let id = |number: u128| Uuid::from_u128((u128::from(seed) << 64) + number);
        let calls = &mut Rng::with_seed(seed ^ 0x6361_6c6c);
        let races = &mut Rng::with_seed(seed ^ 0x0068_7572_7279);
        let agents = &mut drawn.agents.then(|| Rng::with_seed(seed ^ 0x6167_656e));
        let tools = &mut drawn.mcp_tools.then(|| Rng::with_seed(seed ^ 0x746f_6f6c));
        let each = &mut drawn.each.then(|| Rng::with_seed(seed ^ 0x6561_6368));
        let pages = &mut drawn.pages.then(|| Rng::with_seed(seed ^ 0x7061_6765));
        let called = if calls.u8(..3) == 0 { called_workflows(calls, agents) } else { Vec::new() };
        let plan = |random: &mut Rng, has_poison| {
            let calls = Some((&mut *calls, called.len())).filter(|(_, called)| *called > 0);
            let has_two_reviews = races.u8(..12) == 0;
            let (agents, tools, each, pages) = (agents.as_mut(), tools.as_mut(), each.as_mut(), pages.as_mut());
            random_plan(random, PlanOptions { has_poison, has_two_reviews, calls, agents, tools, each, pages })
        };
        let runs = planned_runs(random, seed, starts_at, plan);
        let starts: Vec<Duration> = runs.iter().map(|run| run.starts_at).collect();
        let mut workers: Vec<WorkerLife> = (0..random.usize(1..=3)).map(|_| worker(random, is_calm, &starts)).collect();
        let shift = Duration::from_secs(random.u64(150..=900));
        workers.push(WorkerLife { begins_at: CALM_AFTER, faults: ProcessFaults::default(), shift });
        Self {
            starts_at,
            called,
            account: Account { org: OrgId::from(id(1)), user: UserId::from(id(2)) },
            runs,
            has_mcp_tools: drawn.mcp_tools,
            workers,
            approvers: vec![process_faults(random, is_calm, &starts), ProcessFaults::default()],
            tickers: vec![process_faults(random, is_calm, &starts), ProcessFaults::default()],
            is_calm,
            // Stops take time, and in a calm history a run that nobody needs ends at once.
            stops_until: if seed % 4 == 3 && !is_calm { STOPS_UNTIL } else { Duration::ZERO },
            longest: LONGEST,
            transaction_bytes: (seed % 7 == 3).then_some(200),
            faults: if is_calm { Faults::default() } else { Faults::random(random) },
        }
    }
}

impl Scenario {
    /// When a worker process that begins now stops, if its stop is planned.
    pub fn next_stop(&self, process: &Process) -> Option<Duration> {
        (process.world.began().elapsed() < self.stops_until).then_some(STOPS_AFTER)
    }

    /// The same runs, with one worker that is never killed and a storage that often does not answer.
    pub fn with_unreliable_storage(self) -> Self {
        let immortal = ProcessFaults::default;
        let shift = Duration::from_secs(900);
        let runs = self.runs.into_iter().filter(|run| !run.has_poison);
        let runs = runs.map(|run| PlannedRun { stops_at: None, arrival: None, ..run });
        Self {
            runs: runs.collect(),
            workers: vec![WorkerLife { begins_at: Duration::ZERO, faults: immortal(), shift }],
            approvers: vec![immortal()],
            tickers: vec![immortal()],
            faults: Faults { request_lost: 350, ..Faults::default() },
            is_calm: false,
            stops_until: Duration::ZERO,
            longest: LONGEST_WITH_UNRELIABLE_STORAGE,
            ..self
        }
    }
}

fn random_plan_without_waits(random: &mut Rng, has_poison: bool) -> Arc<ExecutionPlan> {
    loop {
        let options = PlanOptions { has_poison, ..PlanOptions::default() };
        let plan = random_plan(random, options);
        if plan.steps.iter().all(|step| !["delay", "review"].contains(&step.node_type.name)) {
            return plan;
        }
    }
}

fn called_workflows(random: &mut Rng, agents: &mut Option<Rng>) -> Vec<Arc<ExecutionPlan>> {
    let mut called = Vec::new();
    for number in 0..3 {
        let mut choices = Rng::with_seed(random.u64(..));
        let calls = Some((&mut choices, number)).filter(|(_, called)| *called > 0);
        let options = PlanOptions { calls, agents: agents.as_mut(), ..PlanOptions::default() };
        called.push(random_plan(random, options));
    }
    called
}

fn planned_runs(
    random: &mut Rng,
    seed: u64,
    now: Time,
    mut plan: impl FnMut(&mut Rng, bool) -> Arc<ExecutionPlan>,
) -> Vec<PlannedRun> {
    (0..random.u64(1..=3)).map(|number| planned_run(random, seed, number, now, &mut plan)).collect()
}

fn planned_run(
    random: &mut Rng,
    seed: u64,
    number: u64,
    now: Time,
    plan: &mut impl FnMut(&mut Rng, bool) -> Arc<ExecutionPlan>,
) -> PlannedRun {
    let has_poison = random.u8(..16) == 0;
    let bits = (u128::from(seed) << 8) + u128::from(number) + (u128::from(random.u8(..)) << 120 >> 72);
    let uuid = Uuid::from_u128(now.first_uuid().as_u128() | bits);
    let starts_at = millis(random, 0, 60_000);
    PlannedRun {
        id: RunId::from(uuid),
        plan: plan(random, has_poison),
        has_poison,
        starts_at,
        starts_again_at: (random.u8(..4) == 0).then(|| millis(random, 0, 120_000)),
        stops_at: (random.u8(..3) == 0).then(|| starts_at + random_stop(random)),
        cancels_at: (random.u8(..10) == 0).then(|| millis(random, 0, 62_000)),
        arrival: None,
    }
}

/// Most stops come while the run is busy.
fn random_stop(random: &mut Rng) -> Duration {
    if random.u8(..3) == 0 { millis(random, 0, 300_000) } else { millis(random, 0, 8_000) }
}

fn worker(random: &mut Rng, is_calm: bool, starts: &[Duration]) -> WorkerLife {
    // Most shifts are so short that runs are handed over.
    let shift = if random.bool() { random.u64(36..=50) } else { random.u64(120..=900) };
    WorkerLife {
        begins_at: Duration::ZERO,
        faults: process_faults(random, is_calm, starts),
        shift: Duration::from_secs(shift),
    }
}

/// `starts` are the times at which runs start.
fn process_faults(random: &mut Rng, is_calm: bool, starts: &[Duration]) -> ProcessFaults {
    let skew_ms = random.i64(-2_000..=2_000);
    if is_calm {
        return ProcessFaults { skew_ms, ..ProcessFaults::default() };
    }
    let killed_at = (random.u8(..3) != 0).then(|| millis(random, 1_000, 300_000));
    let suspended = match random.u8(..3) {
        // Many in the first moments of a run, and some until long after the end of their shift.
        0 => {
            let from = match starts.get(random.usize(..4)) {
                Some(start) => *start + millis(random, 0, 80),
                None => millis(random, 0, 65_000),
            };
            vec![(from, from + millis(random, 5_000, 1_500_000))]
        }
        _ => Vec::new(),
    };
    ProcessFaults { skew_ms, killed_at, suspended }
}
