//! The command-line options.

use std::env;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::Result;
use crate::engines::Engine;
use crate::flow::Flow;
use crate::gateways::Gateway;
use crate::rounds::Plan;
use crate::toolboxes::Toolbox;

const LONG_ABOUT: &str = "Compares Atelier's gateway with others in front of the same mock provider. The commands compare \
its workflows with other engines and its MCP servers with others, and measure it alone. The first run installs the others into the cache folder, \
in pinned versions. It reports those that it cannot install, and leaves them out.";

#[derive(Parser)]
#[command(
    name = "bench",
    about = "Compares Atelier's gateway with other gateways, and its workflows with other engines",
    long_about = LONG_ABOUT,
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
    /// Run the mock provider, which also answers the calls of workflows
    #[command(hide = true)]
    Mock {
        #[arg(long)]
        port: u16,
    },
    /// Run the load that standard input describes
    #[command(hide = true)]
    Load,
    /// Compare webhooks that are answered with the result of a workflow: Atelier, Restate, DBOS and Node-RED
    Webhooks(Webhooks),
    /// Compare how fast runs of five calls end that were started and not waited for: Atelier, Restate and DBOS
    Backlog(Backlog),
    /// Measure Atelier alone: a loop of 1,000 items, runs one by one, and many followers of a run
    Alone(Alone),
    /// Compare calls of tools by the Model Context Protocol: Atelier, the SDK for Python, and `LiteLLM`
    Tools(Tools),
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
    /// Fail unless Atelier is within its limits, some of which are ratios to others in every round
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
    #[arg(long, value_enum, value_delimiter = ',', default_value = "atelier,smg,vllm-router,envoy,portkey,litellm")]
    only: Vec<Gateway>,
    /// Measure streams too
    #[arg(long)]
    stream: bool,
    /// Run each gateway on the last core, and the mock and the load on the first one
    #[arg(long)]
    pub one_core: bool,
}

#[derive(Args)]
pub struct Webhooks {
    #[command(flatten)]
    pub measure: Measure,
    /// The engines to measure
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "atelier,atelier-full,restate,restate-ends,dbos,dbos-ends,node-red"
    )]
    only: Vec<Engine>,
    /// The workflows to measure, each with engines that are started anew
    #[arg(long, value_enum, value_delimiter = ',', default_value = "pure,calls")]
    pub flow: Vec<Flow>,
}

#[derive(Args)]
pub struct Tools {
    #[command(flatten)]
    pub measure: Measure,
    /// The servers to measure
    #[arg(long, value_enum, value_delimiter = ',', default_value = "direct,atelier,fastmcp,atelier-door,litellm-door")]
    only: Vec<Toolbox>,
}

#[derive(Args)]
pub struct Backlog {
    /// How many runs are started in each round
    #[arg(long, default_value_t = 2_000, value_parser = value_parser!(u32).range(1..=100_000))]
    pub runs: u32,
    /// How many times each engine is measured
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// The concurrent connections that start runs
    #[arg(long, default_value_t = 16, value_parser = connections)]
    pub connections: usize,
    /// The engines to measure; Node-RED cannot start runs without waiting for them
    #[arg(long, value_enum, value_delimiter = ',', default_value = "atelier,atelier-full,restate,dbos")]
    only: Vec<Engine>,
    /// Fail unless Atelier is at least as fast as Restate in every round
    #[arg(long)]
    pub check: bool,
    /// The folder in which the others are installed once [default: ~/.cache/atelier-bench]
    #[arg(long)]
    pub cache: Option<PathBuf>,
}

#[derive(Args)]
pub struct Alone {
    /// How many times each line is measured
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// The items of the loop
    #[arg(long, default_value_t = 1_000, value_parser = value_parser!(u32).range(1..=10_000))]
    pub items: u32,
    /// How many runs are started one by one
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..=10_000))]
    pub one_by_one: u32,
    /// How many clients follow one run
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..=10_000))]
    pub followers: u32,
    /// The cache folder [default: ~/.cache/atelier-bench]
    #[arg(long)]
    pub cache: Option<PathBuf>,
}

impl Bench {
    /// The gateways, in the order of the tables.
    pub fn gateways(&self) -> Vec<Gateway> {
        select(&self.only)
    }

    pub fn plan(&self) -> Plan {
        self.measure.plan(self.stream)
    }
}

impl Webhooks {
    /// The engines, in the order of the tables.
    pub fn engines(&self) -> Vec<Engine> {
        select(&self.only)
    }
}

impl Tools {
    /// The servers, in the order of the tables.
    pub fn toolboxes(&self) -> Vec<Toolbox> {
        select(&self.only)
    }
}

impl Backlog {
    pub fn engines(&self) -> Vec<Engine> {
        select(&self.only)
    }
}

/// The chosen variants, each once and in the order of the declaration.
fn select<T: ValueEnum + PartialEq>(chosen: &[T]) -> Vec<T> {
    T::value_variants().iter().filter(|variant| chosen.contains(variant)).cloned().collect()
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
