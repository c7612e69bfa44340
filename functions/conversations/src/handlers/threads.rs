//! Handlers that read threads and their messages.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use domain::Result as DomainResult;
use domain::id::{ThreadId, WorkflowId};
use domain::page::{Order, SliceRequest};
use domain::sharing::TeamRole;
use tokio::time::Instant;
use web::builder::{Caller, Data, DataSlice, ErrorResponses, NotFound, NotJson, Viewer};
use web::cursor::Cursors;
use web::follow::{FollowedLog, Follower, last_event_id};
use web::{Json, Path, Query, Result};

use crate::Stores;
use crate::dto::message::{ListMessages, MessageOut};
use crate::dto::thread::{ListThreads, SeenThreadOut, ThreadBatchIn, ThreadOut};
use crate::follow::MessageLog;

const THREADS: Cursors = Cursors("threads");
const ALL_THREADS: Cursors = Cursors("all-threads");
const MESSAGES: Cursors = Cursors("messages");

/// List the threads of a workflow
///
/// Returns the threads that match all filters, those with the newest messages first. With a filter, a page can have fewer
/// items than `limit` although more pages follow. A new message may move its thread a moment later.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/threads", tag = "conversations",
    params(("id" = Uuid, Path, description = "The workflow"), ListThreads),
    responses(
        (status = 200, description = "A page of threads", body = DataSlice<ThreadOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_threads(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(query): Query<ListThreads>,
) -> Result<DataSlice<ThreadOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let after = THREADS.read(query.cursor.as_deref())?;
    let (limit, filter) = (query.limit, query.filter());
    Ok(DataSlice::new(stores.deliveries.threads.list(id, &filter, limit, after).await?, THREADS))
}

/// List the threads of all workflows
///
/// Returns the threads of the caller's workflows, and of those that are shared with them: first those with the newest
/// messages, and those that operators took or released last. A page can have fewer items than `limit` although more pages
/// follow: with a filter other than `waitingForOperator=true`, and if workflows are shared with the caller. If more
/// than 15 colleagues share workflows with the caller, only those of 15 are included. A new message may move its thread a
/// moment later. Threads without a message since this list existed are not in it.
#[utoipa::path(
    get, path = "/builder/v1/threads", tag = "conversations",
    params(ListThreads),
    responses((status = 200, description = "A page of threads", body = DataSlice<SeenThreadOut>), ErrorResponses),
)]
pub async fn list_all_threads(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Query(query): Query<ListThreads>,
) -> Result<DataSlice<SeenThreadOut>> {
    let after = ALL_THREADS.read(query.cursor.as_deref())?;
    let request = SliceRequest { order: Order::Desc, limit: query.limit, after };
    let workflows = stores.shares.seen_by(caller.account(), TeamRole::Viewer).await?;
    let page = stores.deliveries.threads.list_seen(&workflows, &query.filter(), request).await?;
    Ok(DataSlice::new(page, ALL_THREADS))
}

/// Read a thread
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/threads/{thread_id}", tag = "conversations",
    params(("id" = Uuid, Path, description = "The workflow"), ("thread_id" = Uuid, Path, description = "The thread")),
    responses(
        (status = 200, description = "The thread", body = Data<ThreadOut>),
        NotFound<(WorkflowId, ThreadId)>, ErrorResponses,
    ),
)]
pub async fn get_thread(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
) -> Result<Data<ThreadOut>> {
    let thread = stores.load_thread(access.account, id, thread_id).await?;
    Ok(Data { data: thread.into() })
}

/// Read several threads
///
/// Returns the threads in the order of their ids in the request. Those that do not exist, and those of deleted workflows, are
/// left out.
#[utoipa::path(
    post, path = "/builder/v1/workflows/threads/batch", tag = "conversations", request_body = ThreadBatchIn,
    responses(
        (status = 200, description = "The threads", body = Data<Vec<ThreadOut>>),
        NotJson, ErrorResponses,
    ),
)]
pub async fn read_threads(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Json(ThreadBatchIn { mut ids }): Json<ThreadBatchIn>,
) -> Result<Data<Vec<ThreadOut>>> {
    let order = ids.clone();
    ids.sort_unstable();
    ids.dedup();
    let mut found = stores.deliveries.threads.batch(caller.org, &ids).await?;
    let workflows = found.iter().map(|thread| (thread.account, thread.workflow)).collect();
    let workflows = stores.shares.visible(caller.account(), &workflows).await?;
    found.retain(|thread| workflows.contains_key(&thread.workflow));
    found.sort_by_key(|thread| order.iter().position(|id| *id == thread.id));
    Ok(Data { data: found.into_iter().map(ThreadOut::from).collect() })
}

/// List or follow the messages of a thread
///
/// A page of long messages can have fewer items than `limit` although more pages follow.
///
/// With `follow=true`, the response is a stream of server-sent events: each message that arrives from now on, within a second.
/// An event has the number of its message as `id`. With `Last-Event-ID`, the stream begins with the messages after that
/// number. A message that is still being sent has the status `sending`; the list shows how that ended. A stream lasts at most
/// some minutes. Then the client opens the next one with `Last-Event-ID`, as an `EventSource` of a browser does by itself.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/threads/{thread_id}/messages", tag = "conversations",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("thread_id" = Uuid, Path, description = "The thread"),
        ("Last-Event-ID" = Option<u64>, Header, description = "With `follow`: the number of the last message that the client has"),
        ListMessages,
    ),
    responses(
        (status = 200, description = "A page of messages, or a stream",
            content((DataSlice<MessageOut> = "application/json"), (Value = "text/event-stream"))),
        NotFound<(WorkflowId, ThreadId)>, ErrorResponses,
    ),
)]
pub async fn list_messages(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
    Query(query): Query<ListMessages>,
    headers: HeaderMap,
) -> Result<Response> {
    let after = MESSAGES.read(query.cursor.as_deref())?;
    let thread = stores.load_thread(access.account, id, thread_id).await?;
    if query.follow {
        let known = last_event_id(&headers)?.unwrap_or(thread.message_count);
        // Nobody has messages that are not yet there.
        let after = known.min(thread.message_count);
        return Ok(follow(stores, thread_id, after).await?);
    }
    let page = stores.deliveries.threads.messages(thread_id, query.order.into(), query.limit, after).await?;
    Ok(DataSlice::<MessageOut>::new(page, MESSAGES).into_response())
}

/// The stream of messages after a number.
async fn follow(stores: Stores, thread: ThreadId, after: u64) -> DomainResult<Response> {
    let until = Instant::now() + stores.stream_time;
    let mut log = MessageLog { threads: stores.deliveries.threads, thread, after };
    let found = log.read().await?;
    Ok(Follower { log, watcher: None, found, until }.into_response())
}
