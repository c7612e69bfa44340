//! What the command takes.

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "bench",
    about = "Measures Atelier's gateway, LiteLLM and Portkey beside each other, in front of the same mock provider"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
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
