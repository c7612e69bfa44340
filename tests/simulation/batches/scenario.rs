//! A scenario, derived from a seed: the batches, what the provider does with their lines, when users cancel, and the faults.

use std::time::Duration;

use domain::batch::{BatchEndpoint, BatchOrder};
use domain::catalog::{Model, Pricing};
use domain::id::{ApiKeyId, BatchId, FileId, OrgId, UserId};
use domain::identity::Account;
use domain::lease::{CallLimits, Payer};
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::time::Time;
use domain::usage::Quantities;
use fastrand::Rng;
use serde_json::json;
use store::batches::object_name;
use uuid::Uuid;

use crate::leases::load::model;
use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::random::millis;

/// The price of one call.
const PRICE: Money = Money::from_micro_usd(100);

#[derive(Clone, Debug)]
pub struct Scenario {
    pub starts_at: Time,
    pub payer: Payer,
    pub model: Model,
    pub credits: Money,
    pub batches: Vec<PlannedBatch>,
    pub workers: Vec<ProcessFaults>,
    pub faults: Faults,
}

#[derive(Clone, Debug)]
pub struct PlannedBatch {
    pub id: BatchId,
    pub at: Duration,
    /// What the provider does with each line, attempt by attempt. The last reply is repeated.
    pub lines: Vec<Vec<(Duration, Reply)>>,
    pub cancelled_at: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reply {
    Answer,
    Refuse,
    /// There is room after this time.
    NoRoom(Duration),
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
        let batches = (0..random.usize(1..=3)).map(|number| planned_batch(random, number)).collect();
        Self {
            starts_at: Time::from_millis(1_772_616_600_000 + random.i64(..86_400_000)),
            payer,
            model: Model {
                pricing: Pricing { image_micro_usd: Some(PRICE.pico_usd() / 1_000_000), ..Pricing::default() },
                ..model("answers", 0, 0, 1)
            },
            credits: PRICE.times(1_000),
            batches,
            workers: (0..random.usize(1..=3)).map(|_| worker_faults(random)).collect(),
            faults: Faults::random(random),
        }
    }

    pub fn account(&self) -> Account {
        Account { org: self.payer.org, user: self.payer.user }
    }

    pub fn need(&self) -> CallLimits {
        let quantities = Quantities::of_images(1);
        CallLimits { money: self.model.pricing.quantity_cost(&quantities), tokens: 0, images: 1 }
    }

    pub fn order(&self, batch: &PlannedBatch, created_at: Time) -> BatchOrder {
        BatchOrder {
            id: batch.id,
            account: self.account(),
            key: ApiKeyId::from(Uuid::from_u128(1)),
            endpoint: BatchEndpoint::ChatCompletions,
            input_file: FileId::from(Uuid::from_u128(1)),
            input: object_name(self.account(), batch.id),
            metadata: Default::default(),
            tags: Vec::new(),
            output_kept_s: None,
            created_at,
        }
    }
}

impl PlannedBatch {
    /// The input file. The requests are named by their numbers.
    pub fn input(&self) -> String {
        let line = |number| {
            let name = usize::to_string(&number);
            json!({"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": {}}).to_string() + "\n"
        };
        (0..self.lines.len()).map(line).collect()
    }
}

fn planned_batch(random: &mut Rng, number: usize) -> PlannedBatch {
    let never_ends = random.u8(..5) == 0;
    let count = random.usize(3..=24);
    let mut lines: Vec<Vec<(Duration, Reply)>> = (0..count).map(|_| replies(random)).collect();
    if never_ends {
        // There is no room for this line within the window.
        let line = random.usize(..count);
        lines[line] = vec![(Duration::from_secs(1), Reply::NoRoom(Duration::from_secs(900)))];
    }
    PlannedBatch {
        id: BatchId::from(Uuid::from_u128(number as u128 + 1)),
        at: millis(random, 1_000, 60_000),
        lines,
        cancelled_at: (random.u8(..3) == 0).then(|| millis(random, 1_000, 900_000)),
    }
}

fn replies(random: &mut Rng) -> Vec<(Duration, Reply)> {
    let takes = |random: &mut Rng| match random.u8(..8) {
        0 => millis(random, 60_000, 300_000),
        1 => millis(random, 10_000, 60_000),
        _ => millis(random, 200, 5_000),
    };
    let mut replies = Vec::new();
    while random.u8(..8) == 0 {
        replies.push((takes(random), Reply::NoRoom(millis(random, 1_000, 60_000))));
    }
    replies.push((takes(random), if random.u8(..10) == 0 { Reply::Refuse } else { Reply::Answer }));
    replies
}

fn worker_faults(random: &mut Rng) -> ProcessFaults {
    let killed_at = (random.u8(..3) > 0).then(|| millis(random, 2_000, 600_000));
    let suspended = match random.u8(..2) {
        0 => {
            let from = millis(random, 2_000, 300_000);
            vec![(from, from + millis(random, 10_000, 3_600_000))]
        }
        _ => vec![],
    };
    ProcessFaults { skew_ms: random.i64(-2_000..=2_000), killed_at, suspended }
}
