//! The rounds: everybody in turn under the same load, so that a busy moment of the machine meets them all.

use std::time::Duration;

use tokio::time::sleep;

use crate::load::{Load, Report};
use crate::results::Results;
use crate::subject::{Name, Subject};
use crate::{Result, table};

/// What a gateway does after its last answer, it does for the calls, and it must not do it beside the next one's.
const SETTLE: Duration = Duration::from_millis(500);

pub struct Plan {
    pub rounds: u32,
    pub seconds: f64,
    pub connections: Vec<usize>,
    /// Whether the same is done with streams too.
    pub stream: bool,
}

/// Which load it was; the same in every round.
#[derive(Clone, Copy, PartialEq)]
pub struct Kind {
    pub connections: usize,
    pub stream: bool,
}

/// What one subject did under one load in one round; they are in the order of rounds.
pub struct Leg {
    pub name: Name,
    pub kind: Kind,
    pub report: Report,
    pub cpu_ms_per_call: f64,
    pub rss_mb: f64,
}

impl Plan {
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let forms: &[bool] = if self.stream { &[false, true] } else { &[false] };
        forms.iter().flat_map(|&stream| self.connections.iter().map(move |&connections| Kind { connections, stream }))
    }
}

pub async fn run(plan: &Plan, subjects: &[Subject]) -> Result<Results> {
    let mut legs = Vec::new();
    for round in 1..=plan.rounds {
        println!("\nround {round} of {}", plan.rounds);
        for kind in plan.kinds() {
            for subject in subjects {
                let leg = Leg::measure(subject, kind, plan.seconds).await?;
                println!("{}", table::line(&leg));
                legs.push(leg);
            }
        }
    }
    Ok(Results { legs })
}

impl Leg {
    async fn measure(subject: &Subject, kind: Kind, seconds: f64) -> Result<Self> {
        let Kind { connections, stream } = kind;
        let load = Load { target: subject.target.clone(), connections, seconds, stream };
        let before = subject.process.cpu()?;
        let report = load.run().await?;
        sleep(SETTLE).await;
        let cpu = subject.process.cpu()?.saturating_sub(before);
        let cpu_ms_per_call = cpu.as_secs_f64() * 1e3 / (report.requests + report.errors).max(1) as f64;
        Ok(Self { name: subject.name, kind, report, cpu_ms_per_call, rss_mb: subject.process.rss_mb()? })
    }
}
