//! A scenario, derived from a seed: the workbenches, what their users do, the troubles of the cluster, and the faults.

use std::time::Duration;

use domain::id::{OrgId, UserId, WorkbenchId};
use domain::money::Money;
use domain::time::Time;
use domain::workbench::{Minutes, Resources, WorkbenchImage, WorkbenchPlan};
use fastrand::Rng;
use store::workbenches::CapacityLimits;
use uuid::Uuid;

use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::random::{millis, moments};

#[derive(Clone, Debug)]
pub struct Scenario {
    pub starts_at: Time,
    pub org: OrgId,
    pub owner: UserId,
    pub plan: WorkbenchPlan,
    pub limits: CapacityLimits,
    pub workbenches: Vec<Planned>,
    /// While it is in trouble, the cluster starts no environment.
    pub troubles: Vec<(Duration, Duration)>,
    pub workers: Vec<ProcessFaults>,
    pub tickers: Vec<ProcessFaults>,
    pub faults: Faults,
}

/// A workbench that a user creates, and what the user does with it afterwards.
#[derive(Clone, Debug)]
pub struct Planned {
    pub id: WorkbenchId,
    pub name: String,
    pub resources: Resources,
    pub at: Duration,
    pub actions: Vec<(Duration, Action)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Stop,
    Start,
    Delete,
}

impl Scenario {
    pub fn from_seed(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let random = &mut random;
        let count = random.usize(3..=8);
        let mut workbenches: Vec<Planned> = (0..count).map(|number| plan_workbench(random, number)).collect();
        // Sometimes not all of them fit at once.
        let fit = if random.bool() { count as u64 } else { random.u64(1..=count as u64) };
        let cpu = 2_000 * fit;
        let all = Resources { cpu, memory: 1 << 40, gpumem: 1 << 20, storage: 1 << 40 };
        let killed_at = millis(random, 60_000, 900_000);
        let troubles = (0..random.usize(0..=2)).map(|_| {
            let from = millis(random, 0, 900_000);
            (from, from + millis(random, 10_000, 1_200_000))
        });
        let troubles = troubles.collect();
        let workers = (0..random.usize(1..=3)).map(|_| worker_faults(random, &mut workbenches)).collect();
        Self {
            starts_at: Time::from_millis(1_772_616_600_000 + random.i64(..86_400_000)),
            org: OrgId::from(Uuid::from_u128(1)),
            owner: UserId::from(Uuid::from_u128(2)),
            plan: WorkbenchPlan {
                ceiling: all,
                capacity: all,
                max_workbenches: 100,
                images: vec![WorkbenchImage {
                    name: "base".to_owned(),
                    reference: "base:1".to_owned(),
                    command: vec![],
                    python_packages: None,
                }],
                provisioning_timeout: Minutes(10),
                key_cap: Some(Money::from_usd(1)),
                ..WorkbenchPlan::default()
            },
            limits: CapacityLimits { org: all, max_workbenches: 100, platform: random.bool().then_some(all) },
            workbenches,
            troubles,
            workers,
            // One ticker is never killed.
            tickers: vec![
                ProcessFaults::default(),
                ProcessFaults { killed_at: Some(killed_at), ..ProcessFaults::default() },
            ],
            faults: Faults::random(random),
        }
    }
}

fn plan_workbench(random: &mut Rng, number: usize) -> Planned {
    let at = millis(random, 0, 600_000);
    let count = random.usize(0..=5);
    let times = moments(random, count, 1_000, 1_800_000);
    let mut actions: Vec<_> = times.into_iter().map(|after| (at + after, draw_action(random))).collect();
    // Users often start a workbench again while it stops.
    for (stopped_at, _) in actions.clone().into_iter().filter(|(_, action)| *action == Action::Stop) {
        if random.bool() {
            actions.push((stopped_at + millis(random, 1_000, 40_000), Action::Start));
        }
    }
    actions.sort_by_key(|(at, _)| *at);
    Planned {
        id: WorkbenchId::from(Uuid::from_u128(number as u128 + 1)),
        // Few names, so that some are taken.
        name: format!("lab-{}", random.u8(..4)),
        resources: Resources { cpu: random.u64(1..=4) * 500, memory: 1 << 30, gpumem: 0, storage: 1 << 30 },
        at,
        actions,
    }
}

fn draw_action(random: &mut Rng) -> Action {
    match random.u8(..5) {
        0 | 1 => Action::Stop,
        2 | 3 => Action::Start,
        _ => Action::Delete,
    }
}

fn worker_faults(random: &mut Rng, workbenches: &mut [Planned]) -> ProcessFaults {
    let killed_at = (random.u8(..3) > 0).then(|| millis(random, 2_000, 900_000));
    let mut suspended = Vec::new();
    for _ in 0..random.usize(0..=4) {
        let number = random.usize(..workbenches.len());
        let Planned { at, actions, .. } = &mut workbenches[number];
        // A worker is suspended soon after a user has acted, while it makes a step.
        let acts: Vec<Duration> = std::iter::once(*at).chain(actions.iter().map(|(at, _)| *at)).collect();
        let from = acts[random.usize(..acts.len())] + millis(random, 0, 5_000);
        // Often longer than a step and shorter than its permit.
        let pause = if random.bool() { millis(random, 50_000, 80_000) } else { millis(random, 30_000, 400_000) };
        suspended.push((from, from + pause));
        if random.bool() {
            // The user acts again just after the step was ended.
            actions.push((from + pause + millis(random, 0, 3_000), draw_action(random)));
            actions.sort_by_key(|(at, _)| *at);
        }
    }
    ProcessFaults { skew_ms: random.i64(-2_000..=2_000), killed_at, suspended }
}
