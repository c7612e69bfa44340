//! Handlers of operators, who answer participants instead of the bot.

use axum::extract::State;
use axum::http::HeaderMap;
use domain::id::{ThreadId, WorkflowId};
use domain::thread::Author;
use uuid::Uuid;
use web::builder::{Created, Data, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator, Viewer};
use web::idempotency::{self, IdempotencyHeaders};
use web::{Json, NoBody, OptionalJson, Path, Result};

use crate::Stores;
use crate::delivery::deliver;
use crate::dto::message::{MessageOut, OperatorMessageIn};
use crate::dto::thread::{OperatorIn, OperatorStateOut, ThreadOut};

/// Read who holds a thread
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state", tag = "conversations",
    params(("id" = Uuid, Path, description = "The workflow"), ("thread_id" = Uuid, Path, description = "The thread")),
    responses(
        (status = 200, description = "The operator who holds the thread; null if the bot answers",
            body = Data<Option<OperatorStateOut>>),
        NotFound<(WorkflowId, ThreadId)>, ErrorResponses,
    ),
)]
pub async fn get_operator_state(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
) -> Result<Data<Option<OperatorStateOut>>> {
    let thread = stores.load_thread(access.account, id, thread_id).await?;
    Ok(Data { data: thread.control.hold.map(Into::into) })
}

/// Take a thread
///
/// From now on, messages of the participant start no runs, and runs in progress send nothing. If a reply is being sent at
/// this moment, the response waits until that has ended. A repeated request changes nothing.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state", tag = "conversations",
    params(("id" = Uuid, Path, description = "The workflow"), ("thread_id" = Uuid, Path, description = "The thread")),
    request_body = Option<OperatorIn>,
    responses(
        (status = 200, description = "The thread", body = Data<ThreadOut>),
        (status = 409, description = "`thread_taken`: another operator holds the thread", body = ErrorBody),
        NotFound<(WorkflowId, ThreadId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn take_thread(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
    OptionalJson(body): OptionalJson<OperatorIn>,
) -> Result<Data<ThreadOut>> {
    let operator = body.by(&access.caller);
    stores.check_workflow(access.account, id).await?;
    let thread = stores.deliveries.threads.take(access.account, id, thread_id, &operator).await?;
    Ok(Data { data: stores.deliveries.wait_for_end(thread).await?.into() })
}

/// Release a thread
///
/// The bot answers the next message. Only the operator who holds the thread may release it.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state/release", tag = "conversations",
    params(("id" = Uuid, Path, description = "The workflow"), ("thread_id" = Uuid, Path, description = "The thread")),
    request_body = Option<OperatorIn>,
    responses(
        (status = 200, description = "The thread", body = Data<ThreadOut>),
        (status = 409, description = "`thread_taken`: another operator holds the thread; `invalid_state`: nobody does",
            body = ErrorBody),
        NotFound<(WorkflowId, ThreadId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn release_thread(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
    OptionalJson(body): OptionalJson<OperatorIn>,
) -> Result<Data<ThreadOut>> {
    let operator = body.by(&access.caller);
    stores.check_workflow(access.account, id).await?;
    let thread = stores.deliveries.threads.release(access.account, id, thread_id, Some(&operator.id)).await?;
    Ok(Data { data: thread.into() })
}

/// Release a thread held by any operator
///
/// For a thread whose operator is gone. The bot answers the next message.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/threads/{thread_id}/operator-state", tag = "conversations",
    params(("id" = Uuid, Path, description = "The workflow"), ("thread_id" = Uuid, Path, description = "The thread")),
    responses(
        (status = 200, description = "The thread", body = Data<ThreadOut>),
        NotFound<(WorkflowId, ThreadId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn clear_operator(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
    _: NoBody,
) -> Result<Data<ThreadOut>> {
    stores.check_workflow(access.account, id).await?;
    let thread = stores.deliveries.threads.release(access.account, id, thread_id, None).await?;
    Ok(Data { data: thread.into() })
}

/// Send a message as an operator
///
/// The operator must hold the thread. The message is formatted for the provider and sent at once. A repeated request with
/// the same `Idempotency-Key` sends nothing again.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/threads/{thread_id}/messages", tag = "conversations",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("thread_id" = Uuid, Path, description = "The thread"),
        IdempotencyHeaders,
    ),
    request_body = OperatorMessageIn,
    responses(
        Created<MessageOut>,
        (status = 409, description = "`thread_taken`: another operator holds the thread; `invalid_state`: nobody does; \
            `idempotency_conflict`: the key was used with another message", body = ErrorBody),
        (status = 422, description = "`delivery_refused`: the provider refused the message", body = ErrorBody),
        (status = 429, description = "`rate_limit_exceeded`: the provider limits the rate; see `Retry-After`",
            body = ErrorBody),
        NotFound<(WorkflowId, ThreadId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn send_operator_message(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
    headers: HeaderMap,
    Json(OperatorMessageIn { content, operator }): Json<OperatorMessageIn>,
) -> Result<(axum::http::StatusCode, Data<MessageOut>)> {
    let operator = operator.unwrap_or_else(|| access.caller.user.to_string());
    let key = idempotency::read_key(&headers, String::new())?.map_or_else(Uuid::now_v7, |key| key.key);
    stores.load_thread(access.account, id, thread_id).await?;
    let author = Author::Operator(operator);
    let message = deliver(&stores.deliveries, thread_id, &author, &format!("operator/{key}"), &content).await?;
    Ok((axum::http::StatusCode::CREATED, Data { data: message.into() }))
}
