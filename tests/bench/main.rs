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
use tokio::signal::unix::{SignalKind, signal};

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

/// A signal drops the comparison, and with it every process that it started.
async fn until_stopped(comparison: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::select! {
        done = comparison => done,
        stopped = stop_signal() => stopped,
    }
}

async fn make_load() -> Result<()> {
    let load: Load = serde_json::from_reader(io::stdin())?;
    println!("{}", serde_json::to_string(&load.make().await?)?);
    Ok(())
}

/// Waits for SIGINT (Ctrl-C), SIGTERM (a process manager) or SIGHUP (a terminal that closes).
async fn stop_signal() -> Result<()> {
    let [mut interrupt, mut terminate] = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Err("stopped".into())
}
