//! A scenario, derived from a seed: the requests, what their provider does, and the faults.

use std::time::Duration;

use domain::catalog::{Model, Pricing};
use domain::id::{ImageJobId, OrgId, UserId};
use domain::identity::Account;
use domain::lease::{CallLimits, Payer};
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::time::Time;
use domain::usage::Quantities;
use fastrand::Rng;
use uuid::Uuid;

use crate::leases::load::model;
use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::random::{millis, moments};

/// The price of one image.
const PRICE: Money = Money::from_micro_usd(40_000);

#[derive(Clone, Debug)]
pub struct Scenario {
    pub starts_at: Time,
    pub payer: Payer,
    pub model: Model,
    pub credits: Money,
    pub requests: Vec<Request>,
    pub workers: Vec<ProcessFaults>,
    pub tickers: Vec<ProcessFaults>,
    pub faults: Faults,
}

/// A request for images, and what its provider does in each attempt.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: ImageJobId,
    pub at: Duration,
    pub images: u64,
    pub attempts: Vec<Attempt>,
}

#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub takes: Duration,
    /// The number of images, or none if the provider fails.
    pub images: Option<u64>,
}

impl Scenario {
    pub fn from_seed(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let random = &mut random;
        let id = |kind: u128| Uuid::from_u128((kind << 64) + 1);
        let payer = Payer {
            org: OrgId::from(id(1)),
            user: UserId::from(id(2)),
            key: None,
            is_exempt: false,
            limits: PlanLimits::default(),
        };
        let count = random.usize(3..=8);
        let requests: Vec<Request> = (0..count).map(|number| request(random, number)).collect();
        let killed_at = millis(random, 60_000, 900_000);
        // One ticker is never killed.
        let tickers = vec![ticker_faults(random, None), ticker_faults(random, Some(killed_at))];
        let wanted: u64 = requests.iter().map(|request| request.images).sum();
        // Sometimes the credits cover only a part of the requests.
        let covered = if random.u8(..3) == 0 { random.u64(1..=wanted) } else { wanted };
        Self {
            starts_at: Time::from_millis(1_772_616_600_000 + random.i64(..86_400_000)),
            payer,
            model: Model {
                pricing: Pricing { image_micro_usd: Some(PRICE.pico_usd() / 1_000_000), ..Pricing::default() },
                ..model("pictures", 0, 0, 1)
            },
            credits: PRICE.times(covered),
            requests,
            workers: (0..random.usize(1..=3)).map(|_| worker_faults(random)).collect(),
            tickers,
            faults: Faults::random(random),
        }
    }

    pub fn account(&self) -> Account {
        Account { org: self.payer.org, user: self.payer.user }
    }

    pub fn need(&self, request: &Request) -> CallLimits {
        let quantities = Quantities::of_images(request.images);
        CallLimits { money: self.model.pricing.quantity_cost(&quantities), tokens: 0, images: request.images }
    }
}

fn request(random: &mut Rng, number: usize) -> Request {
    let (images, at) = (random.u64(1..=4), millis(random, 1_000, 120_000));
    let attempts = (0..4).map(|_| {
        let takes = match random.u8(..6) {
            // Longer than a worker has the job: another one begins meanwhile.
            0 => millis(random, 330_000, 700_000),
            1 => millis(random, 60_000, 300_000),
            _ => millis(random, 500, 40_000),
        };
        let generated = match random.u8(..6) {
            0 => None,
            1 => Some(random.u64(1..=images)),
            _ => Some(images),
        };
        Attempt { takes, images: generated }
    });
    Request { id: ImageJobId::from(Uuid::from_u128(number as u128 + 1)), at, images, attempts: attempts.collect() }
}

fn worker_faults(random: &mut Rng) -> ProcessFaults {
    let killed_at = (random.u8(..3) > 0).then(|| millis(random, 2_000, 400_000));
    let suspended = match random.u8(..3) {
        0 => {
            let from = millis(random, 2_000, 200_000);
            vec![(from, from + millis(random, 10_000, 1_200_000))]
        }
        _ => vec![],
    };
    ProcessFaults { skew_ms: random.i64(-2_000..=2_000), killed_at, suspended }
}

fn ticker_faults(random: &mut Rng, killed_at: Option<Duration>) -> ProcessFaults {
    let suspended = match random.u8(..3) {
        0 => {
            let moments = moments(random, 2, 60_000, 600_000);
            vec![(moments[0], moments[1])]
        }
        _ => vec![],
    };
    ProcessFaults { skew_ms: random.i64(-2_000..=2_000), killed_at, suspended }
}
