//! Handlers that show what the runs of workflows have done. They read counters, never the runs.

use std::collections::BTreeMap;

use axum::extract::State;
use domain::Error;
use domain::id::WorkflowId;
use domain::page::Slice;
use domain::statistics::Period;
use futures::stream::{self, StreamExt, TryStreamExt};
use store::run_statistics::WorkflowDay;
use store::usage::Figures;
use web::builder::{Access, Caller, Data, DataSlice, ErrorResponses, NotFound, Viewer};
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::analytics::{
    AnalyticsOut, AnalyticsQuery, AnalyticsSummaryOut, DailyRunsOut, ListRunSummaries, RunSummaryOut, SUMMARIES,
};
use crate::dto::compared::{CompareAnalytics, ComparedAnalyticsOut};

/// How many workflows are read at once. Each has many small partitions.
const READ_TOGETHER: usize = 4;

/// Show the analytics of a workflow
///
/// The runs, their durations and failures, their usage of models, and the runs of each day. A run counts when it ends.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/analytics", tag = "analytics",
    params(("id" = Uuid, Path, description = "The workflow"), AnalyticsQuery),
    responses(
        (status = 200, description = "The analytics", body = Data<AnalyticsOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn get_analytics(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<AnalyticsQuery>,
) -> Result<Data<AnalyticsOut>> {
    let period = query.period(access.caller.at)?;
    let (days, month) = read(&stores, &access, id, &period).await?;
    Ok(Data { data: AnalyticsOut::new(&period, days, month) })
}

/// Show the sums of the analytics of a workflow
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/analytics/summary", tag = "analytics",
    params(("id" = Uuid, Path, description = "The workflow"), AnalyticsQuery),
    responses(
        (status = 200, description = "The sums", body = Data<AnalyticsSummaryOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn get_analytics_summary(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<AnalyticsQuery>,
) -> Result<Data<AnalyticsSummaryOut>> {
    let period = query.period(access.caller.at)?;
    let (days, month) = read(&stores, &access, id, &period).await?;
    Ok(Data { data: AnalyticsSummaryOut::new(&period, days, month) })
}

/// Show the runs of each day
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/analytics/runs", tag = "analytics",
    params(("id" = Uuid, Path, description = "The workflow"), AnalyticsQuery),
    responses(
        (status = 200, description = "Every day of the period", body = Data<Vec<DailyRunsOut>>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn get_daily_runs(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<AnalyticsQuery>,
) -> Result<Data<Vec<DailyRunsOut>>> {
    let period = query.period(access.caller.at)?;
    stores.workflows.get_header(access.account, id).await?;
    let (first, last) = period.utc_days();
    let days = stores.statistics.read(id, &first, &last).await?;
    Ok(Data { data: DailyRunsOut::list(&period, &days) })
}

/// Show the analytics of several workflows
///
/// The runs, durations, failures and usage of up to 20 workflows, together and for each. Workflows that do not exist, or that
/// the caller may not see, are left out.
#[utoipa::path(
    get, path = "/builder/v1/analytics", tag = "analytics", params(CompareAnalytics),
    responses((status = 200, description = "The analytics", body = Data<ComparedAnalyticsOut>), ErrorResponses),
)]
pub async fn compare_analytics(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<CompareAnalytics>,
) -> Result<Data<ComparedAnalyticsOut>> {
    let period = query.period(caller.at)?;
    let (first, last) = period.utc_days();
    let visible = stores.shares.visible_among(caller.account(), query.workflows()?).await?;
    let days = visible.into_values().map(|workflow| {
        let (stores, first, last) = (&stores, &first, &last);
        async move { Ok::<_, Error>((stores.statistics.read(workflow.id, first, last).await?, workflow)) }
    });
    let days: Vec<_> = stream::iter(days).buffered(READ_TOGETHER).try_collect().await?;
    Ok(Data { data: ComparedAnalyticsOut::new(&period, days) })
}

/// Summarize the runs of all workflows
///
/// Returns one entry for each workflow of the caller: without parameters all of them, in the order of their names. With
/// `limit` or `cursor`, a page of them, the newest workflow first.
#[utoipa::path(
    get, path = "/builder/v1/workflows/runs/summaries", tag = "analytics", params(ListRunSummaries),
    responses((status = 200, description = "The summaries", body = DataSlice<RunSummaryOut>), ErrorResponses),
)]
pub async fn list_run_summaries(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListRunSummaries>,
) -> Result<DataSlice<RunSummaryOut>> {
    let account = caller.account();
    let (Slice { items, next }, mut totals) = match query.page()? {
        None => {
            let (items, totals) =
                futures::try_join!(stores.workflows.list_all(account), stores.statistics.totals(account))?;
            (Slice { items, next: None }, totals)
        }
        Some((limit, after)) => {
            let page = stores.workflows.list_newest(account, limit, after).await?;
            let totals = match (page.items.first(), page.items.last()) {
                (Some(newest), Some(oldest)) => stores.statistics.totals_between(account, oldest.id, newest.id).await?,
                _ => BTreeMap::new(),
            };
            (page, totals)
        }
    };
    let summary = |workflow: store::workflows::WorkflowSummary| {
        let totals = totals.remove(&workflow.id).unwrap_or_default();
        RunSummaryOut::new(workflow, totals)
    };
    let items: Vec<_> = items.into_iter().map(summary).collect();
    Ok(DataSlice::new(Slice { items, next }, SUMMARIES))
}

/// Reads the UTC days of a period, and the usage of the current month. If they overlap, they are read together.
async fn read(
    stores: &Stores,
    access: &Access,
    id: WorkflowId,
    period: &Period,
) -> Result<(BTreeMap<String, WorkflowDay>, Figures)> {
    stores.workflows.get_header(access.account, id).await?;
    let (first, last) = period.utc_days();
    let today = access.caller.at.day();
    let month = format!("{}-01", &today[..7]);
    let mut days = match first <= today && last >= month {
        true => stores.statistics.read(id, first.as_str().min(&month), last.as_str().max(&today)).await?,
        false => {
            let read = |first, last| stores.statistics.read(id, first, last);
            let (mut days, others) = futures::try_join!(read(first.as_str(), last.as_str()), read(&month, &today))?;
            days.extend(others);
            days
        }
    };
    let mut usage = Figures::default();
    days.range(month..=today).for_each(|(_, day)| usage += day.usage);
    days.retain(|day, _| (&first..=&last).contains(&day));
    Ok((days, usage))
}
