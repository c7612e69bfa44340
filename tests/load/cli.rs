//! The command-line options.

use std::path::PathBuf;

use clap::{Parser, value_parser};

#[derive(Parser)]
#[command(
    name = "load",
    about = "Calls all areas of the platform for minutes, and fails if a call fails or the platform changes"
)]
pub struct Cli {
    /// The folder of a build of `local` and `lab-program`; without it, their release is built
    #[arg(long)]
    pub programs: Option<PathBuf>,
    /// How many minutes the load lasts
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(1..=1_440))]
    pub minutes: u32,
    /// How many seconds a window takes; the first and the last quarter of the windows are compared
    #[arg(long, default_value_t = 15, value_parser = value_parser!(u32).range(1..=600))]
    pub window: u32,
    /// How many people use the platform at the same time
    #[arg(long, default_value_t = 12, value_parser = value_parser!(u32).range(1..=500))]
    pub visitors: u32,
    /// How many milliseconds a person waits after each answer
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u64).range(0..=10_000))]
    pub pause_ms: u64,
    /// How many percent slower the last quarter may be than the first one
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..=99))]
    pub max_loss: u32,
    /// How many percent more memory the platform may have in the last quarter than in the first one
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u32).range(1..=99))]
    pub max_growth: u32,
}
