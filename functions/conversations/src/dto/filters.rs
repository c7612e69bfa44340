//! The response body of the values by which records can be filtered.

use domain::channel::Channels;
use domain::run::{RunChannel, RunOrigin, RunState};
use serde::Serialize;
use utoipa::ToSchema;

/// The values by which the records of a workflow can be filtered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RecordFilters")]
pub struct RecordFiltersOut {
    /// The channels within the platform, and the messaging providers that the workflow is configured for.
    channels: Vec<RunChannel>,
    origins: [RunOrigin; RunOrigin::ALL.len()],
    states: [RunState; RunState::ALL.len()],
}

impl RecordFiltersOut {
    pub fn new(configured: &Channels) -> Self {
        let mut channels = RunChannel::BUILT_IN.to_vec();
        for channel in configured.values().filter_map(|channel| channel.provider).map(RunChannel::from) {
            if !channels.contains(&channel) {
                channels.push(channel);
            }
        }
        Self { channels, origins: RunOrigin::ALL, states: RunState::ALL }
    }
}
