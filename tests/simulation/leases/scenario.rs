//! A scenario, derived from a seed: the calls, the payers, their money and limits, and the faults.

use std::time::Duration;

use domain::catalog::Model;
use domain::id::OrgId;
use domain::lease::{CallLimits, Payer};
use domain::limits::Level;
use domain::money::Money;
use domain::time::Time;
use fastrand::Rng;

use super::faults::{adjustments, random_process_faults};
use super::load::{calls, model, money, payers};
use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::random::{millis, moments};

#[derive(Clone, Debug)]
pub struct Scenario {
    /// There are no faults, only conflicts between concurrent writes.
    pub is_calm: bool,
    pub starts_at: Time,
    pub payers: Vec<Payer>,
    pub models: Vec<Model>,
    /// The initial credits of each organization.
    pub credits: Vec<(OrgId, Money)>,
    pub caps: Vec<Cap>,
    pub environments: Vec<ProcessFaults>,
    pub tickers: Vec<(ProcessFaults, Vec<Duration>)>,
    pub calls: Vec<Call>,
    /// When the first organization's balance is read.
    pub balance_reads: Vec<Duration>,
    /// When an operator gives credits to the first organization or takes some back.
    pub adjustments: Vec<(Duration, CreditChange)>,
    pub faults: Faults,
    /// How long the network holds back a transaction that closes a lease.
    pub close_delay: Duration,
}

/// A monthly spending cap on the payer's meter of this level.
#[derive(Clone, Debug)]
pub struct Cap {
    pub payer: usize,
    pub level: Level,
    pub most: Money,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub number: usize,
    pub at: Duration,
    pub environment: usize,
    pub payer: usize,
    pub model: usize,
    /// The money and tokens that are reserved.
    pub need: CallLimits,
    /// The tokens that the provider counts.
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    pub takes: Duration,
    pub outcome: CallOutcome,
}

#[derive(Clone, Copy, Debug)]
pub enum CreditChange {
    Add(Money),
    /// A percentage of the balance, which excludes the money in leases.
    Remove(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallOutcome {
    Served,
    NeverReachesItsProvider,
    DroppedAfter(Duration),
}

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

impl Scenario {
    pub fn from_seed(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let random = &mut random;
        let is_roomy = random.u8(..3) == 0;
        let is_calm = random.u8(..6) == 0;
        let is_late = !is_calm && random.u8(..4) == 0;
        let payers = payers(random, is_roomy);
        let models = vec![model("m-small", 150_000, 600_000, 1), model("m-large", 2_500_001, 10_000_003, 2)];
        let mut environments: Vec<ProcessFaults> =
            (0..random.usize(1..=3)).map(|_| random_process_faults(random, is_calm)).collect();
        let mut tickers: Vec<_> =
            (0..2).map(|_| (random_process_faults(random, is_calm), moments(random, 4, 338_000, 420_000))).collect();
        if is_late {
            // The first environment is suspended with calls in flight, and its leases are swept before it wakes up.
            let suspended = vec![(millis(random, 2_000, 7_000), millis(random, 354_000, 420_000))];
            environments[0] = ProcessFaults { skew_ms: 0, killed_at: None, suspended };
            tickers[0] = (ProcessFaults::default(), moments(random, 2, 347_000, 353_000));
        }
        let mut calls = calls(random, &models, payers.len(), environments.len(), is_calm);
        if is_roomy && seed.is_multiple_of(2) {
            calls.iter_mut().for_each(end_together);
        }
        let (credits, caps) = money(random, is_roomy, &payers, &models, &calls);
        Self {
            is_calm,
            starts_at: start(random),
            payers,
            models,
            credits,
            caps,
            environments,
            tickers,
            calls,
            balance_reads: moments(random, 3, 1_000, 20_000)
                .into_iter()
                .chain(moments(random, 1, 340_000, 400_000))
                .collect(),
            adjustments: adjustments(random),
            faults: if is_calm { Faults::default() } else { Faults::random(random) },
            // Long enough that the suspended environment may wake up, and append to the log that a sweep has read.
            close_delay: if is_late && seed.is_multiple_of(2) {
                Duration::from_secs(seed % 60)
            } else {
                Duration::ZERO
            },
        }
    }
}

/// Makes calls of one payer begin and end at the same moments, so that their charges wait for each other.
fn end_together(call: &mut Call) {
    const BEAT_MS: u64 = 500;
    let beats = |time: Duration| u64::try_from(time.as_millis()).unwrap() / BEAT_MS + 1;
    (call.payer, call.environment) = (0, 0);
    call.at = Duration::from_millis(beats(call.at) * BEAT_MS);
    call.takes = Duration::from_millis(beats(call.takes).min(2) * BEAT_MS);
}

/// A start shortly before a boundary: always of a minute, often of a day, sometimes of a month.
fn start(random: &mut Rng) -> Time {
    let first_of_march = 20_513 * DAY_MS;
    let boundary = match random.u8(..8) {
        0 => first_of_march,
        1 | 2 => first_of_march + 5 * DAY_MS,
        _ => first_of_march + 5 * DAY_MS + random.i64(60..1_000) * MINUTE_MS,
    };
    // In some histories, the second burst of calls is near the boundary instead of the first one.
    let before_ms = if random.u8(..4) == 0 { 360_000 } else { random.i64(0..20_000) };
    Time::from_millis(boundary - before_ms)
}
