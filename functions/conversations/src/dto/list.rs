//! Query parameters of the list of records.

use domain::id::ParticipantId;
use domain::run::{RunChannel, RunOrigin, RunState};
use domain::time::Time;
use serde::Deserialize;
use store::runs::RunFilter;
use utoipa::IntoParams;
use web::paging::{CommaList, default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListRecords {
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Returns only records of conversations with this participant.
    #[param(value_type = Option<Uuid>, nullable = false)]
    pub participant: Option<ParticipantId>,
    /// Returns only records of one of these channels. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<RunChannel>, style = Form, explode = false, min_items = 1)]
    pub channel: CommaList<RunChannel>,
    /// Returns only records in one of these states. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<RunState>, style = Form, explode = false, min_items = 1)]
    pub state: CommaList<RunState>,
    /// Returns only records of runs that were started by one of these. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<RunOrigin>, style = Form, explode = false, min_items = 1)]
    pub origin: CommaList<RunOrigin>,
    /// Returns only records of runs that were queued at this time or later.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-11-01T00:00:00Z")]
    pub from: Option<Time>,
    /// Returns only records of runs that were queued before this time.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-12-01T00:00:00Z")]
    pub to: Option<Time>,
}

impl ListRecords {
    pub fn filter(self) -> RunFilter {
        let Self { limit: _, cursor: _, participant, channel, state, origin, from, to } = self;
        RunFilter {
            states: state.0,
            origins: origin.0,
            channels: channel.0,
            participant,
            from,
            to,
            ..RunFilter::default()
        }
    }
}
