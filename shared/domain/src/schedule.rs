//! Schedules: a workflow starts runs at the times of a cron expression.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::time::Time;

/// The settings of a node of type `schedule`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleSettings {
    pub cron: String,
    /// An IANA time zone.
    pub zone: String,
    pub catch_up: CatchUp,
    pub overlap: Overlap,
    /// The input of each run.
    pub input: Value,
}

/// A schedule of a release that becomes active.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedSchedule {
    pub node_id: String,
    pub settings: ScheduleSettings,
    /// The first scheduled time.
    pub planned_at: Time,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CatchUp {
    #[default]
    Skip,
    Last,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    #[default]
    Allow,
    Skip,
    Queue,
}

impl ScheduleSettings {
    /// Whether the scheduled times are the same.
    pub fn has_times_of(&self, other: &Self) -> bool {
        (&self.cron, &self.zone) == (&other.cron, &other.zone)
    }
}
