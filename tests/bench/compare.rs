//! The comparison: everybody started, measured in rounds, and told apart.

use crate::cli::Bench;
use crate::process::free_port;
use crate::rounds;
use crate::subject::{Folders, Name, Subject};
use crate::{Result, table};

pub async fn compare(bench: &Bench) -> Result<()> {
    let (wanted, plan) = (bench.names(), bench.plan());
    // Dropped after the processes that write there.
    let folders = Folders::new(bench.cache()?)?;
    let (mock_port, mut subjects) = (free_port()?, Vec::new());
    for &name in &wanted {
        println!("starting {} …", name.shown());
        match Subject::start(name, &folders, mock_port).await {
            Ok(subject) => subjects.push(subject),
            Err(cause) if name == Name::Direct => return Err(cause),
            Err(cause) => eprintln!("{} is not measured: {cause}", name.shown()),
        }
    }
    let results = rounds::run(&plan, &subjects).await?;

    let (streams, whole): (Vec<_>, Vec<_>) = plan.kinds().partition(|kind| kind.stream);
    let names: Vec<_> = subjects.iter().map(|subject| subject.name).collect();
    println!("\nMedians; {} s a turn, rounds: {}.\n", plan.seconds, plan.rounds);
    println!("{}", table::whole(&results, &names, &whole));
    if !streams.is_empty() {
        println!("{}", table::streams(&results, &names, &streams));
    }
    for error in table::errors(&results, &names, &[whole.clone(), streams].concat()) {
        println!("{error}");
    }
    Ok(())
}
