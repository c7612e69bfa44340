//! The limit of forms: how many runs each may start in an hour, because anyone with the link can send it.

use super::hourly;
use super::keys;
use super::table::Table;
use domain::Result;
use domain::id::WebhookId;
use domain::time::Time;
use platform::{Context, config};

#[derive(Clone)]
pub struct SentForms {
    counters: Table,
}

impl SentForms {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { counters: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// Counts a form that was sent. Returns whether it may start a run.
    pub async fn admit(&self, webhook: WebhookId, most: u64, now: Time) -> Result<bool> {
        hourly::take_place(&self.counters, keys::sent_forms(webhook, hourly::hour_of(now)), most, now).await
    }
}
