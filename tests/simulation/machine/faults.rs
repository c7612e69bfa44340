//! The faults of processes, requests and messages.

use std::time::Duration;

use fastrand::Rng;

/// The faults of a process.
#[derive(Clone, Debug, Default)]
pub struct ProcessFaults {
    pub skew_ms: i64,
    pub killed_at: Option<Duration>,
    pub suspended: Vec<(Duration, Duration)>,
}

/// How many of a thousand requests or messages have each fault.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub throttled: u32,
    pub request_lost: u32,
    pub answer_lost: u32,
    pub delayed: u32,
    /// A message is delivered twice.
    pub duplicated: u32,
    /// A message is delivered late, after newer ones.
    pub reordered: u32,
}

impl Faults {
    pub fn random(random: &mut Rng) -> Self {
        let mut rate = |most: u32| if random.bool() { random.u32(..=most) } else { 0 };
        Self {
            throttled: rate(30),
            request_lost: rate(20),
            answer_lost: rate(60),
            delayed: rate(30),
            duplicated: rate(60),
            reordered: rate(100),
        }
    }
}
