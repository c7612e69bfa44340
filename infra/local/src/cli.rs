//! The command line of `local`: options, commands and their help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::identity::Role;
use local::runtime::THIS_MACHINE;
use local::services::SyncMode;
use local::settings::Settings;
use local::setup::SetupArgs;
use local::watch::FIRST_PORT;
use platform::config;

/// Runs the whole platform on this machine.
#[derive(Parser)]
#[command(name = "local", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Folder of the data
    #[arg(long, default_value = DATA_DIR, global = true)]
    pub data_dir: PathBuf,
    #[command(flatten)]
    pub serve: ServeOptions,
}

/// Options of the whole platform, which runs when no command is named.
#[derive(Args)]
pub struct ServeOptions {
    /// Port of the platform, on 127.0.0.1
    #[arg(long, default_value_t = 9000)]
    pub port: u16,
    /// Discard the data at the end: tables and queues are in memory, objects in a temporary folder. Only the demo
    /// accounts are stored in the data folder
    #[arg(long)]
    pub ephemeral: bool,
    #[command(flatten)]
    pub platform: PlatformOptions,
}

/// Options that the platform and `services` share.
#[derive(Args)]
pub struct PlatformOptions {
    /// Start although acknowledged writes are lost, such as after damage to the disk
    #[arg(long)]
    pub accept_data_loss: bool,
    /// When an acknowledged write reaches the disk
    #[arg(long, value_enum, default_value_t)]
    pub sync: SyncMode,
    /// Public URL of the platform, for the URLs of webhooks; set it behind a proxy or a tunnel
    #[arg(long, env = config::BASE_URL, hide_env_values = true)]
    pub base_url: Option<String>,
    /// Private networks (CIDR) that requests to providers and requests of workflows may reach, separated by commas; the
    /// platform's own ports are always refused
    #[arg(long, env = config::OUTBOUND_ALLOWED_CIDRS, default_value = THIS_MACHINE, hide_env_values = true)]
    pub outbound_allowed_cidrs: String,
    /// Resources of all workbenches together, such as cpu=8,memory=16Gi,gpumem=0,storage=100Gi; no limit by default
    #[arg(long, env = config::WORKBENCH_CAPACITY, hide_env_values = true)]
    pub workbench_capacity: Option<String>,
}

impl PlatformOptions {
    /// The settings, with `others` from the environment.
    pub fn settings<'a>(&'a self, others: &'a [(String, String)]) -> Settings<'a> {
        Settings {
            base_url: self.base_url.as_deref(),
            outbound_allowed: &self.outbound_allowed_cidrs,
            workbench_capacity: self.workbench_capacity.as_deref(),
            others,
        }
    }
}

pub const DATA_DIR: &str = ".atelier";

#[derive(Subcommand)]
pub enum Command {
    /// Print the demo accounts with fresh access tokens, as JSON
    Credentials,
    /// Print an access token for any user and organization
    Token {
        /// The user's name
        #[arg(long)]
        user: String,
        /// The organization's name
        #[arg(long)]
        org: String,
        #[arg(long, value_enum, default_value_t = RoleArg::Member)]
        role: RoleArg,
        /// How many hours the token is valid
        #[arg(long, default_value_t = 168)]
        hours: u32,
    },
    /// Run only the embedded services and the queue pollers, for `cargo lambda watch`
    Services {
        /// The first of four consecutive ports, for the issuer's keys and the services; 0 takes any free ports
        #[arg(long, default_value_t = FIRST_PORT)]
        first_port: u16,
        /// URL of `cargo lambda watch`
        #[arg(long, default_value = "http://127.0.0.1:9000")]
        watch_url: String,
        #[command(flatten)]
        platform: PlatformOptions,
    },
    /// Create the first operator of a deployed stack, and print its API key once
    BootstrapOperator {
        /// The stack's output `EntitiesTable`; AWS credentials and region are read from the environment.
        /// Without this option, the key of the operator in the data folder is printed
        #[arg(long)]
        table: Option<String>,
    },
    /// Write the data of this machine to one file, also while the platform runs
    Backup {
        /// The file; `-` is the standard output
        file: PathBuf,
    },
    /// Restore a backup as the data folder, which must be empty or missing
    Restore {
        /// A file that `backup` has written
        file: PathBuf,
    },
    /// Connect a provider of models to the running platform: asks for what the options do not say
    Setup(SetupArgs),
    /// Say what is wrong with this machine, the data folder, the settings and the running platform, and how to fix it
    Doctor {
        #[command(flatten)]
        serve: ServeOptions,
    },
    /// Print what routes and runs cost on AWS, from the calls that a platform in memory makes, and the same on Step Functions
    /// and on a server
    Cost {
        /// Print Markdown
        #[arg(long)]
        markdown: bool,
    },
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
