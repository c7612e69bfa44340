//! The packed form of what the log of calls keeps of a charge.

use serde::{Deserialize, Serialize};

use domain::call_facts::{CallFacts, CallLabels, FailedAttempt};
use domain::call_retention::CallRetention;
use domain::time::Time;

#[derive(Serialize, Deserialize)]
pub(super) struct PackedFacts {
    /// The milliseconds from the start of the call to its charge.
    #[serde(rename = "l")]
    duration_ms: i64,
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    first_ms: Option<u64>,
    /// None if it is that of the record.
    #[serde(rename = "um", default, skip_serializing_if = "Option::is_none")]
    upstream: Option<String>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    #[serde(rename = "z", default, skip_serializing_if = "Option::is_none")]
    end_user: Option<String>,
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(rename = "st", default, skip_serializing_if = "std::ops::Not::not")]
    is_streamed: bool,
    #[serde(rename = "c", default, skip_serializing_if = "std::ops::Not::not")]
    is_cached: bool,
    #[serde(rename = "ba", default, skip_serializing_if = "std::ops::Not::not")]
    is_batch: bool,
    #[serde(rename = "to", default, skip_serializing_if = "std::ops::Not::not")]
    is_tool: bool,
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(rename = "y", default, skip_serializing_if = "Vec::is_empty")]
    failed_attempts: Vec<FailedAttempt>,
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    retention: Option<CallRetention>,
}

impl PackedFacts {
    pub fn new(facts: &CallFacts, created_at: Time, upstream_of_record: Option<&str>) -> Self {
        let is_other = upstream_of_record != Some(&*facts.upstream);
        Self {
            duration_ms: created_at.as_millis() - facts.started_at.as_millis(),
            first_ms: facts.first_ms,
            upstream: is_other.then(|| facts.upstream.clone()),
            alias: facts.alias.clone(),
            end_user: facts.labels.end_user.clone(),
            tags: facts.labels.tags.clone(),
            is_streamed: facts.is_streamed,
            is_cached: facts.is_cached,
            is_batch: facts.is_batch,
            is_tool: facts.is_tool,
            error: facts.error.clone(),
            failed_attempts: facts.failed_attempts.clone(),
            retention: facts.retention,
        }
    }

    pub fn unpack(self, created_at: Time, upstream_of_record: Option<&str>) -> CallFacts {
        CallFacts {
            alias: self.alias,
            upstream: self.upstream.unwrap_or_else(|| upstream_of_record.unwrap_or_default().to_owned()),
            labels: CallLabels { end_user: self.end_user, tags: self.tags },
            is_streamed: self.is_streamed,
            is_cached: self.is_cached,
            is_batch: self.is_batch,
            is_tool: self.is_tool,
            started_at: Time::from_millis(created_at.as_millis() - self.duration_ms),
            first_ms: self.first_ms,
            error: self.error,
            failed_attempts: self.failed_attempts,
            retention: self.retention,
        }
    }
}
