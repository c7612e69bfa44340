//! Handlers for webhook events: the calls that a webhook received.

use axum::extract::State;
use domain::id::{WebhookEventId, WebhookId, WorkflowId};
use web::builder::{Data, DataSlice, ErrorResponses, NotFound, NotPermitted, Operator};
use web::cursor::Cursors;
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::event::{EventDetailOut, EventOut, ListEvents};

const CURSORS: Cursors = Cursors("webhook-events");

/// List the calls of a webhook
///
/// Returns the calls of the last thirty days, newest first. With a filter, a page can have fewer items than `limit`
/// although more pages follow.
///
/// Of the refused calls of an hour, the first 50 without the token and the first 500 with it are in the list. The others are
/// counted: see `unstoredCalls` of the webhook. Of the headers of a call, at most 40 and 8 KB are stored.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhooks/{webhook_id}/events", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("webhook_id" = Uuid, Path, description = "The webhook"),
        ListEvents,
    ),
    responses(
        (status = 200, description = "A page of calls", body = DataSlice<EventOut>),
        NotFound<(WorkflowId, WebhookId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn list_events(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, webhook_id)): Path<(WorkflowId, WebhookId)>,
    Query(query): Query<ListEvents>,
) -> Result<DataSlice<EventOut>> {
    stores.workflows.get_header(access.account, id).await?;
    stores.webhooks.get(access.account, id, webhook_id).await?;
    let after = CURSORS.read(query.cursor.as_deref())?;
    let slice = stores.webhook_events.list(webhook_id, &query.outcome.0, query.limit, after).await?;
    Ok(DataSlice::new(slice, CURSORS))
}

/// Read a call of a webhook
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhooks/{webhook_id}/events/{event_id}", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("webhook_id" = Uuid, Path, description = "The webhook"),
        ("event_id" = Uuid, Path, description = "The call"),
    ),
    responses(
        (status = 200, description = "The call and its result", body = Data<EventDetailOut>),
        NotFound<(WorkflowId, WebhookId, WebhookEventId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn get_event(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, webhook_id, event_id)): Path<(WorkflowId, WebhookId, WebhookEventId)>,
) -> Result<Data<EventDetailOut>> {
    stores.workflows.get_header(access.account, id).await?;
    stores.webhooks.get(access.account, id, webhook_id).await?;
    Ok(Data { data: stores.webhook_events.get(webhook_id, event_id).await?.into() })
}
