//! Query parameters of the list of runs.

use domain::run::{RunOrigin, RunState};
use domain::time::Time;
use serde::Deserialize;
use store::runs::RunFilter;
use utoipa::IntoParams;
use web::paging::{CommaList, default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListRuns {
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Returns only runs in one of these states. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<RunState>, style = Form, explode = false, min_items = 1)]
    pub state: CommaList<RunState>,
    /// Returns only runs that were started by one of these. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<RunOrigin>, style = Form, explode = false, min_items = 1)]
    pub origin: CommaList<RunOrigin>,
    /// Returns only runs that were queued at this time or later.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-11-01T00:00:00Z")]
    pub from: Option<Time>,
    /// Returns only runs that were queued before this time.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-12-01T00:00:00Z")]
    pub to: Option<Time>,
}

impl ListRuns {
    pub fn filter(self) -> RunFilter {
        let Self { limit: _, cursor: _, state, origin, from, to } = self;
        RunFilter { states: state.0, origins: origin.0, from, to, ..RunFilter::default() }
    }
}
