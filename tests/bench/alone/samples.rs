//! The times of a scenario in all rounds, and what its runs used.

use std::fmt;
use std::time::Duration;

use tokio::time::sleep;

use super::Scenario;
use crate::Result;
use crate::atelier::Platform;
use tests::procfs::Usage;
use tests::statistics;

/// The platform's work after a run counts as its own.
const SETTLE: Duration = Duration::from_millis(500);
/// A percentile of fewer samples says nothing.
const FEWEST_FOR_P99: usize = 100;

pub struct Samples {
    title: String,
    times_ms: Vec<f64>,
    runs: usize,
    used: Usage,
    memory_mb: f64,
}

impl Samples {
    pub fn new(title: String) -> Self {
        Self { title, times_ms: Vec::new(), runs: 0, used: Usage::default(), memory_mb: 0.0 }
    }

    pub async fn measure(&mut self, platform: &Platform, scenario: &Scenario) -> Result<()> {
        let before = platform.process.usage()?;
        let (runs, times) = scenario.execute().await?;
        sleep(SETTLE).await;
        self.used += platform.process.usage()? - before;
        self.memory_mb = platform.process.memory_mb()?;
        self.runs += runs;
        self.times_ms.extend(times);
        self.times_ms.sort_by(f64::total_cmp);
        Ok(())
    }

    fn percentile(&self, percent: usize) -> f64 {
        statistics::percentile(&self.times_ms, percent).unwrap_or_default()
    }
}

/// A row of the table.
impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, times_ms, used, memory_mb, .. } = self;
        let p99 = match times_ms.len() {
            ..FEWEST_FOR_P99 => "–".to_owned(),
            _ => format!("{:.1}", self.percentile(99)),
        };
        let runs = self.runs.max(1) as f64;
        let (cpu_ms, kb) = (used.cpu.as_secs_f64() * 1e3 / runs, used.written as f64 / 1e3 / runs);
        write!(f, "| {title} | {:.1} | {p99} | {cpu_ms:.1} | {kb:.0} | {memory_mb:.0} |", self.percentile(50))
    }
}
