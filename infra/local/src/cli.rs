//! What the command takes.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::identity::Role;
use local::parts::THIS_MACHINE;
use local::services::SyncMode;
use local::watch::FIRST_PORT;
use shared::config;

/// Runs the whole platform on this machine.
#[derive(Parser)]
#[command(name = "local", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: Run,
}

/// Options of the platform itself. They are taken before and after a command; a command reads those that it needs.
#[derive(Args)]
pub struct Run {
    /// Where the platform answers, on 127.0.0.1
    #[arg(long, default_value_t = 9000, global = true)]
    pub port: u16,
    /// Where the data is
    #[arg(long, default_value = DATA_DIR, global = true)]
    pub data_dir: PathBuf,
    /// Keep nothing but the demo accounts, in the data folder: tables and queues in memory, objects in a temporary folder
    #[arg(long, global = true)]
    pub ephemeral: bool,
    /// When an acknowledged write is on the disk
    #[arg(long, value_enum, default_value_t, global = true)]
    pub sync: SyncMode,
    /// Where callers find the platform, for the URLs of webhooks: set it behind a proxy or a tunnel
    #[arg(long, env = config::BASE_URL, hide_env_values = true, global = true)]
    pub base_url: Option<String>,
    /// Private addresses that providers and workflows may reach, separated by commas; the platform's own ports never
    #[arg(long, env = config::OUTBOUND_ALLOWED_CIDRS, default_value = THIS_MACHINE, hide_env_values = true, global = true)]
    pub outbound_allowed_cidrs: String,
}

pub const DATA_DIR: &str = ".atelier";

#[derive(Subcommand)]
pub enum Command {
    /// Print the demo accounts with fresh access tokens, as JSON
    Credentials,
    /// Print an access token for anybody
    Token {
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
        first_port: u16,
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
