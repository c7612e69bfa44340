//! The handler that reminds participants.

use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{ThreadId, WorkflowId};
use domain::thread::Author;
use uuid::Uuid;
use web::builder::{Created, Data, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator};
use web::{OptionalJson, Path, Result};

use crate::Stores;
use crate::delivery::deliver;
use crate::dto::message::{MessageOut, NudgeIn};

const REMINDER: &str = "We are still waiting for your answer.";

/// Remind the participant of a thread
///
/// Sends a reminder, which the thread keeps as a message of the role `system`. A participant is reminded at most once an
/// hour, and not while an operator holds the thread.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/records/threads/{thread_id}/nudge", tag = "records",
    params(("id" = Uuid, Path, description = "The workflow"), ("thread_id" = Uuid, Path, description = "The thread")),
    request_body = Option<NudgeIn>,
    responses(
        Created<MessageOut>,
        (status = 409, description = "`thread_taken`: an operator holds the thread", body = ErrorBody),
        (status = 422, description = "`delivery_refused`: the provider refused the message", body = ErrorBody),
        (status = 429, description = "`rate_limit_exceeded`: the participant was reminded less than an hour ago, or the \
            provider limits the rate; see `Retry-After`", body = ErrorBody),
        NotFound<(WorkflowId, ThreadId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn nudge_participant(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, thread_id)): Path<(WorkflowId, ThreadId)>,
    OptionalJson(NudgeIn { content }): OptionalJson<NudgeIn>,
) -> Result<(StatusCode, Data<MessageOut>)> {
    let content = content.filter(|content| !content.trim().is_empty()).unwrap_or_else(|| REMINDER.to_owned());
    stores.load_thread(access.account, id, thread_id).await?;
    let key = format!("reminder/{}", Uuid::now_v7());
    let message = deliver(&stores.deliveries, thread_id, &Author::Reminder, &key, &content).await?;
    Ok((StatusCode::CREATED, Data { data: message.into() }))
}
