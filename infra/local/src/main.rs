//! The command `local`: runs the whole platform on this machine.

mod cli;
mod stop;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use cli::{Cli, Command, DATA_DIR, PlatformOptions, ServeOptions};
use local::cost::prices::Prices;
use local::credentials::StoredCredentials;
use local::issuer::{Issuer, Subject};
use local::settings;
use local::template::SamTemplate;
use local::watch::{WatchOptions, WatchServices};
use local::{DataDir, Failure, Options, Platform, backup, bootstrap, cost, doctor, open_files, setup, started_command};
use platform::telemetry::levels;
use rustix::fs::Mode;
use stop::StopSignal;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Requests and rows allocate many small blocks. With the system's allocator, that takes a tenth of a call's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The platform logs requests and warnings. Other crates log only errors, because the embedded services warn about
/// every call that they refuse.
const DEFAULT_LEVELS: &str = "error,web=info,local=info,auth=warn,database=info,effects=warn,gateway=warn,hooks=warn,kubernetes=warn,\
                              labs=warn,messaging=warn,outbound=warn,platform=warn,runner=warn,store=info,ticker=warn,workflows=warn";

fn main() -> ExitCode {
    script::serve_if_asked();
    documents::serve_if_asked();
    execute()
}

#[tokio::main]
async fn execute() -> ExitCode {
    let cli = Cli::parse();
    let log = tracing_subscriber::fmt::layer().compact().with_target(false).with_writer(std::io::stderr);
    let serves = matches!(cli.command, None | Some(Command::Services { .. }));
    tracing_subscriber::registry().with(log).with(levels(if serves { DEFAULT_LEVELS } else { "error" })).init();
    // New files are private to this user, because they hold keys and the data of all users.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    open_files::raise_limit();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("local: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(Cli { command, data_dir, serve }: Cli) -> Result<(), Failure> {
    match command {
        None => run_platform(&data_dir, serve).await,
        Some(Command::Credentials) => print_credentials(&data_dir),
        Some(Command::Token { user, org, role, hours }) => {
            if let Some(issuer) = settings::trusted_issuer(&read_environment()) {
                let message = format!(
                    "AUTH_ISSUER is set: the platform accepts only tokens of {issuer}; get one there, or unset it"
                );
                return Err(Failure::Other(message));
            }
            let token =
                open_issuer(&data_dir)?.token(&Subject { user, org, role: role.into() }, duration_of_hours(hours));
            print_line(&token)
        }
        Some(Command::Services { first_port, watch_url, platform }) => {
            run_services(&data_dir, platform, first_port, watch_url).await
        }
        Some(Command::BootstrapOperator { table: Some(table) }) => {
            print_line(bootstrap::create_operator(&table).await?.reveal())
        }
        Some(Command::BootstrapOperator { table: None }) => print_line(&read_credentials(&data_dir)?.operator.api_key),
        Some(Command::Backup { file }) => {
            report_backup(&file, &backup::backup(&data_dir, &file)?);
            Ok(())
        }
        Some(Command::Restore { file }) => {
            let contents = backup::restore(&file, &data_dir)?;
            print_line(&format!("{contents} are restored in {}", data_dir.display()))
        }
        Some(Command::Setup(args)) => print_line(setup::run(args, &data_dir).await?.trim_end()),
        Some(Command::Doctor { serve }) => examine(&data_dir, &serve).await,
        Some(Command::Cost { markdown }) => print_costs(markdown).await,
    }
}

async fn run_platform(data_dir: &Path, serve: ServeOptions) -> Result<(), Failure> {
    let ServeOptions { port, ephemeral, platform } = serve;
    let others = read_environment();
    settings::require_valid(&platform.settings(&others))?;
    let issuer = settings::trusted_issuer(&others).map(str::to_owned);
    let data = if ephemeral { DataDir::ephemeral(data_dir)? } else { DataDir::open(data_dir)? };
    let data = data.accept_loss(platform.accept_data_loss);
    let options = Options {
        port,
        base_url: platform.base_url,
        outbound_allowed: platform.outbound_allowed_cidrs,
        workbench_capacity: platform.workbench_capacity,
        sync: platform.sync,
        labs: true,
        background: true,
        settings: others,
        ..Options::new(data)
    };
    let mut stop = StopSignal::listen()?;
    let platform = tokio::select! {
        started = Platform::start(options) => started?,
        () = stop.received() => return Ok(()),
    };
    print_line(&banner(&platform, issuer.as_deref()))?;
    stop.received().await;
    let wait_s = local::GRACE.as_secs();
    eprintln!("stopping: waits up to {wait_s} s for requests and effects in flight …");
    platform.stop().await
}

/// On standard error, because the backup itself may be on standard output.
fn report_backup(file: &Path, contents: &backup::Contents) {
    let name = if file == Path::new("-") { "standard output".to_owned() } else { file.display().to_string() };
    eprintln!("backup written to {name}: {contents}. It contains the keys of all secrets; restrict who can read it.");
}

