//! The comparison of engines: webhooks that are answered with the result of a workflow. Each flow has subjects of its own,
//! so that none begins with the data of another flow.

use crate::cli::Webhooks;
use crate::engines::{DBOS, DBOS_ENDS, Engine, RESTATE, RESTATE_ENDS};
use crate::flow::Flow;
use crate::results::Results;
use crate::rounds::{self, Kind, Measurement};
use crate::subject::{ATELIER, Folders, Subject};
use crate::table::{self, Number};
use crate::verdict::{self, CPU, P50, RATE, Verdict, WRITTEN};
use crate::{Result, direct};
use tests::process::free_port;

pub const RATIOS: [(&str, Number); 4] = [
    ("p50", Measurement::p50_ms),
    ("runs/s", Measurement::requests_per_s),
    ("CPU per run", Measurement::cpu_ms_per_call),
    ("KB written per run", Measurement::written_kb_per_call),
];

pub async fn compare(webhooks: &Webhooks) -> Result<()> {
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(webhooks.measure.cache()?)?;
    let mock_port = free_port()?;
    let (_, _mock) = direct::start(folders.run(), mock_port).await?;
    let mut is_met = true;
    let mut reports = Vec::new();
    for &flow in &webhooks.flow {
        println!("\n{}", flow.title());
        let subjects = start_all(&webhooks.engines(), &folders, flow, mock_port).await;
        is_met &= subjects.len() == webhooks.engines().len();
        let results = rounds::run(&webhooks.measure.plan(false), &subjects).await?;
        reports.push((flow, results));
    }
    let plan = webhooks.measure.plan(false);
    println!("\nMedians; {} s per measurement, rounds: {}.\n", plan.seconds, plan.rounds);
    for engine in webhooks.engines() {
        println!("{}", engine.describe());
    }
    for (flow, results) in &reports {
        is_met &= print(*flow, results, &plan.kinds().collect::<Vec<_>>());
    }
    if webhooks.measure.check && !is_met {
        return Err("Atelier's webhooks must be within their limits".into());
    }
    Ok(())
}

/// Starts the engines. One that cannot be installed or started is reported and left out.
async fn start_all(engines: &[Engine], folders: &Folders, flow: Flow, mock_port: u16) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for engine in engines {
        println!("starting {} …", engine.name());
        match engine.start(folders, flow, mock_port).await {
            Ok((subject, _)) => subjects.push(subject),
            Err(cause) => eprintln!("{} is not measured: {cause}", engine.name()),
        }
    }
    subjects
}

/// Prints the tables of a flow, and returns whether Atelier is within its limits.
fn print(flow: Flow, results: &Results, kinds: &[Kind]) -> bool {
    let names = results.names();
    println!("\n{}", table::medians(flow.title(), &table::RUNS, results, &names, kinds));
    println!("{}", table::ratios(&RATIOS, results, ATELIER, &names, kinds));
    for error in table::errors(results, &names, kinds) {
        println!("{error}");
    }
    verdict::print(&judge(flow, results))
}

/// The limits. One at connections that were not measured has no verdict.
fn judge(flow: Flow, results: &Results) -> Vec<Verdict> {
    let [one, some, many] = [1, 16, 64].map(|connections| Kind { connections, stream: false });
    let others = [RESTATE, DBOS];
    let verdicts = match flow {
        Flow::Pure => vec![
            results.is_at_most(one, &P50, 0.8),
            results.is_better(some, &RATE, 2.0, &[RESTATE_ENDS, DBOS_ENDS]),
            results.is_at_most(some, &CPU, 0.6),
            results.is_at_most(some, &WRITTEN, 20.0),
        ],
        Flow::Calls => vec![
            results.is_better(one, &P50, 1.0, &others),
            results.is_better(some, &RATE, 1.5, &others),
            results.is_better(many, &RATE, 1.5, &others),
            results.is_at_most(some, &CPU, 4.0),
            results.is_at_most(some, &WRITTEN, 100.0),
            results.is_no_slower(many, some),
        ],
    };
    verdicts.into_iter().flatten().collect()
}
