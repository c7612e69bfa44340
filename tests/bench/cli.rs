//! The command-line options.

use std::env;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, value_parser};

use crate::Result;
use crate::rounds::Plan;
use crate::subject::Name;

#[derive(Parser)]
#[command(
    name = "bench",
    about = "Compares Atelier's gateway, LiteLLM and Portkey in front of the same mock provider",
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub bench: Bench,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run the mock provider
    #[command(hide = true)]
    Mock {
        #[arg(long)]
        port: u16,
    },
    /// Run the load that standard input describes
    #[command(hide = true)]
    Load,
    /// Compare the webhook of a workflow with one of Node-RED: five steps without effects
    Webhooks(Measure),
    /// Run webhooks at a steady load, and fail if they become slower
    Sustained(Sustain),
}

/// How long the steady load lasts, and how much slower its end may be.
#[derive(Args)]
pub struct Sustain {
    /// How many minutes the load lasts
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_440))]
    pub minutes: u32,
    /// How many seconds a window takes
    #[arg(long, default_value_t = 15, value_parser = value_parser!(u32).range(1..=600))]
    pub window: u32,
    /// The concurrent connections of each workflow
    #[arg(long, default_value_t = 8, value_parser = connections)]
    pub connections: usize,
    /// How many percent slower the last quarter of the windows may be than the first quarter
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..=99))]
    pub max_loss: u32,
    /// The folder of the run [default: ~/.cache/atelier-bench]
    #[arg(long)]
    pub cache: Option<PathBuf>,
}

/// How the subjects of a comparison are measured.
#[derive(Args)]
pub struct Measure {
    /// How many times each subject is measured
    #[arg(long, default_value_t = 5, value_parser = value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How many seconds one measurement takes
    #[arg(long, default_value_t = 5, value_parser = value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// The numbers of concurrent connections: one measurement for each
    #[arg(long, value_delimiter = ',', default_value = "1,16", value_parser = connections)]
    connections: Vec<usize>,
    /// How many milliseconds a connection waits after each answer, so that work in the background can end
    #[arg(long, default_value_t = 0, value_parser = value_parser!(u64).range(0..=10_000))]
    pause_ms: u64,
    /// Fail unless Atelier meets its limits, and is better than each other gateway in every round
    #[arg(long)]
    pub check: bool,
    /// The folder in which the others are installed once [default: ~/.cache/atelier-bench]
    #[arg(long)]
    cache: Option<PathBuf>,
}

#[derive(Args)]
pub struct Bench {
    #[command(flatten)]
    pub measure: Measure,
    /// The gateways to measure; the mock itself is always measured
    #[arg(long, value_enum, value_delimiter = ',', default_value = "atelier,litellm,portkey")]
    only: Vec<Name>,
    /// Measure streams too
    #[arg(long)]
    stream: bool,
}

impl Bench {
    /// The subjects to start, the mock first: the others call it.
    pub fn names(&self) -> Vec<Name> {
        let names = [Name::Direct, Name::Atelier, Name::Guarded, Name::Litellm, Name::Portkey];
        names.into_iter().filter(|name| *name == Name::Direct || self.only.contains(name)).collect()
    }

    pub fn plan(&self) -> Plan {
        self.measure.plan(self.stream)
    }
}

impl Measure {
    pub fn plan(&self, stream: bool) -> Plan {
        let Self { rounds, seconds, ref connections, pause_ms, .. } = *self;
        Plan { rounds, seconds: seconds.into(), connections: connections.clone(), pause_ms, stream }
    }

    pub fn cache(&self) -> Result<PathBuf> {
        cache(self.cache.as_ref())
    }
}

/// The cache folder: the given one, or that of the user.
pub fn cache(given: Option<&PathBuf>) -> Result<PathBuf> {
    let home = || Some(env::home_dir()?.join(".cache/atelier-bench"));
    let cache = given.cloned().or_else(home).ok_or("there is no home folder: set --cache")?;
    Ok(std::path::absolute(cache)?)
}

fn connections(said: &str) -> std::result::Result<usize, String> {
    match said.parse() {
        Ok(connections @ 1..=1_000) => Ok(connections),
        _ => Err("must be from 1 to 1000".to_owned()),
    }
}
