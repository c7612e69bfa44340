//! The command-line options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Parser)]
#[command(
    name = "chaos",
    about = "Carries out runs on a platform that is killed again and again, and checks that nothing is lost or doubled",
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub options: ChaosOptions,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run the platform that is killed
    #[command(hide = true)]
    Platform(PlatformOptions),
}

#[derive(Args)]
pub struct ChaosOptions {
    #[arg(long, value_enum, default_value_t = Scenario::Mixed)]
    pub scenario: Scenario,
    /// How many runs the scenario `mixed` starts
    #[arg(long, default_value_t = 2_000)]
    pub runs: usize,
    /// How often the scenario `mixed` kills the platform
    #[arg(long, default_value_t = 150)]
    pub kills: usize,
    /// How many items the scenarios `loop` and `each` have
    #[arg(long, default_value_t = 1_000)]
    pub items: usize,
    /// Fail if the run with kills takes too long. Without this option, the times are only printed
    #[arg(long)]
    pub check: bool,
    /// The seed of all random choices. The interleaving of the processes still differs from run to run
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many of a thousand AWS calls fail
    #[arg(long, default_value_t = 100)]
    pub failing: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// Runs of many graphs; AWS calls fail, and messages are repeated and overtaken
    Mixed,
    /// One run with a long loop, with and without kills
    Loop,
    /// The same with a node that runs for each element
    Each,
}

/// The options of one process of the platform.
#[derive(Args, Clone)]
pub struct PlatformOptions {
    #[arg(long)]
    pub port: u16,
    #[arg(long)]
    pub data_dir: PathBuf,
    #[arg(long)]
    pub seed: u64,
    /// How many of a thousand AWS calls fail. Without this option there are no faults
    #[arg(long, default_value_t = 0)]
    pub failing: u32,
}
