//! The inbox: what happened in all workflows of the caller, in pages and as a live stream.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use domain::identity::Account;
use domain::page::{Order, SliceRequest};
use domain::sharing::TeamRole;
use domain::time::Time;
use domain::{Error, Result as DomainResult};
use store::sharing::SeenWorkflows;
use tokio::time::Instant;
use uuid::Uuid;
use web::builder::{Caller, DataSlice, ErrorResponses};
use web::cursor::Cursors;
use web::follow::{Additions, FollowedLog, Follower, last_event_id};
use web::{Query, Result};

use crate::Stores;
use crate::dto::inbox::{InboxEventOut, ListInbox};

const CURSORS: Cursors = Cursors("inbox");

/// An event may become visible later than others with a larger id, because writes and indexes take their time. The stream reads
/// this period again and again.
const OVERLAP: Duration = Duration::from_secs(10);
/// How long a stream uses the list of accounts that share workflows with the caller. What the caller may see in them is read
/// with each event.
const WORKFLOWS_KEPT: Duration = Duration::from_secs(5);
/// The number of events of a read.
const STEP: u32 = 100;

/// List or follow the inbox
///
/// Returns what happened in the caller's workflows, and in those that are shared with them, newest first: the last message of
/// each thread, or the operator who took or released it since; the open reviews that the caller may resolve; and the runs that
/// failed. If workflows are shared with the caller, a page can have fewer items than `limit` although more pages follow.
/// If more than 15 colleagues share workflows with the caller, only those of 15 are included.
///
/// With `follow=true`, the response is a stream of server-sent events: each new event within about a second, with its id as
/// `id`. Several messages of a thread at the same time can be one event. A stream lasts at most some minutes. Then the client
/// opens the next one with `Last-Event-ID`, as an `EventSource` of a browser does by itself, and misses nothing: an event of
/// the last seconds before may come again, with the same id.
#[utoipa::path(
    get, path = "/builder/v1/inbox", tag = "runs",
    params(
        ("Last-Event-ID" = Option<Uuid>, Header, description = "With `follow`: the id of the last event that the client has"),
        ListInbox,
    ),
    responses(
        (status = 200, description = "A page of events, or a stream",
            content((DataSlice<InboxEventOut> = "application/json"), (Value = "text/event-stream"))),
        ErrorResponses,
    ),
)]
pub async fn list_inbox(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListInbox>,
    headers: HeaderMap,
) -> Result<Response> {
    let (after, last) = (CURSORS.read(query.cursor.as_deref())?, last_event_id(&headers)?);
    if query.follow {
        return Ok(follow(stores, caller.account(), last).await?);
    }
    let workflows = stores.shares.seen_by(caller.account(), TeamRole::Viewer).await?;
    let request = SliceRequest { order: Order::Desc, limit: query.limit, after };
    let page = stores.inbox.list(&workflows, request).await?;
    Ok(DataSlice::<InboxEventOut>::new(page, CURSORS).into_response())
}

async fn follow(stores: Stores, user: Account, last: Option<Uuid>) -> DomainResult<Response> {
    let until = Instant::now() + stores.stream_time;
    let workflows = stores.shares.seen_by(user, TeamRole::Viewer).await?;
    let first = last.map_or_else(Uuid::now_v7, before);
    let (read_at, sent) = (Instant::now(), last.into_iter().collect());
    let mut log = InboxLog { stores, user, workflows, read_at, first, newest: first, sent, rest: None };
    let found = log.read().await?;
    Ok(Follower { log, watcher: None, found, until }.into_response())
}

/// The place at which the period begins that is read again.
fn before(place: Uuid) -> Uuid {
    Time::from_uuid(place).minus(OVERLAP).first_uuid()
}

/// The inbox of a user as a log.
struct InboxLog {
    stores: Stores,
    user: Account,
    workflows: SeenWorkflows,
    /// When `workflows` was read.
    read_at: Instant,
    /// Earlier events are not sent.
    first: Uuid,
    /// The newest event that was read.
    newest: Uuid,
    /// The events of the last period that the client has.
    sent: BTreeSet<Uuid>,
    /// Where the next read begins, if the last one did not read all events.
    rest: Option<String>,
}

impl FollowedLog for InboxLog {
    async fn read(&mut self) -> DomainResult<Additions> {
        if self.read_at.elapsed() >= WORKFLOWS_KEPT {
            self.workflows = self.stores.shares.seen_by(self.user, TeamRole::Viewer).await?;
            self.read_at = Instant::now();
        }
        let after = self.rest.take().unwrap_or_else(|| before(self.newest).max(self.first).to_string());
        let request = SliceRequest { order: Order::Asc, limit: STEP, after: Some(after) };
        let page = self.stores.inbox.list(&self.workflows, request).await?;
        let mut events = Vec::new();
        for seen in page.items {
            self.newest = self.newest.max(seen.place);
            if self.sent.insert(seen.place) {
                let event = InboxEventOut::from(seen);
                events.push(Event::default().id(event.id().to_string()).json_data(event).map_err(Error::internal)?);
            }
        }
        self.sent = self.sent.split_off(&before(self.newest));
        self.rest = page.next;
        Ok(Additions { events, has_more: self.rest.is_some(), is_last: false })
    }
}
