//! The comparison of gateways: starts every subject, measures them in rounds, and prints the tables and the verdict.

use std::process;

use crate::cli::Bench;
use crate::gateways::{LITELLM, PORTKEY, SMG};
use crate::results::Results;
use crate::rounds::{self, Kind, Measurement};
use crate::subject::{ATELIER, DIRECT, Folders, Subject};
use crate::table::{self, Number};
use crate::verdict::{self, CPU, FIRST_BYTE, MEMORY, P50, RATE, Verdict};
use crate::{Result, cores, direct};
use tests::process::free_port;
use tests::served::build;

/// The limit of memory after all streams, as a multiple of the memory after the first measurement.
const GROWTH: f64 = 1.2;
const RATIOS: [(&str, Number); 4] = [
    ("first byte p50", Measurement::first_byte_ms),
    ("p50", Measurement::p50_ms),
    ("requests/s", Measurement::requests_per_s),
    ("CPU per call", Measurement::cpu_ms_per_call),
];

pub async fn compare(bench: &Bench) -> Result<()> {
    let plan = bench.plan();
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(bench.measure.cache()?)?;
    let mock_port = free_port()?;
    let core = if bench.one_core { Some(cores::last()?) } else { None };
    if core.is_some() {
        // The build may use all cores. What is started after the move begins with the threads for one core.
        if bench.gateways().iter().any(|gateway| gateway.is_built()) {
            build(&["local"]).await?;
        }
        cores::pin(process::id(), cores::FIRST).await?;
    }
    let mock = Subject::new(DIRECT, direct::start(folders.run(), mock_port).await?);
    mock.warm_up().await?;
    let mut subjects = vec![mock];
    for gateway in bench.gateways() {
        println!("starting {} …", gateway.name());
        match gateway.start(&folders, mock_port, core).await {
            Ok(subject) => subjects.push(subject),
            Err(cause) => eprintln!("{} is not measured: {cause}", gateway.name()),
        }
    }
    let results = rounds::run(&plan, &subjects).await?;

    println!("\nMedians; {} s per measurement, rounds: {}.\n", plan.seconds, plan.rounds);
    let (streams, whole): (Vec<_>, Vec<_>) = plan.kinds().partition(|kind| kind.stream);
    print(&results, "subject", &table::WHOLE, &RATIOS[1..], &whole);
    if !streams.is_empty() {
        print(&results, "streaming", &table::STREAMS, &RATIOS, &streams);
    }
    for gateway in bench.gateways() {
        println!("{}", gateway.describe());
    }
    println!("\nAtelier's CPU and memory include its database and the other services in its process.\n");
    let is_met = verdict::print(&judge(&results, &whole, &streams));
    let is_complete = results.names().contains(&ATELIER) && subjects.len() > bench.gateways().len();
    if bench.measure.check && !(is_met && is_complete) {
        return Err("every gateway must be measured, and Atelier must be within its limits".into());
    }
    Ok(())
}

fn print(results: &Results, title: &str, columns: &[table::Column], ratios: &[(&str, Number)], kinds: &[Kind]) {
    let names = results.names();
    println!("{}", table::medians(title, columns, results, &names, kinds));
    println!("{}", table::ratios(ratios, results, ATELIER, &names[1..], kinds));
    for error in table::errors(results, &names, kinds) {
        println!("{error}");
    }
}

/// The limits. One at connections that were not measured has no verdict.
fn judge(results: &Results, whole: &[Kind], streams: &[Kind]) -> Vec<Verdict> {
    let [one, some] = [1, 16].map(|connections| Kind { connections, stream: false });
    let stream = Kind { connections: 1, stream: true };
    // The total latency is compared in place of the added one: in a round, both gateways add to the same mock's latency.
    let better = whole.iter().flat_map(|&kind| {
        [&P50, &RATE, &CPU].map(|measure| results.is_better(kind, measure, 1.0, &[PORTKEY, LITELLM]))
    });
    let limits = [
        results.adds_at_most(one, &P50, 0.25),
        results.is_at_most(one, &CPU, 0.25),
        results.is_at_most(some, &CPU, 0.12),
        results.is_better(some, &RATE, 1.0, &[SMG]),
        results.is_better(stream, &FIRST_BYTE, 1.0, &[SMG]),
        results.is_at_most(stream, &CPU, 0.4),
        results.is_at_most(some, &MEMORY, 70.0),
        judge_growth(results, streams),
    ];
    better.chain(limits).flatten().collect()
}

/// Streams must not leak memory.
fn judge_growth(results: &Results, streams: &[Kind]) -> Option<Verdict> {
    let measurements = results.measurements.iter();
    let measurements: Vec<&Measurement> =
        measurements.filter(|measurement| measurement.name == ATELIER && streams.contains(&measurement.kind)).collect();
    let (before, after) = (measurements.first()?.memory_mb, measurements.last()?.memory_mb);
    let count: usize = measurements.iter().map(|measurement| measurement.report.requests).sum();
    let sentence =
        format!("{before:.0} MB after the first streams, {after:.0} MB after {count}, at most {GROWTH} times");
    Some(Verdict { sentence, is_met: after <= before * GROWTH })
}
