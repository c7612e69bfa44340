//! The rounds: each measures all subjects in turn under the same load, so that noise of the machine affects them all.

use std::time::Duration;

use tokio::time::sleep;

use crate::load::{Load, Report};
use crate::results::Results;
use crate::subject::{Name, Subject};
use crate::{Result, table};

/// The pause after a load. A gateway's work after its last answer counts as its own, and must not overlap the next one.
const SETTLE: Duration = Duration::from_millis(500);

pub struct Plan {
    pub rounds: u32,
    pub seconds: f64,
    pub connections: Vec<usize>,
    /// The pause of a connection after each answer.
    pub pause_ms: u64,
    /// Whether streams are measured too.
    pub stream: bool,
}

/// The kind of load. Each round has the same kinds.
#[derive(Clone, Copy, PartialEq)]
pub struct Kind {
    pub connections: usize,
    pub stream: bool,
}

/// The measurement of one subject under one load in one round.
pub struct Measurement {
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
    let mut measurements = Vec::new();
    for round in 1..=plan.rounds {
        println!("\nround {round} of {}", plan.rounds);
        for kind in plan.kinds() {
            for subject in subjects {
                let measurement = Measurement::measure(subject, kind, plan).await?;
                println!("{}", table::line(&measurement));
                measurements.push(measurement);
            }
        }
    }
    Ok(Results { measurements })
}

impl Measurement {
    async fn measure(subject: &Subject, kind: Kind, plan: &Plan) -> Result<Self> {
        let Kind { connections, stream } = kind;
        let Plan { seconds, pause_ms, .. } = *plan;
        let load = Load { target: subject.target.clone(), connections, seconds, pause_ms, stream };
        let before = subject.process.cpu()?;
        let report = load.run().await?;
        sleep(SETTLE).await;
        let after = subject.process.cpu()?;
        let calls = (report.requests + report.errors).max(1) as f64;
        Ok(Self {
            name: subject.name,
            kind,
            cpu_ms_per_call: after.saturating_sub(before).as_secs_f64() * 1e3 / calls,
            report,
            rss_mb: subject.process.rss_mb()?,
        })
    }
}
