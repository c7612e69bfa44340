//! The scenarios `loop` and `each`: one run with a long loop over calls, first without kills, then with a kill every 50 items.

use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::json;

use crate::Result;
use crate::audit::Audit;
use crate::cli::{ChaosOptions, Scenario};
use crate::graphs::GraphBuilder;
use crate::items::read_runs;
use crate::mixed::member;
use crate::process::{Folder, PlatformProcess};
use crate::publication::Flow;
use crate::tester::Tester;
use crate::witness::{Manner, Witness};

const CONCURRENCY: u32 = 20;
const ITEMS_PER_KILL: usize = 50;
/// The bar: with kills, the run takes at most this multiple of its time without kills.
const LONGEST: f64 = 1.5;
/// Each call takes twice this time, as one to another system may.
const MANNER: Manner = Manner { refused_percent: 0, longest_wait: Duration::from_millis(150), is_steady: true };

struct Measured {
    took: Duration,
    kills: usize,
    downtime: Duration,
    audit: Audit,
}

pub async fn run(options: &ChaosOptions) -> Result<()> {
    let calm = measure(options, false).await?;
    print("without kills", &calm);
    let killed = measure(options, true).await?;
    print("with kills", &killed);
    let ratio = killed.took.as_secs_f64() / calm.took.as_secs_f64();
    println!("ratio          {ratio:.2}, at most {LONGEST}");
    let violations: Vec<_> = [calm, killed].into_iter().flat_map(|measured| measured.audit.violations).collect();
    match violations.first() {
        Some(violation) => Err(format!("{} violations; the first: {violation}", violations.len()).into()),
        None if options.check && ratio > LONGEST => {
            Err(format!("with kills, the run takes {ratio:.2} times as long").into())
        }
        None => Ok(()),
    }
}

async fn measure(options: &ChaosOptions, with_kills: bool) -> Result<Measured> {
    let folder = Folder::create()?;
    let (witness, address) = Witness::start(MANNER).await?;
    let mut platform = PlatformProcess::new(&folder.0, options.seed)?;
    platform.start().await?;
    let person = member(&platform)?;
    let flow = Flow::publish(&person, graph(options, address.port())).await?;

    let tester = Tester::default();
    let began = Instant::now();
    let follow = async {
        let followed = tester.carry(&person, &flow, "loop", Rng::with_seed(options.seed)).await;
        followed.map(|run| (run, began.elapsed()))
    };
    let kill = async {
        let mut performed = witness.performed();
        // The last items end the run, so nothing is left to kill.
        for due in (ITEMS_PER_KILL..options.items).step_by(ITEMS_PER_KILL).filter(|_| with_kills) {
            performed.wait_for(|performed| *performed >= due).await?;
            platform.restart().await?;
        }
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
    };
    let (followed, killed) = tokio::join!(follow, kill);
    killed?;
    let (run, took) = followed?;
    let downtime = platform.downtime;
    platform.kill().await?;
    let (runs, statistics) = read_runs(&platform.options.data_dir).await?;
    let mut audit = Audit::new(&runs, std::slice::from_ref(&run.id), witness.effects(), &platform.kills);
    audit.check_statistics(&runs, &statistics);
    if audit.attempts != options.items || run.state != "completed" {
        audit.violations.push(format!("{} of {} items; the run is {}", audit.attempts, options.items, run.state));
    }
    folder.remove();
    Ok(Measured { took, kills: platform.kills.len() - 1, downtime, audit })
}

/// A loop over calls. Its output is the number of results.
fn graph(options: &ChaosOptions, witness: u16) -> serde_json::Value {
    let mut graph = GraphBuilder::new(witness);
    graph.node("start", "input", json!({}));
    let exit = if options.scenario == Scenario::Each {
        graph.call_each("items", options.items, CONCURRENCY);
        "items.out"
    } else {
        graph.node("items", "loop", json!({"items": format!("range({})", options.items), "concurrency": CONCURRENCY}));
        graph.call("item", true);
        graph.connect(&["items.item".to_owned()], "item");
        graph.connect_port("item", "items", "next");
        "items.done"
    };
    graph.connect(&["start".to_owned()], "items");
    graph.node("end", "send_result", json!({"output": "size(input)"}));
    graph.connect(&[exit.to_owned()], "end");
    graph.into_json()
}

fn print(name: &str, measured: &Measured) {
    let Measured { took, kills, downtime, audit } = measured;
    println!(
        "{name:<14} {:.2} s; {kills} kills, {:.2} s from kill to ready; {} effects, {} repeated while uncertain, {} violations",
        took.as_secs_f64(),
        downtime.as_secs_f64(),
        audit.attempts,
        audit.uncertain_repeats,
        audit.violations.len()
    );
}
