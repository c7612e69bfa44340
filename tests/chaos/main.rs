//! Chaos: runs of workflows on a platform that is killed with `kill -9` and restarted on the same data, while AWS calls
//! fail and messages of the queue are repeated and overtaken: `cargo run -p tests --bin chaos -- --help`.
#![expect(clippy::print_stdout, reason = "this program prints its progress and its verdict")]

mod audit;
mod cli;
mod graphs;
mod items;
mod loops;
mod mcp_witness;
mod mixed;
mod platform;
mod process;
mod publication;
mod services;
mod steps;
mod tester;
mod witness;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command, Scenario};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { command, options } = Cli::parse();
    let done = match (command, options.scenario) {
        (Some(Command::Platform(platform)), _) => platform::run(platform).await,
        (None, Scenario::Mixed) => mixed::run(&options).await,
        (None, Scenario::Loop | Scenario::Each) => loops::run(&options).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("chaos: {cause}");
            ExitCode::FAILURE
        }
    }
}
