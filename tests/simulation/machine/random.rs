//! Random events, durations and moments.

use std::time::Duration;

use fastrand::Rng;

/// Whether an event happens that has this many chances of a thousand.
pub fn happens(random: &mut Rng, of_a_thousand: u32) -> bool {
    of_a_thousand > 0 && random.u32(..1_000) < of_a_thousand
}

pub fn millis(random: &mut Rng, from: u64, to: u64) -> Duration {
    Duration::from_millis(random.u64(from..to))
}

pub fn moments(random: &mut Rng, count: usize, from_ms: u64, to_ms: u64) -> Vec<Duration> {
    let mut moments: Vec<Duration> = (0..count).map(|_| millis(random, from_ms, to_ms)).collect();
    moments.sort();
    moments
}
