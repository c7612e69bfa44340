//! The rows of a list of runs: each run with its usage and the review that it waits for. A run without exchanges has
//! neither, so a page costs a query for each run that has called a model, another system or a person, and one more while
//! that run is in progress. The head of a run has no sums, because a canceled call may be charged after the run has ended.

use futures::{StreamExt, TryStreamExt, stream};

use super::run_usage::RunUsage;
use super::runs::{OpenReview, Runs};
use super::usage::Figures;
use domain::Result;
use domain::run::Run;
use domain::time::Time;

/// The number of runs that are read at once.
const CONCURRENCY: usize = 16;

pub struct RunRow {
    pub run: Run,
    pub usage: Figures,
    /// The open review that expires first.
    pub waiting: Option<OpenReview>,
}

/// Reads what the rows of these runs show, in their order.
pub async fn load_rows(runs: &Runs, usage: &RunUsage, found: Vec<Run>, now: Time) -> Result<Vec<RunRow>> {
    let rows = found.into_iter().map(|run| load_row(runs, usage, run, now));
    stream::iter(rows).buffered(CONCURRENCY).try_collect().await
}

async fn load_row(runs: &Runs, usage: &RunUsage, run: Run, now: Time) -> Result<RunRow> {
    if run.exchange_count == 0 {
        return Ok(RunRow { run, usage: Figures::default(), waiting: None });
    }
    let (usage, open) = futures::try_join!(usage.total(run.id), runs.open_reviews(&run, now))?;
    Ok(RunRow { run, usage, waiting: open.into_iter().next() })
}
