//! The comparison of MCP servers: calls of a tool, each in a request of its own.

use crate::cli::Tools;
use crate::results::Results;
use crate::rounds::{self, Kind, Measurement};
use crate::subject::{ATELIER, Folders};
use crate::table::{self, Number};
use crate::toolboxes::{DOOR, FASTMCP, LITELLM_DOOR, Toolbox};
use crate::verdict::{self, RATE};
use crate::{Result, direct};
use tests::process::free_port;

const RATIOS: [(&str, Number); 3] = [
    ("p50", Measurement::p50_ms),
    ("calls/s", Measurement::requests_per_s),
    ("CPU per call", Measurement::cpu_ms_per_call),
];

pub async fn compare(tools: &Tools) -> Result<()> {
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(tools.measure.cache()?)?;
    let mock_port = free_port()?;
    let toolboxes = tools.toolboxes();
    // The doors lead to the mock, which is a subject itself if it is measured.
    let _mock = match toolboxes.contains(&Toolbox::Direct) {
        true => None,
        false => Some(direct::start(folders.run(), mock_port).await?),
    };
    let mut subjects = Vec::new();
    for toolbox in &toolboxes {
        println!("starting {} …", toolbox.name());
        match toolbox.start(&folders, mock_port).await {
            Ok(subject) => subjects.push(subject),
            Err(cause) => eprintln!("{} is not measured: {cause}", toolbox.name()),
        }
    }
    let plan = tools.measure.plan(false);
    let results = rounds::run(&plan, &subjects).await?;
    println!("\nMedians; {} s per measurement, rounds: {}.\n", plan.seconds, plan.rounds);
    for toolbox in &toolboxes {
        println!("{}", toolbox.describe());
    }
    let is_met = print(&results, &plan.kinds().collect::<Vec<_>>()) && subjects.len() == toolboxes.len();
    if tools.measure.check && !is_met {
        return Err("Atelier must be faster than the others".into());
    }
    Ok(())
}

fn print(results: &Results, kinds: &[Kind]) -> bool {
    let names = results.names();
    println!("\n{}", table::medians("a call of a tool", &table::TOOLS, results, &names, kinds));
    for (own, other) in [(ATELIER, FASTMCP), (DOOR, LITELLM_DOOR)] {
        let pair: Vec<_> = names.iter().copied().filter(|name| [own, other].contains(name)).collect();
        println!("{}", table::ratios(&RATIOS, results, own, &pair, kinds));
    }
    for error in table::errors(results, &names, kinds) {
        println!("{error}");
    }
    let verdicts = kinds.iter().filter_map(|&kind| results.is_better(kind, &RATE, 1.0, &[FASTMCP]));
    verdict::print(&verdicts.collect::<Vec<_>>())
}
