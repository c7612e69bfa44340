//! A steady load of all areas on one process of the platform, for minutes: the times of each route, errors, and memory. It fails if a
//! call fails, if the platform becomes slower, or if its memory grows.
//! `cargo run --release -p tests --bin load -- --help`.
#![expect(clippy::print_stdout, reason = "this program prints its results")]

mod areas;
mod cli;
mod receiver;
mod samples;
mod soak;
mod visitor;

use std::process::ExitCode;

use clap::Parser;
use cli::Cli;
use tests::process::until_stopped;

/// One thread, so that the load takes little of the machine.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    match until_stopped(soak::run(&cli)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("load: {cause}");
            ExitCode::FAILURE
        }
    }
}
