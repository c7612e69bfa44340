//! The faults of a scenario: of processes, and operators who take credits back.

use std::time::Duration;

use domain::money::Money;
use fastrand::Rng;

use super::scenario::CreditChange;
use crate::machine::faults::ProcessFaults;
use crate::machine::random::millis;

pub fn random_process_faults(random: &mut Rng, is_calm: bool) -> ProcessFaults {
    let skew_ms = random.i64(-2_000..=2_000);
    if is_calm {
        return ProcessFaults { skew_ms, ..ProcessFaults::default() };
    }
    let suspended = match random.u8(..3) {
        0 => {
            let from = millis(random, 1_200, 8_000);
            // Some wake up before their leases expire, some at that time, some long after.
            let until = match random.u8(..3) {
                0 => from + millis(random, 2_000, 60_000),
                _ => millis(random, 345_000, 450_000),
            };
            vec![(from, until)]
        }
        _ => vec![],
    };
    let killed_at = match random.u8(..6) {
        0 | 1 => Some(millis(random, 1_200, 10_000)),
        2 => Some(millis(random, 330_000, 390_000)),
        _ => None,
    };
    ProcessFaults { skew_ms, killed_at, suspended }
}

/// Adjustments by operators. Some take nearly all credits, between calls and before late charges.
pub fn adjustments(random: &mut Rng) -> Vec<(Duration, CreditChange)> {
    let mut adjustments = Vec::new();
    let mut at = millis(random, 1_500, 3_000);
    let count = if random.u8(..4) == 0 { random.u8(1..=8) } else { 0 };
    for _ in 0..count {
        adjustments.push((at, CreditChange::Remove(random.u64(97..=100))));
        let amount = Money::from_pico_usd(random.u64(100_000_000..1_500_000_000));
        adjustments.push((at + millis(random, 100, 400), CreditChange::Add(amount)));
        at += millis(random, 400, 1_500);
    }
    if random.u8(..3) == 0 {
        adjustments.push((millis(random, 347_000, 352_000), CreditChange::Remove(random.u64(80..=100))));
    }
    adjustments
}
