//! The comparison of webhooks with Node-RED: the same five steps. Atelier records each run; Node-RED records nothing.

use crate::cli::Measure;
use crate::results::Results;
use crate::rounds::{self, Kind, Measurement};
use crate::subject::{Folders, Name, Subject};
use crate::{Result, table};

/// The most milliseconds of the median call at one connection.
const P50_MS: f64 = 3.0;
const ALONE: Kind = Kind { connections: 1, stream: false };
const BUSY: Kind = Kind { connections: 16, stream: false };

pub async fn compare(measure: &Measure) -> Result<()> {
    let plan = measure.plan(false);
    // Declared first, so that the folders are dropped after the processes that write to them.
    let folders = Folders::new(measure.cache()?)?;
    let names = [Name::Webhook, Name::NodeRed];
    let mut subjects = Vec::new();
    for name in names {
        println!("starting {} …", name.display_name());
        // No mock is needed: the workflow calls nothing.
        subjects.push(Subject::start(name, &folders, 0).await?);
    }
    let results = rounds::run(&plan, &subjects).await?;

    let kinds: Vec<_> = plan.kinds().collect();
    println!("\nMedians; {} s per measurement, rounds: {}.\n", plan.seconds, plan.rounds);
    println!("{}", table::webhook_table(&results, &names, &kinds));
    for error in table::errors(&results, &names, &kinds) {
        println!("{error}");
    }
    let mut is_met = true;
    for (sentence, is_so) in judge(&results) {
        println!("{sentence}: {}.", if is_so { "yes" } else { "no" });
        is_met &= is_so;
    }
    if measure.check && !is_met {
        return Err("Atelier's webhooks must be within their limits".into());
    }
    Ok(())
}

/// The sentences about the limits, each with whether it is met. A limit at connections that were not measured has none.
fn judge(results: &Results) -> Vec<(String, bool)> {
    let median = |name, kind, number: fn(&Measurement) -> Option<f64>| results.median(name, kind, number);
    let p50 = median(Name::Webhook, ALONE, Measurement::p50_ms)
        .map(|p50| (format!("The median call takes {p50:.3} ms at 1 connection, at most {P50_MS} ms"), p50 <= P50_MS));
    let rates = [Name::Webhook, Name::NodeRed].map(|name| median(name, BUSY, Measurement::requests_per_s));
    let rate = match rates {
        [Some(own), Some(other)] => {
            Some((format!("{own:.0} runs/s at 16 connections, at least the {other:.0} of Node-RED"), own >= other))
        }
        _ => None,
    };
    p50.into_iter().chain(rate).collect()
}
