//! The analytics of several workflows, together and for each.

use std::collections::BTreeMap;

use domain::id::WorkflowId;
use domain::statistics::Period;
use domain::time::Time;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use store::run_statistics::WorkflowDay;
use store::sharing::SeenWorkflow;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::usage::ModelUsageOut;
use web::paging::CommaList;

use super::analytics::{DailyRunsOut, DurationOut, RunCountsOut, Sums, count};

/// Each workflow of a request is sixteen queries.
const MAX_WORKFLOWS: usize = 20;
/// The nodes at which the most runs failed.
const MAX_FAILURES: usize = 50;

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareAnalytics {
    /// The workflows, at most 20. Separate several with commas.
    #[param(value_type = Vec<Uuid>, style = Form, explode = false, min_items = 1, max_items = 20)]
    workflow_ids: CommaList<WorkflowId>,
    /// The first day. By default the period has 30 days.
    #[param(format = Date, nullable = false, example = "2026-11-01")]
    from: Option<String>,
    /// The last day. The period has at most 366 days. By default it is today.
    #[param(format = Date, nullable = false, example = "2026-11-30")]
    to: Option<String>,
    /// The IANA time zone of the days. By default it is UTC.
    #[param(nullable = false, example = "Europe/Madrid")]
    timezone: Option<String>,
}

impl CompareAnalytics {
    pub fn period(&self, now: Time) -> Result<Period> {
        Period::parse(self.from.as_deref(), self.to.as_deref(), self.timezone.as_deref(), now)
    }

    pub fn workflows(&self) -> Result<&[WorkflowId]> {
        match self.workflow_ids.0.as_slice() {
            ids if ids.len() <= MAX_WORKFLOWS => Ok(ids),
            _ => Err(Error::invalid_query("workflowIds", format!("at most {MAX_WORKFLOWS} workflows"))),
        }
    }
}

/// What the runs of several workflows did in a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ComparedAnalytics")]
pub struct ComparedAnalyticsOut {
    /// The first day.
    #[schema(format = Date)]
    from: String,
    /// The last day.
    #[schema(format = Date)]
    to: String,
    #[schema(example = "Europe/Madrid")]
    timezone: String,
    #[serde(flatten)]
    total: PeriodFiguresOut,
    /// Every day of the period.
    days: Vec<ComparedDayOut>,
    /// The nodes at which the most runs failed, at most 50.
    failures: Vec<WorkflowFailuresOut>,
    /// In the order of their names.
    workflows: Vec<WorkflowFiguresOut>,
}

/// The runs that ended in a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "PeriodFigures")]
struct PeriodFiguresOut {
    runs: RunCountsOut,
    /// The durations of the runs that completed or failed, within 2 %, on the UTC days of the period. Null if there are none.
    #[schema(required)]
    duration: Option<DurationOut>,
    /// The calls of models on the same UTC days.
    usage: ModelUsageOut,
}

/// The runs that ended on a day. The durations and the usage are those of the UTC day with the same date.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ComparedDay")]
struct ComparedDayOut {
    #[serde(flatten)]
    runs: DailyRunsOut,
    #[schema(required)]
    duration: Option<DurationOut>,
    usage: ModelUsageOut,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WorkflowFailures")]
struct WorkflowFailuresOut {
    workflow_id: Uuid,
    #[schema(example = "ask")]
    node_id: String,
    runs: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WorkflowFigures")]
struct WorkflowFiguresOut {
    id: Uuid,
    #[schema(example = "Triage")]
    name: String,
    #[serde(flatten)]
    total: PeriodFiguresOut,
    /// Every day of the period.
    days: Vec<DailyRunsOut>,
}

impl From<Sums> for PeriodFiguresOut {
    fn from(Sums { runs, ended, usage }: Sums) -> Self {
        Self { runs: runs.into(), duration: DurationOut::of(&ended), usage: usage.into() }
    }
}

impl ComparedAnalyticsOut {
    pub fn new(period: &Period, mut workflows: Vec<(BTreeMap<String, WorkflowDay>, SeenWorkflow)>) -> Self {
        workflows.sort_by(|(_, one), (_, other)| (&one.name, one.id).cmp(&(&other.name, other.id)));
        let mut total = Sums::default();
        let mut days: BTreeMap<String, Sums> = period.days().map(|day| (day.to_string(), Sums::default())).collect();
        let mut failures = Vec::new();
        let mut of_workflows = Vec::new();
        for (utc_days, workflow) in workflows {
            let counts = count(period, &utc_days);
            let mut sums = Sums::of(&counts, &utc_days);
            // Both have every day of the period, in order.
            for ((date, sum), (_, runs)) in days.iter_mut().zip(&counts) {
                sum.runs += *runs;
                if let Some(day) = utc_days.get(date) {
                    sum.add_day(day);
                }
            }
            total.add(&sums);
            let id = workflow.id.uuid();
            let failed = std::mem::take(&mut sums.ended.failed_nodes).into_iter();
            failures.extend(failed.map(|(node_id, runs)| WorkflowFailuresOut { workflow_id: id, node_id, runs }));
            let days = counts.into_iter().map(DailyRunsOut::from).collect();
            of_workflows.push(WorkflowFiguresOut { id, name: workflow.name, total: sums.into(), days });
        }
        failures.sort_by_key(|failure| std::cmp::Reverse(failure.runs));
        failures.truncate(MAX_FAILURES);
        let days = days.into_iter().map(|(date, Sums { runs, ended, usage })| ComparedDayOut {
            runs: (date, runs).into(),
            duration: DurationOut::of(&ended),
            usage: usage.into(),
        });
        Self {
            from: period.first.to_string(),
            to: period.last.to_string(),
            timezone: period.zone_name().to_owned(),
            total: total.into(),
            days: days.collect(),
            failures,
            workflows: of_workflows,
        }
    }
}
