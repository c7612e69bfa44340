//! The scenario `mixed`: runs of many graphs, while the platform is killed and its services fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fastrand::Rng;
use futures::StreamExt;
use futures::stream;
use local::issuer::{Issuer, Subject};
use serde_json::json;
use tests::client::Person;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::Result;
use crate::audit::Audit;
use crate::cli::ChaosOptions;
use crate::graphs::GraphBuilder;
use crate::items::read_runs;
use crate::process::{Folder, PlatformProcess};
use crate::publication::{Flow, publish_agent};
use crate::services::Happened;
use crate::steps::{Helpers, add_parts};
use crate::tester::Tester;
use crate::witness::{Manner, Witness};

/// The number of different graphs, and of runs in progress at once.
const FLOWS: usize = 30;
const AT_ONCE: usize = 40;
/// The first flows have no webhook, and others run them.
const CALLEES: usize = 3;
/// The longest time between the moment that a kill is due and the kill, so that it meets any moment of a run.
const LONGEST_AIM_MS: u64 = 400;
/// How many shown violations are enough to understand a failure.
const SHOWN: usize = 20;
const MANNER: Manner = Manner { refused_percent: 10, longest_wait: Duration::from_millis(120), is_steady: false };
const HOURS_OF_TOKEN: u64 = 24;

pub async fn run(options: &ChaosOptions) -> Result<()> {
    let folder = Folder::create()?;
    let (witness, address) = Witness::start(MANNER).await?;
    let mut platform = PlatformProcess::new(&folder.0, options.seed)?;
    platform.start().await?;
    let person = member(&platform)?;
    let flows = publish_flows(&person, options.seed, address.port()).await?;
    println!("{} workflows are published; {} runs and {} kills follow", flows.len(), options.runs, options.kills);
    platform.options.failing = options.failing;
    platform.restart().await?;
    platform.kills.clear();

    let tester = Arc::new(Tester::default());
    let ended = watch::Sender::new(0);
    let failed_followers = AtomicUsize::new(0);
    let follow = async {
        let runs = stream::iter(0..options.runs).map(|place| {
            let (tester, person, flows, ended, failed) = (&tester, &person, &flows, &ended, &failed_followers);
            async move {
                let mut random = Rng::with_seed(options.seed.wrapping_mul(1_000_003).wrapping_add(place as u64));
                let flow = &flows[random.usize(0..flows.len())];
                let followed = tester.carry(person, flow, &format!("chaos-{place}"), random).await;
                ended.send_modify(|ended| *ended += 1);
                followed.inspect_err(|cause| {
                    failed.fetch_add(1, Ordering::Relaxed);
                    eprintln!("run {place}: {cause}");
                })
            }
        });
        runs.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await
    };
    let (followed, killed) = tokio::join!(follow, kill_often(&mut platform, options, ended.subscribe()));
    killed?;
    platform.kill().await?;

    let followed: Vec<_> = followed.into_iter().flatten().collect();
    for run in followed.iter().filter(|run| !["completed", "failed"].contains(&run.state.as_str())) {
        println!("{} is {}", run.path, run.state);
    }
    let started: Vec<_> = followed.iter().map(|run| run.id.clone()).collect();
    let (runs, statistics) = read_runs(&platform.options.data_dir).await?;
    let mut audit = Audit::new(&runs, &started, witness.effects(), &platform.kills);
    audit.check_statistics(&runs, &statistics);
    if audit.once_calls == 0 {
        audit.violations.push("no tool of an MCP server was called".to_owned());
    }
    if audit.agent_calls == 0 {
        audit.violations.push("no agent has called the witness".to_owned());
    }
    print_figures(&platform, &tester, options, runs.len(), &audit);
    let failed = failed_followers.into_inner();
    if failed > 0 || !audit.violations.is_empty() {
        return Err(format!(
            "{failed} runs were not followed to their end, {} violations; the data and the log are in {}",
            audit.violations.len(),
            folder.0.display()
        )
        .into());
    }
    folder.remove();
    Ok(())
}

/// A member of an organization, whose token is valid until the end.
pub fn member(platform: &PlatformProcess) -> Result<Person> {
    let issuer = Issuer::open(&platform.options.data_dir).map_err(|failure| failure.to_string())?;
    let issuer = issuer.ok_or("the data folder has no issuer")?;
    let subject = Subject { user: "ada".to_owned(), org: "acme".to_owned(), role: domain::identity::Role::Member };
    let token = issuer.token(&subject, Duration::from_secs(60 * 60 * HOURS_OF_TOKEN));
    Ok(Person::new(&platform.base_url(), Some(token)))
}

