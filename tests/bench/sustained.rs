//! A steady load on one process: webhooks of a workflow without effects and of one with an HTTP call, at the same time.
//! A platform whose work per run grows with the number of earlier runs becomes slower, and fails.

use tests::statistics::median;

use crate::cli::{Sustain, cache};
use crate::load::{Length, Load, Report, Target};
use crate::process::free_port;
use crate::subject::{ATELIER, Folders};
use crate::{Result, atelier, direct};

/// The seconds before the first window, in which caches fill.
const WARM_UP_S: f64 = 15.0;
const NAMES: [&str; 2] = ["webhook runs", "runs with a call"];

pub async fn run(sustain: &Sustain) -> Result<()> {
    let windows = (sustain.minutes * 60 / sustain.window) as usize;
    if windows < 4 {
        return Err("the load must last at least four windows; set --minutes or --window".into());
    }
    // Declared first, so that the folder is dropped after the processes that write to it.
    let folders = Folders::new(cache(sustain.cache.as_ref())?)?;
    let mock_port = free_port()?;
    let (_, _mock) = direct::start(folders.run(), mock_port).await?;
    println!("starting atelier …");
    let (targets, process) = atelier::start_webhooks(&folders.create(ATELIER)?, mock_port).await?;
    measure(&targets, sustain.connections, WARM_UP_S).await?;

    println!("{windows} windows of {} s, {} connections per workflow", sustain.window, sustain.connections);
    let mut rates = [const { Vec::new() }; 2];
    for window in 1..=windows {
        let reports = measure(&targets, sustain.connections, sustain.window.into()).await?;
        let [plain, calling] = reports.map(|report| report.requests_per_s);
        println!(
            "window {window:>4}   {:>7.0} {}/s   {:>7.0} {}/s   memory {:>5.0} MB",
            plain,
            NAMES[0],
            calling,
            NAMES[1],
            process.memory_mb()?
        );
        rates[0].push(plain);
        rates[1].push(calling);
    }
    let verdicts = NAMES.iter().zip(&rates).map(|(name, rates)| judge(name, rates, sustain.max_loss));
    let mut is_steady = true;
    for (sentence, is_so) in verdicts {
        println!("{sentence}: {}.", if is_so { "yes" } else { "no" });
        is_steady &= is_so;
    }
    if is_steady { Ok(()) } else { Err("the platform becomes slower under a steady load".into()) }
}

/// Runs both workflows at once. Every run must succeed.
async fn measure(targets: &[Target; 2], connections: usize, seconds: f64) -> Result<[Report; 2]> {
    let length = Length::Seconds(seconds);
    let load = |target: &Target| Load { target: target.clone(), connections, length, pause_ms: 0, stream: false };
    let (plain, calling) = (load(&targets[0]), load(&targets[1]));
    let (plain, calling) = tokio::try_join!(plain.run(), calling.run())?;
    match plain.first_error.as_ref().or(calling.first_error.as_ref()) {
        Some(error) => Err(format!("{} calls failed: {error}", plain.errors + calling.errors).into()),
        None => Ok([plain, calling]),
    }
}

/// The sentence about the first and the last quarter of the windows, and whether the loss is within the limit.
fn judge(name: &str, rates: &[f64], max_loss: u32) -> (String, bool) {
    let quarter = rates.len().div_ceil(4);
    let rate = |rates: &[f64]| median(rates.iter().copied()).unwrap_or_default();
    let (first, last) = (rate(&rates[..quarter]), rate(&rates[rates.len() - quarter..]));
    let sentence =
        format!("{name}: {first:.0}/s in the first quarter, {last:.0}/s in the last, at most {max_loss} % less");
    (sentence, last >= first * (1.0 - f64::from(max_loss) / 100.0))
}
