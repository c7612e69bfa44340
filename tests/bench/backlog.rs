//! The comparison of runs that are started and not waited for: how long it takes until all have ended.

use std::time::{Duration, Instant};

use reqwest::Client;
use tokio::time::sleep;

use crate::cli::{self, Backlog};
use crate::engines::{RESTATE, Starts};
use crate::flow::{CALLS, Flow};
use crate::load::{Length, Load, Report};
use crate::results::Results;
use crate::rounds::{Kind, Measurement};
use crate::subject::{ATELIER, Folders};
use crate::table;
use crate::verdict::{self, RATE};
use crate::webhooks::RATIOS;
use crate::{Result, direct, mock};
use tests::process::{client, free_port};

/// The wait between two looks at what has ended.
const BETWEEN_READS: Duration = Duration::from_millis(20);
/// The time limit of one measurement.
const PATIENCE: Duration = Duration::from_secs(900);

pub async fn compare(backlog: &Backlog) -> Result<()> {
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(cli::cache(backlog.cache.as_ref())?)?;
    let mock_port = free_port()?;
    let (_, _mock) = direct::start(folders.run(), mock_port).await?;
    let mut subjects = Vec::new();
    for engine in backlog.engines() {
        println!("starting {} …", engine.name());
        match engine.start(&folders, Flow::Calls, mock_port).await {
            Ok((subject, Some(starts))) => subjects.push((subject, starts)),
            Ok((_, None)) => eprintln!("{} is not measured: its runs are always waited for", engine.name()),
            Err(cause) => eprintln!("{} is not measured: {cause}", engine.name()),
        }
    }
    let kind = Kind { connections: backlog.connections, stream: false };
    let mut measurements = Vec::new();
    for round in 1..=backlog.rounds {
        println!("\nround {round} of {}", backlog.rounds);
        for (subject, starts) in &subjects {
            let runs = backlog.runs as usize;
            let measurement =
                Measurement::measure(subject, kind, end_all(starts, kind.connections, runs, mock_port)).await?;
            println!("{}", table::line(&measurement));
            measurements.push(measurement);
        }
    }
    let is_met = print(&Results { measurements }, backlog, kind) && subjects.len() == backlog.engines().len();
    if backlog.check && !is_met { Err("Atelier must be at least as fast as Restate".into()) } else { Ok(()) }
}

/// Starts runs, and waits until all have ended. The rate of the report is that of ended runs.
async fn end_all(starts: &Starts, connections: usize, runs: usize, mock_port: u16) -> Result<Report> {
    let (client, steps_url) = (client()?, mock::step_url(mock_port));
    let (ended_before, steps_before) = (starts.ended.read().await?, count_steps(&client, &steps_url).await?);
    let (target, length) = (starts.target.clone(), Length::Calls(runs));
    let began = Instant::now();
    let report = Load { target, connections, length, pause_ms: 0, stream: false }.run().await?;
    if let Some(error) = &report.first_error {
        return Err(format!("{} runs were not started; the first: {error}", report.errors).into());
    }
    // The calls are counted first, because that costs the engine nothing.
    while count_steps(&client, &steps_url).await? < steps_before + runs * CALLS {
        wait(began).await?;
    }
    while starts.ended.read().await? < ended_before + runs {
        wait(began).await?;
    }
    Ok(Report { requests_per_s: runs as f64 / began.elapsed().as_secs_f64(), ..report })
}

async fn wait(began: Instant) -> Result<()> {
    if began.elapsed() > PATIENCE {
        return Err(format!("the runs have not ended after {PATIENCE:?}").into());
    }
    sleep(BETWEEN_READS).await;
    Ok(())
}

/// The number of calls that workflows have made so far.
async fn count_steps(client: &Client, url: &str) -> Result<usize> {
    Ok(client.get(url).send().await?.text().await?.parse()?)
}

fn print(results: &Results, backlog: &Backlog, kind: Kind) -> bool {
    let names = results.names();
    println!("\n{} runs of five HTTP calls; medians of {} rounds.\n", backlog.runs, backlog.rounds);
    for engine in backlog.engines() {
        println!("{}", engine.describe());
    }
    println!();
    println!("{}", table::medians("started runs", &table::STARTED_RUNS, results, &names, &[kind]));
    println!("{}", table::ratios(&RATIOS[1..], results, ATELIER, &names, &[kind]));
    verdict::print(&results.is_better(kind, &RATE, 1.0, &[RESTATE]).into_iter().collect::<Vec<_>>())
}
