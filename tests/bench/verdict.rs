//! The verdict. In every round, Atelier must be better than each other gateway in added latency, rate and CPU time. Its
//! streams must start at once and must not leak memory.

use std::cmp::Ordering;

use crate::results::Results;
use crate::rounds::{Kind, Measurement};
use crate::subject::Name;
use crate::table::table;

/// The most milliseconds that Atelier may add to the first byte, at one connection.
const FIRST_BYTE_MS: f64 = 1.0;
/// The limit of memory after all streams, as a multiple of the memory after the first measurement.
const GROWTH: f64 = 1.2;

const HEAD: [&str; 5] = ["Atelier better than", "connections", "added p50", "requests/s", "CPU per call"];

/// A number that is compared, and which of two values is better.
struct Measure {
    number: fn(&Measurement) -> Option<f64>,
    better: Ordering,
}

/// The total latency is compared in place of the added one: in a round, both gateways add to the same mock's latency.
const MEASURES: [Measure; 3] = [
    Measure { number: Measurement::p50_ms, better: Ordering::Less },
    Measure { number: Measurement::requests_per_s, better: Ordering::Greater },
    Measure { number: Measurement::cpu_ms_per_call, better: Ordering::Less },
];

/// The number of rounds in which Atelier was better, by measure.
pub fn win_table(results: &Results, others: &[Name], kinds: &[Kind]) -> String {
    table(&HEAD, others, kinds, |other, kind| {
        let rounds = results.select(Name::Atelier, kind).count();
        MEASURES.iter().map(|measure| format!("{} of {rounds} rounds", measure.won(results, other, kind))).collect()
    })
}

pub fn is_met(results: &Results, others: &[Name], kinds: &[Kind]) -> bool {
    kinds.iter().all(|&kind| {
        let rounds = results.select(Name::Atelier, kind).count();
        let won = |&other: &Name| MEASURES.iter().all(|measure| measure.won(results, other, kind) == rounds);
        rounds > 0 && others.iter().all(won)
    })
}

/// The sentences about Atelier's streams, each with whether its limit is met.
pub fn judge_streams(results: &Results, kinds: &[Kind]) -> Vec<(String, bool)> {
    let at_one = kinds.iter().find(|kind| kind.connections == 1);
    let first_byte =
        at_one.and_then(|&kind| results.added(Name::Atelier, kind, Measurement::first_byte_ms)).map(|added| {
            let sentence = format!("adds {added:.3} ms to a first byte at 1 connection, at most {FIRST_BYTE_MS} ms");
            (sentence, added <= FIRST_BYTE_MS)
        });
    let measurements: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|measurement| measurement.name == Name::Atelier && kinds.contains(&measurement.kind))
        .collect();
    let memory = measurements.first().zip(measurements.last()).map(|(first, last)| {
        let streams: usize = measurements.iter().map(|measurement| measurement.report.requests).sum();
        let (before, after) = (first.rss_mb, last.rss_mb);
        let sentence =
            format!("{before:.0} MB after its first streams, {after:.0} MB after {streams}, at most {GROWTH} times");
        (sentence, after <= before * GROWTH)
    });
    first_byte.into_iter().chain(memory).collect()
}

impl Measure {
    fn won(&self, results: &Results, other: Name, kind: Kind) -> usize {
        let pairs = results.select(Name::Atelier, kind).zip(results.select(other, kind));
        pairs.filter(|(own, others)| self.is_better(own, others)).count()
    }

    /// With a single error, Atelier is not better. Another gateway without any answer is always worse.
    fn is_better(&self, own: &Measurement, other: &Measurement) -> bool {
        let Some(own_number) = (self.number)(own).filter(|_| own.report.errors == 0) else { return false };
        (self.number)(other).is_none_or(|number| own_number.total_cmp(&number) == self.better)
    }
}
