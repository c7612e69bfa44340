//! The route table of the runs API.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::activity::*;
use crate::handlers::analytics::*;
use crate::handlers::console::*;
use crate::handlers::controls::*;
use crate::handlers::form_pages::*;
use crate::handlers::replays::*;
use crate::handlers::retries::*;
use crate::handlers::reviews::*;
use crate::handlers::runs::*;
use crate::handlers::tables::*;
use crate::handlers::trace::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/runs" => get(list_runs?), post(start_run);
    "/builder/v1/workflows/runs/summaries" => get(list_run_summaries?);
    "/builder/v1/runs" => get(list_all_runs?);
    "/builder/v1/reviews" => get(list_open_reviews?);
    "/builder/v1/analytics" => get(compare_analytics?);
    "/builder/v1/workflows/{id}/analytics" => get(get_analytics?);
    "/builder/v1/workflows/{id}/analytics/summary" => get(get_analytics_summary?);
    "/builder/v1/workflows/{id}/analytics/runs" => get(get_daily_runs?);
    "/builder/v1/workflows/{id}/activity" => get(list_workflow_activity?);
    "/builder/v1/workflows/{id}/runs/{run_id}" => get(get_run?), delete(erase_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/trace" => get(get_run_trace?);
    "/builder/v1/workflows/{id}/runs/{run_id}/analytics" => get(get_run_analytics);
    "/builder/v1/workflows/{id}/runs/{run_id}/retry" => post(retry_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/replay" => post(replay_run);
    "/builder/v1/workflows/{id}/releases/{release_id}/rehearse" => post(rehearse_release);
    "/builder/v1/workflows/{id}/runs/{run_id}/cancel" => post(cancel_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/stop" => post(stop_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/resolve-wait" => post(resolve_wait);
    "/builder/v1/workflows/{id}/runs/{run_id}/form-pages" => get(list_form_pages);
    "/builder/v1/workflows/{id}/tables" => get(list_tables);
    "/builder/v1/workflows/{id}/tables/{table}" => delete(delete_table);
    "/builder/v1/workflows/{id}/tables/{table}/rows" => get(list_rows?), post(add_row);
    "/builder/v1/workflows/{id}/tables/{table}/rows/{row_id}" => patch(change_row), delete(delete_row);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/", ScopeArea::Runs)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
