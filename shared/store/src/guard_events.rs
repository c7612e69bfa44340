//! The events of the guard: one for each evaluation, with its outcome.
//!
//! A completed event never changes. A pending or failed one is replaced after the next attempt.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::attribute::PK;
use super::item::parse;
use super::keys;
use super::listed::{ListedPage, list_page};
use super::table::Table;
use super::write::Write;
use domain::Result;
use domain::guard::{GuardEvent, GuardOutcome};
use domain::id::{ApiKeyId, GuardEventId, OrgId, UserId};
use domain::lease::month;
use domain::page::Slice;
use platform::{Context, config};

/// The time for which an event is kept.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

#[derive(Clone)]
pub struct GuardEvents {
    journal: Table,
}

#[derive(Serialize, Deserialize, Attributes)]
struct GuardEventItem {
    pk: String,
    sk: String,
    event: GuardEvent,
    /// Present if the outcome may still be replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaceable: Option<bool>,
    listed_in: String,
    listed_at: String,
    expires_at: i64,
}

/// The filter of a list of events. By default it selects all events.
#[derive(Clone, Debug, Default)]
pub struct GuardEventFilter {
    pub user: Option<UserId>,
    pub key: Option<ApiKeyId>,
    pub flagged: Option<bool>,
    /// The code of a category that is flagged.
    pub category: Option<String>,
}

impl GuardEventFilter {
    fn is_empty(&self) -> bool {
        self.user.is_none() && self.key.is_none() && self.flagged.is_none() && self.category.is_none()
    }

    fn includes(&self, event: &GuardEvent) -> bool {
        let has_category = |code: &String| {
            event.verdict().is_some_and(|verdict| verdict.flagged_categories().any(|category| category.code == *code))
        };
        self.user.is_none_or(|user| event.account.user == user)
            && self.key.is_none_or(|key| event.key == Some(key))
            && self.flagged.is_none_or(|flagged| event.is_flagged() == flagged)
            && self.category.as_ref().is_none_or(has_category)
    }
}

/// Stores an event, on condition that it is new, or that it is pending or failed and gets an outcome.
pub(super) fn event_write(journal: &Table, event: &GuardEvent) -> Write {
    let key = keys::guard_event(event.id);
    let item = GuardEventItem {
        pk: key.pk,
        sk: key.sk,
        event: event.clone(),
        replaceable: event.verdict().is_none().then_some(true),
        listed_in: keys::guard_events(event.account.org, month(event.created_at)),
        listed_at: keys::listed_at(event.created_at, event.id),
        expires_at: event.created_at.plus(KEPT).as_seconds(),
    };
    journal.put(&item).require(match event.outcome {
        GuardOutcome::Pending => PK.is_missing(),
        GuardOutcome::Completed(_) | GuardOutcome::Failed { .. } => {
            PK.is_missing().or(GuardEventItem::REPLACEABLE.exists())
        }
    })
}

impl GuardEvents {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { journal: Table::new(context, config::TABLE_JOURNAL)? })
    }

    /// Stores the event of an evaluation that is not charged. An event that is completed stays as it is.
    pub async fn put(&self, event: &GuardEvent) -> Result<()> {
        self.journal.write(event_write(&self.journal, event)).await.map(drop)
    }

    pub async fn find(&self, id: GuardEventId) -> Result<Option<GuardEvent>> {
        let item = self.journal.get(&keys::guard_event(id)).await?;
        item.map(|item| parse::<GuardEventItem>(item).map(|item| item.event)).transpose()
    }

    /// Lists the events of a month (`202611`), newest first. `after` is the cursor of the last page. One call reads a
    /// bounded number of events, so a short page may still have a next page.
    pub async fn list(
        &self,
        org: OrgId,
        month: i64,
        filter: &GuardEventFilter,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<GuardEvent>> {
        let list = keys::guard_events(org, month);
        let page = ListedPage { list, limit, after, is_filtered: !filter.is_empty() };
        let event = |item| parse::<GuardEventItem>(item).map(|item| item.event);
        list_page(&self.journal, page, event, |event| filter.includes(event)).await
    }
}
