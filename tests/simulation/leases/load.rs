//! The load of a scenario: payers with limits, credits and caps, and the calls.

use std::time::Duration;

use domain::catalog::{Model, ModelType, OnDisconnect, Pricing, Unsupported};
use domain::guard::GuardApi;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::lease::{CallLimits, Payer};
use domain::limits::{Level, Limits, PlanLimits};
use domain::money::Money;
use fastrand::Rng;
use uuid::Uuid;

use super::scenario::{Call, CallOutcome, Cap};
use crate::machine::random::millis;

pub fn payers(random: &mut Rng, is_roomy: bool) -> Vec<Payer> {
    let id = |kind: u128, number: u8| Uuid::from_u128((kind << 64) + u128::from(number) + 1);
    let mut limits = |most_calls: u64| {
        let mut some = |least: u64, most: u64| {
            let least = if is_roomy { least * 60 } else { least };
            let most = if is_roomy { most * 100 } else { most };
            (random.u8(..3) == 0).then(|| random.u64(least..=most))
        };
        Limits {
            rpm: some(3, most_calls),
            rpd: some(5, 2 * most_calls),
            tpm: some(1_500, 400 * most_calls),
            tpd: some(2_500, 800 * most_calls),
            ipm: None,
        }
    };
    let limits = PlanLimits { org: limits(20), user: limits(15), key: limits(12) };
    let count = random.u8(1..=3);
    let payers = (0..count).map(|number| {
        // The first two payers belong to one organization. They may differ in the user, and in the key.
        let org = OrgId::from(id(1, number / 2));
        let user = UserId::from(id(2, if random.bool() { number } else { number / 2 * 2 }));
        let key = (random.u8(..5) > 0).then(|| ApiKeyId::from(id(3, number)));
        Payer { org, user, key, is_exempt: random.u8(..12) == 0, limits }
    });
    payers.collect()
}

pub fn model(name: &str, input_micro_usd: u64, output_micro_usd: u64, version: u64) -> Model {
    Model {
        name: name.to_owned(),
        display_name: name.to_owned(),
        r#type: ModelType::Others,
        provider: "simulated".to_owned(),
        capabilities: vec![],
        context_window: None,
        max_output_tokens: None,
        pricing: Pricing {
            input_micro_usd,
            output_micro_usd,
            cached_input_micro_usd: Some(input_micro_usd / 10),
            ..Pricing::default()
        },
        deprecated_at: None,
        retires_at: None,
        defaults: Default::default(),
        deployments: vec![],
        on_disconnect: OnDisconnect::Stop,
        unsupported: Unsupported::Drop,
        unsupported_parameters: Vec::new(),
        max_tokens_parameter: None,
        max_tokens_policy: Default::default(),
        prompt_cache: Default::default(),
        response_cache: None,
        routing: Default::default(),
        batch_price_percent: None,
        fallbacks: Vec::new(),
        asynchronous: false,
        guard_api: GuardApi::Moderation,
        version,
    }
}

pub fn calls(random: &mut Rng, models: &[Model], payers: usize, environments: usize, is_calm: bool) -> Vec<Call> {
    let count = random.usize(25..=60);
    // Calls start after the operator has given credits.
    let mut at = Duration::from_secs(1);
    let second_burst = count * 2 / 3;
    // In some histories, most calls use many more tokens than were reserved.
    let miscounted = if random.u8(..4) == 0 { 7 } else { 1 };
    let calls = (0..count).map(|number| {
        at = match number {
            _ if number == second_burst => millis(random, 340_000, 375_000),
            _ if random.u8(..8) == 0 => at + millis(random, 500, 6_000),
            _ => at + millis(random, 0, 250),
        };
        let model = usize::from(random.u8(..8) == 0);
        let (most_input, most_output) = (random.u64(10..=400), random.u64(20..=300));
        let (input, output) = match random.u8(..10) {
            0 => (most_input, most_output),
            of if of <= miscounted => (most_input + random.u64(0..=1_000), most_output + random.u64(0..=400)),
            _ => (random.u64(0..=most_input), random.u64(0..=most_output)),
        };
        Call {
            number,
            at,
            environment: random.usize(..environments),
            payer: random.usize(..payers),
            model,
            need: CallLimits {
                money: models[model].pricing.greatest_cost(most_input, most_output),
                tokens: most_input + most_output,
                images: 0,
            },
            input,
            cached: if random.bool() { random.u64(0..=input) } else { 0 },
            output,
            takes: millis(random, 20, 4_000),
            outcome: match random.u8(..16) {
                0 => CallOutcome::NeverReachesItsProvider,
                1 if !is_calm => CallOutcome::DroppedAfter(millis(random, 0, 3_000)),
                _ => CallOutcome::Served,
            },
        }
    });
    calls.collect()
}

/// The credits and caps, mostly below the cost of all calls.
pub fn money(
    random: &mut Rng,
    is_roomy: bool,
    payers: &[Payer],
    models: &[Model],
    calls: &[Call],
) -> (Vec<(OrgId, Money)>, Vec<Cap>) {
    let demand = |of: &dyn Fn(&Payer) -> bool| -> u64 {
        let calls = calls.iter().filter(|call| of(&payers[call.payer]));
        let costs = calls.map(|call| models[call.model].pricing.greatest_cost(call.input, call.output).pico_usd());
        costs.sum::<u64>().max(1_000_000)
    };
    let mut orgs: Vec<OrgId> = payers.iter().map(|payer| payer.org).collect();
    orgs.dedup();
    let credits = orgs.iter().map(|org| (*org, random_part(random, is_roomy, demand(&|payer| payer.org == *org))));
    let credits = credits.collect();
    let mut caps = Vec::new();
    for (index, payer) in payers.iter().enumerate() {
        let levels = [
            (Level::Org, payers[..index].iter().all(|other| other.org != payer.org)),
            (Level::User, payers[..index].iter().all(|other| other.user != payer.user)),
            (Level::Key, payer.key.is_some()),
        ];
        for (level, is_first) in levels {
            if is_first && random.u8(..5) == 0 {
                caps.push(Cap { payer: index, level, most: random_part(random, is_roomy, demand(&|_| true) / 2) });
            }
        }
    }
    (credits, caps)
}

fn random_part(random: &mut Rng, is_roomy: bool, demand: u64) -> Money {
    let percent = if is_roomy { random.u64(800..=6_000) } else { random.u64(15..=140) };
    Money::from_pico_usd(demand * percent / 100 + random.u64(..1_000_000))
}
