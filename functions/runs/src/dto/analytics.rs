//! Query parameters and response bodies of analytics.

use std::collections::BTreeMap;

use domain::statistics::{DayStatistics, Period, RunCounts, RunTotals};
use domain::time::Time;
use serde::{Deserialize, Deserializer, Serialize};
use store::run_statistics::WorkflowDay;
use store::usage::Figures;
use store::workflows::WorkflowSummary;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::usage::ModelUsageOut;
use web::cursor::Cursors;
use web::paging::{default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AnalyticsQuery {
    /// The first day. By default the period has 30 days.
    #[param(format = Date, nullable = false, example = "2026-11-01")]
    pub from: Option<String>,
    /// The last day. The period has at most 366 days. By default it is today.
    #[param(format = Date, nullable = false, example = "2026-11-30")]
    pub to: Option<String>,
    /// The IANA time zone of the days. By default it is UTC.
    #[param(nullable = false, example = "Europe/Madrid")]
    pub timezone: Option<String>,
}

impl AnalyticsQuery {
    pub fn period(&self, now: Time) -> domain::Result<Period> {
        Period::parse(self.from.as_deref(), self.to.as_deref(), self.timezone.as_deref(), now)
    }
}

pub const SUMMARIES: Cursors = Cursors("run-summaries");

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListRunSummaries {
    /// The maximum number of items to return. With a cursor, it is 20 by default.
    #[serde(default, deserialize_with = "optional_per_page")]
    #[param(minimum = 1, maximum = 100, nullable = false)]
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    cursor: Option<String>,
}

fn optional_per_page<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    per_page(deserializer).map(Some)
}

impl ListRunSummaries {
    /// The size of the page, and the id of the last workflow of the page before. None for the whole list.
    pub fn page(self) -> domain::Result<Option<(u32, Option<Uuid>)>> {
        let Self { limit, cursor } = self;
        if limit.is_none() && cursor.is_none() {
            return Ok(None);
        }
        let after = SUMMARIES.read_id(cursor.as_deref())?;
        Ok(Some((limit.unwrap_or_else(default_per_page), after)))
    }
}

/// What the runs of a workflow did in a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Analytics")]
pub struct AnalyticsOut {
    #[serde(flatten)]
    summary: AnalyticsSummaryOut,
    /// Every day of the period.
    days: Vec<DailyRunsOut>,
}

/// The sums of a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "AnalyticsSummary")]
pub struct AnalyticsSummaryOut {
    /// The first day.
    #[schema(format = Date)]
    from: String,
    /// The last day.
    #[schema(format = Date)]
    to: String,
    #[schema(example = "Europe/Madrid")]
    timezone: String,
    /// The runs that ended in the period.
    runs: RunCountsOut,
    /// The durations of the runs that completed or failed, within 2 %. They are kept for UTC days, so they include all runs
    /// of the UTC days in which the period begins and ends. Null if there are none.
    #[schema(required)]
    duration: Option<DurationOut>,
    /// The runs that failed, by the node at which they failed, for the same UTC days.
    failures: Vec<NodeFailuresOut>,
    /// The calls of models on the same UTC days.
    usage: ModelUsageOut,
    /// The calls of models in the current month, in UTC.
    month: ModelUsageOut,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunCounts")]
pub struct RunCountsOut {
    total: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
}

/// Milliseconds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunDurations")]
pub struct DurationOut {
    median_ms: f64,
    p95_ms: f64,
    /// The exact mean.
    mean_ms: f64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "NodeFailures")]
pub struct NodeFailuresOut {
    #[schema(example = "ask")]
    node_id: String,
    runs: u64,
}

/// The runs that ended on a day.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "DailyRuns")]
pub struct DailyRunsOut {
    #[schema(format = Date)]
    date: String,
    #[serde(flatten)]
    runs: RunCountsOut,
}

/// What the runs of a workflow have done so far.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunSummary")]
pub struct RunSummaryOut {
    workflow_id: Uuid,
    #[schema(example = "Triage")]
    name: String,
    /// The runs that have not ended.
    in_progress: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
    /// When a run last ended.
    #[schema(required, format = DateTime)]
    last_finished_at: Option<String>,
}