async fn print_costs(markdown: bool) -> Result<(), Failure> {
    let (recorded, prices) = (cost::record_all().await?, Prices::read());
    print_line(cost::print_tables(&recorded, &SamTemplate::read(), &prices, markdown).trim_end())?;
    eprintln!("{}", cost::describe_cpu(&recorded, &prices));
    Ok(())
}

async fn examine(folder: &Path, serve: &ServeOptions) -> Result<(), Failure> {
    let others = read_environment();
    let examined = doctor::Examined { folder, port: serve.port, settings: serve.platform.settings(&others) };
    let (report, problems) = doctor::examine(&examined).await;
    print_line(report.trim_end())?;
    if problems == 0 { Ok(()) } else { Err(doctor::failure(problems)) }
}

/// The start message: URLs, and calls that are ready to paste.
fn banner(platform: &Platform, trusted_issuer: Option<&str>) -> String {
    let (base_url, folder) = (&platform.base_url, platform.data().folder());
    let ada = platform.credentials.users.get("ada");
    let token = ada.map(|user| user.access_token.as_str()).unwrap_or_default();
    let api_key = ada.map(|user| user.api_key.as_str()).unwrap_or_default();
    let hello = r#"{"model": "dev-chat", "messages": [{"role": "user", "content": "Hello"}]}"#;
    let data = match platform.data().is_ephemeral() {
        true => "in memory; deleted when the platform stops".to_owned(),
        false => std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string(),
    };
    // The printed command must read the same data folder.
    let is_elsewhere = folder != Path::new(DATA_DIR);
    let elsewhere = if is_elsewhere { format!(" --data-dir {}", folder.display()) } else { String::new() };
    let started_ms = platform.started_in.as_millis();
    let command = started_command();
    let agents = match trusted_issuer {
        Some(issuer) => format!("with access tokens of {issuer}"),
        None => format!("curl -s {base_url}/builder/v1/agents -H 'Authorization: Bearer {token}'"),
    };
    format!(
        "Atelier is at {base_url}  (started in {started_ms} ms)\n\
         \n\
         agents     {agents}\n\
         gateway    curl -s {base_url}/gateway/v1/chat/completions -H 'Authorization: Bearer {api_key}' --json '{hello}'\n\
         \n\
         console    {base_url}/console\n\
         reference  {base_url}/docs\n\
         accounts   {command} credentials{elsewhere}\n\
         provider   {command} setup{elsewhere}\n\
         data       {data}\n\
         stop       Ctrl-C\n"
    )
}

async fn run_services(
    data_dir: &Path,
    platform: PlatformOptions,
    first_port: u16,
    watch_url: String,
) -> Result<(), Failure> {
    let others = read_environment();
    settings::require_valid(&platform.settings(&others))?;
    let mut stop = StopSignal::listen()?;
    let options = WatchOptions {
        data: DataDir::open(data_dir)?.accept_loss(platform.accept_data_loss),
        first_port,
        watch_url,
        base_url: platform.base_url,
        outbound_allowed: platform.outbound_allowed_cidrs,
        workbench_capacity: platform.workbench_capacity,
        sync: platform.sync,
        settings: others,
    };
    let services = tokio::select! {
        started = WatchServices::start(options) => started?,
        () = stop.received() => return Ok(()),
    };
    let env_file = services.env_file.display();
    print_line(&format!(
        "The services are running. Run this in another terminal:\n\n  \
         cargo build --workspace && cargo lambda watch --timeout 900 --env-file {env_file}\n"
    ))?;
    stop.received().await;
    services.stop().await
}

/// Prints a line. A closed pipe (`| head -1`) is not an error.
fn print_line(line: &str) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{line}") {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Other(format!("cannot print: {cause}")))
        }
        _ => Ok(()),
    }
}

fn print_credentials(folder: &Path) -> Result<(), Failure> {
    let credentials = read_credentials(folder)?.with_tokens(&open_issuer(folder)?);
    print_line(&serde_json::to_string_pretty(&credentials).unwrap_or_default())
}

fn read_credentials(folder: &Path) -> Result<StoredCredentials, Failure> {
    StoredCredentials::read(folder)?.ok_or_else(|| Failure::NotStarted { folder: folder.to_owned() })
}

fn open_issuer(folder: &Path) -> Result<Issuer, Failure> {
    Issuer::open(folder)?.ok_or_else(|| Failure::NotStarted { folder: folder.to_owned() })
}

fn read_environment() -> Vec<(String, String)> {
    settings::read_environment(|name| std::env::var(name).ok())
}

fn duration_of_hours(hours: u32) -> Duration {
    Duration::from_secs(u64::from(hours) * 3600)
}
