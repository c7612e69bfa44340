//! Schedules: a workflow starts runs at the times of a cron expression.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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
    /// A scheduled time that is older than this when the ticker reads it was missed.
    pub grace: Duration,
    /// The input of each run.
    pub input: Value,
}

/// The `graceSeconds` of a schedule that has none, and of those that were stored without one.
pub const DEFAULT_GRACE_SECONDS: u32 = 60;

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
    /// The input of the run of a scheduled time. An object or null gets the member `scheduledAt`, unless it has one.
    pub fn input_at(&self, time: Time) -> Value {
        let mut input = match &self.input {
            Value::Null => json!({}),
            input => input.clone(),
        };
        if let Some(members) = input.as_object_mut() {
            members.entry("scheduledAt").or_insert_with(|| time.to_string().into());
        }
        input
    }

    /// Whether the scheduled times are the same.
    pub fn has_times_of(&self, other: &Self) -> bool {
        (&self.cron, &self.zone) == (&other.cron, &other.zone)
    }
}
