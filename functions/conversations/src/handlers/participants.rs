//! Handlers that list, export and erase participants.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{ParticipantId, WorkflowId};
use domain::{Error, Result as DomainResult};
use web::builder::{Data, DataSlice, ErrorResponses, NotFound, NotPermitted, Operator, Viewer};
use web::cursor::{CursorQuery, Cursors};
use web::{NoBody, Path, Query, Result};

use crate::Stores;
use crate::dto::message::MessageOut;
use crate::dto::participant::{ExportedThreadOut, ParticipantDetailOut, ParticipantExportOut};

const CURSORS: Cursors = Cursors("participants");
/// A larger export is downloaded from the bucket. A response of a Lambda has at most 6 MB.
const MAX_INLINE_BYTES: usize = 1024 * 1024;
const URL_VALID: Duration = Duration::from_secs(60 * 60);

/// List the participants of a workflow
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/records/participants", tag = "records",
    params(("id" = Uuid, Path, description = "The workflow"), CursorQuery),
    responses(
        (status = 200, description = "A page of participants, in the order of their ids",
            body = DataSlice<ParticipantDetailOut>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_participants(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Query(CursorQuery { limit, cursor }): Query<CursorQuery>,
) -> Result<DataSlice<ParticipantDetailOut>> {
    stores.check_workflow(access.account, id).await?;
    let after = CURSORS.read(cursor.as_deref())?;
    Ok(DataSlice::new(stores.deliveries.threads.participants(id, limit, after).await?, CURSORS))
}

/// Export a participant
///
/// Returns the threads of a participant: all messages of a thread to which nobody else has written, and otherwise their
/// messages and the answers to them.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/records/participants/{participant_id}", tag = "records",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("participant_id" = Uuid, Path, description = "The participant"),
    ),
    responses(
        (status = 200, description = "The export", body = Data<ParticipantExportOut>),
        NotFound<(WorkflowId, ParticipantId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn export_participant(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, participant_id)): Path<(WorkflowId, ParticipantId)>,
) -> Result<Data<ParticipantExportOut>> {
    stores.check_workflow(access.account, id).await?;
    let threads = &stores.deliveries.threads;
    let participant = threads.participant(id, participant_id).await?.into();
    let mut conversations = Vec::new();
    for thread in threads.batch(access.account.org, &threads.threads_of(participant_id).await?).await? {
        let messages = threads.messages_of(&thread, participant_id).await?;
        let messages = messages.into_iter().map(MessageOut::from).collect();
        conversations.push(ExportedThreadOut { thread: thread.into(), messages });
    }
    let export = ParticipantExportOut { participant, conversations: Some(conversations), url: None };
    Ok(Data { data: shorten(&stores, id, participant_id, export).await? })
}

/// Erase a participant
///
/// Deletes their threads and messages, and the values of the runs that these started. Counts and costs stay. In a thread of
/// several people, only their messages and the answers to them are erased, and the values of the runs that started after
/// their first message, because agents and models remember the thread. Runs in progress are stopped. The participant is hidden
/// at once; the rest follows within minutes.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/records/participants/{participant_id}", tag = "records",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("participant_id" = Uuid, Path, description = "The participant"),
    ),
    responses(
        (status = 204, description = "The participant is being erased"),
        NotFound<(WorkflowId, ParticipantId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn erase_participant(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, participant_id)): Path<(WorkflowId, ParticipantId)>,
    _: NoBody,
) -> Result<StatusCode> {
    stores.check_workflow(access.account, id).await?;
    stores.deliveries.threads.participant(id, participant_id).await?;
    stores.deliveries.threads.mark_erased(id, participant_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stores a large export in the bucket.
async fn shorten(
    stores: &Stores,
    workflow: WorkflowId,
    id: ParticipantId,
    export: ParticipantExportOut,
) -> DomainResult<ParticipantExportOut> {
    let text = serde_json::to_vec(&export).map_err(Error::internal)?;
    if text.len() <= MAX_INLINE_BYTES {
        return Ok(export);
    }
    let url = stores.deliveries.threads.store_export(workflow, id, text, URL_VALID).await?;
    Ok(ParticipantExportOut { conversations: None, url: Some(url), ..export })
}
