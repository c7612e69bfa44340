//! Measures Atelier's gateway beside others: `cargo run --release -p tests --bin bench -- --help`.
#![expect(clippy::print_stdout, reason = "its tables are what this program is for")]

mod cli;
mod connection;
mod load;
mod mock;
mod openai;

use std::error::Error;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};
use load::Load;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One thread: neither the mock nor the load may take more of the machine than they need.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Mock { port } => mock::serve(port).await.map(|()| true).map_err(Into::into),
        Command::Load => make_load().await.map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
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
