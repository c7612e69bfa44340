//! The stored form of a job that generates images, and the write that ends it.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::keys;
use super::table::Table;
use super::write::Write;
use domain::image::{ImageJob, ImageJobEnd, ImageOrder};
use domain::time::Time;

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct ImageJobItem {
    pub pk: String,
    pub sk: String,
    pub order: ImageOrder,
    pub attempt: u32,
    /// Until when a worker has the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned_until: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<ImageJobEnd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_shard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    pub expires_at: i64,
}

impl From<ImageJobItem> for ImageJob {
    fn from(item: ImageJobItem) -> Self {
        let ImageJobItem { order, attempt, finished_at, end, .. } = item;
        Self { order, attempt, finished_at, end }
    }
}

/// Ends a job, on condition that it has not ended and that no other worker has begun it.
pub(super) fn end_write(counters: &Table, job: &ImageJob, end: &ImageJobEnd, now: Time) -> Write {
    counters
        .update(keys::image_job(job.order.account, job.order.id))
        .set(ImageJobItem::END, end)
        .set(ImageJobItem::FINISHED_AT, now)
        .remove(ImageJobItem::DUE_SHARD)
        .remove(ImageJobItem::DUE_AT)
        .remove(ImageJobItem::OWNED_UNTIL)
        .require_is(ImageJobItem::ATTEMPT, job.attempt)
        .require(ImageJobItem::FINISHED_AT.is_missing())
}
