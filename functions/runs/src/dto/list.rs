//! Query parameters of the list of runs.

use domain::id::{ParticipantId, ReleaseId};
use domain::run::{RunOrigin, RunState};
use domain::time::Time;
use domain::{Error, Result};
use serde::Deserialize;
use store::runs::RunFilter;
use utoipa::IntoParams;
use web::paging::{CommaList, default_per_page, per_page};

/// The maximum length of an error code and of the id of a node.
const MAX_NAME_CHARS: usize = 100;

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
    /// Returns only runs of this release.
    #[param(value_type = Option<Uuid>, nullable = false)]
    pub release_id: Option<ReleaseId>,
    /// Returns only runs that failed with this code, such as `timeout`.
    #[param(nullable = false, max_length = 100)]
    pub error_code: Option<String>,
    /// Returns only runs that failed at this node.
    #[param(nullable = false, max_length = 100)]
    pub node_id: Option<String>,
    /// Returns only runs that messages of this participant have started.
    #[param(value_type = Option<Uuid>, nullable = false)]
    pub participant: Option<ParticipantId>,
    /// Returns only runs that were queued at this time or later.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-11-01T00:00:00Z")]
    pub from: Option<Time>,
    /// Returns only runs that were queued before this time.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-12-01T00:00:00Z")]
    pub to: Option<Time>,
}

impl ListRuns {
    pub fn filter(self) -> Result<RunFilter> {
        let Self { limit: _, cursor: _, state, origin, release_id, error_code, node_id, participant, from, to } = self;
        check_length("errorCode", error_code.as_deref())?;
        check_length("nodeId", node_id.as_deref())?;
        Ok(RunFilter {
            states: state.0,
            origins: origin.0,
            channels: Vec::new(),
            participant,
            release: release_id,
            error_code,
            failed_node: node_id,
            from,
            to,
        })
    }
}

fn check_length(name: &'static str, value: Option<&str>) -> Result<()> {
    match value.is_some_and(|value| value.chars().count() > MAX_NAME_CHARS) {
        true => Err(Error::invalid_query(name, format!("at most {MAX_NAME_CHARS} characters"))),
        false => Ok(()),
    }
}
