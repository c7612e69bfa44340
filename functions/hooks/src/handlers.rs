//! The handler of webhooks.

use auth::refused;
use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use domain::id::WebhookId;
use domain::webhook::{RefusedSender, Webhook, WebhookEvent};
use domain::{Error, Refusal};
use web::base_url::BaseUrl;
use web::builder::{ChannelCaller, ErrorBody, ErrorResponses, NotFound};
use web::{ApiError, Path, RawBody, Result, classify};

use crate::Stores;
use crate::call::Call;
use crate::dto::{AcceptedOut, GetOut, TakesPostOut, TriggeredOut};
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
/// Refused calls are listed with the events of the webhook, up to a
/// number in each hour.
///
/// The `Authorization` header has the token of the webhook. A service that can send no such header calls the URL with the token as
/// `?token=`. A body that is a form is an object of its fields.
#[utoipa::path(
    post, path = "/hooks/v1/{webhook_id}", tag = "triggers",
    params(
        ("webhook_id" = Uuid, Path, description = "The webhook"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 200 characters that identify the call"),
        ("token" = Option<String>, Query, description = "The token of the webhook, in place of the header `Authorization`"),
    ),
    request_body(content(
        (Value = "application/json"),
        (Value = "application/x-www-form-urlencoded"),
        (Value = "multipart/form-data"),
    )),
    responses(
        (status = 200, description = "The run has completed", body = TriggeredOut),
        (status = 202, description = "The run has not ended yet. `Location` is its URL", body = AcceptedOut),
        (status = 409, description = "`workflow_paused`; `unpublished_changes`: the workflow was never published; \
            `idempotency_conflict`: the `Idempotency-Key` was used with another body", body = ErrorBody),
        (status = 422, description = "`channel_incomplete`: no channel of the active release uses the webhook; \
            `run_failed` and `run_cancelled`: the run ended without a result; `invalid_response`: its output is no response, though \
            the node `webhook` says so. `details` names the run", body = ErrorBody),
        (status = 415, description = "The body is neither JSON nor a form", body = ErrorBody),
        NotFound<WebhookId>, ErrorResponses,
    ),
)]
pub async fn trigger_webhook(
    State(stores): State<Stores>,
    caller: Result<ChannelCaller>,
    Path(id): Path<WebhookId>,
    base_url: BaseUrl,
    request: Request,
) -> Result<Response> {
    receive_call(stores, caller, id, base_url, request).await
}

/// Call a webhook by GET
///
/// Starts a run if the node `webhook` says so (`allowGet`), as a POST without a body would. Else it only says that the webhook is
/// there: some services ask so before they use a URL. A HEAD never starts a run.
#[utoipa::path(
    get, path = "/hooks/v1/{webhook_id}", tag = "triggers",
    params(
        ("webhook_id" = Uuid, Path, description = "The webhook"),
        ("token" = Option<String>, Query, description = "The token of the webhook, in place of the header `Authorization`"),
    ),
    responses(
        (status = 200, description = "The run has completed, or the webhook takes calls by POST", body = GetOut),
        (status = 202, description = "The run has not ended yet. `Location` is its URL", body = AcceptedOut),
        (status = 409, description = "`workflow_paused`; `unpublished_changes`: the workflow was never published", body = ErrorBody),
        (status = 422, description = "`channel_incomplete`; `run_failed` and `run_cancelled`: the run ended without a result; \
            `invalid_response`: its output is no response. `details` names the run", body = ErrorBody),
        NotFound<WebhookId>, ErrorResponses,
    ),
)]
pub async fn get_webhook(
    State(stores): State<Stores>,
    caller: Result<ChannelCaller>,
    Path(id): Path<WebhookId>,
    base_url: BaseUrl,
    request: Request,
) -> Result<Response> {
    receive_call(stores, caller, id, base_url, request).await
}

async fn receive_call(
    stores: Stores,
    caller: Result<ChannelCaller>,
    id: WebhookId,
    base_url: BaseUrl,
    request: Request,
) -> Result<Response> {
    let called = stores.called_webhooks.find(id).await?;
    let webhook = called.webhook.clone();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let (method, headers) = (request.method().clone(), request.headers().clone());
    // The body is read only for a caller with the token.
    let (sender, body) = match caller.and_then(|caller| authenticate(&webhook, caller)) {
        Ok(()) => (RefusedSender::Authorized, RawBody::from_request(request, &stores).await),
        Err(error) => (RefusedSender::Stranger, Err(error)),
    };
    let (body, refused) = match body {
        Ok(RawBody(body)) => (body, None),
        Err(error) => (Default::default(), Some(error)),
    };
    let call = Call::new(method, query, headers, body);
    let answer = async {
        if let Some(error) = refused {
            return Err(error);
        }
        let authorized = AuthorizedCall::new(&stores, called, &call);
        let starts = match *call.method() {
            Method::HEAD => false,
            Method::GET => authorized.starts_on_get().await?,
            _ => true,
        };
        match starts {
            true => Ok(Some(authorized.start_run().await?)),
            false => Ok(None),
        }
    };
    match answer.await {
        Ok(Some(answer)) => Ok(answer.into_response(webhook.workflow, base_url)),
        Ok(None) => Ok(Json(TakesPostOut { webhook_id: id.uuid(), methods: ["POST"] }).into_response()),
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
