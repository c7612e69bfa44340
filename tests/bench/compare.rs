//! The comparison: starts every subject, measures them in rounds, and prints the tables and the verdict.

use crate::cli::Bench;
use crate::process::free_port;
use crate::results::Results;
use crate::rounds::{self, Kind};
use crate::subject::{Folders, Name, Subject};
use crate::{Result, table, verdict};

pub async fn compare(bench: &Bench) -> Result<()> {
    let (wanted, plan) = (bench.names(), bench.plan());
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(bench.measure.cache()?)?;
    let (mock_port, mut subjects) = (free_port()?, Vec::new());
    for &name in &wanted {
        println!("starting {} …", name.display_name());
        match Subject::start(name, &folders, mock_port).await {
            Ok(subject) => subjects.push(subject),
            Err(cause) if name == Name::Direct => return Err(cause),
            Err(cause) => eprintln!("{} is not measured: {cause}", name.display_name()),
        }
    }
    let results = rounds::run(&plan, &subjects).await?;

    let (streams, whole): (Vec<_>, Vec<_>) = plan.kinds().partition(|kind| kind.stream);
    let names: Vec<_> = subjects.iter().map(|subject| subject.name).collect();
    println!("\nMedians; {} s per measurement, rounds: {}.\n", plan.seconds, plan.rounds);
    println!("{}", table::whole_table(&results, &names, &whole));
    if !streams.is_empty() {
        println!("{}", table::streams(&results, &names, &streams));
    }
    for error in table::errors(&results, &names, &[whole.clone(), streams.clone()].concat()) {
        println!("{error}");
    }
    let mut is_met = print_verdict(&results, &names, &whole) && subjects.len() == wanted.len();
    for (sentence, is_so) in verdict::judge_streams(&results, &streams) {
        println!("Streaming: {sentence}: {}.", yes_or_no(is_so));
        is_met &= is_so;
    }
    if bench.measure.check && !is_met {
        return Err(
            "Atelier must be better than each other gateway in every round, and its streams within their limits".into(),
        );
    }
    Ok(())
}

/// Prints the verdict, and returns whether Atelier is better than each other gateway.
fn print_verdict(results: &Results, names: &[Name], kinds: &[Kind]) -> bool {
    if !names.contains(&Name::Atelier) {
        println!("There is no verdict: Atelier was not measured.");
        return false;
    }
    let others: Vec<_> = names.iter().copied().filter(|name| ![Name::Direct, Name::Atelier].contains(name)).collect();
    println!("atelier: CPU and RSS include its database and the other services in its process.\n");
    println!("{}", verdict::win_table(results, &others, kinds));
    let is_met = verdict::is_met(results, &others, kinds);
    println!("Better than each of them in every round: {}.", yes_or_no(is_met));
    is_met
}

fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}
