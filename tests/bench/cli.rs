//! What the command takes.

use std::env;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, value_parser};

use crate::Result;
use crate::rounds::Plan;
use crate::subject::Name;

#[derive(Parser)]
#[command(
    name = "bench",
    about = "Measures Atelier's gateway, LiteLLM and Portkey beside each other, in front of the same mock provider",
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
    /// Be the provider
    #[command(hide = true)]
    Mock {
        #[arg(long)]
        port: u16,
    },
    /// Make the load that standard input tells
    #[command(hide = true)]
    Load,
}

#[derive(Args)]
pub struct Bench {
    /// How often everybody has a turn
    #[arg(long, default_value_t = 5, value_parser = value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How long a turn is
    #[arg(long, default_value_t = 5, value_parser = value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// How many connections call at once: a turn for each
    #[arg(long, value_delimiter = ',', default_value = "1,16", value_parser = connections)]
    connections: Vec<usize>,
    /// Whom to measure; the mock itself always is
    #[arg(long, value_enum, value_delimiter = ',', default_value = "atelier,litellm,portkey")]
    only: Vec<Name>,
    /// Measure streams too
    #[arg(long)]
    stream: bool,
    /// Fail unless Atelier is better than each of the others in every round
    #[arg(long)]
    pub check: bool,
    /// Where the others are installed, once [default: .cache/atelier-bench at home]
    #[arg(long)]
    cache: Option<PathBuf>,
}

impl Bench {
    /// The mock first: the others call it.
    pub fn names(&self) -> Vec<Name> {
        let names = [Name::Direct, Name::Atelier, Name::Litellm, Name::Portkey];
        names.into_iter().filter(|name| *name == Name::Direct || self.only.contains(name)).collect()
    }

    pub fn plan(&self) -> Plan {
        let Self { rounds, seconds, ref connections, stream, .. } = *self;
        Plan { rounds, seconds: seconds.into(), connections: connections.clone(), stream }
    }

    pub fn cache(&self) -> Result<PathBuf> {
        let home = || Some(env::home_dir()?.join(".cache/atelier-bench"));
        let cache = self.cache.clone().or_else(home).ok_or("there is no home: say --cache")?;
        Ok(std::path::absolute(cache)?)
    }
}

fn connections(said: &str) -> std::result::Result<usize, String> {
    match said.parse() {
        Ok(connections @ 1..=1_000) => Ok(connections),
        _ => Err("from 1 to 1000".to_owned()),
    }
}
