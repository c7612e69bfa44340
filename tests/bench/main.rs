//! Benchmarks of Atelier against others: of its gateway, of its workflows, and of its MCP servers.
//! `cargo run --release -p tests --bin bench -- --help`.
#![expect(clippy::print_stdout, reason = "this program prints its results")]

mod admin;
mod alone;
mod atelier;
mod backlog;
mod call;
mod cli;
mod compare;
mod connection;
mod cores;
mod direct;
mod engines;
mod flow;
mod gateways;
mod install;
mod legend;
mod load;
mod mock;
mod openai;
mod publication;
mod results;
mod rounds;
mod subject;
mod table;
mod toolboxes;
mod tools;
mod verdict;
mod webhooks;

use std::error::Error;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};
use load::Load;
use tests::process::until_stopped;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One thread, so that the mock and the load take little of the machine.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Some(Command::Mock { port }) => mock::serve(port).await.map_err(Into::into),
        Some(Command::Load) => make_load().await,
        Some(Command::Webhooks(webhooks)) => until_stopped(webhooks::compare(&webhooks)).await,
        Some(Command::Backlog(backlog)) => until_stopped(backlog::compare(&backlog)).await,
        Some(Command::Alone(alone)) => until_stopped(alone::measure(&alone)).await,
        Some(Command::Tools(tools)) => until_stopped(tools::compare(&tools)).await,
        None => until_stopped(compare::compare(&cli.bench)).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("bench: {cause}");
            ExitCode::FAILURE
        }
    }
}

async fn make_load() -> Result<()> {
    let load: Load = serde_json::from_reader(io::stdin())?;
    println!("{}", serde_json::to_string(&load.make().await?)?);
    Ok(())
}