impl From<RunCounts> for RunCountsOut {
    fn from(counts: RunCounts) -> Self {
        let RunCounts { completed, failed, cancelled } = counts;
        Self { total: counts.total(), completed, failed, cancelled }
    }
}

impl DurationOut {
    pub fn of(ended: &DayStatistics) -> Option<Self> {
        let (median_ms, p95_ms) = ended.durations.quantile(0.5).zip(ended.durations.quantile(0.95))?;
        let mean_ms = (ended.millis as f64 / ended.durations.count() as f64 * 100.0).round() / 100.0;
        Some(Self { median_ms, p95_ms, mean_ms })
    }
}

impl RunSummaryOut {
    pub fn new(workflow: WorkflowSummary, totals: RunTotals) -> Self {
        let RunCounts { completed, failed, cancelled } = totals.ended;
        Self {
            workflow_id: workflow.id.uuid(),
            name: workflow.name,
            in_progress: totals.in_progress(),
            completed,
            failed,
            cancelled,
            last_finished_at: totals.last_ended_at.map(|at| at.to_string()),
        }
    }
}

impl AnalyticsOut {
    pub fn new(period: &Period, days: BTreeMap<String, WorkflowDay>, month: Figures) -> Self {
        let counts = count(period, &days);
        let summary = AnalyticsSummaryOut::of_counts(period, &counts, days, month);
        Self { summary, days: counts.into_iter().map(DailyRunsOut::from).collect() }
    }
}

impl DailyRunsOut {
    pub fn list(period: &Period, days: &BTreeMap<String, WorkflowDay>) -> Vec<Self> {
        count(period, days).into_iter().map(Self::from).collect()
    }
}

impl From<(String, RunCounts)> for DailyRunsOut {
    fn from((date, runs): (String, RunCounts)) -> Self {
        Self { date, runs: runs.into() }
    }
}

impl AnalyticsSummaryOut {
    pub fn new(period: &Period, days: BTreeMap<String, WorkflowDay>, month: Figures) -> Self {
        Self::of_counts(period, &count(period, &days), days, month)
    }

    /// The sums of days whose runs are already counted.
    fn of_counts(
        period: &Period,
        counts: &[(String, RunCounts)],
        days: BTreeMap<String, WorkflowDay>,
        month: Figures,
    ) -> Self {
        let Sums { runs, ended, usage } = Sums::of(counts, &days);
        let duration = DurationOut::of(&ended);
        let mut failures: Vec<NodeFailuresOut> =
            ended.failed_nodes.into_iter().map(|(node_id, runs)| NodeFailuresOut { node_id, runs }).collect();
        failures.sort_by_key(|node| std::cmp::Reverse(node.runs));
        Self {
            from: period.first.to_string(),
            to: period.last.to_string(),
            timezone: period.zone_name().to_owned(),
            runs: runs.into(),
            duration,
            failures,
            usage: usage.into(),
            month: month.into(),
        }
    }
}

/// Sums over days.
#[derive(Default)]
pub struct Sums {
    pub runs: RunCounts,
    pub ended: DayStatistics,
    pub usage: Figures,
}

impl Sums {
    /// The sums of the days of a period whose runs are already counted.
    pub fn of(counts: &[(String, RunCounts)], days: &BTreeMap<String, WorkflowDay>) -> Self {
        let mut sums = Self::default();
        counts.iter().for_each(|(_, counts)| sums.runs += *counts);
        days.values().for_each(|day| sums.add_day(day));
        sums
    }

    /// Adds what is kept for UTC days.
    pub fn add_day(&mut self, day: &WorkflowDay) {
        self.ended.add(&day.ended);
        self.usage += day.usage;
    }

    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.ended.add(&other.ended);
        self.usage += other.usage;
    }
}

/// The runs of each day of the period.
pub fn count(period: &Period, days: &BTreeMap<String, WorkflowDay>) -> Vec<(String, RunCounts)> {
    let quarters = days.iter().flat_map(|(day, statistics)| {
        statistics.ended.quarters.iter().map(move |(quarter, counts)| (day.as_str(), *quarter, *counts))
    });
    period.count(quarters).into_iter().map(|(date, counts)| (date.to_string(), counts)).collect()
}
