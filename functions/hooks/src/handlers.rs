//! The handler of webhooks.

use auth::refused;
use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use domain::id::WebhookId;
use domain::webhook::{RefusedSender, Webhook, WebhookEvent};
use domain::{Error, Refusal};
use web::base_url::BaseUrl;
use web::builder::{ChannelCaller, ErrorBody, ErrorResponses, NotFound, NotJson};
use web::{ApiError, Path, RawBody, Result, classify};

use crate::Stores;
use crate::call::Call;
use crate::dto::{AcceptedOut, TriggeredOut};
use crate::triggers::AuthorizedCall;

/// Start a run by a webhook
///
/// The body is the input of the run, at most 1 MiB. If the node `webhook` says so, the input is the whole call, with its query and
/// headers. With the mode `sync`, the response carries the output of the node
/// `send_result`, or is 202 if the run outlasts the webhook's timeout. If the node `webhook` says so, that output is the whole
/// response, with its status, headers and body. With the mode `async`, the response is 202 at once. The
/// result of a 202 is read with `GET /builder/v1/workflows/{id}/runs/{runId}`.
///
/// A call that repeats an `Idempotency-Key` within 24 hours starts no run, and is answered with the run of the first call.
/// The `Authorization` header has the token of the webhook. Refused calls are listed with the events of the webhook, up to a
/// number in each hour.
#[utoipa::path(
    post, path = "/hooks/v1/{webhook_id}", tag = "triggers",
    params(
        ("webhook_id" = Uuid, Path, description = "The webhook"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 200 characters that identify the call"),
    ),
    request_body(content = Value, content_type = "application/json"),
    responses(
        (status = 200, description = "The run has completed", body = TriggeredOut),
        (status = 202, description = "The run has not ended yet. `Location` is its URL", body = AcceptedOut),
        (status = 409, description = "`workflow_paused`; `unpublished_changes`: the workflow was never published; \
            `idempotency_conflict`: the `Idempotency-Key` was used with another body", body = ErrorBody),
        (status = 422, description = "`channel_incomplete`: no channel of the active release uses the webhook; \
            `run_failed` and `run_cancelled`: the run ended without a result; `invalid_response`: its output is no response, though \
            the node `webhook` says so. `details` names the run", body = ErrorBody),
        NotFound<WebhookId>, NotJson, ErrorResponses,
    ),
)]
pub async fn trigger_webhook(
    State(stores): State<Stores>,
    caller: Result<ChannelCaller>,
    Path(id): Path<WebhookId>,
    headers: HeaderMap,
    base_url: BaseUrl,
    request: Request,
) -> Result<Response> {
    let called = stores.called_webhooks.find(id).await?;
    let webhook = called.webhook.clone();
    let query = request.uri().query().unwrap_or_default().to_owned();
    // The body is read only for a caller with the token.
    let (sender, body) = match caller.and_then(|caller| authenticate(&webhook, caller)) {
        Ok(()) => (RefusedSender::Authorized, RawBody::from_request(request, &stores).await),
        Err(error) => (RefusedSender::Stranger, Err(error)),
    };
    let (body, refused) = match body {
        Ok(RawBody(body)) => (body, None),
        Err(error) => (Default::default(), Some(error)),
    };
    let call = Call::new(query, headers, body);
    let answer = async {
        match refused {
            Some(error) => Err(error),
            None => Ok(AuthorizedCall::new(&stores, called, &call).start_run().await?),
        }
    };
    match answer.await {
        Ok(answer) => Ok(answer.into_response(webhook.workflow, base_url)),
        Err(ApiError(error)) => {
            record_refusal(&stores, &webhook, &call, sender, &error).await;
            Err(error.into())
        }
    }
}

fn authenticate(webhook: &Webhook, ChannelCaller(caller): ChannelCaller) -> Result<()> {
    match caller.token.matches(&webhook.token) {
        true => Ok(()),
        false => Err(refused(Refusal::Unknown, "not the token of the webhook").into()),
    }
}

/// Stores the event of a refused call, or counts the call if the webhook has stored too many. An answer of 5xx is not stored:
/// the caller did not cause it, and the storage may not answer.
pub async fn record_refusal(stores: &Stores, webhook: &Webhook, call: &Call, sender: RefusedSender, error: &Error) {
    let (status, code) = classify(error);
    if !status.is_client_error() {
        return;
    }
    if let Err(error) = store_refusal(stores, webhook.id, sender, call.refused(status.as_u16(), code)).await {
        tracing::warn!(?error, webhook_id = %webhook.id, "the event of a refused call was not stored");
    }
}

async fn store_refusal(
    stores: &Stores,
    webhook: WebhookId,
    sender: RefusedSender,
    event: WebhookEvent,
) -> domain::Result<()> {
    match stores.refused_calls.admit(webhook, sender, stores.clock.now()).await? {
        true => stores.webhook_events.record(webhook, event).await,
        false => Ok(()),
    }
}
