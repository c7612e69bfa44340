//! The rounds: everybody in turn under the same load, so that a busy moment of the machine meets them all.

use std::time::Duration;

use local::services::THREAD as SERVICES;
use tokio::time::sleep;

use crate::load::{Load, Report};
use crate::process::Process;
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
    /// The part of it that went into embedded services.
    pub services_ms_per_call: f64,
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
        let before = Cpu::of(&subject.process)?;
        let report = load.run().await?;
        sleep(SETTLE).await;
        let after = Cpu::of(&subject.process)?;
        let calls = (report.requests + report.errors).max(1) as f64;
        let per_call = |cpu: fn(&Cpu) -> Duration| cpu(&after).saturating_sub(cpu(&before)).as_secs_f64() * 1e3 / calls;
        Ok(Self {
            name: subject.name,
            kind,
            cpu_ms_per_call: per_call(|cpu| cpu.whole),
            services_ms_per_call: per_call(|cpu| cpu.services),
            report,
            rss_mb: subject.process.rss_mb()?,
        })
    }
}

struct Cpu {
    whole: Duration,
    services: Duration,
}

impl Cpu {
    fn of(process: &Process) -> Result<Self> {
        Ok(Self { whole: process.cpu()?, services: process.cpu_of_threads(SERVICES)? })
    }
}
