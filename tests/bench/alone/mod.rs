//! Atelier alone: a long loop, runs that are started one by one, and many followers of one run.

mod followers;
mod loops;
mod one_by_one;
mod run;
mod samples;

use samples::Samples;

use crate::atelier::Platform;
use crate::cli::{self, Alone};
use crate::subject::{ATELIER, Folders};
use crate::{Result, direct};
use tests::process::free_port;

const HEAD: &str = "| atelier alone | p50 ms | p99 ms | CPU ms | KB written | memory MB |\n|---|--:|--:|--:|--:|--:|";

pub async fn measure(alone: &Alone) -> Result<()> {
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(cli::cache(alone.cache.as_ref())?)?;
    let mock_port = free_port()?;
    let (_, _mock) = direct::start(folders.run(), mock_port).await?;
    println!("starting atelier …");
    let platform = Platform::start(&folders.create(ATELIER)?, false).await?;
    let mut scenarios = loops::publish(&platform, alone.items, mock_port).await?;
    scenarios.extend(one_by_one::publish(&platform, alone.one_by_one, mock_port).await?);
    scenarios.push(followers::publish(&platform, alone.followers, mock_port).await?);

    let mut lines: Vec<_> = scenarios.iter().map(|scenario| Samples::new(scenario.title())).collect();
    for round in 1..=alone.rounds {
        println!("\nround {round} of {}", alone.rounds);
        for (scenario, samples) in scenarios.iter().zip(&mut lines) {
            samples.measure(&platform, scenario).await?;
            println!("{samples}");
        }
    }
    println!(
        "\nAll rounds together: {}. CPU and KB written are per run, and memory is that of the last round.\n",
        alone.rounds
    );
    println!("{HEAD}");
    for samples in lines {
        println!("{samples}");
    }
    Ok(())
}

/// What is measured in each round.
pub enum Scenario {
    Loop(loops::LongLoop),
    OneByOne(one_by_one::OneByOne),
    Followers(followers::Followed),
}

impl Scenario {
    fn title(&self) -> String {
        match self {
            Self::Loop(scenario) => scenario.title(),
            Self::OneByOne(scenario) => scenario.title(),
            Self::Followers(scenario) => scenario.title(),
        }
    }

    /// Returns the number of runs and the sampled times in milliseconds.
    async fn execute(&self) -> Result<(usize, Vec<f64>)> {
        match self {
            Self::Loop(scenario) => scenario.execute().await,
            Self::OneByOne(scenario) => scenario.execute().await,
            Self::Followers(scenario) => scenario.execute().await,
        }
    }
}
