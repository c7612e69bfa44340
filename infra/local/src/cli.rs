//! What the command takes.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use local::watch::FIRST_PORT;
use shared::domain::identity::Role;

/// Runs the whole platform on this machine.
#[derive(Parser)]
#[command(name = "local", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: Run,
}

#[derive(Args)]
pub struct Run {
    /// Where the platform answers, on 127.0.0.1
    #[arg(long, default_value_t = 9000)]
    pub port: u16,
    #[command(flatten)]
    pub data: Data,
    /// Keep nothing but the demo accounts, in the data folder: tables and queues in memory, objects in a temporary folder
    #[arg(long)]
    pub ephemeral: bool,
}

pub const DATA_DIR: &str = ".atelier";

#[derive(Args)]
pub struct Data {
    /// Where the data is
    #[arg(long, default_value = DATA_DIR)]
    pub data_dir: PathBuf,
}

#[derive(Subcommand)]
pub enum Command {
    /// Print the demo accounts with fresh access tokens, as JSON
    Credentials(Data),
    /// Print an access token for anybody
    Token {
        #[command(flatten)]
        data: Data,
        /// The user's name
        #[arg(long)]
        user: String,
        /// The organization's name
        #[arg(long)]
        org: String,
        #[arg(long, value_enum, default_value_t = RoleArg::Member)]
        role: RoleArg,
        /// How long it is good for
        #[arg(long, default_value_t = 168)]
        hours: u32,
    },
    /// Run the embedded services and the pollers alone, for `cargo lambda watch`
    Services {
        /// The first of four ports in a row, for the issuer's keys and the services; 0 takes any that are free
        #[arg(long, default_value_t = FIRST_PORT)]
        port: u16,
        #[command(flatten)]
        data: Data,
        /// Where `cargo lambda watch` listens
        #[arg(long, default_value = "http://127.0.0.1:9000")]
        watch_url: String,
    },
    /// Make the first operator of a deployed stack, and print its API key once
    BootstrapOperator {
        /// The stack's output `EntitiesTable`; credentials and region are those of the environment.
        /// Without it: the operator of the data folder, which the first start made
        #[arg(long)]
        table: Option<String>,
        #[command(flatten)]
        data: Data,
    },
    /// Write the OpenAPI documents from the code
    Openapi,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum RoleArg {
    Member,
    Admin,
    Operator,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Member => Self::Member,
            RoleArg::Admin => Self::Admin,
            RoleArg::Operator => Self::Operator,
        }
    }
}
