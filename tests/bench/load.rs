//! A load and its report. A separate process runs the load; it reads the settings from its standard input.

use std::env;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use tests::statistics;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use crate::Result;
use crate::call::Service;
use crate::connection::{Connection, PATIENCE, Pace, Tally};

/// The time limit of a load with a number of calls.
const LONGEST: Duration = Duration::from_secs(900);

/// Connections that each repeat the same call: the next one is sent a pause after the last one was answered.
#[derive(Serialize, Deserialize)]
pub struct Load {
    pub target: Target,
    pub connections: usize,
    pub length: Length,
    pub pause_ms: u64,
    pub stream: bool,
}

/// When a load ends.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum Length {
    Seconds(f64),
    Calls(usize),
}

/// The address and the credentials of a service.
#[derive(Clone, Serialize, Deserialize)]
pub struct Target {
    pub port: u16,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub service: Service,
}

#[derive(Serialize, Deserialize)]
pub struct Report {
    /// The number of calls answered as expected.
    pub requests: usize,
    pub errors: usize,
    pub first_error: Option<String>,
    pub requests_per_s: f64,
    /// The times of the calls answered as expected, if there are any.
    pub times: Option<Times>,
}

#[derive(Serialize, Deserialize)]
pub struct Times {
    pub p50_us: f64,
    pub p90_us: f64,
    pub p99_us: f64,
    /// The time to the first byte of the body.
    pub first_byte_p50_us: f64,
}

impl Load {
    /// Runs the load in another process.
    pub async fn run(&self) -> Result<Report> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("load").stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().ok_or("the load has no standard input")?;
        input.write_all(&serde_json::to_vec(self)?).await?;
        drop(input);
        // Calls in flight when the time is up may take until their timeout.
        let patience = self.length.longest() + 2 * PATIENCE;
        let output =
            timeout(patience, child.wait_with_output()).await.map_err(|_| "the load did not end in time")??;
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Runs the load in this process.
    pub async fn make(self) -> Result<Report> {
        let call = self.target.service.request(self.stream);
        let expected = Arc::new(self.target.service.expected(self.stream));
        let connections = (0..self.connections).map(|_| Connection::new(&self.target, call.clone(), expected.clone()));
        let connections: Vec<_> = connections.collect::<http::Result<_>>()?;
        let began = Instant::now();
        let pace = Pace::new(self.length, Duration::from_millis(self.pause_ms));
        let tallies = join_all(connections.into_iter().map(|connection| connection.ask(&pace))).await;
        Ok(Report::new(&tallies, began.elapsed()))
    }
}

impl Length {
    fn longest(self) -> Duration {
        match self {
            Self::Seconds(seconds) => Duration::from_secs_f64(seconds),
            Self::Calls(_) => LONGEST,
        }
    }
}

impl Report {
    fn new(tallies: &[Tally], took: Duration) -> Self {
        let errors = tallies.iter().map(|tally| tally.errors).sum();
        let first_error = tallies.iter().find_map(|tally| tally.first_error.clone());
        let answers = || tallies.iter().flat_map(|tally| &tally.answers);
        let mut totals: Vec<_> = answers().map(|answer| answer.total).collect();
        let mut first_bytes: Vec<_> = answers().map(|answer| answer.first_byte).collect();
        totals.sort_unstable();
        first_bytes.sort_unstable();
        let times = (!totals.is_empty()).then(|| Times {
            p50_us: percentile_us(&totals, 50),
            p90_us: percentile_us(&totals, 90),
            p99_us: percentile_us(&totals, 99),
            first_byte_p50_us: percentile_us(&first_bytes, 50),
        });
        let requests = totals.len();
        Self { requests, errors, first_error, requests_per_s: requests as f64 / took.as_secs_f64(), times }
    }
}

fn percentile_us(sorted: &[Duration], percent: usize) -> f64 {
    statistics::percentile(sorted, percent).unwrap_or_default().as_secs_f64() * 1e6
}
