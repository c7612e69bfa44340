//! Measures the cold start of every function as Lambda would see it: `cargo run -p tests -- --help`.
#![expect(clippy::print_stdout, reason = "this program prints its results")]
#![expect(clippy::unwrap_used, reason = "a failed measurement panics")]

mod event;
mod quota;
mod tls;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use domain::identity::Role;
use local::template::SamTemplate;
use tests::runtime_api::FunctionProcess;
use tests::{TestApp, binaries, statistics};

/// Measures the cold start of every function: medians of several runs.
#[derive(Parser)]
struct Cli {
    #[arg(long, value_enum, default_value_t = Profile::Lambda)]
    profile: Profile,
    /// Measures only this function; may be repeated
    #[arg(long)]
    function: Vec<String>,
    /// How many times each function is started
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Fail when a function polls too late or is too large, or `agents` calls too late
    #[arg(long)]
    check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Profile {
    Lambda,
    Dev,
}

// The limits under `--check`, exclusive.
const LIMIT_FIRST_POLL_MS: f64 = 10.0;
/// Of `agents`, over TLS.
const LIMIT_FIRST_CALL_MS: f64 = 10.0;

/// The size of a function. The larger ones carry out nodes, call models, or import workflows.
fn limit_mb(function: &str) -> f64 {
    match function {
        "mcp-studio" => 25.0,
        "run-worker" => 18.6,
        "previews" => 18.2,
        "mcp-tools" => 16.4,
        "workflows" => 15.4,
        "invocations" => 14.0,
        "runs" => 12.5,
        "batch-worker" | "hooks" | "inference" => 10.8,
        "conversations" => 10.3,
        "admin" => 10.0,
        "channels" => 8.4,
        _ => 8.0,
    }
}

/// The bundles of trusted certificates of Linux systems. A cold start reads the whole bundle.
const BUNDLES: [&str; 2] = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];
/// The pause between two runs, so that the cleanup of one is not measured with the next.
const PAUSE: Duration = Duration::from_millis(20);

struct Measured {
    first_poll_ms: f64,
    first_response_ms: f64,
    rss_mb: f64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let functions = if cli.function.is_empty() { binaries::functions() } else { cli.function };
    let binaries = match cli.profile {
        // As deployed: only with the features that the functions themselves enable.
        Profile::Lambda => binaries::build(&functions, "lambda", None),
        Profile::Dev => binaries::build(&functions, "dev", Some(env!("CARGO_PKG_NAME"))),
    };
    let app = TestApp::start_with_ports().await;
    let template = SamTemplate::read();
    let workflow = app.person("ada").post("/builder/v1/workflows").await;
    // An administrator: members see no service tokens.
    let token = app.person_of("ada", "acme", Role::Admin).token.unwrap();

    println!("{:<18}{:>8}{:>16}{:>20}{:>10}", "function", "MB", "first poll ms", "first response ms", "RSS MB");
    let mut problems = Vec::new();
    for (function, binary) in &binaries {
        let credentials = &app.platform.credentials;
        let credential = match function.as_str() {
            "admin" => &credentials.operator.api_key,
            "account" | "billing" | "catalog" | "inference" | "mcp-gateway" => &credentials.users["ada"].api_key,
            _ => &token,
        };
        let event = event::first(&template, function, credential, workflow.id());
        let settings = settings(&app, function);
        let mut runs = Vec::new();
        for _ in 0..cli.runs {
            let mut process = FunctionProcess::start(function, binary, &settings).await;
            let first_poll_ms = ms(process.wait_for_poll().await);
            let first_response_ms = ms(event::send(&mut process, &event).await);
            runs.push(Measured { first_poll_ms, first_response_ms, rss_mb: rss_mb(process.pid()) });
            process.stop().await;
            tokio::time::sleep(PAUSE).await;
        }
        let mb = size_mb(binary);
        let first_poll_ms = median(runs.iter().map(|run| run.first_poll_ms));
        let first_response_ms = median(runs.iter().map(|run| run.first_response_ms));
        let rss_mb = median(runs.iter().map(|run| run.rss_mb));
        println!("{function:<18}{mb:>8.2}{first_poll_ms:>16.1}{first_response_ms:>20.1}{rss_mb:>10.1}");
        if first_poll_ms >= LIMIT_FIRST_POLL_MS {
            problems.push(format!("{function} must poll within {LIMIT_FIRST_POLL_MS} ms"));
        }
        if mb >= limit_mb(function) {
            problems.push(format!("{function} must be smaller than {} MB", limit_mb(function)));
        }
    }

    if let Some(agents) = binaries.get("agents") {
        println!("\n{:<28}{:>14}{:>20}", "agents, DynamoDB over TLS", "first call ms", "first response ms");
        let event = event::first(&template, "agents", &token, workflow.id());
        for cores in [None, Some(quota::CORES_OF_256_MB)] {
            let speed = cores.map_or("full speed".to_owned(), |cores| format!("{cores} core"));
            match tls::measure(&app, agents, &event, cli.runs, cores).await {
                Ok((call, response)) => {
                    println!("{speed:<28}{call:>14.1}{response:>20.1}");
                    if call >= LIMIT_FIRST_CALL_MS {
                        problems.push(format!("agents must call over TLS within {LIMIT_FIRST_CALL_MS} ms ({speed})"));
                    }
                }
                Err(cause) => println!("{speed:<28}no CPU quota can be set here: {cause}"),
            }
        }
    }

    if cli.check && !problems.is_empty() {
        eprintln!("{}", problems.join("\n"));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn settings(app: &TestApp, function: &str) -> Vec<(String, String)> {
    let mut settings = app.platform.environment_of(function);
    // The default of the template's parameter.
    settings.push(("LOG_LEVEL".to_owned(), "info".to_owned()));
    // Without this setting, the folder of single certificates is read too, if the system has one.
    let bundle = BUNDLES.iter().find(|bundle| Path::new(bundle).exists());
    settings.extend(bundle.map(|bundle| ("SSL_CERT_FILE".to_owned(), (*bundle).to_owned())));
    settings
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// Each function runs at least once.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    statistics::median(values).unwrap()
}

fn size_mb(binary: &Path) -> f64 {
    fs::metadata(binary).unwrap().len() as f64 / 1e6
}

fn rss_mb(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() * 1_024.0 / 1e6
}
