//! `cargo run -p local`: the whole platform on this machine.

mod cli;
mod stop;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use cli::{Cli, Command, DATA_DIR, Data, Run};
use local::credentials::Kept;
use local::issuer::{Issuer, Subject};
use local::watch::Watched;
use local::{DataDir, Failure, Options, Platform, bootstrap, openapi};
use shared::telemetry::levels;
use stop::StopSignal;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Requests and rows are many small pieces of memory: the system's allocator takes a tenth of a call's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Requests, and what is wrong with us; the embedded services warn of every refusal.
const DEFAULT_LEVELS: &str = "error,shared=info,local=info";

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let log = tracing_subscriber::fmt::layer().compact().with_target(false).with_writer(std::io::stderr);
    let serves = matches!(cli.command, None | Some(Command::Services { .. }));
    tracing_subscriber::registry().with(log).with(levels(if serves { DEFAULT_LEVELS } else { "error" })).init();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("local: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        None => serve(cli.run).await,
        Some(Command::Credentials(data)) => print_credentials(&data),
        Some(Command::Token { data, user, org, role, hours }) => {
            let token = issuer(&data)?.token(&Subject { user, org, role: role.into() }, hours_long(hours));
            say(&token)
        }
        Some(Command::Services { port, data, watch_url }) => services(port, &data, watch_url).await,
        Some(Command::BootstrapOperator { table: Some(table), .. }) => say(bootstrap::operator(&table).await?.reveal()),
        Some(Command::BootstrapOperator { table: None, data }) => say(&kept(&data)?.operator.api_key),
        Some(Command::Openapi) => {
            let files = openapi::write().await?;
            files.iter().try_for_each(|file| say(&file.display().to_string()))
        }
    }
}

async fn serve(Run { port, data, ephemeral }: Run) -> Result<(), Failure> {
    let data = if ephemeral { DataDir::ephemeral(&data.data_dir)? } else { DataDir::open(&data.data_dir)? };
    let options = Options { port, data, background: true, observer: None, front_of_services: None };
    let mut stop = StopSignal::listen()?;
    let platform = tokio::select! {
        started = Platform::start(options) => started?,
        () = stop.given() => return Ok(()),
    };
    say(&banner(&platform))?;
    stop.given().await;
    eprintln!("stopping …");
    platform.stop().await
}

/// What a person needs first, ready to paste.
fn banner(platform: &Platform) -> String {
    let (base_url, folder) = (&platform.base_url, platform.data().folder());
    let ada = platform.credentials.users.get("ada");
    let token = ada.map(|user| user.access_token.as_str()).unwrap_or_default();
    let api_key = ada.map(|user| user.api_key.as_str()).unwrap_or_default();
    let hello = r#"{"model": "dev-chat", "messages": [{"role": "user", "content": "Hello"}]}"#;
    let data = match platform.data().is_ephemeral() {
        true => "in memory; gone when this stops".to_owned(),
        false => std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string(),
    };
    // What is typed next is to find the same data.
    let is_elsewhere = folder != Path::new(DATA_DIR);
    let elsewhere = if is_elsewhere { format!(" --data-dir {}", folder.display()) } else { String::new() };
    let started_ms = platform.started_in.as_millis();
    format!(
        "Atelier is at {base_url}  (started in {started_ms} ms)\n\
         \n\
         agents     curl -s {base_url}/builder/v1/agents -H 'Authorization: Bearer {token}'\n\
         gateway    curl -s {base_url}/gateway/v1/chat/completions -H 'Authorization: Bearer {api_key}' --json '{hello}'\n\
         \n\
         reference  {base_url}/docs\n\
         accounts   cargo run -p local -- credentials{elsewhere}\n\
         data       {data}\n\
         stop       Ctrl-C\n"
    )
}

async fn services(port: u16, data: &Data, watch_url: String) -> Result<(), Failure> {
    let mut stop = StopSignal::listen()?;
    let watched = tokio::select! {
        started = Watched::start(DataDir::open(&data.data_dir)?, port, watch_url) => started?,
        () = stop.given() => return Ok(()),
    };
    let env_file = watched.env_file.display();
    say(&format!(
        "The services are up. In another terminal:\n\n  \
         cargo build --workspace && cargo lambda watch --timeout 60 --env-file {env_file}\n"
    ))?;
    stop.given().await;
    watched.stop().await
}

/// Prints a line. Who reads no further (`| head -1`) has what they wanted.
fn say(line: &str) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{line}") {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Said(format!("printing: {cause}"))),
        _ => Ok(()),
    }
}

fn print_credentials(data: &Data) -> Result<(), Failure> {
    let credentials = kept(data)?.with_tokens(&issuer(data)?);
    say(&serde_json::to_string_pretty(&credentials).unwrap_or_default())
}

fn kept(data: &Data) -> Result<Kept, Failure> {
    Kept::read(&data.data_dir)?.ok_or_else(|| Failure::NotStarted { folder: data.data_dir.clone() })
}

fn issuer(data: &Data) -> Result<Issuer, Failure> {
    Issuer::open(&data.data_dir)?.ok_or_else(|| Failure::NotStarted { folder: data.data_dir.clone() })
}

fn hours_long(hours: u32) -> Duration {
    Duration::from_secs(u64::from(hours) * 3600)
}
