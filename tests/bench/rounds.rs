//! The rounds: each measures all subjects in turn under the same load, so that noise of the machine affects them all.

use std::fmt;
use std::time::Duration;

use tokio::time::sleep;

use crate::load::{Length, Load, Report};
use crate::results::Results;
use crate::subject::{Name, Subject};
use crate::{Result, table};
use tests::procfs::Usage;

/// The pause after a load. A subject's work after its last answer counts as its own, and must not overlap the next one.
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
    /// What the calls used together.
    pub used: Usage,
    pub memory_mb: f64,
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
                let Kind { connections, stream } = kind;
                let (length, pause_ms) = (Length::Seconds(plan.seconds), plan.pause_ms);
                let load = Load { target: subject.target.clone(), connections, length, pause_ms, stream };
                let measurement = Measurement::measure(subject, kind, load.run()).await?;
                println!("{}", table::line(&measurement));
                measurements.push(measurement);
            }
        }
    }
    Ok(Results { measurements })
}

impl Measurement {
    /// Measures what a subject uses during a load.
    pub async fn measure(subject: &Subject, kind: Kind, load: impl Future<Output = Result<Report>>) -> Result<Self> {
        let before = subject.usage()?;
        let report = load.await?;
        sleep(SETTLE).await;
        let used = subject.usage()? - before;
        Ok(Self { name: subject.name, kind, report, used, memory_mb: subject.memory_mb()? })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.stream { "streams, " } else { "" };
        let plural = if self.connections == 1 { "" } else { "s" };
        write!(f, "{what}{} connection{plural}", self.connections)
    }
}
