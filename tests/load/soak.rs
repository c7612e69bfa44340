//! The load itself: people who visit one area after the other, and a line about each window of time.

use std::time::{Duration, Instant};

use domain::identity::Role;
use futures::future::{join_all, try_join_all};
use tests::process::{DiskFolder, Result};
use tests::served::{ServedLocal, build};
use tests::statistics::median;
use tokio::time::{sleep, sleep_until};

use crate::areas::{AREAS, prepare, visit};
use crate::cli::Cli;
use crate::receiver;
use crate::samples::Samples;
use crate::visitor::{Platform, Visitor};

/// The seconds before the first window, in which caches fill.
const WARM_UP: Duration = Duration::from_secs(30);

/// What happened in a window.
struct Window {
    calls_per_s: f64,
    memory_mb: f64,
}

pub async fn run(cli: &Cli) -> Result<()> {
    let windows = cli.minutes * 60 / cli.window;
    if windows < 4 {
        return Err("the load must last at least four windows; set --minutes or --window".into());
    }
    // Declared first, so that the folder is removed after the process that writes to it has ended.
    let folder = DiskFolder::create("load")?;
    let programs = match &cli.programs {
        Some(folder) => std::path::absolute(folder)?,
        None => {
            println!("building the release of `local` …");
            build(&["local", "lab-program"]).await?
        }
    };
    let served = ServedLocal::start(&programs.join("local"), folder.path(), false).await?;
    let samples = Samples::default();
    let platform = Platform::new(&served, receiver::start().await?, cli.pause_ms, samples.clone());
    let operator = Visitor::new(&platform, &served.token("ada", Role::Admin), "operator")?;
    prepare(operator, &programs.join("lab-program")).await?;
    let visitors = (1..=cli.visitors).map(|number| {
        let name = format!("person{number}");
        Visitor::new(&platform, &served.token(&name, Role::Member), &name)
    });
    let visitors = visitors.collect::<Result<Vec<_>>>()?;
    let visitors = try_join_all(visitors.into_iter().map(Visitor::with_key)).await?;

    println!("{windows} windows of {} s, {} people, {} areas", cli.window, cli.visitors, AREAS.len());
    let until = Instant::now() + WARM_UP + Duration::from_secs(u64::from(windows * cli.window));
    let people = join_all(visitors.into_iter().enumerate().map(|(number, visitor)| visit(visitor, number, until)));
    let (_, measured) = tokio::join!(people, measure(cli, windows, &samples, &served));
    println!("\n{samples}");
    judge(cli, &measured?, &samples)
}

/// Counts the calls and the memory of each window.
async fn measure(cli: &Cli, windows: u32, samples: &Samples, served: &ServedLocal) -> Result<Vec<Window>> {
    sleep(WARM_UP).await;
    samples.forget();
    let began = tokio::time::Instant::now();
    let (mut measured, mut before) = (Vec::new(), 0);
    for number in 1..=windows {
        sleep_until(began + Duration::from_secs(u64::from(number * cli.window))).await;
        let (calls, errors) = samples.counts();
        let memory_mb = served.process.memory_mb()?;
        let calls_per_s = (calls - before) as f64 / f64::from(cli.window);
        println!("window {number:>4}   {calls_per_s:>6.0} calls/s   memory {memory_mb:>5.0} MB   {errors} errors");
        measured.push(Window { calls_per_s, memory_mb });
        before = calls;
    }
    Ok(measured)
}

/// Compares the first and the last quarter of the windows.
fn judge(cli: &Cli, windows: &[Window], samples: &Samples) -> Result<()> {
    let quarter = windows.len().div_ceil(4);
    let ends = |number: fn(&Window) -> f64| {
        let of = |windows: &[Window]| median(windows.iter().map(number)).unwrap_or_default();
        (of(&windows[..quarter]), of(&windows[windows.len() - quarter..]))
    };
    let (first_rate, last_rate) = ends(|window| window.calls_per_s);
    let (first_mb, last_mb) = ends(|window| window.memory_mb);
    let (_, errors) = samples.counts();
    let is_fast = last_rate >= first_rate * (1.0 - f64::from(cli.max_loss) / 100.0);
    let is_flat = last_mb <= first_mb * (1.0 + f64::from(cli.max_growth) / 100.0);
    println!("calls a second: {first_rate:.0} in the first quarter, {last_rate:.0} in the last one");
    println!("memory: {first_mb:.0} MB in the first quarter, {last_mb:.0} MB in the last one");
    let problems = [
        (errors > 0, "calls failed"),
        (!is_fast, "the platform becomes slower"),
        (!is_flat, "the memory of the platform grows"),
    ];
    let problems: Vec<_> = problems.into_iter().filter_map(|(is_so, problem)| is_so.then_some(problem)).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ").into()) }
}