async fn publish_flows(person: &Person, seed: u64, witness: u16) -> Result<Vec<Flow>> {
    let mut random = Rng::with_seed(seed);
    let mut flows: Vec<Flow> = Vec::new();
    let agent = publish_agent(person, witness).await?;
    for place in 0..FLOWS {
        let mut graph = GraphBuilder::new(witness);
        graph.node("start", "input", json!({}));
        let mut entries = vec!["start".to_owned()];
        if place >= CALLEES {
            graph.node("hook", "webhook", json!({}));
            entries.push("hook".to_owned());
        }
        let callee = (place >= CALLEES).then(|| flows[random.usize(0..CALLEES)].id.clone());
        let helpers = Helpers { agent: &agent, callee: callee.as_deref() };
        let exits = add_parts(&mut graph, &mut random, entries, &helpers);
        graph.node("end", "send_result", json!({"output": "run.id"}));
        graph.connect(&exits, "end");
        let mode = if random.bool() { "sync" } else { "async" };
        flows.push(match place >= CALLEES {
            true => Flow::publish_with_webhook(person, graph.into_json(), mode).await?,
            false => Flow::publish(person, graph.into_json()).await?,
        });
    }
    Ok(flows)
}

/// Kills the platform each time that a number of runs has ended. A part of the kills meets a process that starts.
async fn kill_often(
    platform: &mut PlatformProcess,
    options: &ChaosOptions,
    mut ended: watch::Receiver<usize>,
) -> Result<()> {
    let ChaosOptions { runs, kills, seed, .. } = *options;
    let mut random = Rng::with_seed(seed ^ 0x00C0_FFEE);
    while platform.kills.len() < kills {
        let due = (platform.kills.len() + 1) * runs / (kills + 1);
        ended.wait_for(|ended| *ended >= due).await?;
        sleep(Duration::from_millis(random.u64(0..LONGEST_AIM_MS))).await;
        platform.kill().await?;
        if platform.kills.len() < kills && random.u8(0..5) == 0 {
            let until_kill = Duration::from_millis(random.u64(0..LONGEST_AIM_MS));
            let _ = timeout(until_kill, platform.start()).await;
            platform.kill().await?;
        }
        platform.start().await?;
        println!("{} of {kills} kills, {} of {runs} runs have ended", platform.kills.len(), *ended.borrow());
    }
    Ok(())
}

fn print_figures(platform: &PlatformProcess, tester: &Tester, options: &ChaosOptions, stored: usize, audit: &Audit) {
    let counts = platform.counts.lock().map(|counts| counts.clone()).unwrap_or_default();
    let count = |happened| counts.get(&happened).copied().unwrap_or_default();
    let (refused, lost) = (count(Happened::Refused), count(Happened::Lost));
    let calls = count(Happened::Passed) + refused + lost;
    let percent = 100.0 * (refused + lost) as f64 / calls.max(1) as f64;
    println!("\nruns       {} started, {stored} stored with those that others started", options.runs);
    println!("kills      {}; {} starts failed", platform.kills.len(), platform.failed_starts);
    println!(
        "AWS calls  {calls}, of which {percent:.1} % failed: {refused} before and {lost} after they were carried out"
    );
    println!("messages   {} repeated, {} late", count(Happened::Repeated), count(Happened::Late));
    println!(
        "requests   {} broken connections, {} answers of 5xx, {} starts repeated with their key",
        tester.broken.load(Ordering::Relaxed),
        tester.unavailable.load(Ordering::Relaxed),
        tester.repeated_starts.load(Ordering::Relaxed)
    );
    println!(
        "effects    {} attempts seen by the witness, {} of agents; {} calls were repeated while their outcome was uncertain",
        audit.attempts, audit.agent_calls, audit.uncertain_repeats
    );
    println!("events     {}, all numbered from 1 without gaps unless listed below", audit.events);
    for (end, runs) in &audit.ends {
        println!("ended      {runs} {end}");
    }
    println!("violations {}", audit.violations.len());
    for violation in audit.violations.iter().take(SHOWN) {
        println!("  {violation}");
    }
}
