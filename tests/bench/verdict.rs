//! The bar: in every round, Atelier is better than each of the others in added latency, rate and processor time.

use std::cmp::Ordering;

use crate::results::Results;
use crate::rounds::{Kind, Leg};
use crate::subject::Name;
use crate::table::table;

const HEAD: [&str; 5] = ["Atelier better than", "connections", "added p50", "requests/s", "CPU per call"];

/// One of the numbers that count, and which of two is the better one.
struct Measure {
    number: fn(&Leg) -> Option<f64>,
    better: Ordering,
}

/// In the same round both add to the same latency of the mock: who adds less has the lower one.
const MEASURES: [Measure; 3] = [
    Measure { number: Leg::p50_ms, better: Ordering::Less },
    Measure { number: Leg::requests_per_s, better: Ordering::Greater },
    Measure { number: Leg::cpu_ms_per_call, better: Ordering::Less },
];

/// In how many rounds Atelier was better, by measure.
pub fn shown(results: &Results, others: &[Name], kinds: &[Kind]) -> String {
    table(&HEAD, others, kinds, |other, kind| {
        let rounds = results.of(Name::Atelier, kind).count();
        MEASURES.iter().map(|measure| format!("{} of {rounds} rounds", measure.won(results, other, kind))).collect()
    })
}

pub fn is_met(results: &Results, others: &[Name], kinds: &[Kind]) -> bool {
    kinds.iter().all(|&kind| {
        let rounds = results.of(Name::Atelier, kind).count();
        let won = |&other: &Name| MEASURES.iter().all(|measure| measure.won(results, other, kind) == rounds);
        rounds > 0 && others.iter().all(won)
    })
}

impl Measure {
    fn won(&self, results: &Results, other: Name, kind: Kind) -> usize {
        let pairs = results.of(Name::Atelier, kind).zip(results.of(other, kind));
        pairs.filter(|(own, others)| self.is_better(own, others)).count()
    }

    /// Who refuses a single call is better at nothing; who answers none is worse at everything.
    fn is_better(&self, own: &Leg, other: &Leg) -> bool {
        let Some(own_number) = (self.number)(own).filter(|_| own.report.errors == 0) else { return false };
        (self.number)(other).is_none_or(|number| own_number.total_cmp(&number) == self.better)
    }
}
